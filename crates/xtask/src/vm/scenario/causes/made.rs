//! The causes, each made with what the kernel has for it.

use super::{Made, Measure};

/// All of them. `/dev/vda` is as fast as the emulator, `/dev/vdb` is capped.
pub const ALL: &[Made] = &[
    Made {
        name: "one-request-at-a-time",
        make: "echo 0 2457600 delay /dev/vda 0 10 | dmsetup create slow
            mkfs.ext4 -qF /dev/mapper/slow && mount /dev/mapper/slow /mnt && mkdir /mnt/a",
        measure: Measure::Quick("randread"),
        undo: "umount /mnt; dmsetup remove --retry slow",
        cause: "queue_depth",
        subject: None,
        proof: None,
    },
    Made {
        name: "slow-flushes",
        make: "echo 0 2457600 delay /dev/vda 0 0 /dev/vda 0 0 /dev/vda 0 30 \
            | dmsetup create slow
            mkfs.ext4 -qF /dev/mapper/slow && mount /dev/mapper/slow /mnt && mkdir /mnt/a",
        measure: Measure::Quick("randwrite"),
        undo: "umount /mnt; dmsetup remove --retry slow",
        cause: "flush",
        subject: None,
        proof: None,
    },
    Made {
        name: "a-capped-disk",
        make: "mkfs.ext4 -qF /dev/vdb && mount /dev/vdb /mnt && mkdir /mnt/a",
        measure: Measure::Quick("seqread"),
        undo: "umount /mnt",
        cause: "device",
        subject: None,
        proof: None,
    },
    Made {
        name: "another-process",
        make: "mkfs.ext4 -qF /dev/vda && mount /dev/vda /mnt && mkdir /mnt/a
            dd if=/dev/zero of=/mnt/big bs=1M count=64 2>/dev/null; sync
            (while :; do
                dd if=/mnt/big of=/dev/null bs=256k count=16 iflag=direct; sleep 0.1
            done) >/dev/null 2>&1 &
            echo $! >/tmp/other",
        measure: Measure::Quick("randread"),
        undo: "kill $(cat /tmp/other); sleep 1; umount /mnt",
        cause: "foreign",
        subject: None,
        proof: None,
    },
    Made {
        name: "a-cipher-on-memory",
        make: "modprobe -a dm_crypt aes_generic xts ecb; modprobe brd rd_nr=1 rd_size=786432
            echo key | cryptsetup open --type plain --cipher aes-xts-plain64 --key-size 256 \
                --hash sha256 --batch-mode /dev/ram0 slow
            mkfs.ext4 -qF -E nodiscard /dev/mapper/slow
            mount /dev/mapper/slow /mnt && mkdir /mnt/a",
        measure: Measure::Quick("seqread"),
        undo: "umount /mnt; cryptsetup close slow; rmmod brd",
        cause: "cpu",
        subject: Some("kcryptd"),
        proof: None,
    },
    Made {
        name: "the-limit-of-dirty-pages",
        make: "mkfs.ext4 -qF /dev/vdb && mount /dev/vdb /mnt && mkdir /mnt/a
            sysctl -qw vm.dirty_background_bytes=1048576 vm.dirty_bytes=2097152",
        measure: Measure::Quick("seqwrite"),
        undo: "sysctl -qw vm.dirty_background_ratio=10 vm.dirty_ratio=20; umount /mnt",
        cause: "writeback",
        subject: None,
        proof: None,
    },
    // There is no memory to try the cipher in, so only the experiment can prove it.
    Made {
        name: "a-cipher-against-none",
        make: "modprobe -a dm_crypt aes_generic xts ecb crypto_null; rmdir /dev/shm",
        measure: Measure::Plan {
            target: "/dev/vda",
            token: "TARGET",
            words: "--prove",
            plan: "[region]\nsize = '128m'\n[[stack]]\nfs = 'ext4'
                crypt = { cipher = 'aes-xts-plain64', key_bits = 512 }
                [[workload]]\nrw = 'read'\nbs = '1m'\nsize = '32m'\ndirect = true",
        },
        undo: "mkdir -m 1777 /dev/shm",
        cause: "cpu",
        subject: Some("kcryptd"),
        proof: Some("a cipher that does nothing"),
    },
    // Eight parts, each slower than the one before it, as towards the inner edge of a disk.
    Made {
        name: "a-slow-end",
        make: "for part in 0 1 2 3 4 5 6 7; do
                echo $((part * 24576)) 24576 delay /dev/vda $((part * 24576)) $((part * 6))
            done | dmsetup create slow",
        measure: Measure::Plan {
            target: "/dev/mapper/slow",
            token: "dm-0-100663296-no-table",
            words: "",
            plan: "[region]\nsize = '64m'\n[[stack]]\nfs = 'raw'
                [[workload]]\nrw = 'read'\nbs = '1m'\ndirect = true",
        },
        undo: "dmsetup remove --retry slow",
        cause: "position",
        subject: None,
        proof: None,
    },
];
