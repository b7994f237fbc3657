# The source archive, with cargo and a C compiler, and without Node.js.
export PATH=/rust/bin:$PATH CARGO_HOME=/root/cargo
! command -v node >/dev/null || fail "Node.js is here"
listing >/tmp/before
mkdir /root/build && cd /root/build
tar -xJf /files/bakeoff-*-source.tar.xz
sources=$(echo bakeoff-*)
nice cargo install --quiet --locked --root /usr/local --path "$sources/crates/bakeoff" \
    >/tmp/said 2>&1 || fail "$(cat /tmp/said)"
note "cargo install --path $sources/crates/bakeoff"
cd /root && rm -rf /root/build
size=$(du -k /usr/local/bin/bakeoff | cut -f1)
bakeoff --version --verbose | grep -q 'with charts' || fail "$(bakeoff --version --verbose)"
measure /root/work
nice cargo uninstall --quiet --root /usr/local bakeoff >/tmp/said 2>&1 || fail "$(cat /tmp/said)"
note 'cargo uninstall bakeoff'
[ ! -e /usr/local/bin/bakeoff ] || fail "cargo left the program"
rm -rf /root/cargo /root/.local
unchanged '^/root$|^/usr/local'
result "$size"
