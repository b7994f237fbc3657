# What cannot be installed is refused in one sentence, and nothing is left of it.
one_sentence() {
    [ "$(grep -c . /tmp/said)" -eq 1 ] || fail "not one line: $(cat /tmp/said)"
    grep -q "$1" /tmp/said || fail "not about $1: $(cat /tmp/said)"
    cat /tmp/said >&2
}
unpack() {
    mkdir -p "/tmp/$1" && tar -xJf /files/bakeoff-*-linux-"$1".tar.xz -C "/tmp/$1"
    cd "/tmp/$1"/bakeoff-*
}
nothing_in() { [ -z "$(find "$1" -type f)" ] || fail "left: $(find "$1" -type f)"; }

case $1 in
architecture)
    unpack "$3"
    ! ./install.sh /tmp/prefix >/tmp/said 2>&1 || fail "installed"
    one_sentence "this archive is for $3"
    [ ! -e /tmp/prefix ] || fail "left: $(find /tmp/prefix)"
    # The package of this machine with the name of another in it.
    dpkg-deb --raw-extract /files/bakeoff_*_amd64.deb /tmp/other
    sed -i 's/^Architecture: .*/Architecture: arm64/' /tmp/other/DEBIAN/control
    dpkg-deb -Znone --build /tmp/other /tmp/other.deb >/tmp/said
    ! dpkg --install /tmp/other.deb >/tmp/said 2>&1 || fail "installed"
    grep -q 'does not match system' /tmp/said || fail "$(cat /tmp/said)"
    [ -z "$(dpkg --audit)" ] || fail "$(dpkg --audit)"
    ;;
full)
    unpack "$2"
    ! ./install.sh /small >/tmp/said 2>&1 || fail "installed"
    one_sentence 'No space left on device'
    nothing_in /small
    ;;
interrupted)
    unpack "$2"
    mkdir /tmp/stubs
    # Kills the script where the new program is written, but not in its place yet.
    printf '#!/bin/sh\nkill -KILL $PPID\n' >/tmp/stubs/mv && chmod +x /tmp/stubs/mv
    ! PATH=/tmp/stubs:$PATH ./install.sh /tmp/prefix >/tmp/said 2>&1 || fail "not interrupted"
    [ ! -e /tmp/prefix/bin/bakeoff ] || fail "a program is there"
    ./install.sh /tmp/prefix >/tmp/said 2>&1 || fail "$(cat /tmp/said)"
    /tmp/prefix/bin/bakeoff --version >/tmp/said || fail "$(cat /tmp/said)"
    ./install.sh --uninstall /tmp/prefix
    nothing_in /tmp/prefix
    ;;
esac
note "./install.sh"
result 0
