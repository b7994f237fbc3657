//! The page of a machine at rest, the wording of every finding, and no hostile name gets through.

use crate::fitness::alignment::{Alignment, Granule};
use crate::fitness::busy::{BackgroundIo, Lazyinit, Maintenance, Source};
use crate::fitness::cache::{Trim, WriteCache};
use crate::fitness::card::{CardFinding, Oddity};
use crate::fitness::clock::{Governor, Temperature, Throttling};
use crate::fitness::health::{KernelLog, NoHealth, SelfReport};
use crate::fitness::link::{CardFit, Link, PcieFit, SataFit, Transport, UsbFit};
use crate::fitness::memory::{CpuLoad, Memory, Swapping};
use crate::fitness::place::{Base, FreeSpace, InUse, Kind, Room};
use crate::fitness::timers::Due;
use crate::guard::Reason;
use crate::model::path::RawPath;
use crate::model::throttled;
use crate::sysinfo::mmc_ios::Ios;
use crate::sysinfo::smartctl::NoFigures;

use super::*;
use crate::fitness::facts::*;
use crate::fitness::fixtures::{GIB, fit, with_card};
use crate::fitness::{Finding, checks};
use crate::model::health::Health;

fn page(facts: &Facts) -> String {
    document(facts, &checks(facts), str::to_string).text(80, false)
}

#[test]
fn a_machine_at_rest() {
    insta::assert_snapshot!(page(&fit()));
}

fn every_finding() -> Vec<Finding> {
    [
        missing(),
        of_the_machine(),
        of_others(),
        of_places(),
        of_other_io(),
        of_links(),
        of_drives(),
        of_cards_and_health(),
    ]
    .concat()
}

fn missing() -> Vec<Finding> {
    let mut all: Vec<Finding> = vec![Finding::NoDrive];
    all.extend(
        [
            Missing::NotRunning,
            Missing::NoCpufreq,
            Missing::NoFirmware,
            Missing::NoThermalZone,
            Missing::NoProcesses,
            Missing::NoSystemd,
            Missing::NoSystemctl,
            Missing::NoTimerList { said: None },
            Missing::NoTimerList { said: Some("Unknown option".into()) },
            Missing::NoKernelLog { error: "EPERM".into() },
            Missing::Interrupted,
            Missing::Said("smartctl is not installed".into()),
        ]
        .map(Finding::from),
    );
    all.extend(
        [
            Governor::Capped { policy: "policy0".into(), limit_khz: 600_000, most_khz: 1_800_000 },
            Governor::FollowsLoad { governor: "ondemand".into() },
            Governor::Fixed { governors: vec!["performance".into()] },
        ]
        .map(Finding::from),
    );
    all
}

fn of_the_machine() -> Vec<Finding> {
    let elapsed_ns = 3_000_000_000;
    let mut all: Vec<Finding> = Vec::new();
    let now = throttled::UNDER_VOLTAGE;
    all.extend(
        [(0, true), (0, false), (now << 16, true), (now | now << 16, true)]
            .map(|(bits, tells_history)| Throttling { bits, tells_history })
            .map(Finding::from),
    );
    let hottest = Temperature::Hottest { sensor: "cpu".into(), now_mc: 81_000, limit_mc: 80_000 };
    all.extend([Temperature::NoSensor, hottest].map(Finding::from));
    all.extend(
        [
            Swapping::None,
            Swapping::Active { pages: 8 },
            Swapping::OnTarget { names: vec!["/dev/sda2".into(), "/swap".into()] },
            Swapping::InMemory,
            Swapping::Elsewhere,
        ]
        .map(Finding::from),
    );
    let busy = CpuLoad::Busy { percent: 20.0, elapsed_ns };
    all.extend([CpuLoad::NotReported, busy].map(Finding::from));
    all.extend(
        [
            Memory::NotReported,
            Memory::TooLittle { available_bytes: 10 << 20 },
            Memory::Enough { available_bytes: GIB },
            Memory::NoFile { total_bytes: GIB },
            Memory::FileExceeds { total_bytes: GIB },
            Memory::FileFits { total_bytes: GIB, file_bytes: GIB },
        ]
        .map(Finding::from),
    );
    all
}

