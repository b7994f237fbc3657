//! L29 workload-mismatch: the title asks about small random writes, but every workload is a large
//! sequential stream.

use crate::evidence::rule::Hit;
use bakeoff_model::design::Design;
use bakeoff_model::setting::Setting;
use bakeoff_model::workload::Workload;

const STREAM_BYTES: u64 = 1 << 20;
/// Words of a title that ask about small scattered writes.
const SCATTERED: [&str; 8] =
    ["torrent", "database", "sqlite", "home assistant", "mail", "boot", "stall", "freeze"];

pub fn in_plan(design: Design<'_>) -> Option<Hit> {
    let title = design.title.to_ascii_lowercase();
    // Names of places say nothing about what is asked.
    let asked = SCATTERED.iter().find(|w| title.contains(*w));
    let asked = asked.filter(|_| Setting::of(design) != Setting::Places)?;
    let streams =
        |w: &Workload| w.profile.is_none() && !w.job.rw.is_random() && w.job.bs >= STREAM_BYTES;
    (!design.workloads.is_empty() && design.workloads.iter().all(streams)).then(|| {
        let evidence = format!(
            "the title says '{asked}', but every workload streams in blocks of a megabyte or more"
        );
        let advice = "add a matching workload: profile = \"sqlite\" or rw = \"randwrite\" with \
            fsync = 1";
        Hit::new(evidence, advice)
    })
}

#[cfg(test)]
mod tests {
    use crate::rules::tests::before::{fires, stacks};

    #[test]
    fn l29_a_title_about_torrents_over_streams() {
        let titled = |title: &str, workload: &str| {
            stacks().workloads(&[workload]).header(|h| h.title = title.to_string()).build()
        };
        assert!(fires("L29", &titled("Why does my torrent client stall?", "seqwrite")));
        assert!(!fires("L29", &titled("Why does my torrent client stall?", "randwrite")));
        assert!(!fires("L29", &titled("Which filesystem for films?", "seqwrite")));
    }
}
