# usage: host.sh FOLDER NAME ADDRESS
#
# A host with an SSH server and the programs of this machine. It has its own processes, mounts,
# network and name, and its own /root, /etc, /usr and /var, which FOLDER keeps. Run as root in
# namespaces, whose first process it is: its death is a power cut. FOLDER/pid is its process
# outside, which gets an interface eth0.
set -eu
folder=$1 name=$2 address=$3
read -r pid _ </proc/self/stat
printf '%s\n' "$pid" >"$folder/pid.new"
mv "$folder/pid.new" "$folder/pid"
# What is unmounted outside is unmounted here: a copy would keep devices of other runs busy.
mount --make-rslave /
hostname "$name"
root=$folder/root
# bakeoff has to find the mount of each path.
mount --bind "$root" "$root"
mkdir -p "$root/proc" "$root/sys" "$root/dev" "$root/tmp" "$root/run" "$root/srv" "$root/root/.ssh"
for part in usr etc var; do
    mkdir -p "$folder/$part/upper" "$folder/$part/work" "$root/$part"
    mount -t overlay -o "lowerdir=/$part,upperdir=$folder/$part/upper,workdir=$folder/$part/work" \
        "$part" "$root/$part"
done
for part in bin sbin lib lib32 lib64 libx32; do
    if [ -L "/$part" ]; then
        cp -P "/$part" "$root/"
    elif [ -d "/$part" ]; then
        mkdir -p "$root/$part"
        mount --bind "/$part" "$root/$part"
    fi
done
mount -t proc proc "$root/proc"
mount --rbind /sys "$root/sys"
mount --rbind /dev "$root/dev"
mount -t tmpfs -o mode=1777,size=512m tmpfs "$root/tmp"
mount -t tmpfs -o mode=755,size=16m tmpfs "$root/run"
mkdir "$root/run/sshd"
printf '%s' "$name" | md5sum | cut -c -32 >"$root/etc/machine-id"
if [ -e "$folder/full" ]; then
    mkdir -p "$root/var/lib/bakeoff"
    mount -t tmpfs -o size=64k tmpfs "$root/var/lib/bakeoff"
fi
if [ -e "$folder/get_throttled" ]; then
    # The file of a Raspberry Pi's firmware, beside the devices that this machine has: sysfs takes
    # no folder of ours.
    devices=/sys/devices/platform
    mount -t tmpfs -o mode=755,size=64k tmpfs "$root$devices"
    for device in "$devices"/*; do
        if [ -d "$device" ]; then
            mkdir "$root$device"
        else
            : >"$root$device"
        fi
        mount --rbind "$device" "$root$device"
    done
    mkdir -p "$root$devices/soc/soc:firmware"
    : >"$root$devices/soc/soc:firmware/get_throttled"
    mount --bind "$folder/get_throttled" "$root$devices/soc/soc:firmware/get_throttled"
fi
cp "$folder/../key.pub" "$root/root/.ssh/authorized_keys"
until ip link show eth0 >/dev/null 2>&1; do sleep 0.1; done
ip link set lo up
ip addr add "$address/24" dev eth0
ip link set eth0 up
cp "$folder/../host_key" "$root/root/host_key"
chmod 600 "$root/root/host_key"
exec chroot "$root" /usr/sbin/sshd -D -e -f /dev/null -h /root/host_key -o PidFile=none \
    -o UsePAM=no -o PasswordAuthentication=no -o StrictModes=no -o 'Subsystem=sftp internal-sftp'