fn of_others() -> Vec<Finding> {
    let mut all: Vec<Finding> = Vec::new();
    let due = Due { unit: "fstrim.timer".into(), left_ns: 600_000_000_000 };
    all.extend([vec![], vec![due]].map(Finding::from));
    all.extend(
        [
            Maintenance::None,
            Maintenance::Programs(vec!["apt-get".into(), "rsync".into()]),
            Maintenance::Array { name: "md0".into(), work: "check" },
        ]
        .map(Finding::from),
    );
    all.extend([Lazyinit::ThreadsHidden, Lazyinit::None, Lazyinit::Running].map(Finding::from));
    let log = |lines, last: Option<&str>| KernelLog { lines, last: last.map(str::to_string) };
    all.extend([log(0, None), log(1, Some("I/O error")), log(2, Some("reset"))].map(Finding::from));
    all
}

fn of_places() -> Vec<Finding> {
    let mut all: Vec<Finding> = Vec::new();
    all.extend(
        [vec![], vec![Reason::Root { device: "sda1".into() }, Reason::NoMedium]]
            .map(|reasons| Finding::from(InUse { name: "/dev/sda".into(), reasons })),
    );
    let bases = [
        Base::ReadOnly,
        Base::Image,
        Base::Drive,
        Base::Memory,
        Base::Fuse,
        Base::Network,
        Base::Filesystem,
    ];
    all.extend(
        bases.map(|base| Finding::from(Kind { fs: "ext4".into(), at: RawPath::new("/srv"), base })),
    );
    all.extend([Room::TooLittle, Room::NearlyFull, Room::Enough].map(|verdict| {
        let (free_bytes, size_bytes, room_bytes) = (2 * GIB, 8 * GIB, GIB);
        Finding::from(FreeSpace { free_bytes, size_bytes, room_bytes, verdict })
    }));
    all
}

fn of_other_io() -> Vec<Finding> {
    let elapsed_ns = 3_000_000_000;
    let mut all: Vec<Finding> = Vec::new();
    let user = |name: &str, pid| Foreign { name: name.into(), pid, ..Foreign::default() };
    let sources = [
        Source::Processes(vec![user("rsync", 71)]),
        Source::Processes(vec![user("rsync", 71), user("dd", 72)]),
        Source::Kernel,
        Source::HiddenFromRoot,
        Source::HiddenFromUser,
    ];
    all.extend([BackgroundIo::NoCounters, BackgroundIo::Idle { elapsed_ns }].map(Finding::from));
    all.extend(sources.map(|source| {
        Finding::from(BackgroundIo::InUse {
            disk: "sda".into(),
            util_percent: 40.0,
            elapsed_ns,
            read_bytes_per_s: 1e6,
            written_bytes_per_s: 2e6,
            source,
        })
    }));
    all
}

fn of_links() -> Vec<Finding> {
    let mut all: Vec<Finding> = Vec::new();
    let mode = Ios { timing: "sd uhs DDR50".into(), mhz: Some(50), bits: Some(4) };
    all.extend([Some("virtio".to_string()), None].map(|bus| Finding::from(Link::NoSpeed { bus })));
    all.extend([true, false].map(|is_root| Finding::from(Link::HiddenCardMode { is_root })));
    all.extend(
        [
            UsbFit::TooSlow,
            UsbFit::Fast,
            UsbFit::BelowBoth,
            UsbFit::MachineLimit,
            UsbFit::Usb2Device,
        ]
        .map(|fit| Finding::from(Link::Usb { mbit: 480, fit })),
    );
    all.extend(
        [
            CardFit::OneLine,
            CardFit::Unjudged,
            CardFit::BelowBoard { most: "SDR104" },
            CardFit::CardLimit,
            CardFit::BoardLimit,
        ]
        .map(|fit| Finding::from(Link::Card { mode: mode.clone(), fit })),
    );
    let drive = (8.0, 4);
    all.extend(
        [
            PcieFit::Best,
            PcieFit::SlotLimit { drive },
            PcieFit::BelowBoth { both: drive },
            PcieFit::UnknownSlot { drive },
        ]
        .map(|fit| Finding::from(Link::Pcie { now: (5.0, 1), fit })),
    );
    all.extend(
        [SataFit::Best, SataFit::DriveLimit, SataFit::Lowered { port_gbit: 6.0 }]
            .map(|fit| Finding::from(Link::Sata { now: "3.0 Gbps".into(), fit })),
    );
    all
}

