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
    condition: "candidates lie on different places of one disk (under 90 % in common)",
    explain: "A disk is not equally fast everywhere: in one published study four partitions \
              side by side read 118, 108, 94 and 81 MiB/s whatever filesystem was on them, 45 \
              % from first to last. A filesystem on another place is then judged by its \
              place. bakeoff puts every stack on the same region; for directories the \
              sentence says that places are compared.",
};

/// L02.
pub static ZONE_GRADIENT: Rule = Rule {
    id: "L02",
    slug: "zone-gradient",
    when: &[Plan, Analysis, Import],
    severity: [W, W, E, E],
    scope: CLAIMS,
    condition: "a hard disk is used over a part on which its speed changes by 5 % or more, or \
                reads of the region did",
    explain: "The outer tracks of a hard disk pass under the head faster than the inner ones: \
              about a third is lost from the first to the last quarter, as in two studies \
              with different disks and the same curve. A region of a few GiB keeps the change \
              small; --size or [region] size chooses it.",
};

/// L03.
pub static MISALIGNED: Rule = Rule {
    id: "L03",
    slug: "misaligned",
    when: &[Plan, Import],
    severity: [W, W, W, E],
    scope: CLAIMS,
    condition: "a partition of a card or stick does not begin on a multiple of its allocation \
                unit",
    explain: "Cards and sticks erase in units of some MiB, 4 MiB being usual. In one study \
              the partition without a journal began 3 MiB past such a boundary and the one \
              with a journal exactly on one, so the two differed in more than the journal. \
              sfdisk --dump shows where partitions begin.",
};

/// L05.
pub static STATE_CARRYOVER: Rule = Rule {
    id: "L05",
    slug: "state-carryover",
    when: &[Plan, Import],
    severity: [W, W, E, E],
    scope: CLAIMS,
    condition: "nothing says in which state the flash was before each candidate",
    explain: "What one candidate leaves behind (full erase blocks, a full cache, fragments) \
              slows down the next one. In one study the encrypted candidate of a stick wrote \
              25 % slower with ext4 and 5 % with btrfs, which encryption does not explain. A \
              plan states flash_state, and each visit begins with it.",
};

/// L06.
pub static FRESH_FLASH: Rule = Rule {
    id: "L06",
    slug: "fresh-flash",
    when: &[Plan, Import],
    severity: [W, W, W, E],
    scope: CLAIMS,
    condition: "a flash region is trimmed, so every visit measures it fresh out of the box",
    explain: "Erased flash takes writes without having to move old data. In one study \
              nothing had been written to the stick before. It is fast until everything has \
              been written once, and never again: SNIA's tests therefore precondition a \
              device until five rounds are steady. flash_state = \"overwritten\" measures \
              the state a disk is in for most of its life.",
};

/// L08.
pub static SMR: Rule = Rule {
    id: "L08",
    slug: "smr",
    when: &[Plan, Import],
    severity: [W, W, W, E],
    scope: CLAIMS,
    condition: "a hard disk that may overlap its tracks, and under 25 GB to be written",
    explain: "Many large 2.5-inch disks write overlapping tracks and hide it behind a cache \
              of some GB on the platter (the 5 TB disk of one study is such a one). Short \
              writes land in that cache and look fast; rewriting comes later. Only writing \
              more than the cache holds, or waiting until it is empty, shows the disk.",
};

/// L09.
pub static SHORT_STROKE: Rule = Rule {
    id: "L09",
    slug: "short-stroke",
    when: &[Plan, Import],
    severity: [W, W, W, W],
    scope: CLAIMS,
    condition: "random access on a hard disk over less than a tenth of it",
    explain: "Seeks within 5 GB of a 1 TB disk move the head by half a percent of its way: 8 \
              ms where a seek over the whole disk and half a turn take 12 to 13 ms. The \
              number is true for a file of that size and flattering for a full disk. A larger \
              --size makes longer seeks.",
};

/// L10.
pub static ROOT_DEVICE: Rule = Rule {
    id: "L10",
    slug: "root-device",
    when: &[Plan, Import],
    severity: [W, W, E, E],
    scope: CLAIMS,
    condition: "a disk under test also holds /, /var, swap or the store",
    explain: "The operating system writes to the disk under test whenever it likes: logs, \
              the journal, swap. Each such write takes the disk away from the measurement \
              and shows up as noise. In two studies the card under test also held the \
              running system. Directories can be compared all the same, so there it is a \
              warning; to choose a filesystem for a disk, measure a disk of its own.",
};

