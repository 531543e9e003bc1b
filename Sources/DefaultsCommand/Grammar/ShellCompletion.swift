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

  /// bash splits words at `=` and `:`, which are joined again, and replaces only what follows them.
  private static let bashScript = """
    # Completion of `defaults` for bash.
    _defaults() {
      local line word part prefix= rest=$COMP_LINE words=() i
      for ((i = 0; i <= COMP_CWORD; i++)); do
        part=${COMP_WORDS[i]}
        if ((i > 0)) && [[ -n $part && $rest != [[:blank:]]* ]]; then
          words[-1]+=$part
        else
          words+=("$part")
          rest=${rest#"${rest%%[![:blank:]]*}"}
        fi
        rest=${rest#"$part"}
      done
      word=${words[-1]}
      local quote=${word:0:1}
      if [[ $quote != [\\"\\'] ]]; then prefix=${word%"${word##*[=:]}"}; fi
      COMPREPLY=()
      while IFS= read -r line; do
        if [[ $line == $'\\tfiles' ]]; then
          compopt -o default
          continue
        fi
        word=${line%%$'\\t'*}
        word=${word#"$prefix"}
        if [[ $quote != [\\"\\'] ]]; then printf -v word %q "$word"; fi
        COMPREPLY+=("$word")
      done < <(
        "${COMP_WORDS[0]}" \(Self.verb) bash -- "${words[@]:1}" 2>/dev/null
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