fn of_drives() -> Vec<Finding> {
    let mut all: Vec<Finding> = Vec::new();
    all.extend(
        [
            Transport::Uas,
            Transport::BotDespiteUas { id: Some("04e8:61f5".into()) },
            Transport::BotDespiteUas { id: None },
            Transport::Bot,
            Transport::BotUnjudged,
            Transport::Other("ums-realtek".into()),
            Transport::NoDriver,
        ]
        .map(Finding::from),
    );
    all.extend(
        [
            WriteCache::WriteBack,
            WriteCache::WriteThrough,
            WriteCache::HiddenByBridge,
            WriteCache::Other("odd".into()),
            WriteCache::NotReported,
        ]
        .map(Finding::from),
    );
    all.extend(
        [
            Trim::NotReported,
            Trim::NotNeeded,
            Trim::None { is_usb: true },
            Trim::None { is_usb: false },
            Trim::UpTo { bytes: GIB },
        ]
        .map(Finding::from),
    );
    let partitions = || vec!["sda1".to_string(), "sda2".to_string()];
    all.extend(
        [
            Alignment::NotReported,
            Alignment::Aligned { granule_bytes: 1 << 20 },
            Alignment::SplitsBlocks { partitions: partitions(), block_bytes: 4096 },
        ]
        .map(Finding::from),
    );
    all.extend([Granule::AllocationUnit, Granule::OptimalIo, Granule::Usual].map(|granule| {
        let (partitions, granule_bytes) = (partitions(), 4 << 20);
        Finding::from(Alignment::Off { partitions, granule_bytes, granule })
    }));
    all
}

fn of_cards_and_health() -> Vec<Finding> {
    let mut all: Vec<Finding> = Vec::new();
    let odd = [Oddity::NoManufacturer, Oddity::NoOem, Oddity::NoSerial, Oddity::NoName];
    all.extend([vec![], odd.to_vec()].map(|oddities| {
        let card = Card { kind: "SD".into(), manufacturer: Some(3), ..Card::default() };
        Finding::from(CardFinding { card, oddities, disk: "mmcblk0".into() })
    }));
    all.push(Finding::from(SelfReport::None));
    let health = [
        Health { passed: Some(true), ..Health::default() },
        Health { passed: Some(false), ..Health::default() },
        Health { crc_errors: Some(2), ..Health::default() },
    ];
    all.extend(health.map(|health| Finding::from(SelfReport::Health(Box::new(health)))));
    all
}

/// As a check: what is wrong has advice, and what is not has none.
fn line(finding: Finding) -> String {
    let check = |status| Check { id: "x", subject: None, status, finding: finding.clone() };
    let (found, advice) = (found(&check(Status::Warn)), advice(&check(Status::Warn)));
    assert_eq!(super::advice(&check(Status::Pass)), None);
    format!("{found}\n    {}\n", advice.as_deref().unwrap_or("-"))
}

#[test]
fn every_finding_in_words() {
    let lines: Vec<String> = every_finding().into_iter().map(line).collect();
    insta::assert_snapshot!(lines.concat());
}

#[test]
fn hostile_names_reach_no_terminal() {
    let evil = "\u{1b}[2J\u{202e}\n evil\\";
    let mut facts = fit();
    with_card(&mut facts, Some((evil, 4)), 3);
    facts.disks[0].layer.name = evil.into();
    facts.disks[0].layer.model = Some(evil.into());
    facts.disks[0].card.as_mut().unwrap().name = Some(evil.into());
    facts.disks[0].health = Some(Err(NoHealth::NoFigures(NoFigures::Said(evil.into()))));
    facts.tasks = Err(Missing::Said(evil.into()));
    facts.host.model = Some(evil.into());
    facts.swaps = vec![Swap { name: evil.into(), on_target: true, in_memory: false }];
    facts.target = Target::Device { name: evil.into(), chain: Vec::new(), in_use: Vec::new() };
    let shown = page(&facts);
    assert!(!shown.contains(['\u{1b}', '\u{202e}']), "{shown}");
    assert!(shown.lines().all(|line| line.chars().count() <= 80), "{shown}");
    let json = json(&facts, &checks(&facts)).to_string();
    assert!(!json.contains("\\u001b") && !json.contains('\u{202e}'), "{json}");
}
