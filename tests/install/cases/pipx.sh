# The wheel, with pipx, which wants a pip of its own: Debian's.
listing >/tmp/before
export PIP_NO_INDEX=1 PIP_FIND_LINKS="/files /usr/share/python-wheels"
export PIPX_DEFAULT_PYTHON=/usr/bin/python3
pipx install bakeoff >/tmp/said 2>&1 || fail "$(cat /tmp/said)"
note 'pipx install bakeoff'
size=$(du -skL /root/.local/bin/bakeoff | cut -f1)
PATH=/root/.local/bin:$PATH
measure /root/work
pipx uninstall bakeoff >/tmp/said 2>&1 || fail "$(cat /tmp/said)"
note 'pipx uninstall bakeoff'
[ ! -e /root/.local/bin/bakeoff ] || fail "pipx left the program"
rm -rf /root/.local /root/.cache
unchanged '^/root$|/__pycache__'
result "$size"
