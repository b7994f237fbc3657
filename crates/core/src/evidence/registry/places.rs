//! Rules about what lies behind the candidates: place, link, power, encryption.

use super::When::{Analysis, Cell, Import, Plan};
use super::{CLAIMS, DEVICE, E, R, RUN, Rule, W};

/// By id.
pub(super) static RULES: &[&Rule] = &[
    &LBA_CONFOUND,
    &ZONE_GRADIENT,
    &MISALIGNED,
    &STATE_CARRYOVER,
    &FRESH_FLASH,
    &SMR,
    &SHORT_STROKE,
    &ROOT_DEVICE,
    &FAKE_CAPACITY,
    &GOVERNOR,
    &SHARED_BUS,
    &LINK_DEGRADED,
    &UAS_BOT,
    &POWER_BUDGET,
    &OPTIONS_UNPINNED,
    &CRYPTO_UNSPECIFIED,
    &LOOP_NOT_DIRECT,
    &MEMORY_PLACE,
];

/// L01.
pub static LBA_CONFOUND: Rule = Rule {
    id: "L01",
    slug: "lba-confound",
    when: &[Plan, Import],
    severity: [W, R, R, R],
    scope: CLAIMS,
    condition: "candidates are on different regions of one disk (less than 90 % overlap)",
    explain: "A disk is not equally fast everywhere: in one published study four partitions side \
        by side read 118, 108, 94 and 81 MiB/s whatever filesystem was on them, 45 % from first to \
        last. The result then depends on the region, not only on the filesystem. bakeoff puts \
        every stack on the same region; for directories the verdict states that places are \
        compared.",
};

/// L02.
pub static ZONE_GRADIENT: Rule = Rule {
    id: "L02",
    slug: "zone-gradient",
    when: &[Plan, Analysis, Import],
    severity: [W, W, E, E],
    scope: CLAIMS,
    condition: "the speed of a hard disk changes by 5 % or more over its region, by its position \
        or as read",
    explain: "The outer tracks of a hard disk are faster than the inner ones: the speed falls by \
        about a third from the first to the last quarter. Two studies found the same curve with \
        different disks. A region of a few GiB keeps the change small. Set it with --size or \
        [region] size.",
};

/// L03.
pub static MISALIGNED: Rule = Rule {
    id: "L03",
    slug: "misaligned",
    when: &[Plan, Import],
    severity: [W, W, W, E],
    scope: CLAIMS,
    condition: "a partition of a card or stick is not aligned to the allocation unit",
    explain: "Cards and sticks erase in units of some MiB, 4 MiB being usual. In one study the \
        partition without a journal began 3 MiB past such a boundary and the one with a journal \
        exactly on one, so the two differed in more than the journal. Show where partitions begin \
        with sfdisk --dump.",
};

/// L05.
pub static STATE_CARRYOVER: Rule = Rule {
    id: "L05",
    slug: "state-carryover",
    when: &[Plan, Import],
    severity: [W, W, E, E],
    scope: CLAIMS,
    condition: "the state of the flash before each candidate is unknown",
    explain: "What one candidate leaves behind (full erase blocks, a full cache, fragments) slows \
        down the next one. In one study the encrypted candidate of a stick wrote 25 % slower with \
        ext4 and 5 % with btrfs, which encryption does not explain. Set flash_state in a plan: \
        each visit starts from that state.",
};

/// L06.
pub static FRESH_FLASH: Rule = Rule {
    id: "L06",
    slug: "fresh-flash",
    when: &[Plan, Import],
    severity: [W, W, W, E],
    scope: CLAIMS,
    condition: "a flash region is trimmed, so every visit measures it as if new",
    explain: "Erased flash accepts writes without moving old data. It is fast only until every \
        block has been written once. In one study nothing had been written to the stick before. \
        SNIA's tests therefore precondition a device until five rounds are steady. flash_state = \
        \"overwritten\" measures the usual state of a disk in use.",
};

/// L08.
pub static SMR: Rule = Rule {
    id: "L08",
    slug: "smr",
    when: &[Plan, Import],
    severity: [W, W, W, E],
    scope: CLAIMS,
    condition: "a hard disk that may use overlapping tracks (SMR), and less than 25 GB to write",
    explain: "Many large 2.5-inch disks write overlapping tracks and hide this behind a cache of \
        several GB on the platter. The 5 TB disk of one study is an example. Short writes go to \
        that cache and look fast; rewriting comes later. To measure the disk, write more than the \
        cache can store, or wait until it is empty.",
};

/// L09.
pub static SHORT_STROKE: Rule = Rule {
    id: "L09",
    slug: "short-stroke",
    when: &[Plan, Import],
    severity: [W, W, W, W],
    scope: CLAIMS,
    condition: "random access covers less than a tenth of a hard disk",
    explain: "Seeks within 5 GB of a 1 TB disk move the head by half a percent of its range. They \
        take 8 ms, where a seek over the whole disk and half a rotation take 12 to 13 ms. The \
        figure is valid for a file of that size and too good for a full disk. Use a larger --size \
        for longer seeks.",
};

/// L10.
pub static ROOT_DEVICE: Rule = Rule {
    id: "L10",
    slug: "root-device",
    when: &[Plan, Import],
    severity: [W, W, E, E],
    scope: CLAIMS,
    condition: "a disk under test also contains /, /var, swap or the store",
    explain: "The operating system writes to the disk under test at any time: logs, the journal, \
        swap. Each such write competes with the measurement and adds noise. In two studies the \
        card under test also held the running system. For directories this is a warning, because \
        they can still be compared. To choose a filesystem, measure a separate disk.",
};