/// L11.
pub static FAKE_CAPACITY: Rule = Rule {
    id: "L11",
    slug: "fake-capacity",
    when: &[Plan, Cell],
    severity: [R, R, R, R],
    scope: RUN,
    condition: "what was written did not come back",
    explain: "A disk of false capacity takes every write and returns other bytes from where \
              it has no memory. bakeoff tags every 4 KiB it writes with its place, so a wrong \
              one is seen when it is read back with --verify; probe looks for it on purpose. \
              A speed measured on memory that is not there says nothing.",
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
              Raspberry Pi 4 between 600 and 1500 MHz), and each ramp is in the measurement: \
              short cells of small requests suffer most. It is alike for all candidates, so \
              it costs precision more than truth. governor = \"performance\" in a plan sets \
              it for the run and puts it back.",
};

/// L56.
pub static SHARED_BUS: Rule = Rule {
    id: "L56",
    slug: "shared-bus",
    when: &[Plan],
    severity: [W, E, E, E],
    scope: CLAIMS,
    condition: "a USB disk and the network share one port of the board",
    explain: "Raspberry Pis before the 4 have one USB 2 port behind which disks and Ethernet \
              share 53 MB/s at the most. A copy over the network takes from the disk what it \
              sends. Leave the network alone meanwhile, or measure on a board that gives each \
              a port of its own.",
};

/// L57.
pub static LINK_DEGRADED: Rule = Rule {
    id: "L57",
    slug: "link-degraded",
    when: &[Plan],
    severity: [W, W, E, E],
    scope: DEVICE,
    condition: "the disk or its link could go faster than what was agreed on",
    explain: "A USB 3 disk in a USB 2 port, or behind a bad cable, falls back to 480 Mb/s; an \
              NVMe disk in a slot of one lane uses one of its four. All candidates then reach \
              the same ceiling and nothing can be ranked. `bakeoff devices` shows the link; \
              another port or cable mends it.",
};

/// L58.
pub static UAS_BOT: Rule = Rule {
    id: "L58",
    slug: "uas-bot",
    when: &[Plan],
    severity: [W, W, W, W],
    scope: DEVICE,
    condition: "a USB 3 disk is driven one command at a time (BOT)",
    explain: "Without UAS the bridge takes one command at a time: one SSD on a Raspberry Pi 4 \
              read 172 MB/s instead of 297, and a depth above 1 is none. dmesg says whether \
              the kernel switched UAS off for this bridge; another enclosure mends it.",
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
    explain: "A Raspberry Pi gives its USB ports 0.6 to 1.6 A in all, and a starting hard \
              disk takes 1 A. When the voltage falls the board slows down or the disk resets; \
              the Zero and the first Model B cannot even tell. A powered hub or enclosure \
              takes the doubt away.",
};

/// L60.
pub static OPTIONS_UNPINNED: Rule = Rule {
    id: "L60",
    slug: "options-unpinned",
    when: &[Plan, Import],
    severity: [W, W, W, E],
    scope: CLAIMS,
    condition: "scheduler or read-ahead of the disk under test are not known",
    explain: "Who wants to repeat a comparison needs mkfs and mount options, the I/O \
              scheduler and read-ahead: one study gives neither mkfs nor mount options. \
              bakeoff records them; where the kernel does not say, a plan's [axes] scheduler \
              and read_ahead_kb set them.",
};

/// L62.
pub static CRYPTO_UNSPECIFIED: Rule = Rule {
    id: "L62",
    slug: "crypto-unspecified",
    when: &[Plan, Import],
    severity: [W, W, W, E],
    scope: CLAIMS,
    condition: "encryption of which cipher, key or sector size is not stated",
    explain: "aes-xts on a CPU without AES instructions runs at 36 MB/s on a Raspberry Pi 3, \
              and at 1368 on a 5 that has them; 512-byte sectors cost more than 4096. \"With \
              LUKS\" says none of it. A plan names cipher, key_bits and sector_size; \
              `cryptsetup luksDump` shows them for a disk that exists.",
};

/// loop-not-direct.
pub static LOOP_NOT_DIRECT: Rule = Rule {
    id: "loop-not-direct",
    slug: "loop-not-direct",
    when: &[Plan],
    severity: [W, E, E, E],
    scope: CLAIMS,
    condition: "a loop device that reads and writes its file through the page cache",
    explain: "A loop device without direct I/O keeps its backing file in the page cache of \
              the machine: reads come from memory and a flush reaches the file, not the disk, \
              before it returns. losetup --direct-io=on mends it; loops made by bakeoff have \
              it.",
};

/// memory.
pub static MEMORY_PLACE: Rule = Rule {
    id: "memory",
    slug: "memory-place",
    when: &[Plan],
    severity: [W, E, R, R],
    scope: CLAIMS,
    condition: "the place is memory (tmpfs, ramfs, zram, brd), not a disk",
    explain: "tmpfs keeps files in memory: nothing reaches a disk and all is gone after a \
              restart. It is measured and shown as memory, for the scale.",
};
