//! Why lower layers were not measured, in words as they are recorded.

use crate::diagnose::unmeasured::{NoRate, Unmeasured};
use crate::model::candidate::Skipped;
use crate::model::ceiling::Because;
use crate::model::path::sanitize;
use crate::units;

/// No place on the drive is compared, because the run has no region whose ends can be read.
pub fn without_ends() -> Skipped {
    Skipped {
        name: "the start and the end of the drive".to_string(),
        reason: "the filesystem chooses where a file is on the drive; a plan on a drive, a \
                 partition or an image reads both ends of its region"
            .to_string(),
    }
}

/// None was measured; `option` raises the limit that stood against it.
pub fn none_measured(because: Because, option: &str) -> Skipped {
    let reason = format!("{}. Raise the limit: {option}", because.label());
    Skipped { name: "all lower layers".to_string(), reason }
}

/// One of them, or some, have no rate.
pub fn unmeasured(what: Unmeasured, why: &NoRate) -> Skipped {
    Skipped { name: name(what), reason: reason(why) }
}

/// What has no rate.
pub fn name(what: Unmeasured) -> String {
    match what {
        Unmeasured::Layer(layer, workload) => format!("{} for {workload}", layer.label()),
        Unmeasured::Experiments(candidate) => format!("experiments on {candidate}"),
        Unmeasured::InMemory => "filesystems and ciphers in memory".to_string(),
        Unmeasured::Stack(stack) => stack.to_string(),
        Unmeasured::StackUnder(stack, workload) => format!("{stack} for {workload}"),
    }
}

fn reason(why: &NoRate) -> String {
    match why {
        NoRate::ExperimentsOver => "the experiments reached their time limit".to_string(),
        NoRate::WriteLimit => {
            "it would exceed the write limit. Raise the limit with --max-write".to_string()
        }
        NoRate::NoTime => "no time left after the blocks. Allow more time with --time".to_string(),
        NoRate::NoMemory { needed_bytes, most_bytes } => format!(
            "they need {} of memory, and bakeoff uses at most {} (a quarter)",
            units::size(*needed_bytes),
            units::size(*most_bytes)
        ),
        NoRate::FixedClock => "this machine does not allow setting the CPU clock".to_string(),
        NoRate::NotPrepared => "it is not prepared".to_string(),
        NoRate::Few { ios } => format!("only {ios} operations fit into the available time"),
        NoRate::Nothing => "nothing was done".to_string(),
        NoRate::Failed(error) => sanitize(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::ceiling::Layer;

    #[test]
    fn every_reason_in_words() {
        let what = [
            Unmeasured::Layer(Layer::Raw, "randread"),
            Unmeasured::Experiments("ext4"),
            Unmeasured::InMemory,
            Unmeasured::Stack("xfs"),
            Unmeasured::StackUnder("xfs", "randread"),
        ];
        let why = [
            NoRate::ExperimentsOver,
            NoRate::WriteLimit,
            NoRate::NoTime,
            NoRate::NoMemory { needed_bytes: 512 << 20, most_bytes: 100 << 20 },
            NoRate::FixedClock,
            NoRate::NotPrepared,
            NoRate::Few { ios: 3 },
            NoRate::Nothing,
            NoRate::Failed("mount: \u{1b}[31mno".to_string()),
        ];
        let lines: Vec<String> = what.map(name).into_iter().chain(why.iter().map(reason)).collect();
        insta::assert_snapshot!(lines.join("\n"));
    }
}
