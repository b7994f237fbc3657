#!/usr/bin/env bash
# usage: scripts/install.sh GROUP...      (the groups are in scripts/packages)
#
# Installs the system packages that are missing for the groups, saying which and why first. Quiet
# when nothing is missing. Uses apt where there is apt; elsewhere it says what is needed. Never
# removes or upgrades anything. What the demo needs is installed by `bakeoff demo --install` instead.
# Exit 0 even when an optional tool could not be had: a test without its tool says so itself.
set -euo pipefail
cd "$(dirname "$0")/.."
PATH="$PATH:/usr/local/sbin:/usr/sbin:/sbin"

say() { printf '%s\n' "$*" >&2; }

# Whether any of the alternatives (a|b|/path) is there.
present() {
    local probe
    local -a alternatives
    IFS='|' read -ra alternatives <<<"$1"
    for probe in "${alternatives[@]}"; do
        case $probe in
            /*) [ -e "$probe" ] && return 0 ;;
            *) command -v "$probe" >/dev/null 2>&1 && return 0 ;;
        esac
    done
    return 1
}

# Prints "package<TAB>why" for each row of the table that is wanted and missing.
missing() {
    local groups probe package why wanted
    while read -r groups probe package why; do
        case $groups in '' | '#'*) continue ;; esac
        for wanted in "$@"; do
            case ",$groups," in *",$wanted,"*) ;; *) continue ;; esac
            present "$probe" || printf '%s\t%s\n' "$package" "$why"
            break
        done
    done <scripts/packages
}

# Runs apt-get as root, asking for a password only where somebody can answer.
apt() {
    local -a as_root=()
    if [ "$(id -u)" -ne 0 ]; then
        as_root=(sudo)
        [ -t 0 ] || as_root+=(--non-interactive)
    fi
    # An array that may be empty, spelled so that it is also right with `set -u` in old bash.
    ${as_root[@]+"${as_root[@]}"} env DEBIAN_FRONTEND=noninteractive \
        apt-get -qq -o Acquire::Retries=3 -o Dpkg::Use-Pty=0 -o DPkg::Lock::Timeout=120 "$@" \
        </dev/null >"$log" 2>&1
}

install_with_apt() {
    local -a packages=()
    local package
    if ! apt update; then
        say "apt-get update failed; going on with the package lists at hand. It said:"
        tail -n 3 "$log" >&2
    fi
    for package in "$@"; do
        if apt-cache show "$package" >/dev/null 2>&1; then
            packages+=("$package")
        else
            say "not in this system's package lists: $package"
        fi
    done
    [ "${#packages[@]}" -gt 0 ] || return 0
    if ! apt install --yes --no-install-recommends "${packages[@]}"; then
        say "apt-get could not install everything. It said:"
        tail -n 5 "$log" >&2
        say "To do it by hand: sudo apt-get install ${packages[*]}"
    fi
}

main() {
    local lacking names
    if [ "$#" -eq 0 ]; then
        say "usage: scripts/install.sh GROUP..." \
            "(build test dist bench applications release install fleet machines)"
        exit 2
    fi
    if ! command -v cargo >/dev/null 2>&1; then
        say "bakeoff is built with Rust, and there is no cargo here. Install it from" \
            "https://rustup.rs and run this again."
        exit 4
    fi
    lacking=$(missing "$@")
    [ -n "$lacking" ] || return 0
    names=$(cut -f1 <<<"$lacking" | sort -u | tr '\n' ' ')
    say "Missing packages:"
    while IFS=$'\t' read -r package why; do
        printf '  %-18s %s\n' "$package" "$why" >&2
    done <<<"$lacking"
    if ! command -v apt-get >/dev/null 2>&1; then
        say "No apt-get here: please install these (named as in Debian) and run this again."
    elif [ "$(id -u)" -ne 0 ] && ! command -v sudo >/dev/null 2>&1; then
        say "Not root, and there is no sudo. As root: apt-get install $names"
    else
        say "Installing them with apt-get$([ "$(id -u)" -eq 0 ] || echo ', through sudo')."
        log=$(mktemp)
        trap 'rm -f "$log"' EXIT
        # shellcheck disable=SC2086  # a list of package names
        install_with_apt $names
        lacking=$(missing "$@" | cut -f1 | sort -u | tr '\n' ' ')
        [ -z "$lacking" ] || say "Still missing: $lacking"
    fi
}

main "$@"
