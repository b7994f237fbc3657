# The archive, by the user who runs this: root into /usr/local, others into their home.
if [ "$(id -u)" -eq 0 ]; then prefix=/usr/local; else prefix=$HOME/.local; fi
mkdir -p "$prefix" "$HOME"
listing >/tmp/before 2>/dev/null
tar -xJf /files/bakeoff-*-linux-"$1".tar.xz -C /tmp 2>/dev/null \
    || xz -dc /files/bakeoff-*-linux-"$1".tar.xz | tar -xf - -C /tmp
cd /tmp/bakeoff-*
./install.sh >/tmp/said 2>&1 || fail "$(cat /tmp/said)"
note './install.sh'
size=$(du -k "$prefix/bin/bakeoff" | cut -f1)
PATH=$prefix/bin:$PATH
[ "$(command -v bakeoff)" = "$prefix/bin/bakeoff" ] || fail "the program is elsewhere"
measure "$HOME/work"
cd /tmp/bakeoff-*
./install.sh --uninstall
note './install.sh --uninstall'
rm -rf "$HOME/.local/share/bakeoff"
for folder in "$HOME/.local/share" "$HOME/.local/bin" "$HOME/.local"; do
    rmdir "$folder" 2>/dev/null || true
done
unchanged '/\.local$|^/usr/local' 2>/dev/null
[ -z "$(find "$prefix" -name '*bakeoff*' 2>/dev/null)" ] || fail "something is left in $prefix"
result "$size"
