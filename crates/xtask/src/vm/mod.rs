//! The program on whole machines, emulated: `cargo xtask test-vm [--binary PATH] [PART…]`.
//!
//! Here a disk may be erased, a stick pulled out and the power cut. What happens to disks, mounts
//! and mappings is real; how long it takes means nothing, and no test looks at it.
//!
//! `lab` makes machines, `guest` is one that runs, `scenario` has the tests.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

mod board;
mod clean;
mod disk;
mod guest;
mod image;
mod job;
mod kernel;
mod lab;
mod log_writes;
mod machine;
pub mod networked;
mod packages;
mod plan;
mod port;
mod qmp;
mod scenario;
mod store;

use crate::tally::Tally;
use crate::{junit, tool};
use board::Board;
use clean::State;
use disk::{Disk, MIB};
use guest::Guest;
use lab::{Program, TestLab};
use machine::Machine;
pub use port::Output;
pub use scenario::caps::{PAIRS as CAPPED_PAIRS, Pair as CappedPair, Said};
use scenario::{Group, PARTS, Part};

/// What `make test` runs of it, in some five minutes: the parts that guard other people's data.
pub const EACH_TIME: &[&str] = &[
    "devices/",
    "guard/",
    "run/encrypted",
    "run/what-does-not-fit-is-refused",
    "run/udev-is-kept-off",
    "run/stick",
    "run/disk-exchanged",
];

/// Runs the tests whose names contain one of the PARTs on emulated machines.
///
/// As many machines run at a time as there are CPUs. The second number in a line is the CPU time of
/// the emulator. Tests that other load would disturb (causes/, caps, carry-over/, slow-disk/ and
/// turns-and-visits/) run alone at the end, and only if you name them. causes/ and caps are part of
/// `make bench-truth`. `make test` runs devices/, guard/ and some of run/.
#[derive(clap::Args)]
pub struct Options {
    /// List the tests
    #[arg(long)]
    list: bool,
    /// Test this program on the PC (target/debug/bakeoff during development) instead of the static
    /// one, which takes minutes to build the first time
    #[arg(long, value_name = "PATH")]
    binary: Option<PathBuf>,
    /// Test the binaries that `cargo xtask dist` built
    #[arg(long, conflicts_with = "binary")]
    dist: bool,
    /// Write a report of the tests there, as JUnit XML
    #[arg(long, value_name = "PATH")]
    junit: Option<PathBuf>,
    /// Run a script on a machine: pc (default), pi3 or pi1
    #[arg(long, value_name = "SCRIPT")]
    run: Option<String>,
    /// Parts of names of tests (default: all except those that need an otherwise idle machine)
    #[arg(value_name = "PART")]
    parts: Vec<String>,
}

impl Options {
    /// The tests of that part of a name, of this program in place of the static one.
    pub fn for_part(part: &str, binary: Option<PathBuf>) -> Options {
        let (junit, run, parts) = (None, None, vec![part.to_owned()]);
        Options { list: false, binary, dist: false, junit, run, parts }
    }

    /// Whether a test is named.
    fn names(&self, test: &str) -> bool {
        self.parts.iter().any(|part| test.contains(part))
    }
}

/// The command.
pub fn test(root: &Path, options: Options) -> Result<bool> {
    let program = match (&options.binary, options.dist) {
        (Some(path), _) => Program::OnPc(path.clone()),
        (None, true) => Program::Released,
        (None, false) => Program::Built,
    };
    let lab = TestLab::new(root, program);
    let parts = &options.parts;
    if let Some(script) = &options.run {
        return try_script(&lab, script, parts.first().map_or("pc", String::as_str));
    }
    let wanted = |name: &str| options.names(name) || (parts.is_empty() && !is_alone(name));
    if options.list {
        names().filter(|name| parts.is_empty() || wanted(name)).for_each(|name| println!("{name}"));
        return Ok(true);
    }
    let tally = run_parts(&lab, &wanted)?;
    let left: Vec<String> = names().filter(|name| parts.is_empty() && !wanted(name)).collect();
    if !left.is_empty() {
        println!("not run, because they need the machine for themselves: {}", left.join(", "));
    }
    if let Some(path) = &options.junit {
        tool::write(path, junit::write(&tally.cases)?)?;
    }
    Ok(tally.end())
}

/// What so many runs say of each pair of disks that are held to a speed, with seeds from 1;
/// `program` in place of the static one.
pub fn measure_capped(
    root: &Path,
    program: Option<&Path>,
    pairs: &[&CappedPair],
    runs: u64,
) -> Result<Vec<Vec<Said>>> {
    let built = program.map(Path::to_path_buf);
    let lab = TestLab::new(root, built.map_or(Program::Built, Program::OnPc));
    scenario::caps::measure_all(&lab, pairs, |guest, pair| {
        (1..=runs).map(|seed| scenario::caps::measure(guest, pair, seed)).collect()
    })
}

/// Runs a script on a Raspberry Pi (`pi1`, `pi3`) that has one more file, path there and here. Its
/// card has a filesystem, which is mounted on /mnt.
pub fn run_on_pi(
    root: &Path,
    board: &str,
    (there, here): (&str, &Path),
    script: &str,
    limit: Duration,
) -> Result<Output> {
    let kind = named(board)?;
    let lab = TestLab::new(root, Program::Released).with_file(there, here);
    let name = format!("install-{board}");
    let mut guest = lab.machine(kind, &name, &[scenario::pi::card()])?.boot()?;
    guest.ok(&format!("{} && mount /dev/mmcblk0 /mnt", scenario::pi::MAKE))?;
    guest.run_within(script, limit)
}

