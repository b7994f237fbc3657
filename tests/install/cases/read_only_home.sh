# A home that cannot be written: what needs no store works, the rest says what to do.
tar -xJf /files/bakeoff-*-linux-"$1".tar.xz -C /tmp
PATH=$(echo /tmp/bakeoff-*):$PATH
size=$(du -k "$(command -v bakeoff)" | cut -f1)
touch "$HOME/x" 2>/dev/null && fail "$HOME can be written"
mkdir /tmp/work && cd /tmp/work
runs
code=0
bakeoff quick . --time 30s >/tmp/said 2>&1 || code=$?
[ "$code" -eq 4 ] || fail "quick ended with $code without a store: $(cat /tmp/said)"
[ "$(wc -l </tmp/said)" -le 3 ] && grep -q -e --store /tmp/said || fail "$(cat /tmp/said)"
runs --store /tmp/store.db quick . --time 30s
result "$size"
