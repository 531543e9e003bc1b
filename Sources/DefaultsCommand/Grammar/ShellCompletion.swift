/// Completion scripts for shells, which ask the command itself for candidates.
///
/// The answer has a line for each candidate: the candidate, a tab, and a description. A line with
/// nothing before the tab and `files` after it makes the shell offer files.
enum ShellCompletion: String, CaseIterable, Sendable {
  case bash, zsh, fish

  /// The hidden verb that the scripts call.
  static let verb = "complete"
  static let filesLine = "\tfiles"

  /// - Parameter program: the name of the executable.
  func script(for program: String) -> String {
    let function = "_" + program.split(separator: "-").joined(separator: "_")
    return switch self {
    case .bash: Self.bashScript(program, function)
    case .zsh: Self.zshScript(program, function)
    case .fish: Self.fishScript(program, "_\(function)_candidates")
    }
  }

  /// bash splits words at `=` and `:`, which are joined again, and replaces only what follows them.
  private static func bashScript(_ program: String, _ function: String) -> String {
    """
    # Completion of `\(program)` for bash.
    \(function)() {
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
    complete -F \(function) \(program)

    """
  }

  private static func zshScript(_ program: String, _ function: String) -> String {
    """
    #compdef \(program)
    # Completion of `\(program)` for zsh.
    \(function)() {
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
      (( $#candidates )) && _describe '\(program)' candidates
    }
    if [[ $zsh_eval_context[-1] == loadautofunc ]]; then \(function) "$@"
    else compdef \(function) \(program); fi

    """
  }

  private static func fishScript(_ program: String, _ function: String) -> String {
    """
    # Completion of `\(program)` for fish.
    function \(function)
      set -l words (commandline -opc) (commandline -ct)
      for line in (command \(program) \(Self.verb) fish -- $words[2..-1] 2>/dev/null)
        if test "$line" = \\tfiles
          __fish_complete_path (commandline -ct)
        else
          echo $line
        end
      end
    end
    complete -c \(program) -f -a '(\(function))'

    """
  }
}
