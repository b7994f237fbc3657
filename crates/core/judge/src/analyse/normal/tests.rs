//! Machines that are known: what they are, what is usual for them, and what a figure is called.

use super::*;
use crate::analyse::analyse;
use crate::testing::RunBuilder;
use bakeoff_model::finding::Scope;
use bakeoff_model::host::LayerKind;
use bakeoff_model::others::Among;

const PI1: &str = "Raspberry Pi Model B Rev 2";
const PI3: &str = "Raspberry Pi 3 Model B Plus Rev 1.3";
const PI4: &str = "Raspberry Pi 4 Model B Rev 1.4";
const PI5: &str = "Raspberry Pi 5 Model B Rev 1.0";
const PC: &str = "Dell Inc. OptiPlex 7050";
const FOUR: [&str; 4] = ["seqread", "seqwrite", "randread", "randwrite"];

fn drive(bus: &str, link: &str) -> Layer {
    Layer {
        kind: LayerKind::Disk,
        name: "sda".into(),
        bus: Some(bus.into()),
        link: (!link.is_empty()).then(|| link.into()),
        rotational: Some(false),
        ..Layer::default()
    }
}

fn card(link: &str, class: &str) -> Layer {
    Layer { card_class: Some(class.into()), ..drive("mmc", link) }
}

/// A run of one directory on that drive of that machine, with these figures.
fn start(model: &str, drive: Layer) -> RunBuilder {
    let run = RunBuilder::directories(&["/srv"]).workloads(&FOUR);
    let model = (!model.is_empty()).then(|| model.to_string());
    run.header(|header| header.host.model = model).place(0, |place| place.chain[1] = drive)
}

fn play(run: RunBuilder, rates: [f64; 4]) -> Run {
    let rate = move |block: u32, _, workload: u16| {
        rates[usize::from(workload)] * (1.0 + f64::from(block % 2) * 0.002)
    };
    run.play(9, rate).build()
}

fn judged(model: &str, drive: Layer, rates: [f64; 4]) -> Normal {
    analyse(&play(start(model, drive), rates)).normal.expect("a directory alone")
}

/// One word for each figure.
fn verdicts(of: &Normal) -> Vec<&'static str> {
    of.figures.iter().map(word).collect()
}

fn word(of: &PlaceFigure) -> &'static str {
    match &of.normality {
        Normality::Normal { .. } if of.others.as_ref().is_some_and(|o| o.among.is_slower()) => {
            "slower"
        }
        Normality::Normal { at_link_limit: true } => "limit",
        Normality::Normal { .. } => "normal",
        Normality::Slow { below: Below::Others } => "slow",
        Normality::Slow { below: Below::Label } => "label",
        Normality::Disturbed { .. } => "disturbed",
        Normality::Fast { is_from_cache: true } => "cache",
        Normality::Fast { .. } => "fast",
        Normality::Cached { .. } => "cached",
        Normality::Unknown => "unknown",
    }
}

/// Nothing is said of flushed random writes, nor of drives of which too few are known.
#[test]
fn known_machines_are_judged_as_far_as_others_are_known() {
    let spinning = Layer { rotational: Some(true), ..drive("ata", "SATA 6.0 Gb/s") };
    let unknown = ["unknown"; 4];
    let cases = [
        (
            PI1,
            drive("usb", "USB 480 Mb/s, BOT"),
            [24e6, 12e6, 900.0, 20.0],
            ["limit", "unknown", "unknown", "unknown"],
        ),
        (
            PI1,
            card("SD, sd high-speed", "class 10"),
            [18e6, 10.5e6, 500.0, 6.0],
            ["normal", "normal", "slower", "unknown"],
        ),
        (
            PI3,
            card("SD", "class 10, U1, A1"),
            [22e6, 12e6, 1400.0, 60.0],
            ["limit", "normal", "normal", "unknown"],
        ),
        (
            PI4,
            card("SD, sd uhs DDR50", "class 10, U3, A2"),
            [43e6, 33e6, 2400.0, 200.0],
            ["limit", "normal", "normal", "unknown"],
        ),
        (
            PI4,
            drive("usb", "USB 5000 Mb/s, UAS"),
            [290e6, 250e6, 5000.0, 800.0],
            ["normal", "unknown", "normal", "unknown"],
        ),
        (
            PI5,
            drive("nvme", "PCIe 5.0 GT/s x1"),
            [430e6, 380e6, 9000.0, 900.0],
            ["limit", "unknown", "normal", "unknown"],
        ),
        (PC, spinning, [180e6, 170e6, 110.0, 40.0], unknown),
        (
            PC,
            drive("ata", "SATA 6.0 Gb/s"),
            [530e6, 480e6, 9000.0, 600.0],
            ["limit", "unknown", "unknown", "unknown"],
        ),
        ("QEMU Standard PC", drive("virtio", ""), [900e6, 400e6, 8000.0, 1500.0], unknown),
    ];
    for (model, drive, rates, words) in cases {
        let of = judged(model, drive, rates);
        assert_eq!(verdicts(&of), words, "{of:#?}");
        assert!(of.figures[2].tail.is_some(), "{of:#?}");
    }
}

