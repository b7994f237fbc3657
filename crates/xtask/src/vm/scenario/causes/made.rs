//! The causes, each made with what the kernel has for it.

use super::Made;

/// All of them. `/dev/vda` is as fast as the emulator, `/dev/vdb` is capped.
pub const ALL: &[Made] = &[
    Made {
        name: "one-request-at-a-time",
        make: "echo 0 2457600 delay /dev/vda 0 10 | dmsetup create slow
            mkfs.ext4 -qF /dev/mapper/slow && mount /dev/mapper/slow /mnt && mkdir /mnt/a",
        workload: "randread",
        undo: "umount /mnt; dmsetup remove --retry slow",
        cause: "queue_depth",
        subject: None,
    },
    Made {
        name: "slow-flushes",
        make: "echo 0 2457600 delay /dev/vda 0 0 /dev/vda 0 0 /dev/vda 0 30 \
            | dmsetup create slow
            mkfs.ext4 -qF /dev/mapper/slow && mount /dev/mapper/slow /mnt && mkdir /mnt/a",
        workload: "randwrite",
        undo: "umount /mnt; dmsetup remove --retry slow",
        cause: "flush",
        subject: None,
    },
    Made {
        name: "a-capped-disk",
        make: "mkfs.ext4 -qF /dev/vdb && mount /dev/vdb /mnt && mkdir /mnt/a",
        workload: "seqread",
        undo: "umount /mnt",
        cause: "device",
        subject: None,
    },
    Made {
        name: "another-process",
        make: "mkfs.ext4 -qF /dev/vda && mount /dev/vda /mnt && mkdir /mnt/a
            dd if=/dev/zero of=/mnt/big bs=1M count=64 2>/dev/null; sync
            (while :; do
                dd if=/mnt/big of=/dev/null bs=256k count=16 iflag=direct; sleep 0.1
            done) >/dev/null 2>&1 &
            echo $! >/tmp/other",
        workload: "randread",
        undo: "kill $(cat /tmp/other); sleep 1; umount /mnt",
        cause: "foreign",
        subject: None,
    },
    Made {
        name: "a-cipher-on-memory",
        make: "modprobe -a dm_crypt aes_generic xts ecb; modprobe brd rd_nr=1 rd_size=786432
            echo key | cryptsetup open --type plain --cipher aes-xts-plain64 --key-size 256 \
                --hash sha256 --batch-mode /dev/ram0 slow
            mkfs.ext4 -qF -E nodiscard /dev/mapper/slow
            mount /dev/mapper/slow /mnt && mkdir /mnt/a",
        workload: "seqread",
        undo: "umount /mnt; cryptsetup close slow; rmmod brd",
        cause: "cpu",
        subject: Some("kcryptd"),
    },
];
