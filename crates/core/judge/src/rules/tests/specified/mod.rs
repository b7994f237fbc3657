//! The list of rules as the measurement method specifies it, and cases made from it by somebody
//! who had not read the rules.
//!
//! Values are clearly on either side of a threshold; those in [`super::cases`] are near it.

mod asked;
mod cell;
mod figures;
mod place;
mod run;
mod text;

use super::cases::{Case, wrong};
use crate::evidence::rule::RULES;

/// Number, name and severity of each rule.
const LIST: &str = "L01 lba-confound R;L02 zone-gradient E;L03 misaligned E;\
    L05 state-carryover E;L06 fresh-flash W;L07 fast-cache E;L08 smr W;L09 short-stroke W;\
    L10 root-device E;L11 fake-capacity R;L12 file-vs-ram E;L13 sync-not-timed R;\
    L14 sync-outside-latency R;L15 impossible-rate R;L16 warm-cache E;L17 direct-fallback E;\
    L18 durability-mismatch R;L19 fsync-cadence W;L20 dull-data E;L21 fake-random R;\
    L22 tiny-block W;L23 per-char W;L24 cpu-seek E;L25 too-short E;L26 mean-lies W;\
    L28 patched-tool W;L29 workload-mismatch W;L30 qd-engine W;L31 tool-version W;\
    L32 no-replication R;L34 fixed-order E;L35 drift E;L36 autocorrelation W;\
    L37 not-steady E;L38 peeking W;L39 multiplicity W;L40 below-noise R;L41 ceiling W;\
    L42 rank-flip W;L43 contradiction E;\
    L46 composite-score W;L47 thin-tail E;L48 coordinated-omission E;L49 throttled R;\
    L50 governor W;L51 thermal-trend W;L52 background E;L53 lazyinit E;L54 observer W;L55 swap E;\
    L56 shared-bus E;L57 link-degraded E;L58 uas-bot W;L59 power-budget W;L60 options-unpinned W;\
    L61 implementation E;L62 crypto-unspecified E;L63 kernel-mismatch E;\
    L66 inert-factor W;L67 fresh-fs-only I;L68 discard-asymmetry E";

/// Rules whose severity differs from the list, by the protocol: what makes a cell invalid is
/// refused, as is a lead over a candidate that wanders by itself; and of its own runs bakeoff
/// states flips and guesses beside the answer.
const OTHERWISE: [&str; 4] = ["L16", "L55", "L36", "L42"];

#[test]
fn rules_have_the_specified_names_and_severities() {
    let numbered = || RULES.iter().filter(|rule| rule.id.starts_with('L'));
    assert_eq!(numbered().count(), LIST.split(';').count());
    for rule in numbered() {
        let own = rule.severity.iter().map(|s| format!("{} {} {}", rule.id, rule.slug, s.letter()));
        let is_listed = LIST.split(';').any(|line| own.clone().any(|own| own == line));
        assert!(is_listed || OTHERWISE.contains(&rule.id.as_str()), "{}", rule.id);
        assert!(LIST.contains(&format!("{} {} ", rule.id, rule.slug)), "{}", rule.slug);
    }
}

#[test]
fn rules_fire_where_the_method_says_so_and_not_nearby() {
    let tables: [&[Case]; 6] =
        [place::CASES, asked::CASES, cell::CASES, run::CASES, figures::CASES, text::CASES];
    let wrong: Vec<String> = tables.into_iter().flatten().flat_map(wrong).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