/// The board of that name.
fn named(name: &str) -> Result<&'static Board> {
    let mut boards = [&board::PC, &board::PI3, &board::PI1].into_iter();
    boards.find(|board| board.name == name).with_context(|| format!("no such board: {name}"))
}

/// Runs a script on a machine with a few disks, for a look.
fn try_script(lab: &TestLab, script: &str, board: &str) -> Result<bool> {
    let board = named(board)?;
    let disks = match board.name {
        "pc" => vec![
            Disk::virtio("disk", 1024 * MIB).serial("DISK-1"),
            Disk::usb("stick", 1024 * MIB).serial("STICK-1"),
        ],
        _ => vec![scenario::pi::card()],
    };
    let mut guest = lab.machine(board, "try", &disks)?.boot()?;
    let output = guest.run(script)?;
    print!("{}", output.text());
    eprint!("{}", output.error());
    Ok(output.code == 0)
}

fn names() -> impl Iterator<Item = String> {
    PARTS.iter().flat_map(|part| match part {
        Part::Solo(solo) => vec![solo.name.to_owned()],
        Part::Group(group) => {
            let tests = (group.tests)().into_iter();
            tests.map(|test| format!("{}/{}", group.name, test.name)).collect()
        }
    })
}

/// Whether a test needs the machine below for itself.
fn is_alone(name: &str) -> bool {
    PARTS.iter().filter(|part| part.is_alone()).any(|part| match part {
        Part::Group(group) => name.split('/').next() == Some(group.name),
        Part::Solo(solo) => name == solo.name,
    })
}

/// Runs all parts that are wanted: beside each other, as many as there are CPUs, except those of
/// which each has the machine for itself.
fn run_parts(lab: &TestLab, wanted: &Wanted<'_>) -> Result<Tally> {
    let tally = Mutex::new(Tally::default());
    let (alone, together): (Vec<&Part>, _) = PARTS.iter().partition(|part| part.is_alone());
    let waiting = Mutex::new(VecDeque::from(together));
    let next = || waiting.lock().expect("nobody panics with it").pop_front();
    let cpus = std::thread::available_parallelism()?.get();
    std::thread::scope(|scope| {
        for _ in 0..cpus {
            scope.spawn(|| std::iter::from_fn(next).for_each(|part| part.run(lab, wanted, &tally)));
        }
    });
    alone.into_iter().for_each(|part| part.run(lab, wanted, &tally));
    Ok(tally.into_inner().expect("nobody panics with it"))
}

/// Whether a test is to be run, by its name.
type Wanted<'a> = dyn Fn(&str) -> bool + Sync + 'a;

impl Part {
    fn is_alone(&self) -> bool {
        match self {
            Part::Group(group) => group.is_alone,
            Part::Solo(solo) => solo.is_alone,
        }
    }

    fn run(&self, lab: &TestLab, wanted: &Wanted<'_>, tally: &Mutex<Tally>) {
        match self {
            Part::Group(group) => run_group(lab, group, wanted, tally),
            Part::Solo(solo) if wanted(solo.name) => {
                let started = Instant::now();
                let result = (solo.run)(lab);
                tally.lock().expect("nobody panics with it").add(solo.name, started, "", result);
            }
            Part::Solo(_) => {}
        }
    }
}

/// Runs the tests of a group in one guest, or in another after one that left it in a state.
fn run_group(lab: &TestLab, group: &Group, wanted: &Wanted<'_>, tally: &Mutex<Tally>) {
    let mut running: Option<(Machine, Guest, State)> = None;
    for test in (group.tests)() {
        let name = format!("{}/{}", group.name, test.name);
        if !wanted(&name) {
            continue;
        }
        let started = Instant::now();
        let mut cpu_seconds = None;
        // The first one bears what it takes to boot.
        let earlier = running.as_ref().and_then(|(_, guest, _)| guest.cpu_seconds());
        let anew = || start(lab, group.board, group.name, &(group.disks)());
        let result = match running.take().map_or_else(anew, Ok) {
            Err(error) => Err(error),
            Ok((machine, mut guest, before)) => {
                let tested = (test.run)(&mut guest);
                // What it wrote last and what udev makes of that is not the next one's.
                let rests = guest.ok("sync").and_then(|_| guest.settle());
                let clean = rests.and_then(|()| before.assert_unchanged(&mut guest));
                let clean = clean.and_then(|()| guest.check_kernel());
                cpu_seconds = guest.cpu_seconds().map(|now| now - earlier.unwrap_or_default());
                // Each begins with an empty store: what it looks at is its own, and not once more
                // all that others looked at before.
                let clean = clean.and_then(|()| guest.ok("rm -rf $HOME/.local/share/bakeoff"));
                if clean.is_ok() {
                    running = Some((machine, guest, before));
                }
                tested.and(clean.map(drop))
            }
        };
        let cpu = cpu_seconds.map_or_else(String::new, |cpu| format!("{cpu:>6.1} s CPU"));
        tally.lock().expect("nobody panics with it").add(&name, started, &cpu, result);
    }
}

/// A guest, whose disks are kept in a folder of that name.
fn start(
    lab: &TestLab,
    board: &'static Board,
    name: &str,
    disks: &[Disk],
) -> Result<(Machine, Guest, State)> {
    let machine = lab.machine(board, name, disks)?;
    let mut guest = machine.boot()?;
    let state = State::read(&mut guest)?;
    Ok((machine, guest, state))
}
