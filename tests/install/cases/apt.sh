# From the signed repository, with apt.
export DEBIAN_FRONTEND=noninteractive
cp /files/apt/bakeoff.gpg /usr/share/keyrings/bakeoff.gpg
echo "deb [signed-by=/usr/share/keyrings/bakeoff.gpg] file:/files/apt $1 main" \
    >/etc/apt/sources.list.d/bakeoff.list
apt-get -qq update
# Everything that it recommends has to exist here.
recommended=$(apt-get --simulate install bakeoff | grep -c '^Inst')
[ "$recommended" -ge 5 ] || fail "apt knows only $recommended of the recommended packages"
listing >/tmp/before
apt-get -qq --yes --no-install-recommends install bakeoff >/tmp/said 2>&1 || fail "$(cat /tmp/said)"
note 'apt install bakeoff'
size=$(dpkg-query --show --showformat '${Installed-Size}' bakeoff)
measure /root/work
apt-get -qq --yes purge bakeoff >/tmp/said 2>&1 || fail "$(cat /tmp/said)"
note 'apt purge bakeoff'
rm -rf /root/.local
unchanged '^/var/(cache|log|lib/apt|lib/dpkg)|^/root$'
[ -z "$(find /var/lib/dpkg/info -name 'bakeoff*')" ] || fail "dpkg still knows bakeoff"
result "$size"
