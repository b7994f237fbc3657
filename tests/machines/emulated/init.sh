#!/bin/busybox sh
# The first process of a guest: makes it ready, then does what it is told through a port.
#
# Told: lines of a script, then "@@run". Answers: "@@done CODE BYTES BYTES", the two lengths being
# those of what the script printed to standard output and standard error, which follow.
# @PORT@ and @MODULES@ are filled in by the image's maker.
/bin/busybox mkdir -p /bb /proc /sys /dev /run /tmp /mnt /root /etc/udev /var/lib
/bin/busybox --install -s /bb
export PATH=/usr/sbin:/usr/bin:/sbin:/bin:/bb HOME=/root LANG=C.UTF-8 TERM=dumb
mount -t proc proc /proc
ln -s /proc/self/mounts /etc/mtab
mount -t sysfs sysfs /sys
mount -t devtmpfs devtmpfs /dev
mount -t tmpfs -o mode=755 tmpfs /run
# The root of an initramfs is anybody's to write, which that of a system is not.
chmod 755 /
mount -t tmpfs tmpfs /tmp
mkdir -p /run/udev /run/lock /run/agent /dev/shm /dev/pts
mount -t cgroup2 cgroup2 /sys/fs/cgroup
mount --make-rshared /
hostname guest
ifconfig lo 127.0.0.1 up
for module in @MODULES@; do modprobe "$module" || echo "init: cannot load $module"; done
if [ -e /lib/systemd/systemd-udevd ]; then
    /lib/systemd/systemd-udevd --daemon
    udevadm trigger --action=add --subsystem-match=block
    udevadm settle
fi
waited=0
while [ ! -e @PORT@ ] && [ $waited -lt 3000 ]; do sleep 0.1; waited=$((waited + 1)); done
# Nothing of the kernel may come between the bytes of an answer on a serial line.
dmesg -n 1
exec 3<>@PORT@
case @PORT@ in /dev/tty*) stty -F @PORT@ raw -echo ;; esac
cd /run/agent
# Scripts of a release start with it.
[ -e /bin/sh ] || ln -s "$(command -v dash)" /bin/sh
printf '\n@@ready\n' >&3
: >script
while IFS= read -r line <&3; do
    if [ "$line" != @@run ]; then
        printf '%s\n' "$line" >>script
        continue
    fi
    (cd /root && exec setsid dash /run/agent/script 3<&-) </dev/null >out 2>err
    code=$?
    {
        printf '\n@@done %s %s %s\n' "$code" "$(stat -c %s out)" "$(stat -c %s err)"
        cat out err
    } >&3
    : >script
done
echo "init: nobody to talk to"
reboot -f
