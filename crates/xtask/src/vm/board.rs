//! The machines that are emulated: a PC, a Raspberry Pi 3 and a Raspberry Pi 1.
//!
//! All by QEMU's own translator: /dev/kvm may open and then hang a kernel, and where the tests run
//! it is usually not there at all.

/// One kind of machine with what runs on it.
#[derive(Debug)]
pub struct Board {
    /// Short name, of folders and for `cargo xtask dist`.
    pub name: &'static str,
    /// Debian's name of the architecture.
    pub architecture: &'static str,
    /// Which of our binaries it runs.
    pub binary: &'static str,
    /// The emulator.
    pub qemu: &'static str,
    /// Its arguments that say what the machine is.
    pub arguments: &'static str,
    /// Its processors, where there is a choice.
    pub cpus: Option<u32>,
    /// The device tree, from the kernel's package.
    pub device_tree: Option<&'static str>,
    /// The kernel's command line, besides what all have.
    pub command_line: &'static str,
    /// Where the guest talks to us: a device file in it.
    pub port: &'static str,
    /// Debian's packages, the kernel among them, in lists with spaces between.
    pub packages: &'static [&'static str],
    /// Kernel modules that are there to be loaded on demand, with spaces between.
    pub modules: &'static str,
    /// Those that are loaded at start.
    pub loaded: &'static str,
    /// QEMU's name of a network interface that can be plugged into it.
    pub interface: &'static str,
}

/// A PC with as many virtio and USB disks as one likes. One processor: as many guests run at a time
/// as there are processors to emulate them, and a second one in each makes that a third slower.
pub const PC: Board = Board {
    name: "pc",
    architecture: "amd64",
    binary: "x86_64",
    qemu: "qemu-system-x86_64",
    arguments: "-machine q35 -accel tcg,thread=multi -cpu max -m 1024 -device qemu-xhci,id=usb \
        -device virtio-rng-pci",
    cpus: Some(1),
    device_tree: None,
    // On a busy host the kernel's test of its timer fails for want of time.
    command_line: "console=ttyS0 no_timer_check",
    port: "/dev/vport1p1",
    packages: &["linux-image-amd64 busybox-static dash kmod udev systemd util-linux mount fdisk \
         dosfstools e2fsprogs xfsprogs btrfs-progs f2fs-tools exfatprogs ntfs-3g reiserfsprogs \
         jfsutils nilfs-tools udftools cryptsetup-bin dmsetup lvm2 mdadm sqlite3"],
    modules: "ext4 vfat nls_ascii nls_cp437 nls_utf8 exfat f2fs reiserfs btrfs xfs jfs nilfs2 udf \
        fuse isofs dm_mod dm_crypt dm_flakey dm_delay dm_log_writes dm_snapshot md_mod \
        raid1 loop brd null_blk scsi_debug bfq kyber_iosched mq_deadline xts ecb crypto_null \
        aes_generic sha256_generic adiantum nhpoly1305 chacha_generic algif_skcipher \
        algif_hash crc32_generic crc32c_generic libcrc32c uas sdhci_pci mmc_block",
    // What asks for the checksums by another name gets them without a search; the device file of
    // fuse is made by whoever starts the system.
    loaded: "virtio_pci virtio_blk virtio_console virtio_rng ahci nvme xhci_pci usb_storage sd_mod \
        crc32c_generic crc32_generic loop fuse",
    interface: "virtio-net-pci",
};

/// The same with two processors, for what looks for causes: the load is not alone on them.
pub const PC_OF_TWO: Board = Board { cpus: Some(2), ..PC };

/// A Raspberry Pi 3 with a card.
pub const PI3: Board = Board {
    name: "pi3",
    architecture: "arm64",
    binary: "aarch64",
    qemu: "qemu-system-aarch64",
    arguments: "-machine raspi3b -accel tcg,thread=multi",
    cpus: None,
    device_tree: Some("bcm2837-rpi-3-b.dtb"),
    command_line: "console=ttyS1,115200",
    port: "/dev/ttyS1",
    packages: &["linux-image-arm64", PI_PACKAGES],
    modules: PI_MODULES,
    loaded: PI_LOADED,
    interface: "usb-net",
};

/// A Raspberry Pi 1 (model A+) with a card.
pub const PI1: Board = Board {
    name: "pi1",
    architecture: "armel",
    binary: "armv6",
    qemu: "qemu-system-arm",
    arguments: "-machine raspi1ap -accel tcg",
    device_tree: Some("bcm2835-rpi-a-plus.dtb"),
    // That driver crashes on registers which are not emulated.
    command_line: "console=ttyAMA0,115200 initcall_blacklist=bcm2835_power_driver_init",
    port: "/dev/ttyAMA0",
    packages: &["linux-image-rpi", PI_PACKAGES],
    ..PI3
};

/// Those of a Raspberry Pi's image beside its kernel, and of every machine with a network.
pub const PI_PACKAGES: &str = "busybox-static dash kmod util-linux mount fdisk e2fsprogs";

const PI_MODULES: &str = "ext4 loop crc32c_generic mq_deadline bfq kyber_iosched";

/// Those of the card, and what whoever starts the system makes device files of.
const PI_LOADED: &str = "bcm2835 sdhci_iproc mmc_block crc32c_generic loop";
