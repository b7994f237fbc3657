//! Which runs were measured on one board.
//!
//! A host name is no identity: boards of one image share it. Runs carry a digest of the board's
//! serial number or machine id where they could read one; without it, boards are told apart by
//! everything the record says of the machine, and two that are alike in all of that are counted as
//! one, because counting one board twice would make an answer look more certain than it is.
//!
//! On a server the role that sent a run is part of its board's identity: a role can claim any ID,
//! and must not replace the answer of another one's board.
//!
//! A redacted run does not say which board it is from. It counts as a board of its own, because
//! most such runs come from different people, and a note says so.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::over::Over;
use crate::layout::cut;
use crate::redact;
use crate::run_document::day;
use bakeoff_model::machine::Machine;
use bakeoff_model::path::sanitize;
use bakeoff_model::run::Run;
use bakeoff_stats::phrases;

/// Digits of a board's id that are shown.
const SHORT: usize = 6;
/// Before this nobody measured with bakeoff: 2020-01-01.
pub(super) const EARLIEST_UNIX_NS: i64 = 1_577_836_800_000_000_000;
/// Clocks of boards in one room differ by less: a year.
const APART_NS: i64 = 366 * 86_400_000_000_000;

const LONGEST_NAMES: usize = 80;

/// A board and its runs; or a drive, a kernel or a year ([`super::over`]).
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FleetBoard {
    /// Host name; with digits of the id where another board has that name too.
    pub name: String,
    pub board_id: Option<String>,
    pub model: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
    pub runs: Vec<usize>,
}

/// The boards of these runs, in the order of their first one, and what is odd about them. `roles`
/// are of those that sent the runs; none for runs of a local store.
pub fn boards(runs: &[&Run], roles: &[Option<String>]) -> (Vec<FleetBoard>, Vec<String>) {
    let machine = |(at, run): (usize, &&Run)| Machine {
        role: roles.get(at).cloned().flatten(),
        ..Machine::from_host(&run.header.host)
    };
    let machines: Vec<Machine> = runs.iter().enumerate().map(machine).collect();
    let (mut boards, mut notes) = of_machines(&machines);
    for board in &mut boards {
        board.runs.sort_by_key(|at| (runs[*at].started_unix_ns, *at));
    }
    notes.extend(repeated(&boards, runs));
    notes.extend(redacted(runs, Over::Board));
    notes.extend(clocks(&boards, runs));
    (boards, notes)
}

/// The boards that these machines are, in the order of their first one, and which have one name.
/// `runs` of a board are places among the machines.
pub fn of_machines(machines: &[Machine]) -> (Vec<FleetBoard>, Vec<String>) {
    let mut boards: Vec<FleetBoard> = Vec::new();
    let (mut by_id, mut by_looks) = (BTreeMap::new(), BTreeMap::new());
    let mut order: Vec<usize> = (0..machines.len()).collect();
    // Those with an id first, so that a run without one finds the board it belongs to.
    order.sort_by_key(|at| (machines[*at].board_id.is_none(), *at));
    for at in order {
        let machine = &machines[at];
        let known: Option<usize> = match &machine.board_id {
            Some(id) => by_id.get(&(&machine.role, id)).copied(),
            None => by_looks.get(machine).copied(),
        };
        if let Some(known) = known {
            boards[known].runs.push(at);
            continue;
        }
        if let Some(id) = &machine.board_id {
            by_id.insert((&machine.role, id), boards.len());
        }
        by_looks.entry(machine.without_id()).or_insert(boards.len());
        boards.push(FleetBoard {
            name: sanitize(&machine.hostname),
            board_id: machine.board_id.as_deref().map(sanitize),
            model: machine.model.as_deref().map(sanitize),
            role: machine.role.as_deref().map(sanitize),
            runs: vec![at],
        });
    }
    boards.sort_by_key(|board| board.runs.iter().copied().min());
    let mut notes = name(&mut boards);
    let ids = boards.iter().filter_map(|board| Some((board.board_id.as_deref()?, board)));
    notes.extend(several_roles(ids, Over::Board));
    (boards, notes)
}

