//! What the figures of a workload rest on: what was asked for, and the commands that were measured.

use serde_json::Value;

use crate::run_document::{Question, words};
use bakeoff_model::path::sanitize;
use bakeoff_model::run::Run;
use bakeoff_model::workload::Workload;
use bakeoff_stats::distinct;

/// Most commands of other tools that are shown; the record has all.
const COMMANDS_LIMIT: usize = 16;

/// Behind a workload's figures.
pub struct BehindFigures {
    /// The job in fio's words: `rw=randwrite bs=4096 …`.
    pub job: String,
    pub commands: Vec<(String, String)>,
    pub more: usize,
}

/// What is behind `question`; `None` for a workload that is not in the record.
pub fn from_question(run: &Run, question: &Question) -> Option<BehindFigures> {
    let index = question.index?;
    let workload = index.get(&run.header.workloads)?;
    let cells = run.blocks.iter().flat_map(|b| &b.cells).filter(|c| c.workload == index);
    let tools = cells.filter_map(|c| c.measurement.tool.as_ref()).map(|tool| {
        let who = sanitize(&format!("{} {}", tool.driver.name(), tool.version));
        (who, words(&tool.command))
    });
    let mut commands = distinct::in_order(tools);
    let more = commands.len().saturating_sub(COMMANDS_LIMIT);
    commands.truncate(COMMANDS_LIMIT);
    Some(BehindFigures { job: job(workload), commands, more })
}

fn job(workload: &Workload) -> String {
    // Plain data of ours: there is nothing in it that could fail.
    let document = serde_json::to_value(&workload.job).unwrap_or(Value::Null);
    let mut parts = vec![format!("driver={}", workload.driver.name())];
    if let Some(part) = &workload.profile {
        let part = serde_json::to_value(part).unwrap_or(Value::Null);
        parts.push(format!("profile={}", sanitize(&part.to_string())));
    }
    for (key, value) in document.as_object().into_iter().flatten() {
        let text = match value {
            Value::Null | Value::Bool(false) => continue,
            Value::Bool(true) => "1".to_string(),
            Value::String(text) => sanitize(text),
            Value::Number(number) if number.as_u64() == Some(0) => continue,
            Value::Number(_) | Value::Array(_) | Value::Object(_) => sanitize(&value.to_string()),
        };
        // Each cell has a seed of its own, made from the run's.
        if key != "seed" {
            parts.push(format!("{key}={text}"));
        }
    }
    parts.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run_document::RunDocument;
    use bakeoff_judge::testing::RunBuilder;
    use bakeoff_model::measurement::Tool;
    use bakeoff_model::workload::DriverName;

    fn document(run: &Run) -> RunDocument {
        RunDocument::new(run, &bakeoff_judge::analyse::analyse(run))
    }

    #[test]
    fn a_job_is_told_in_fio_s_words() {
        let run = RunBuilder::stacks(&["ext4", "xfs"]).play(5, |_, _, _| 900.0).build();
        let behind = from_question(&run, &document(&run).questions[0]).unwrap();
        assert!(behind.job.starts_with("driver=native bs=4096 "), "{}", behind.job);
        assert!(behind.job.contains(" rw=randwrite ") && !behind.job.contains("seed"));
        assert!(behind.commands.is_empty() && behind.more == 0);
    }

    #[test]
    fn each_command_of_a_tool_is_there_once() {
        let run = RunBuilder::stacks(&["ext4", "xfs"])
            .cells(|cell| {
                let file = format!("--filename=/mnt/{}/it's", cell.candidate);
                cell.measurement.tool = Some(Tool {
                    driver: DriverName::Fio,
                    version: "fio-3.33".to_string(),
                    command: vec!["fio".to_string(), file],
                });
            })
            .play(5, |_, _, _| 900.0)
            .build();
        let behind = from_question(&run, &document(&run).questions[0]).unwrap();
        let mut shown = behind.commands;
        shown.sort();
        assert_eq!(shown.len(), 2, "{shown:?}");
        assert_eq!(shown[0].0, "fio fio-3.33");
        assert!(shown[0].1.starts_with("fio ") && shown[0].1.contains("/mnt/0/it"), "{shown:?}");
    }
}
