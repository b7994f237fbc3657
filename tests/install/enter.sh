# usage: enter.sh ROOT FILES COMMAND...
#
# Runs a command in a root folder with /proc, /sys, /dev and an empty /tmp, and the files of a
# release in /files. /small is a disk that is soon full. Run as root in mount and PID namespaces of
# its own, which take all of it away.
# From the environment: PROC_OPTIONS of mount, USER_SPEC of chroot, a READ_ONLY folder, and RUST,
# the folder with it for those who need it.
set -eu
root=$1 files=$2
shift 2
mount --make-rprivate /
mount --bind "$root" "$root"
mkdir -p "$root/proc" "$root/sys" "$root/dev" "$root/tmp" "$root/small" "$root/files"
mount -t proc -o "$PROC_OPTIONS" proc "$root/proc"
mount --rbind /sys "$root/sys"
mount --rbind /dev "$root/dev"
mount --bind "$files" "$root/files"
mount -t tmpfs -o mode=1777 tmpfs "$root/tmp"
mount -t tmpfs -o mode=1777,size=1m tmpfs "$root/small"
if [ -n "$READ_ONLY" ]; then
    mount --bind "$root$READ_ONLY" "$root$READ_ONLY"
    mount -o remount,bind,ro "$root$READ_ONLY"
fi
if [ -n "$RUST" ]; then
    mkdir -p "$root/rust"
    mount --bind "$RUST" "$root/rust"
    mount -o remount,bind,ro "$root/rust"
fi
exec chroot --userspec="$USER_SPEC" "$root" "$@"
