//! How full and how used candidates are: axes of a plan, their names, and what they cost.

use super::{names, with};
use crate::plan::budget::{RegionCost, Speed, estimate};
use crate::plan::parse;
use crate::testing::expanded;
use bakeoff_machine::prepare::capacity::{fill_bytes, filling_bytes, scratch_bytes};

const STATE: &str = "[state]\nfill = [\"20%\", \"80%\"]\nage = [\"fresh\", \"used\"]\n";

fn refused(text: &str) -> String {
    parse(&with(text), "p.toml").unwrap_err().to_string()
}

#[test]
fn fill_and_age_are_axes_of_every_stack_that_does_not_say_otherwise() {
    let stacks =
        "[[stack]]\nfs = \"ext4\"\n[[stack]]\nfs = \"raw\"\nfill = \"0%\"\nage = \"fresh\"\n";
    let made = expanded(&with(&format!("{STATE}{stacks}")), &[]);
    let states = ["ext4 · 20% full", "ext4 · 20% used", "ext4 · 80% full", "ext4 · 80% used"];
    assert_eq!(names(&made), [&states[..], &["raw"]].concat());
    let own = expanded(&with("[[stack]]\nfs = \"xfs\"\nfill = 0.5\n"), &[]);
    assert_eq!(names(&own), ["xfs · 50% full"], "said also where it tells nobody apart");
}

#[test]
fn a_state_that_cannot_be_is_refused() {
    let stack = "[[stack]]\nfs = \"ext4\"\n";
    assert!(refused(&format!("{stack}age = \"used\"\n")).contains("add fill = \"80%\""));
    assert!(refused(&format!("{stack}fill = \"95%\"\n")).contains("between 0 and 0.9"));
    assert!(refused(&format!("{stack}fill = \"50%\"\nage = \"old\"\n")).contains("fresh"));
    assert!(refused(&format!("{STATE}[[stack]]\nfs = \"raw\"\n")).contains("raw has no files"));
    let twice = refused(&format!("{STATE}[axes]\nfill = \"50%\"\n{stack}"));
    assert!(twice.contains("fill is in [axes] too"), "{twice}");
}

#[test]
fn files_fit_beside_what_fills_and_filling_is_in_the_forecast() {
    let used = expanded(&with(&format!("{STATE}[[stack]]\nfs = \"ext4\"\n")), &[]);
    let fresh = expanded(&with("[[stack]]\nfs = \"ext4\"\n"), &[]);
    let region = 4 << 30;
    let (all, room) = (&used.candidates, fill_bytes(&used.candidates, region));
    assert!(room < region && room > region / 10 * 9);
    assert!(2 * scratch_bytes(all, region) <= room / 5, "the free fifth is for both");
    let writes = filling_bytes(all, region) as f64 / room as f64;
    assert!((writes - (0.2 + 1.8 + 0.8 + 1.2)).abs() < 0.01, "{writes}");
    let (speed, is_overwritten) = (Speed::assumed_for(None), false);
    let site = RegionCost { speed, region_bytes: region, is_overwritten };
    let bytes = |made| estimate(made, &[site], None).unwrap().first.write_bytes;
    assert!(bytes(&used) > bytes(&fresh) + 4 * filling_bytes(all, region / 4) / 2);
}
