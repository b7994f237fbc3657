//! What an answer goes over: boards, drives, kernels or years, and which runs belong to each.
//!
//! Each of them counts once, with its latest run, as boards do. A run that does not record what is
//! asked for is left out and named: two cards without serial numbers could be one card.

use std::collections::BTreeSet;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde::Serialize;
use strum::{IntoStaticStr, VariantArray};

use super::board::{self, EARLIEST_UNIX_NS, FleetBoard};
use crate::run_document::short_id;
use bakeoff_judge::history::facts::drive_name;
use bakeoff_model::path::sanitize;
use bakeoff_model::run::Run;
use bakeoff_stats::phrases;

/// Longest name in the report, in characters: drives of a mirror are named together.
const LONGEST_NAME: usize = 80;

/// What counts once in the report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, IntoStaticStr, Serialize, VariantArray)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Over {
    #[default]
    Board,
    /// The drives below a run's candidates, by their serial numbers: cards of one model, batches.
    Device,
    Kernel,
    Year,
}

/// What sentences call the things that an answer goes over.
#[derive(Clone, Copy)]
pub struct Noun {
    pub one: &'static str,
    pub many: &'static str,
    pub title: &'static str,
    pub at: &'static str,
    pub recorded: &'static str,
}

impl Over {
    pub fn noun(self) -> Noun {
        let noun = |one, many, title, at, recorded| Noun { one, many, title, at, recorded };
        match self {
            Over::Board => noun("board", "boards", "Boards", "on", "board"),
            Over::Device => noun("drive", "drives", "Drives", "on", "drive's serial number"),
            Over::Kernel => noun("kernel", "kernels", "Kernels", "on", "kernel"),
            Over::Year => noun("year", "years", "Years", "in", "date (the clock was not set)"),
        }
    }
}

/// The groups of these runs, in the order of their first one, and what is odd about the records.
pub fn groups(
    runs: &[&Run],
    roles: &[Option<String>],
    over: Over,
) -> (Vec<FleetBoard>, Vec<String>) {
    let (boards, notes) = board::boards(runs, roles);
    let key: fn(&Run) -> Option<FleetGroup> = match over {
        Over::Board => return (boards, notes),
        Over::Device => device,
        Over::Kernel => kernel,
        Over::Year => year,
    };
    // A serial number is what a record claims, as the ID of a board is.
    let role_of = |at: usize| roles.get(at).cloned().flatten().filter(|_| over == Over::Device);
    let mut groups: Vec<(String, FleetBoard)> = Vec::new();
    let mut notes = Vec::new();
    for (at, run) in runs.iter().enumerate() {
        let Some(FleetGroup { id, name }) = key(run) else {
            notes.push(format!(
                "Run {} does not record its {}, and is left out.",
                short_id(&run.header.run),
                over.noun().recorded
            ));
            continue;
        };
        let role = role_of(at).as_deref().map(sanitize);
        let is_it = |known: &&mut (String, FleetBoard)| known.0 == id && known.1.role == role;
        match groups.iter_mut().find(is_it) {
            Some((_, group)) => group.runs.push(at),
            None => {
                let board = FleetBoard { name, board_id: None, model: None, role, runs: vec![at] };
                groups.push((id, board));
            }
        }
    }
    let ids = groups.iter().map(|(id, group)| (id.as_str(), group));
    notes.extend(board::several_roles(ids, over));
    let mut groups: Vec<FleetBoard> = groups.into_iter().map(|(_, group)| group).collect();
    for group in &mut groups {
        group.runs.sort_by_key(|at| (runs[*at].started_unix_ns, *at));
        let latest = group.runs.last().map(|at| &runs[*at].header.host);
        group.model = latest.and_then(|host| host.model.as_deref()).map(sanitize);
    }
    let several = groups.iter().filter(|group| group.runs.len() > 1);
    let repeated = |group: &FleetBoard| {
        let runs = group.runs.len();
        match on_boards(&boards, &group.runs) {
            boards if boards > 1 && over == Over::Device => format!(
                "{runs} runs of {} were made on {boards} boards. They count as one drive, with \
                 the latest run. If they are several drives with one serial number, bakeoff \
                 cannot tell them apart.",
                group.name
            ),
            _ => board::repeated_words(group),
        }
    };
    notes.extend(several.map(repeated));
    notes.extend(board::redacted(runs, over).filter(|_| over == Over::Device));
    notes.extend(several_boards(&boards, &groups, over));
    (groups, notes)
}

fn several_boards(boards: &[FleetBoard], groups: &[FleetBoard], over: Over) -> Option<String> {
    let counting: Vec<usize> = groups.iter().filter_map(|g| g.runs.last().copied()).collect();
    let boards = on_boards(boards, &counting);
    (boards > 1).then(|| {
        format!(
            "The runs were made on {}. Differences between these boards count as differences \
             between {}.",
            phrases::count(boards, "board"),
            over.noun().many
        )
    })
}

fn on_boards(boards: &[FleetBoard], runs: &[usize]) -> usize {
    let of = |at: &usize| boards.iter().position(|board| board.runs.contains(at));
    runs.iter().filter_map(of).collect::<BTreeSet<usize>>().len()
}

