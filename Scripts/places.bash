# Where the parts of the `defaults` command are installed: below the first argument of the script
# that sources this, or /usr/local.

set -euo pipefail

# The text is the comment at the top of the script that was called.
if [[ ${1:-} == -* ]]; then
  help=$(sed -n '2,/^[^#]/s/^# //p' "$0")
  if [[ $1 == --help || $1 == -h ]]; then
    printf '%s\n' "$help"
    exit 0
  fi
  printf '%s: unknown option %s\n%s\n' "$(basename "$0")" "$1" "$help" >&2
  exit 64
fi

root=${DESTDIR:-}$(realpath --canonicalize-missing "${1:-/usr/local}")

binary_place=$root/bin/defaults
page_place=$root/bin/defaults-settings
fleet_place=$root/bin/defaults-fleet
service_place=$root/lib/systemd/system/defaults-fleet-agent.service

manual_place() { echo "$root/share/man/man1/$1.1.gz"; }

# completion_place PROGRAM SHELL
completion_place() {
  case $2 in
    bash) echo "$root/share/bash-completion/completions/$1" ;;
    zsh) echo "$root/share/zsh/site-functions/_$1" ;;
    fish) echo "$root/share/fish/vendor_completions.d/$1.fish" ;;
  esac
}

shells=(bash zsh fish)
