"""The emulated machines: a PC, a Raspberry Pi 3 and a Raspberry Pi 1.

All run in QEMU's own translator: /dev/kvm may open and then hang a kernel, and is often missing.
"""

from dataclasses import dataclass, replace

PI_PACKAGES = "busybox-static dash kmod util-linux mount fdisk e2fsprogs"
SSH_PACKAGES = "dropbear-bin openssh-sftp-server python3"


@dataclass(frozen=True)
class Board:
    """`binary` and `architecture` are the names of `make dist` and of Debian; `port` is the
    device file through which the guest takes commands."""

    name: str
    architecture: str
    binary: str
    qemu: str
    arguments: str
    command_line: str
    port: str
    packages: str
    modules: str
    loaded: str
    interface: str
    cpus: int | None = None
    device_tree: str | None = None


# One processor: several guests run at a time, and a second one in each makes that a third slower.
PC = Board(
    name="pc",
    architecture="amd64",
    binary="x86_64",
    qemu="qemu-system-x86_64",
    arguments="-machine q35 -accel tcg,thread=multi -cpu max -m 1024 -device qemu-xhci,id=usb "
    "-device virtio-rng-pci",
    cpus=1,
    # On a busy host the kernel's test of its timer fails.
    command_line="console=ttyS0 no_timer_check",
    port="/dev/vport1p1",
    packages="linux-image-amd64 busybox-static dash kmod udev systemd util-linux mount fdisk "
    "dosfstools e2fsprogs xfsprogs btrfs-progs f2fs-tools exfatprogs ntfs-3g reiserfsprogs "
    "jfsutils nilfs-tools udftools cryptsetup-bin dmsetup lvm2 mdadm sqlite3",
    modules="ext4 vfat nls_ascii nls_cp437 nls_utf8 exfat f2fs reiserfs btrfs xfs jfs nilfs2 udf "
    "fuse isofs dm_mod dm_crypt dm_flakey dm_delay md_mod raid1 loop "
    "brd null_blk scsi_debug bfq kyber_iosched mq_deadline xts ecb aes_generic "
    "sha256_generic adiantum nhpoly1305 chacha_generic algif_skcipher algif_hash crc32_generic "
    "crc32c_generic libcrc32c uas sdhci_pci mmc_block",
    loaded="virtio_pci virtio_blk virtio_console virtio_rng ahci nvme xhci_pci usb_storage sd_mod "
    "crc32c_generic crc32_generic loop fuse",
    interface="virtio-net-pci",
)

# For tests of causes: the load shares no processor with the rest.
PC_OF_TWO = replace(PC, cpus=2)

PI3 = Board(
    name="pi3",
    architecture="arm64",
    binary="aarch64",
    qemu="qemu-system-aarch64",
    arguments="-machine raspi3b -accel tcg,thread=multi",
    device_tree="bcm2837-rpi-3-b.dtb",
    command_line="console=ttyS1,115200",
    port="/dev/ttyS1",
    packages=f"linux-image-arm64 {PI_PACKAGES}",
    modules="ext4 loop crc32c_generic mq_deadline bfq kyber_iosched",
    loaded="bcm2835 sdhci_iproc mmc_block crc32c_generic loop",
    interface="usb-net",
)

PI1 = replace(
    PI3,
    name="pi1",
    architecture="armel",
    binary="armv6",
    qemu="qemu-system-arm",
    arguments="-machine raspi1ap -accel tcg",
    device_tree="bcm2835-rpi-a-plus.dtb",
    # That driver crashes on registers that are not emulated.
    command_line="console=ttyAMA0,115200 initcall_blacklist=bcm2835_power_driver_init",
    port="/dev/ttyAMA0",
    packages=f"linux-image-rpi {PI_PACKAGES}",
)

BOARDS = {board.name: board for board in (PC, PI3, PI1)}

# The same boards with an SSH server and Python, as Ansible finds them in a home.
_PI_NETWORK = f"{PI3.loaded} phy_generic dwc2 usbnet cdc_ether rndis_host bcm2835_rng"
PC_SSH = replace(
    PC,
    name="pc-ssh",
    packages=f"linux-image-amd64 {PI_PACKAGES} {SSH_PACKAGES}",
    loaded="virtio_pci virtio_blk virtio_console virtio_rng virtio_net crc32c_generic loop",
)
PI3_SSH = replace(
    PI3, name="pi3-ssh", packages=f"{PI3.packages} {SSH_PACKAGES}", loaded=_PI_NETWORK
)
PI1_SSH = replace(
    PI1, name="pi1-ssh", packages=f"{PI1.packages} {SSH_PACKAGES}", loaded=_PI_NETWORK
)
