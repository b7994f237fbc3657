//! Rules that only results of others can break: each once where it fires, and once where the table
//! or the page comes close and it does not.

use super::facts::Facts;
use crate::import::Finder;
use crate::model::finding::Finding;

const HEAD: &str = "study,host,device,filesystem,encryption,tool,test,block_size_bytes,metric,\
                    value,unit,note\n";

/// Findings of a table of `rows` (from the filesystem on) about one stick, with one fact beside.
fn found(rows: &[&str], fact: &str) -> Vec<Finding> {
    let rows = rows.iter().map(|row| format!("somebody,Pi 3,a stick,{row}\n"));
    let text = HEAD.to_string() + &rows.collect::<String>();
    let imported = Finder::all(text.as_bytes());
    assert!(!imported.results.is_empty(), "{:?}", imported.unread);
    let fact = match fact.split_once('=') {
        Some((key, value)) => {
            format!("[[fact]]\nkey = \"{key}\"\nvalue = \"{value}\"\nsays = \"it says {value}\"\n")
        }
        None => String::new(),
    };
    let facts = Facts::parse(&fact).unwrap();
    let single = imported.results.iter().flat_map(|r| r.findings.clone());
    single.chain(super::findings(&imported, &facts)).collect()
}

fn fires(id: &str, rows: &[&str], fact: &str) -> bool {
    let found = found(rows, fact);
    let of = found.iter().find(|f| f.id == id);
    assert!(of.is_none_or(|f| !f.evidence.is_empty() && f.advice.ends_with('.')), "{of:?}");
    of.is_some()
}

/// Two candidates, the second at so many MB/s.
const TWO: [&str; 2] = [
    "ext4,none,dd,sequential write,1048576,throughput,10,MB/s,",
    "xfs,none,dd,sequential write,1048576,throughput,11,MB/s,",
];

#[test]
fn l04_two_candidates_on_one_partition_and_on_two() {
    assert!(fires("L04", &TWO, "slots=1") && !fires("L04", &TWO, "slots=2"));
    assert!(!fires("L04", &TWO, ""), "how many there were is not said");
}

#[test]
fn l23_byte_by_byte_and_block_by_block() {
    let of =
        |test| format!("ext4,none,bonnie++ 1.97,sequential output {test},1,throughput,84,KiB/s,");
    assert!(fires("L23", &[&of("per chr")], "") && !fires("L23", &[&of("block")], ""));
}

#[test]
fn l24_seeks_that_keep_a_cpu_busy_and_seeks_that_do_not() {
    let of = |percent| format!("ext4,none,bonnie++ 1.97,random seeks,,cpu_percent,{percent},%,");
    assert!(fires("L24", &[&of(90)], "") && !fires("L24", &[&of(89)], ""));
    let writing = "ext4,none,bonnie++ 1.97,sequential output block,,cpu_percent,99,%,";
    assert!(!fires("L24", &[writing], ""), "writing may take the CPU");
}

#[test]
fn l27_a_ratio_of_kilo_by_kibi_and_one_that_is_rounded() {
    let with = |ratio: &str| {
        let stated = format!("ext4,none,dd,sequential write,1048576,author_ratio,{ratio},x,");
        let rows = [
            "ext4,none,dd,sequential write,1048576,throughput,2.414,MiB/s,",
            "xfs,none,dd,sequential write,1048576,throughput,90.5,KiB/s,",
            &stated,
        ];
        fires("L27", &rows, "")
    };
    assert!(with("26.67") && !with("27.3"));
    let noted =
        [TWO[0], "xfs,none,dd,sequential write,512,throughput,11,MiB/s,printed unit 'Mib/s'"];
    assert!(fires("L27", &noted, "") && !fires("L27", &TWO, ""));
}

#[test]
fn l28_records_beyond_what_the_tool_takes_and_records_at_its_limit() {
    let with = |record: u32| {
        let used = format!("ext4,none,iozone 3.465,configuration,,record_size,{record},MB,");
        let limit = "ext4,none,iozone 3.465,configuration,,stock_max_record_size,16,MB,";
        fires("L28", &[TWO[0], TWO[1], &used, limit], "")
    };
    assert!(with(100) && !with(16));
}

#[test]
fn l33_repeats_without_figures_and_repeats_with_them() {
    assert!(fires("L33", &TWO, "repeats=without figures"));
    assert!(!fires("L33", &TWO, "repeats=5 with all figures") && !fires("L33", &TWO, ""));
}

#[test]
fn l44_a_winner_that_is_behind_and_one_that_is_nearly_ahead() {
    let with = |rate: f64, fact| {
        let other = format!("xfs,none,dd,sequential write,1048576,throughput,{rate},MB/s,");
        fires("L44", &[TWO[0], &other], fact)
    };
    assert!(with(8.9, "winner=xfs") && !with(9.1, "winner=xfs") && !with(8.9, "winner=ext4"));
    assert!(with(9.1, "claims=lifetime"), "nothing was measured of it");
    assert!(!with(9.1, "claims=throughput"));
}

#[test]
fn l61_a_driver_in_user_space_and_one_of_the_kernel() {
    let with = |fs: &str| {
        let other = format!("{fs},none,dd,sequential write,1048576,throughput,9,MB/s,");
        fires("L61", &[TWO[0], &other], "")
    };
    assert!(with("ntfs") && !with("vfat"));
}

#[test]
fn l63_l64_l65_what_the_page_leaves_out_and_what_it_gives() {
    let direct = [
        TWO[0],
        "btrfs,none,fio,sequential write,1048576,throughput,11,MB/s,",
        "btrfs,none,fio,configuration,,option_direct,1,,",
    ];
    assert!(fires("L63", &direct, "kernel=not stated"), "direct I/O on btrfs depends on it");
    assert!(!fires("L63", &direct, "kernel=6.12.1") && !fires("L63", &TWO, "kernel=not stated"));
    assert!(fires("L64", &TWO, "raw=pictures only") && !fires("L64", &TWO, ""));
    assert!(fires("L65", &TWO, "unstated=board") && !fires("L65", &TWO, ""));
}