/// Several roles of a server sent runs with one board ID or serial number: a board has a new role,
/// or one role's record claims what is another's. They are kept apart.
pub(super) fn several_roles<'a>(
    all: impl Iterator<Item = (&'a str, &'a FleetBoard)>,
    over: Over,
) -> Vec<String> {
    let noun = over.noun();
    let mut by_id: BTreeMap<&str, Vec<&FleetBoard>> = BTreeMap::new();
    for (id, board) in all.filter(|(_, board)| board.role.is_some()) {
        by_id.entry(id).or_default().push(board);
    }
    by_id.retain(|_, boards| boards.len() > 1);
    let note = |boards: Vec<&FleetBoard>| {
        let names: Vec<&str> = boards.iter().map(|board| board.name.as_str()).collect();
        let roles: Vec<&str> = boards.iter().filter_map(|board| board.role.as_deref()).collect();
        format!(
            "{} have one ID in their records, and were sent by {} roles of the server ({}). They \
             count as {}, because a role can claim any ID. If it is one {}, give it one role and \
             name only its latest run.",
            cut(&names.join(" and "), LONGEST_NAMES),
            roles.len(),
            cut(&roles.join(", "), LONGEST_NAMES),
            phrases::count(boards.len(), noun.one),
            noun.one
        )
    };
    by_id.into_values().map(note).collect()
}

fn name(boards: &mut [FleetBoard]) -> Vec<String> {
    let names: Vec<String> = boards.iter().map(|board| board.name.clone()).collect();
    let mut notes = Vec::new();
    for hostname in names.iter().collect::<BTreeSet<_>>() {
        let count = names.iter().filter(|name| *name == hostname).count();
        if count < 2 {
            continue;
        }
        notes.push(format!(
            "{count} boards have the host name {hostname}. Their records distinguish them, and \
             they count as {count}."
        ));
        let named = boards.iter_mut().filter(|board| board.name == *hostname);
        for (number, board) in (1..).zip(named) {
            let number: u32 = number;
            let digits: Option<String> =
                board.board_id.as_ref().map(|id| id.chars().take(SHORT).collect());
            board.name = format!("{hostname} ({})", digits.unwrap_or_else(|| number.to_string()));
        }
        let named: Vec<String> = boards.iter().map(|board| board.name.clone()).collect();
        for board in boards.iter_mut() {
            let is_shared = named.iter().filter(|name| **name == board.name).count() > 1;
            if let Some(role) = board.role.as_ref().filter(|_| is_shared) {
                board.name += &format!(" of {role}");
            }
        }
    }
    notes
}

fn repeated(boards: &[FleetBoard], runs: &[&Run]) -> Vec<String> {
    let several = boards.iter().filter(|board| board.runs.len() > 1);
    let note = |board: &FleetBoard| {
        let hosts = || board.runs.iter().map(|at| &runs[*at].header.host);
        let is_known = hosts().all(|host| host.board_id.is_some());
        let hostnames: BTreeSet<String> = hosts().map(|host| sanitize(&host.hostname)).collect();
        let (name, runs) = (&board.name, board.runs.len());
        match (is_known, hostnames.len()) {
            (false, _) => format!(
                "{runs} runs of {name} have no board ID to distinguish boards of the same name. \
                 They count as one board, with the latest run. If they are several boards, give \
                 each its own host name and measure again."
            ),
            (true, 0 | 1) => repeated_words(board),
            (true, several) => format!(
                "{runs} runs of {name} have one board ID and {several} host names ({}). They count \
                 as one board, with the latest run. If they are boards with copies of one image, \
                 remove /etc/machine-id on each, start it again, and measure again.",
                cut(&hostnames.into_iter().collect::<Vec<_>>().join(", "), LONGEST_NAMES)
            ),
        }
    };
    several.map(note).collect()
}

pub(super) fn repeated_words(board: &FleetBoard) -> String {
    format!("{} has {} runs. Only the latest one counts.", board.name, board.runs.len())
}

