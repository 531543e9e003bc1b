# Where the parts of the `defaults` command are installed: below the first argument of the script
# that sources this, or /usr/local.

set -euo pipefail
root=${DESTDIR:-}$(realpath --canonicalize-missing "${1:-/usr/local}")

binary_place=$root/bin/defaults
manual_place=$root/share/man/man1/defaults.1.gz
declare -A completion_places=(
  [bash]=$root/share/bash-completion/completions/defaults
  [zsh]=$root/share/zsh/site-functions/_defaults
  [fish]=$root/share/fish/vendor_completions.d/defaults.fish
)
