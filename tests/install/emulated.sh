# usage: emulated.sh COMMAND...
#
# Runs a command in a user namespace in which the kernel starts ARM programs by QEMU, without
# changing what it does elsewhere. Root of the namespace is root here, user by user. Needs Linux
# 6.7, the first with a binfmt_misc for each user namespace. EMULATORS is the folder of QEMU's
# programs.
set -eu
gate=$(mktemp -d)
trap 'rm -rf "$gate"' EXIT
mkfifo "$gate/open"
# shellcheck disable=SC2016  # expanded by the shell in the namespace
unshare --user --mount sh -c '
    set -eu
    read -r _ <"$0"
    mount -t binfmt_misc binfmt_misc /proc/sys/fs/binfmt_misc
    for name in arm aarch64; do
        sed -n "s|:[^:]*:\([A-Z]*\)\$|:$EMULATORS/qemu-$name:\1|p" \
            "/usr/lib/binfmt.d/qemu-$name.conf" >/proc/sys/fs/binfmt_misc/register
    done
    exec "$@"' "$gate/open" "$@" &
inside=$!
# Once it is in its namespace, its users are made those of this one.
while [ "$(readlink "/proc/$inside/ns/user")" = "$(readlink /proc/self/ns/user)" ]; do
    sleep 0.02
done
for map in uid_map gid_map; do
    echo '0 0 4294967295' >"/proc/$inside/$map"
done
echo open >"$gate/open"
wait "$inside"
