# What the scripts share: named and timed steps, test runs that are counted.
# A script sources this file first; it is then in the package's root.

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

current_step=""
tests_passed=0

trap finish EXIT

finish() {
  local status=$?
  if [[ $status -ne 0 && -n $current_step ]]; then
    printf '==> FAILED: %s (exit code %d)\n' "$current_step" "$status" >&2
  fi
}

# step NAME COMMAND…: runs the command and says how long it took; a failure ends the script.
step() {
  current_step=$1
  shift
  local start=$SECONDS
  printf '==> %s\n' "$current_step"
  "$@"
  printf '==> %s: %d s\n' "$current_step" "$((SECONDS - start))"
  current_step=""
}

# count_tests ARGUMENT…: `swift test` with these arguments. A run without a single test proves
# nothing and is a failure; the others are added up for the closing line. What failed is said
# again at the end, since other tests print thousands of lines after it.
count_tests() {
  local log count
  log=$(mktemp)
  if ! swift test "$@" 2>&1 | tee "$log"; then
    say_failures "$log"
    rm -f "$log"
    return 1
  fi
  count=$(sed -nE 's/^.*Test run with ([0-9]+) tests? .*passed.*$/\1/p' "$log" | tail -n 1)
  rm -f "$log"
  if [[ ${count:-0} -eq 0 ]]; then
    echo "no test matches: swift test $*" >&2
    return 1
  fi
  tests_passed=$((tests_passed + count))
}

# count_others COUNT: adds tests of another runner, all of which have passed.
count_others() {
  if [[ ${1:-0} -eq 0 ]]; then
    echo "no test was run" >&2
    return 1
  fi
  tests_passed=$((tests_passed + $1))
}

# say_failures LOG: each issue in a test run's output with the lines that explain it, what a
# sanitizer reported, and the last lines if the run ended before it could say any.
say_failures() {
  echo '==> what failed, again:'
  if ! awk '/^(WARNING|==[0-9]+==ERROR): [A-Za-z]+Sanitizer:/ { told = report = 1 }
    report { print; if (/^SUMMARY:/) report = 0; next }
    /^(✘|⚠)|rror:/ { told = more = 1; print; next }
    more && /^[[:space:]]*(↳|│)/ { print; next }
    { more = 0 }
    END { exit !told }' "$1"; then
    tail -n 40 "$1"
  fi
}

# The line that a green run ends with, and only a green one.
closing_line() {
  printf '%d passed, 0 failed\n' "$tests_passed"
}

lint_format() {
  local place places=(Package.swift)
  for place in Sources Tests Examples Benchmarks Fuzz Fleet/Sources Fleet/Tests; do
    if [[ -d $place ]]; then places+=("$place"); fi
  done
  swift format lint --strict --recursive "${places[@]}"
}

# Where packages beside this one are built: in one place, so that what all of them use is built once.
beside=$PWD/.build/beside
# A plan that was made there for another package is of no use.
beside_options=(--scratch-path "$beside" --disable-build-manifest-caching)

# build_beside PACKAGE ARGUMENT…: `swift build` with these arguments.
build_beside() { swift build "${beside_options[@]}" --package-path "$@"; }

# The packages beside this one: they break when what they call changes, and no test builds them.
build_packages() {
  local package
  for package in Fuzz Benchmarks; do build_beside "$package" --configuration release; done
}

# What a program can't rely on any more since the last version, a line each; it is empty after one.
allowed_changes=Scripts/interface-changes.txt

# Programs that were written for the last version still compile, but for what is allowed.
check_interface() {
  local released
  released=$(git log --format=%H --grep='^Release [0-9.]*$' --max-count=1)
  if [[ -z $released ]]; then
    echo "the interface is not checked: no version was released in the history that is here"
    return
  fi
  swift package --scratch-path .build/interface diagnose-api-breaking-changes "$released" \
    --breakage-allowlist-path "$allowed_changes" \
    --targets StrataPropertyList StrataStorage StrataDefaults Strata StrataAppStorage StrataKVO \
    StrataSettings
}

# Commit subjects have at most 72 characters, from the commit on since which that is a rule.
lint_commits() {
  local first=d6e5aea
  if ! git rev-parse --quiet --verify "$first^{commit}" >/dev/null; then
    echo "commit subjects are not checked: the history before them is not here"
    return
  fi
  git log --format=%s "$first.." | LC_ALL=C.UTF-8 awk '
    length > 72 { print "longer than 72 characters: " $0; found = 1 }
    END { exit found }'
}

# Swift keeps its caches in the home directory, and a build machine may not have one.
ensure_home() {
  if [[ -n ${HOME:-} && -d $HOME ]]; then return; fi
  HOME=$(getent passwd "$(id -u)" | cut -d: -f6)
  if [[ ! -w $HOME ]]; then HOME=$(mktemp -d); fi
  export HOME
}

ensure_swift() {
  if command -v swift >/dev/null; then return; fi
  echo "swift is not in PATH; see https://www.swift.org/install/linux/" >&2
  return 1
}

ensure_home
ensure_swift
