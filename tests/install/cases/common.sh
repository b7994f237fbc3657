# What the cases share. The files of the release are in /files.
set -eu
ran=

fail() {
    printf '%s\n' "$*" >&2
    exit 1
}

# Says in the table what was run.
note() { ran="$ran${ran:+, }\`$1\`"; }

# Runs bakeoff with the words; 0 is an answer, and 1 says that an answer is missing.
runs() {
    code=0
    bakeoff "$@" >/tmp/said 2>&1 || code=$?
    [ "$code" -le 1 ] || fail "bakeoff $* ended with $code: $(cat /tmp/said)"
    note "bakeoff${1:+ $*}"
}

# What somebody types first, in an empty folder that has to be empty afterwards.
measure() {
    mkdir "$1" && cd "$1"
    runs
    runs quick . --time 30s
    grep -q . /tmp/said || fail "quick printed nothing"
    bakeoff runs >/tmp/said && grep -q quick /tmp/said || fail "no run is stored: $(cat /tmp/said)"
    cd / && rmdir "$1" || fail "quick left something in its folder"
}

# Every file of this system.
listing() { find / -xdev -print | sort; }

# Compares with what there was before: installing, running and removing must leave nothing.
unchanged() {
    listing | grep -vE "$1" >/tmp/after || true
    grep -vE "$1" /tmp/before >/tmp/expected || true
    if ! cmp -s /tmp/expected /tmp/after; then
        diff /tmp/expected /tmp/after >&2 || true
        fail "not as it was before"
    fi
}

# Ends a case: kilobytes installed, and what was run.
result() { printf 'RESULT\t%s\t%s\n' "$1" "$ran"; }
