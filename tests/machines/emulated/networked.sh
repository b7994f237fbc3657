# usage: set -- NAME SECONDS, before this text
#
# Makes the guest a board in a network: its name, the time (a Raspberry Pi has no clock), an address
# in QEMU's network (10.0.2.0/24, 10.0.2.2 is the way out), and an SSH server for root's key.
set -eu
hostname "$1"
date -u -s "@$2" >/dev/null
printf '%s' "$1" | md5sum | cut -c -32 >/etc/machine-id
interface=$(ls /sys/class/net | grep -v '^lo$' | head -n 1)
ip link set "$interface" up
ip addr add 10.0.2.15/24 dev "$interface"
ip route add default via 10.0.2.2
# A login looks for programs in the usual folders only.
for tool in /bb/*; do
    name=${tool##*/}
    [ -e "/usr/bin/$name" ] || [ -e "/bin/$name" ] || ln -s /bin/busybox "/bin/$name"
done
echo /bb/sh >/etc/shells
mkdir -p /etc/dropbear /var/log /srv /usr/local/bin
chmod 700 /root /root/.ssh
# Ansible asks for a terminal.
mkdir -p /dev/pts
mount -t devpts devpts /dev/pts
dropbearkey -t ed25519 -f /etc/dropbear/dropbear_ed25519_host_key >/dev/null 2>&1
dropbear -E -s 2>/var/log/dropbear