/// L11.
pub static FAKE_CAPACITY: Rule = Rule {
    id: "L11",
    slug: "fake-capacity",
    when: &[Plan, Cell],
    severity: [R, R, R, R],
    scope: RUN,
    condition: "data read back differs from the data written",
    explain: "A disk with false capacity accepts every write and returns different data for \
        addresses without memory. bakeoff tags every 4 KiB it writes with its position and detects \
        a wrong block when it reads back with --verify; bakeoff probe checks for this. A speed \
        measured on missing memory is meaningless.",
};

/// L50.
pub static GOVERNOR: Rule = Rule {
    id: "L50",
    slug: "governor",
    when: &[Plan],
    severity: [W, W, W, W],
    scope: RUN,
    condition: "a cpufreq governor other than performance",
    explain: "With a governor that saves power the clock ramps up and down with the load (a \
        Raspberry Pi 4 between 600 and 1500 MHz), and each ramp affects the measurement, most of \
        all short cells of small requests. It affects all candidates alike, so it costs precision \
        rather than correctness. governor = \"performance\" in a plan sets the governor for the \
        run and restores it afterwards.",
};

/// L56.
pub static SHARED_BUS: Rule = Rule {
    id: "L56",
    slug: "shared-bus",
    when: &[Plan],
    severity: [W, E, E, E],
    scope: CLAIMS,
    condition: "a USB disk and the network share one port of the board",
    explain: "Raspberry Pis before the 4 have one USB 2 port, where disks and Ethernet share at \
        most 53 MB/s. A copy over the network takes bandwidth from the disk. Avoid network traffic \
        during the measurement, or use a board with separate ports.",
};

/// L57.
pub static LINK_DEGRADED: Rule = Rule {
    id: "L57",
    slug: "link-degraded",
    when: &[Plan],
    severity: [W, W, E, E],
    scope: DEVICE,
    condition: "the link of the disk is slower than both sides support",
    explain: "A USB 3 disk in a USB 2 port, or behind a bad cable, falls back to 480 Mb/s; an NVMe \
        disk in a slot of one lane uses one of its four. All candidates then reach the same \
        ceiling, and ranking is impossible. Check the link with `bakeoff devices`, and use another \
        port or cable.",
};

/// L58.
pub static UAS_BOT: Rule = Rule {
    id: "L58",
    slug: "uas-bot",
    when: &[Plan],
    severity: [W, W, W, W],
    scope: DEVICE,
    condition: "a USB 3 disk is driven one command at a time (BOT)",
    explain: "Without UAS the bridge takes one command at a time: one SSD on a Raspberry Pi 4 read \
        172 MB/s instead of 297, and a queue depth above 1 has no effect. dmesg shows whether the \
        kernel disabled UAS for this bridge. Use another enclosure.",
};

/// L59.
pub static POWER_BUDGET: Rule = Rule {
    id: "L59",
    slug: "power-budget",
    when: &[Plan],
    severity: [W, W, W, W],
    scope: DEVICE,
    condition: "a board that cannot report under-voltage, or a hard disk fed by a Raspberry \
                Pi port",
    explain: "A Raspberry Pi gives its USB ports 0.6 to 1.6 A in all, and a starting hard disk \
        takes 1 A. When the voltage falls the board slows down or the disk resets; the Zero and \
        the first Model B cannot report it. A powered hub or enclosure avoids the problem.",
};

/// L60.
pub static OPTIONS_UNPINNED: Rule = Rule {
    id: "L60",
    slug: "options-unpinned",
    when: &[Plan, Import],
    severity: [W, W, W, E],
    scope: CLAIMS,
    condition: "the scheduler or read-ahead of the disk under test is unknown",
    explain: "To repeat a comparison you need the mkfs and mount options, the I/O scheduler and \
        read-ahead. One study gives neither mkfs nor mount options. bakeoff records them. If the \
        kernel does not report them, set scheduler and read_ahead_kb under [axes] in a plan.",
};

/// L62.
pub static CRYPTO_UNSPECIFIED: Rule = Rule {
    id: "L62",
    slug: "crypto-unspecified",
    when: &[Plan, Import],
    severity: [W, W, W, E],
    scope: CLAIMS,
    condition: "the cipher, key size or sector size of the encryption is not stated",
    explain: "aes-xts on a CPU without AES instructions runs at 36 MB/s on a Raspberry Pi 3, and \
        at 1368 on a 5 that has them; 512-byte sectors cost more than 4096. \"With LUKS\" states \
        none of this. Set cipher, key_bits and sector_size in a plan. For an existing disk, \
        `cryptsetup luksDump` shows them.",
};

/// loop-not-direct.
pub static LOOP_NOT_DIRECT: Rule = Rule {
    id: "loop-not-direct",
    slug: "loop-not-direct",
    when: &[Plan],
    severity: [W, E, E, E],
    scope: CLAIMS,
    condition: "a loop device that reads and writes its file through the page cache",
    explain: "A loop device without direct I/O keeps its backing file in the page cache of the \
        machine: reads come from memory, and a flush returns when it has reached the file, not the \
        disk. losetup --direct-io=on fixes this; loop devices that bakeoff creates use it.",
};

/// memory.
pub static MEMORY_PLACE: Rule = Rule {
    id: "memory",
    slug: "memory-place",
    when: &[Plan],
    severity: [W, E, R, R],
    scope: CLAIMS,
    condition: "the target is memory (tmpfs, ramfs, zram, brd), not a disk",
    explain: "tmpfs keeps files in memory: nothing reaches a disk, and all data is lost at a \
        restart. bakeoff measures it and labels it as memory, for scale.",
};