/// What runs have in common, and what people call it.
struct FleetGroup {
    id: String,
    name: String,
}

fn device(run: &Run) -> Option<FleetGroup> {
    let (mut ids, mut names) = (BTreeSet::new(), BTreeSet::new());
    for drive in run.header.disks() {
        let serial = drive.serial.as_deref().map(str::trim).filter(|serial| !serial.is_empty())?;
        ids.insert(format!("{}\n{serial}", drive.model.as_deref().unwrap_or_default().trim()));
        names.insert(sanitize(&drive_name(drive)));
    }
    let name: String = names.into_iter().collect::<Vec<_>>().join(" + ");
    let name = name.chars().take(LONGEST_NAME).collect();
    let id = ids.into_iter().collect::<Vec<_>>().join("\n");
    (!id.is_empty()).then_some(FleetGroup { id, name })
}

fn kernel(run: &Run) -> Option<FleetGroup> {
    let kernel = &run.header.host.kernel;
    let group = FleetGroup { id: kernel.clone(), name: sanitize(kernel) };
    (!kernel.is_empty()).then_some(group)
}

fn year(run: &Run) -> Option<FleetGroup> {
    let is_set = run.started_unix_ns >= EARLIEST_UNIX_NS;
    let time = Timestamp::from_nanosecond(run.started_unix_ns.into()).ok().filter(|_| is_set)?;
    let year = time.to_zoned(TimeZone::UTC).year().to_string();
    Some(FleetGroup { id: year.clone(), name: year })
}

#[cfg(test)]
mod tests {
    use super::*;
    use bakeoff_judge::testing::RunBuilder;

    const NOW: i64 = 1_795_000_000_000_000_000;
    const YEAR_NS: i64 = 366 * 86_400_000_000_000;

    fn run(board: &str, serial: Option<&str>, kernel: &str, unix_ns: i64) -> Run {
        let builder = RunBuilder::stacks(&["ext4", "xfs"]).header(|h| {
            h.run = format!("{board}-{kernel}");
            h.host.hostname = board.to_string();
            h.host.board_id = Some(board.to_string());
            h.host.kernel = kernel.to_string();
            let region = h.region.as_mut().expect("stacks have a region");
            for layer in &mut region.place.chain {
                layer.serial = serial.map(str::to_string);
            }
        });
        let mut run = builder.build();
        run.started_unix_ns = unix_ns;
        run
    }

    fn found(runs: &[Run], over: Over) -> (Vec<String>, Vec<String>) {
        let (groups, notes) = groups(&runs.iter().collect::<Vec<_>>(), &[], over);
        (groups.iter().map(|g| format!("{} {:?}", g.name, g.runs)).collect(), notes)
    }

    #[test]
    fn two_cards_in_one_board_are_two_and_one_without_a_serial_number_is_left_out() {
        let runs = [
            run("pi", Some("A1"), "6.12", NOW + 1),
            run("pi", Some("B2"), "6.12", NOW),
            run("pi", Some("A1"), "6.12", NOW),
            run("pi", None, "6.12", NOW),
        ];
        let (names, notes) = found(&runs, Over::Device);
        assert_eq!(names, ["Disk A A1 [2, 0]", "Disk A B2 [1]"]);
        let left_out = "Run pi-6.12 does not record its drive's serial number, and is left out.";
        assert_eq!(notes, [left_out, "Disk A A1 has 2 runs. Only the latest one counts."]);
    }

    /// Two cheap sticks with one serial number counted as one drive without a word.
    #[test]
    fn one_serial_number_on_two_boards_is_one_drive_and_is_said() {
        let runs = [run("a", Some("S1"), "6.6", NOW), run("b", Some("S1"), "6.6", NOW + 1)];
        let (names, notes) = found(&runs, Over::Device);
        assert_eq!(names, ["Disk A S1 [0, 1]"]);
        let said = "2 runs of Disk A S1 were made on 2 boards. They count as one drive";
        assert!(notes.len() == 1 && notes[0].starts_with(said), "{notes:?}");
    }

    #[test]
    fn kernels_and_years_count_once_each_and_boards_that_differ_are_counted() {
        let runs = [
            run("a", None, "6.6", NOW - YEAR_NS),
            run("b", None, "6.12", NOW),
            run("b", None, "6.6", 0),
        ];
        let (names, notes) = found(&runs, Over::Kernel);
        assert_eq!(names, ["6.6 [2, 0]", "6.12 [1]"]);
        let several = "The runs were made on 2 boards.";
        assert!(notes.iter().any(|note| note.starts_with(several)), "{notes:?}");
        let (names, notes) = found(&runs, Over::Year);
        assert_eq!(names, ["2025 [0]", "2026 [1]"]);
        assert!(notes[0].starts_with("Run b-6.6 does not record its date (the clock was not set)"));
        assert!(found(&runs[1..2], Over::Kernel).1.is_empty(), "one board alone has no note");
    }

    #[test]
    fn boards_are_what_they_were() {
        let runs = [run("a", None, "6.6", NOW), run("b", None, "6.6", NOW)];
        let all: Vec<&Run> = runs.iter().collect();
        assert_eq!(groups(&all, &[], Over::Board), board::boards(&all, &[]));
    }
}
