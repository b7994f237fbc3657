//! What must hold for any page; how it looks is tested in a real browser.

use super::*;
use crate::tests::sample::*;
use bakeoff_judge::analyse::analyse;
use bakeoff_model::index::BlockIx;

const ASSETS: Assets = Assets { js: "/*js*/", css: "/*css*/" };

fn page(name: &str) -> String {
    let candidates = vec![stack(name, name, &[name]), stack("xfs", "xfs", &[])];
    let run = run(header(candidates), 5, &[1200, 900]);
    let analysis = analyse(&run);
    html(&run, &analysis, &ASSETS)
}

#[test]
fn the_page_is_whole_and_always_the_same() {
    let page = page("ext4");
    for part in ["script-src 'sha256-", "/*js*/", "/*css*/", "default-src 'none'", "</html>"] {
        assert!(page.contains(part), "{part}");
    }
    assert_eq!(page, self::page("ext4"));
}

#[test]
fn every_link_leads_to_one_place_on_the_page() {
    let page = page("ext4");
    let links: Vec<&str> =
        page.split("href=\"#").skip(1).filter_map(|rest| rest.split('"').next()).collect();
    for link in &links {
        assert_eq!(page.matches(&format!(" id=\"{link}\"")).count(), 1, "#{link}");
    }
    // From a figure to its row, its cells, the commands behind them, the machine and the findings.
    for part in ["-c0", "-cells", "-cells-c0", "-machine", "-repeat"] {
        assert!(links.iter().any(|link| link.ends_with(part)), "{part}: {links:?}");
    }
}

#[test]
fn nothing_is_fetched_from_anywhere() {
    let page = page("ext4");
    for part in ["src=", "http:", "https:", "url(", "@import", "<link", "<img"] {
        assert!(!page.contains(part), "{part}");
    }
}

#[test]
fn hostile_names_are_text_everywhere() {
    let page = page("</script><script>alert(1)</script><!-- & \u{2028}\" onload='x'");
    assert_eq!(page.matches("<script").count(), 2, "only the data and the page's own script");
    assert_eq!(page.matches("</script").count(), 2);
    let (markup, rest) = page.split_once("bakeoff-data\">").unwrap();
    assert!(!page.contains("<!--") && !markup.contains("onload='"), "escaped");
    let data = rest.split("</script>").next().unwrap();
    let data: serde_json::Value = serde_json::from_str(data).unwrap();
    assert!(data["candidates"][0].as_str().unwrap().starts_with("</script><script>"));
}

/// A page is also looked at with `less -R` and `cat`: an escape sequence in a name or in what a
/// tool printed reached the terminal then.
#[test]
fn control_characters_are_removed_from_the_page_and_not_from_its_script() {
    let candidates =
        vec![stack("a\x1b[31m\u{9b}2J\x07b", "ext4", &["\x1b]0;x\x07"]), stack("xfs", "xfs", &[])];
    let run = run(header(candidates), 5, &[1200, 900]);
    let told = analyse(&run);
    let assets = Assets { js: "/*\x1bjs*/", css: "/*css*/" };
    let page = html(&run, &told, &assets);
    let rest = page.replace(assets.js, "");
    assert_ne!(rest, page, "the script is as its hash says");
    let left: Vec<char> = rest.chars().filter(|c| c.is_control() && *c != '\n').collect();
    assert_eq!(left, [' '; 0]);
}

#[test]
fn the_data_of_the_charts() {
    let candidates = vec![stack("ext4", "ext4", &[]), stack("xfs", "xfs", &[])];
    let run = run(header(candidates), 5, &[1200, 900]);
    let document = RunDocument::new(&run, &analyse(&run));
    let data = RunData::new(&run, &document.questions);
    let question = &data.questions[0];
    assert!(question.is_ratio);
    assert_eq!(question.reference, Some(0));
    assert_eq!(question.rows[1].dots.len(), 5);
    let (block, ratio) = question.rows[1].dots[0];
    assert!(block == BlockIx::FIRST && (ratio / 0.75 - 1.0).abs() < 1e-9, "{ratio}");
    assert_eq!(question.rows[0].dots[4], (BlockIx::new(4), 1.0));
    assert!(question.rows[1].mid.is_some_and(|mid| (mid * 1.333 - 1.0).abs() < 1e-3));
    let ops: Vec<_> = question.latency.iter().map(|l| (l.op, l.curves.len())).collect();
    assert_eq!(ops, [("write", 2), ("flush", 2)]);
    assert_eq!(question.over_time.field, "bytes");
    assert_eq!(question.over_time.per, 4096.0);
}

#[test]
fn every_edge_makes_a_page() {
    let one = run(header(vec![stack("ext4", "ext4", &[])]), 0, &[]);
    let empty = analyse(&one);
    assert!(html(&one, &empty, &ASSETS).contains("No complete block"));
    let mut without = one;
    without.header.workloads.clear();
    assert!(html(&without, &empty, &ASSETS).contains("randwrite"));
}

#[test]
fn a_shorter_latency_is_drawn_as_faster_than_the_reference() {
    use bakeoff_judge::testing::RunBuilder;
    let run = RunBuilder::stacks(&["ext4", "f2fs"])
        .header(|h| h.workloads = bakeoff_model::profiles::find("desktop"))
        .play(5, |b, c, _| if c == 0 { 30e6 } else { 10e6 + f64::from(b) })
        .build();
    let document = RunDocument::new(&run, &analyse(&run));
    let question = &document.questions[0];
    assert_eq!((question.unit, question.reference.as_deref()), ("ms", Some("f2fs")));
    let data = RunData::new(&run, &document.questions);
    let rows = &data.questions[0].rows;
    let slow = rows.iter().find(|row| row.candidate == 0).unwrap();
    assert_eq!(slow.dots.len(), 3);
    for (_, ratio) in &slow.dots {
        assert!((ratio * 3.0 - 1.0).abs() < 1e-3, "{ratio}");
    }
    assert!((slow.mid.unwrap() * 3.0 - 1.0).abs() < 1e-3);
}

#[test]
fn one_candidate_has_a_table_of_its_figures_and_no_empty_columns() {
    let run = run(header(vec![stack("ext4", "ext4", &[])]), 5, &[1200]);
    let lone = analyse(&run);
    let page = html(&run, &lone, &ASSETS);
    for empty in ["Every candidate on every workload", "not ranked", "against "] {
        assert!(!page.contains(empty), "{empty}");
    }
    assert!(page.contains("<table class=\"alone\">") && page.contains("1200 to 1204"));
    for link in page.split("href=\"#").skip(1).filter_map(|rest| rest.split('"').next()) {
        assert_eq!(page.matches(&format!(" id=\"{link}\"")).count(), 1, "#{link}");
    }
}
