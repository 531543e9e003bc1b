/// Completion scripts for shells, which ask the command itself for candidates.
///
/// The answer has a line for each candidate: the candidate, a tab, and a description. A line with
/// nothing before the tab and `files` after it makes the shell offer files.
enum ShellCompletion: String, CaseIterable, Sendable {
  case bash, zsh, fish

  /// The hidden verb that the scripts call.
  static let verb = "complete"
  static let filesLine = "\tfiles"

  var script: String {
    switch self {
    case .bash: Self.bashScript
    case .zsh: Self.zshScript
    case .fish: Self.fishScript
    }
  }

  private static let bashScript = """
    # Completion of `defaults` for bash.
    _defaults() {
      local line word quote=${COMP_WORDS[COMP_CWORD]:0:1}
      COMPREPLY=()
      while IFS= read -r line; do
        if [[ $line == $'\\tfiles' ]]; then
          compopt -o default
          continue
        fi
        word=${line%%$'\\t'*}
        if [[ $quote != [\\"\\'] ]]; then printf -v word %q "$word"; fi
        COMPREPLY+=("$word")
      done < <(
        "${COMP_WORDS[0]}" \(Self.verb) bash -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null
      )
    }
    complete -F _defaults defaults

    """

  private static let zshScript = """
    #compdef defaults
    # Completion of `defaults` for zsh.
    _defaults() {
      local line word
      local -a candidates
      local out
      out="$(${words[1]} \(Self.verb) zsh -- "${(@Q)words[2,CURRENT]}" 2>/dev/null)"
      for line in "${(@f)out}"; do
        if [[ $line == $'\\tfiles' ]]; then
          _files
        elif [[ -n $line ]]; then
          word=${line%%$'\\t'*}
          candidates+=("${word//:/\\\\:}:${line#*$'\\t'}")
        fi
      done
      (( $#candidates )) && _describe 'defaults' candidates
    }
    if [[ $zsh_eval_context[-1] == loadautofunc ]]; then _defaults "$@"
    else compdef _defaults defaults; fi

    """

  private static let fishScript = """
    # Completion of `defaults` for fish.
    function __defaults_candidates
      set -l words (commandline -opc) (commandline -ct)
      for line in (command defaults \(Self.verb) fish -- $words[2..-1] 2>/dev/null)
        if test "$line" = \\tfiles
          __fish_complete_path (commandline -ct)
        else
          echo $line
        end
      end
    end
    complete -c defaults -f -a '(__defaults_candidates)'

    """
}
