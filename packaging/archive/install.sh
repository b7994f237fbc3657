#!/bin/sh
# usage: ./install.sh [--uninstall] [PREFIX]
#
# Installs bakeoff below PREFIX, or removes it from there. PREFIX is /usr/local for root and
# ~/.local for everybody else. Each file appears whole or not at all: an interrupted installation
# leaves nothing that does not work, and running this again completes it.
set -eu

machine='@MACHINE@'
kinds='@UNAME@'
here=$(cd "$(dirname "$0")" && pwd)
action=install
prefix=
for word in "$@"; do
    case $word in
        --uninstall) action=uninstall ;;
        -*) sed -n '2,6s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
        *) prefix=$word ;;
    esac
done
if [ -z "$prefix" ]; then
    if [ "$(id -u)" -eq 0 ]; then prefix=/usr/local; else prefix=$HOME/.local; fi
fi

fail() {
    printf 'Cannot install bakeoff: %s\n' "$*" >&2
    exit 4
}

# Prints "file in the archive<TAB>file below PREFIX" for each file.
files() {
    printf 'bakeoff\tbin/bakeoff\n'
    for page in "$here"/man/man1/*.1; do
        printf 'man/man1/%s\tshare/man/man1/%s\n' "${page##*/}" "${page##*/}"
    done
    printf 'completions/bakeoff.bash\tshare/bash-completion/completions/bakeoff\n'
    printf 'completions/_bakeoff\tshare/zsh/site-functions/_bakeoff\n'
    printf 'completions/bakeoff.fish\tshare/fish/vendor_completions.d/bakeoff.fish\n'
    for paper in LICENSE-MIT LICENSE-APACHE THIRD-PARTY.txt; do
        printf '%s\tshare/doc/bakeoff/%s\n' "$paper" "$paper"
    done
}

# Removes what was installed, and folders that are empty then. PREFIX itself stays.
uninstall() {
    files | while IFS='	' read -r _ to; do
        rm -f "$prefix/$to" "$prefix/$to.new"
        folder=$(dirname "$to")
        while [ "$folder" != . ] && rmdir "$prefix/$folder" 2>/dev/null; do
            folder=$(dirname "$folder")
        done
    done
}

fits() {
    for kind in $kinds; do
        [ "$kind" != "$(uname -m)" ] || return 0
    done
    return 1
}

install() {
    fits || fail "this archive is for $machine, and this machine is $(uname -m). Download the" \
        "archive for $(uname -m)."
    said=$("$here/bakeoff" --version 2>&1) || fail "the program does not run here: $said." \
        "Unpack the archive again, in a folder whose programs may run."
    files | while IFS='	' read -r from to; do
        new=$prefix/$to.new
        said=$(mkdir -p "$(dirname "$prefix/$to")" 2>&1) || fail "$said. Give another PREFIX."
        if ! said=$(cp "$here/$from" "$new" 2>&1); then
            rm -f "$new"
            fail "$said. Free space there, or give another PREFIX."
        fi
        case $to in bin/*) chmod 755 "$new" ;; *) chmod 644 "$new" ;; esac
        mv -f "$new" "$prefix/$to"
    done
    printf '%s is in %s\n' "$said" "$prefix/bin/bakeoff"
    case ":$PATH:" in *":$prefix/bin:"*) ;; *) printf '%s\n' \
        "$prefix/bin is not in your PATH. Add it, or type $prefix/bin/bakeoff." ;; esac
}

$action
