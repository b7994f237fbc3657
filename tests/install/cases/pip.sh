# The wheel, with pip in a virtual environment.
listing >/tmp/before
python3 -m venv /root/venv
before=$(du -sk /root/venv | cut -f1)
/root/venv/bin/pip --quiet --disable-pip-version-check \
    install --no-index --find-links /files bakeoff
note 'pip install bakeoff'
size=$(($(du -sk /root/venv | cut -f1) - before))
PATH=/root/venv/bin:$PATH
[ -e /root/venv/share/man/man1/bakeoff.1 ] || fail "no manual"
measure /root/work
/root/venv/bin/pip --quiet uninstall --yes bakeoff
note 'pip uninstall bakeoff'
[ ! -e /root/venv/bin/bakeoff ] || fail "pip left the program"
rm -rf /root/venv /root/.local
unchanged '^/root$|/__pycache__'
result "$size"