#[test]
fn a_slow_figure_says_below_what_and_why() {
    let ddr50 = || card("SD, sd uhs DDR50", "class 10, U3, A2");
    let slow = judged(PI4, ddr50(), [9e6, 1e6, 200.0, 1.0]);
    assert_eq!(verdicts(&slow), ["slow", "slow", "slow", "unknown"]);
    assert_eq!(slow.figures[0].because, []);
    let label = judged(PI4, ddr50(), [43e6, 20e6, 2400.0, 200.0]);
    assert_eq!(verdicts(&label), ["limit", "label", "normal", "unknown"]);
    let random = judged(PI4, ddr50(), [43e6, 33e6, 740.0, 200.0]);
    assert_eq!(verdicts(&random)[2], "label", "half of what class A2 promises is 750");
    // The slot of a Raspberry Pi 3 carries less than the label promises.
    let narrow = judged(PI3, card("SD, sd high-speed", "U3"), [21e6, 19.5e6, 1400.0, 60.0]);
    assert_eq!(verdicts(&narrow)[1], "normal");
    let slow = judged(PI3, card("SD, sd high-speed", "U3"), [21e6, 12e6, 1400.0, 60.0]);
    assert_eq!(verdicts(&slow)[1], "label");
    assert_eq!(slow.figures[1].because, [Because::LinkBelowLabel]);
    let bot = Layer { removable: Some(false), ..drive("usb", "USB 5000 Mb/s, BOT") };
    let bot = judged(PI4, bot, [15e6, 10e6, 1500.0, 100.0]);
    assert_eq!(verdicts(&bot)[0], "slow");
    assert_eq!(bot.figures[0].because, [Because::NoUas]);
    // It is compared with cards in slots of the same mode, and could run in a faster one.
    let fallen = judged(PI4, card("SD, sd high-speed", "U3"), [22e6, 19.5e6, 900.0, 60.0]);
    assert_eq!(verdicts(&fallen)[2], "slower");
    assert_eq!(fallen.figures[2].because, [Because::SlowMode]);
}

#[test]
fn a_figure_that_moves_over_half_of_the_others_is_not_placed() {
    let run = start(PI4, card("SD, sd uhs DDR50", ""));
    let rate = |block: u32, _, w: u16| {
        [45e6, 20e6, 2000.0, 60.0][usize::from(w)] * [0.5, 1.5][(block % 2) as usize]
    };
    let of = analyse(&run.play(5, rate).build()).normal.unwrap();
    assert_eq!(of.figures[2].others.as_ref().unwrap().among, Among::TooWide);
    assert_eq!(verdicts(&of)[2], "unknown");
}

#[test]
fn more_than_the_link_carries_is_a_cache() {
    let of = judged(PI4, card("SD, sd uhs DDR50", "A1"), [180e6, 49e6, 9000.0, 100.0]);
    assert_eq!(verdicts(&of)[0], "cache");
    assert_eq!(verdicts(&of)[2], "fast");
}

#[test]
fn nothing_is_slow_on_a_machine_that_was_disturbed() {
    let slow = [9e6, 16e6, 200.0, 60.0];
    let finding = |id: &str, workload: Option<&str>, severity| Finding {
        id: id.to_string(),
        severity,
        scope: Scope::Cell,
        workload: workload.map(str::to_string),
        candidate: None,
        evidence: "3 of 9 cells".to_string(),
        advice: "stop it".to_string(),
    };
    let with = |found: Finding| {
        let run = start(PI4, card("SD, sd uhs DDR50", "A1")).finding(found);
        verdicts(&analyse(&play(run, slow)).normal.unwrap())
    };
    let warn = Severity::Warn;
    assert_eq!(with(finding("L52", None, warn))[..3], ["disturbed", "normal", "disturbed"]);
    assert_eq!(with(finding("L52", Some("randread"), warn))[..3], ["slow", "normal", "disturbed"]);
    assert_eq!(with(finding("L50", None, warn))[..3], ["slow", "normal", "slow"]);
    assert_eq!(with(finding("L52", None, Severity::Info))[..3], ["slow", "normal", "slow"]);
}

#[test]
fn reads_whose_cache_is_unknown_are_not_judged() {
    let unknown = |cell: &mut Cell| cell.truth.cache = CacheState::Unknown;
    let run = start(PC, drive("ata", "SATA 6.0 Gb/s")).cells(unknown);
    let of = analyse(&play(run, [400e6, 400e6, 9000.0, 600.0])).normal.unwrap();
    assert_eq!(verdicts(&of), ["cached", "unknown", "cached", "unknown"]);
}

#[test]
fn places_without_figures_say_why() {
    let other = judged("", drive("zoo", ""), [9e6, 9e6, 200.0, 60.0]);
    assert_eq!((other.medium, verdicts(&other)), (None, vec!["unknown"; 4]));
    let run = RunBuilder::directories(&["/a", "/b"]).play(5, |_, _, _| 10.0).build();
    assert_eq!(analyse(&run).normal, None);
    let stack = RunBuilder::stacks(&["ext4"]).play(5, |_, _, _| 10.0).build();
    assert_eq!(analyse(&stack).normal, None);
}
