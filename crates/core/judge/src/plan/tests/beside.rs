//! Workloads with a companion.

use super::*;
use bakeoff_model::job::Rw;
use bakeoff_model::profile::Profile;

fn plan(workloads: &str) -> String {
    format!("[[stack]]\nfs = \"ext4\"\n{workloads}")
}

fn companions(workloads: &str) -> Vec<(String, Option<String>)> {
    let made = expanded(&plan(workloads), &[]);
    let of = |w: Workload| (w.name, w.beside.map(|beside| beside.name));
    made.workloads.into_iter().map(of).collect()
}

fn error(workloads: &str) -> String {
    parse(&plan(workloads), "p.toml").unwrap_err().to_string()
}

#[test]
fn a_list_makes_one_workload_for_each_companion() {
    let list = "[[workload]]\nname = \"randwrite\"\nbeside = [\"none\", \"copy-tree\", \"logs\"]\n";
    let own = |name: &str, beside: Option<&str>| (name.to_string(), beside.map(str::to_string));
    assert_eq!(
        companions(list),
        [
            own("randwrite", None),
            own("randwrite beside copy-tree", Some("copy-tree")),
            own("randwrite beside logs", Some("logs")),
        ]
    );
    let parts = "[[workload]]\nprofile = \"sqlite\"\nbeside = \"backup\"\n";
    assert_eq!(
        companions(parts),
        ["rollback", "wal"]
            .map(|part| own(&format!("sqlite-{part} beside backup"), Some("backup")))
    );
    let excluded = format!("{list}[[exclude]]\nbeside = \"logs\"\n");
    assert_eq!(companions(&excluded).len(), 2);
}

#[test]
fn any_workload_of_the_plan_and_any_profile_can_be_one() {
    let of = |name: &str| {
        let text = format!(
            "[[workload]]\nname = \"writer\"\nrw = \"write\"\nbs = \"64k\"\nsize = \"8m\"\n\
             rate_iops = 50\nbeside = \"logs\"\n\
             [[workload]]\nname = \"randread\"\nbeside = \"{name}\"\n"
        );
        let made = expanded(&plan(&text), &[]);
        let last = made.workloads.into_iter().last().unwrap();
        (*last.beside.unwrap(), last.summary)
    };
    let (writer, summary) = of("writer");
    assert_eq!(
        (writer.job.rw, writer.job.size, writer.job.rate_iops),
        (Rw::Write, 8 << 20, Some(50))
    );
    assert_eq!(writer.beside, None, "a companion has none itself");
    assert!(summary.ends_with("one at a time beside writer, 50/s"), "{summary}");
    let (copied, _) = of("copy-tree");
    assert_eq!(copied.profile.map(|part| part.profile), Some(Profile::CopyTree));
    assert_eq!(copied.job.rate_iops, Some(100), "the usual pace");
    assert_eq!(of("sqlite-wal").0.profile.map(|part| part.part), Some(1));
    assert_eq!(of("randwrite").0.job.rw, Rw::RandWrite);
}

#[test]
fn what_is_no_companion_is_refused_at_its_place() {
    let beside = |name: &str| format!("[[workload]]\nname = \"randread\"\nbeside = {name}\n");
    let unknown = error(&beside("[\"none\", \"copy-tre\"]"));
    assert!(unknown.starts_with("p.toml:5:19: there is no workload 'copy-tre'"), "{unknown}");
    assert!(unknown.contains("'copy-tree'"), "{unknown}");
    let parts = error(&beside("\"sqlite\""));
    assert!(parts.contains("sqlite-rollback, sqlite-wal") && parts.contains(":5:10"), "{parts}");
    let several = format!(
        "{}[[workload]]\nname = \"w\"\nrw = \"write\"\nbs = [\"4k\", \"8k\"]\n",
        beside("\"w\"")
    );
    let several = error(&several);
    assert!(several.contains("2 workloads are named 'w'"), "{several}");
    let other = format!(
        "{}[[workload]]\nname = \"w\"\nrw = \"write\"\ndriver = \"fio\"\n",
        beside("\"w\"")
    );
    assert!(error(&other).contains("is run by fio"), "{}", error(&other));
    let raw = format!("[[stack]]\nfs = \"raw\"\n{}", beside("\"logs\""));
    assert!(parse(&raw, "p").unwrap_err().to_string().contains("raw has no files"));
    assert!(error(&beside("3")).contains("beside must be a string"), "{}", error(&beside("3")));
}

#[test]
fn what_a_companion_writes_is_in_the_estimate() {
    use crate::decide::beside;
    let text = plan("[[workload]]\nname = \"randread\"\nbeside = [\"none\", \"logs\"]\n");
    let made = expanded(&text, &[]);
    let cost = |at: usize| beside::cost(&made.workloads[at], 1_000_000_000, 8, 10 << 20);
    assert_eq!(cost(0).write_bytes, 0);
    assert_eq!(cost(1).write_bytes, 18 * 40960 / 10);
}
