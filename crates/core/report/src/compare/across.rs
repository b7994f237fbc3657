//! The answer of each board, drive or kernel, and whether they agree on one.

use bakeoff_judge::history::drive_name;
use bakeoff_model::difference::Factor;
use bakeoff_model::event::Header;
use bakeoff_model::path::sanitize;
use bakeoff_model::run::Run;
use bakeoff_model::verdict::Analysis;
use bakeoff_stats::{distinct, phrases};
use serde::Serialize;

use crate::answer;

/// The answers over which a comparison goes, in the order of the runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Across {
    pub factor: Factor,
    pub answers: Vec<AnswerOn>,
    /// The candidate that every one of them names.
    pub agreed: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct AnswerOn {
    pub name: String,
    pub run: String,
    pub candidate: Option<String>,
    pub said: String,
}

impl Across {
    /// Each board, drive or kernel counts once, with its latest run.
    pub fn new(runs: &[(Run, Analysis)], factor: Factor) -> Across {
        let keys = runs.iter().map(|(run, _)| identity(&run.header, factor));
        let latest = distinct::in_order(keys).into_iter().filter_map(|key| {
            let of_key = runs.iter().filter(|(run, _)| identity(&run.header, factor) == key);
            of_key.max_by_key(|(run, _)| run.started_unix_ns)
        });
        let answers: Vec<AnswerOn> = latest.map(|of| AnswerOn::new(of, factor)).collect();
        let first = answers.first().and_then(|answer| answer.candidate.clone());
        let agreed = first.filter(|_| answers.iter().all(|a| a.candidate == answers[0].candidate));
        Across { factor, answers, agreed }
    }

    /// "On 3 of 3 boards: ext4."
    pub(super) fn headline(&self) -> String {
        let (all, noun) = (self.answers.len(), plural(self.factor));
        let named = |candidate: &String| {
            let on =
                self.answers.iter().filter(|answer| answer.candidate.as_ref() == Some(candidate));
            on.map(|answer| answer.name.clone()).collect::<Vec<_>>()
        };
        let candidates = self.answers.iter().filter_map(|answer| answer.candidate.clone());
        match distinct::in_order(candidates).as_slice() {
            [] => format!("No answer on any of {all} {noun}."),
            [one] => {
                let open = self.answers.iter().filter(|answer| answer.candidate.is_none());
                let open: Vec<String> = open.map(|answer| answer.name.clone()).collect();
                let open = if open.is_empty() {
                    String::new()
                } else {
                    format!(" No answer on {}.", phrases::list(&open))
                };
                format!("On {} of {all} {noun}: {one}.{open}", named(one).len())
            }
            several => {
                let each =
                    several.iter().map(|one| format!("{one} on {}", phrases::list(&named(one))));
                let each = each.collect::<Vec<_>>().join("; ");
                format!("The answer depends on the {}: {each}.", self.factor.name())
            }
        }
    }
}

impl AnswerOn {
    fn new((run, analysis): &(Run, Analysis), factor: Factor) -> AnswerOn {
        let choice = answer::choice(run, analysis);
        AnswerOn {
            name: sanitize(&name(&run.header, factor)),
            run: run.header.short_id(),
            candidate: choice.candidate.or_else(|| fastest_in_all(analysis)),
            said: choice.said,
        }
    }
}

/// Directories have no recommendation; the one that is fastest in every workload is the answer.
fn fastest_in_all(analysis: &Analysis) -> Option<String> {
    let winners = analysis.verdicts.iter().map(|verdict| verdict.winner.as_deref());
    match distinct::in_order(winners).as_slice() {
        [Some(one)] => Some(sanitize(one)),
        _ => None,
    }
}

fn plural(factor: Factor) -> &'static str {
    match factor {
        Factor::Board => "boards",
        Factor::Device => "drives",
        Factor::Kernel => "kernels",
    }
}

fn identity(header: &Header, factor: Factor) -> String {
    match factor {
        Factor::Board => {
            format!("{}\n{:?}", name(header, factor), header.host.board_id)
        }
        Factor::Device | Factor::Kernel => name(header, factor),
    }
}

fn name(header: &Header, factor: Factor) -> String {
    match (factor, &header.host.model) {
        (Factor::Board, Some(model)) => format!("{} ({model})", header.host.hostname),
        (Factor::Board, None) => header.host.hostname.clone(),
        (Factor::Device, _) => distinct::in_order(header.disks().map(drive_name)).join(" + "),
        (Factor::Kernel, _) => header.host.kernel.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bakeoff_judge::analyse::analyse;
    use bakeoff_judge::testing::RunBuilder;

    fn run(host: &str, ext4: f64, xfs: f64) -> (Run, Analysis) {
        let builder = RunBuilder::stacks(&["ext4", "xfs"]).header(|header| {
            header.host.hostname = host.to_string();
            header.host.model = None;
        });
        let run = builder.play(12, |_, c, _| if c == 0 { ext4 } else { xfs }).build();
        let analysis = analyse(&run);
        (run, analysis)
    }

    fn headline(runs: &[(Run, Analysis)]) -> (String, bool) {
        let across = Across::new(runs, Factor::Board);
        (across.headline(), across.agreed.is_some())
    }

    #[test]
    fn each_board_counts_once_and_all_are_counted() {
        let (a, b, c) = (run("a", 2e3, 1e3), run("b", 2e3, 1e3), run("c", 2e3, 1e3));
        let all = [a.clone(), b.clone(), c];
        assert_eq!(headline(&all), ("On 3 of 3 boards: ext4.".to_string(), true));
        assert_eq!(headline(&[a.clone(), a.clone(), b.clone()]).0, "On 2 of 2 boards: ext4.");
        let open = run("d", 1e3, 1e3);
        let open = (open.0, Analysis { recommendation: None, verdicts: Vec::new(), ..open.1 });
        let said = "On 2 of 3 boards: ext4. No answer on d.";
        assert_eq!(headline(&[a.clone(), b, open]), (said.to_string(), false));
        let said = "The answer depends on the board: ext4 on a; xfs on e.";
        assert_eq!(headline(&[a, run("e", 1e3, 2e3)]), (said.to_string(), false));
    }
}