pub(super) fn redacted(runs: &[&Run], over: Over) -> Option<String> {
    let is_redacted = |run: &&&Run| redact::is_redacted(&run.header.run, &run.header.host);
    let count = runs.iter().filter(is_redacted).count();
    let one = over.noun().one;
    let (are, them) = if count == 1 { ("run is", "it") } else { ("runs are", "them") };
    (count > 0 && runs.len() > 1).then(|| {
        format!(
            "{count} {are} redacted, so bakeoff cannot recognise the {one} of {them}. Each counts \
             as one {one}. If a {one} was measured twice, the answer looks more certain than it \
             is: name only one of its runs."
        )
    })
}

fn clocks(boards: &[FleetBoard], runs: &[&Run]) -> Vec<String> {
    let last = |board: &FleetBoard| board.runs.last().map_or(0, |at| runs[*at].started_unix_ns);
    let mut times: Vec<i64> =
        boards.iter().map(last).filter(|unix_ns| *unix_ns >= EARLIEST_UNIX_NS).collect();
    times.sort_unstable();
    let middle = times.get(times.len() / 2).copied();
    let note = |board: &FleetBoard| {
        let unix_ns = last(board);
        let is_early = unix_ns < EARLIEST_UNIX_NS;
        let others_unix_ns = middle.filter(|_| !is_early);
        let is_apart =
            others_unix_ns.is_some_and(|middle| middle.saturating_sub(unix_ns).abs() > APART_NS);
        let (name, shown) = (&board.name, day(unix_ns));
        match others_unix_ns {
            None if is_early => Some(format!(
                "The clock of {name} was not set: it showed {shown}. Its dates are wrong; the \
                 figures do not depend on them."
            )),
            Some(others) if is_apart => Some(format!(
                "The clock of {name} showed {shown}, more than a year from the other boards ({}). \
                 Its dates may be wrong; the figures do not depend on them.",
                day(others)
            )),
            _ => None,
        }
    };
    boards.iter().filter_map(note).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use bakeoff_judge::testing::RunBuilder;

    const NOW: i64 = 1_795_000_000_000_000_000;

    fn run(hostname: &str, id: Option<&str>, unix_ns: i64) -> Run {
        let builder = RunBuilder::stacks(&["ext4", "xfs"]).header(|h| {
            h.host.hostname = hostname.to_string();
            h.host.board_id = id.map(str::to_string);
        });
        let mut run = builder.build();
        run.started_unix_ns = unix_ns;
        run
    }

    fn found(runs: &[Run]) -> (Vec<String>, Vec<String>) {
        let (boards, notes) = boards(&runs.iter().collect::<Vec<_>>(), &[]);
        (boards.iter().map(|b| format!("{} {:?}", b.name, b.runs)).collect(), notes)
    }

    #[test]
    fn one_board_twice_is_one_board() {
        let runs = [
            run("pi", Some("a1"), NOW + 5),
            run("nas", Some("b2"), NOW),
            run("pi", Some("a1"), NOW),
        ];
        let (boards, notes) = found(&runs);
        assert_eq!(boards, ["pi [2, 0]", "nas [1]"]);
        assert_eq!(notes, ["pi has 2 runs. Only the latest one counts."]);
    }

    /// Boards that were started from copies of one image counted as one board without a word.
    #[test]
    fn one_id_with_several_host_names_is_one_board_and_is_said() {
        let runs = [run("pi-1", Some("a1"), NOW), run("pi-2", Some("a1"), NOW + 1)];
        let (boards, notes) = found(&runs);
        assert_eq!(boards, ["pi-1 [0, 1]"]);
        let said = "2 runs of pi-1 have one board ID and 2 host names (pi-1, pi-2).";
        assert!(notes.len() == 1 && notes[0].starts_with(said), "{notes:?}");
    }

    /// A board that claimed another one's ID, with a later clock, replaced its answer.
    #[test]
    fn one_id_of_two_roles_is_two_boards_and_is_said() {
        let runs = [run("pi", Some("a1"), NOW), run("pi", Some("a1"), NOW + 1)];
        let runs: Vec<&Run> = runs.iter().collect();
        let roles = ["ada", "eve"].map(|role| Some(role.to_string()));
        let (found, notes) = boards(&runs, &roles);
        let names: Vec<&str> = found.iter().map(|board| board.name.as_str()).collect();
        assert_eq!(names, ["pi (a1) of ada", "pi (a1) of eve"]);
        let several = "pi (a1) of ada and pi (a1) of eve have one ID in their records, and were \
                       sent by 2 roles of the server (ada, eve).";
        assert!(notes.iter().any(|note| note.starts_with(several)), "{notes:?}");
        let same = [Some("ada".to_string()), Some("ada".to_string())];
        assert_eq!(boards(&runs, &same).0.len(), 1);
        // Without an ID, what a record looks like is claimed as well.
        let runs = [run("pi", None, NOW), run("pi", Some("a1"), NOW + 1)];
        let runs: Vec<&Run> = runs.iter().collect();
        let roles = ["eve", "ada"].map(|role| Some(role.to_string()));
        assert_eq!(boards(&runs, &roles).0.len(), 2);
    }

    #[test]
    fn two_boards_with_one_name_are_two_and_are_named_apart() {
        let runs = [run("pi", Some("a1b2c3d4"), NOW), run("pi", Some("ffee0011"), NOW)];
        let (boards, notes) = found(&runs);
        assert_eq!(boards, ["pi (a1b2c3) [0]", "pi (ffee00) [1]"]);
        assert!(notes.len() == 1 && notes[0].starts_with("2 boards have the host name pi."));
    }

    #[test]
    fn without_an_id_boards_that_look_alike_are_counted_once() {
        let mut runs = [run("pi", None, NOW), run("pi", None, NOW + 1), run("pi", None, NOW)];
        runs[2].header.host.model = Some("Raspberry Pi 5 Model B".to_string());
        let (boards, notes) = found(&runs);
        assert_eq!(boards, ["pi (1) [0, 1]", "pi (2) [2]"]);
        let none = "2 runs of pi (1) have no board ID";
        assert!(notes.iter().any(|note| note.starts_with(none)), "{notes:?}");
        // An older run of a board that has an id by now.
        let runs = [run("pi", None, NOW), run("pi", Some("a1"), NOW + 1)];
        assert_eq!(found(&runs).0, ["pi [0, 1]"]);
    }

    /// All redacted runs were of one board, which is called host-1.
    #[test]
    fn redacted_runs_are_a_board_each_and_a_note_says_so() {
        let redacted = |id: &str| {
            let (host, board) = (format!("host-1-{id}"), format!("board-1-{id}"));
            let mut run = run(&host, Some(&board), NOW);
            run.header.run = format!("{id}00000000");
            run
        };
        let runs = [redacted("0000000a"), redacted("0000000b"), run("pi", Some("a1"), NOW)];
        let (boards, notes) = found(&runs);
        assert_eq!(boards, ["host-1-0000000a [0]", "host-1-0000000b [1]", "pi [2]"]);
        assert!(notes.len() == 1 && notes[0].starts_with("2 runs are redacted,"), "{notes:?}");
        assert!(found(&runs[..1]).1.is_empty(), "one run alone has no note");
    }

    #[test]
    fn clocks_that_are_years_apart_are_named() {
        let runs = [
            run("a", Some("a"), NOW),
            run("b", Some("b"), NOW + 1),
            run("c", Some("c"), NOW - 3 * APART_NS),
            run("d", Some("d"), 86_400_000_000_000),
        ];
        let (_, notes) = found(&runs);
        let said = [
            "The clock of c showed 2023-11-16, more than a year from the other boards (2026-11",
            "The clock of d was not set: it showed 1970-01-02.",
        ];
        assert_eq!(notes.len(), said.len());
        assert!(notes.iter().zip(said).all(|(note, said)| note.starts_with(said)), "{notes:?}");
    }
}
