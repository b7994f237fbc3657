//! When flash is brought to a steady state before it is measured, and when that ends.

use crate::testing::{RunBuilder, preconditioning_of};
use bakeoff_machine::prepare::precondition::{Left, ended, is_wanted, job};
use bakeoff_model::event::{FlashState, Region};
use bakeoff_model::precondition::{PreconditionEnd, RegionRounds};

const UNLIMITED: Left = Left { time_ns: None, write_bytes: None };

fn series(rates: &[u64]) -> RegionRounds {
    preconditioning_of(rates, None)
}

#[test]
fn rounds_go_on_until_five_are_steady_and_not_one_longer() {
    let falls = [300_000, 250_000, 140_000, 110_000, 101_000, 100_000, 99_000, 100_000];
    for rounds in 0..8 {
        assert_eq!(ended(&series(&falls[..rounds]), UNLIMITED), None, "{rounds}");
    }
    assert_eq!(ended(&series(&falls), UNLIMITED), Some(PreconditionEnd::Steady));
}

#[test]
fn what_never_holds_ends_at_the_last_round() {
    let swings: Vec<u64> = (0..25).map(|i| if i % 2 == 0 { 100_000 } else { 160_000 }).collect();
    assert_eq!(ended(&series(&swings[..24]), UNLIMITED), None);
    assert_eq!(ended(&series(&swings), UNLIMITED), Some(PreconditionEnd::Rounds));
}

#[test]
fn time_and_bytes_end_it_where_they_do_not_do_for_another_round() {
    let begun = series(&[100_000, 200_000]);
    let left =
        |time_ns, write_bytes| Left { time_ns: Some(time_ns), write_bytes: Some(write_bytes) };
    assert_eq!(ended(&begun, left(2_000_000_000, 400_000)), None);
    assert_eq!(ended(&begun, left(1_999_999_999, 400_000)), Some(PreconditionEnd::Time));
    assert_eq!(ended(&begun, left(2_000_000_000, 399_999)), Some(PreconditionEnd::Bytes));
    assert_eq!(ended(&series(&[]), left(0, 4095)), Some(PreconditionEnd::Bytes));
    // What is steady is steady, whatever is left.
    assert_eq!(ended(&series(&[100_000; 5]), left(0, 0)), Some(PreconditionEnd::Steady));
}

#[test]
fn flash_that_is_written_and_nothing_else_unless_the_plan_says_so() {
    let run = |workload: &str| RunBuilder::stacks(&["a", "b"]).workloads(&[workload]).build();
    let writes = run("randwrite").header;
    let image = writes.region.clone().unwrap();
    let flash = Region { is_image: false, flash_state: FlashState::Overwritten, ..image };
    let spins = Region { flash_state: FlashState::WrittenOnce, ..flash.clone() };
    let trimmed = Region { flash_state: FlashState::Trimmed, ..flash.clone() };
    let image = Region { is_image: true, ..flash.clone() };
    let parts = Region { parts: 3, flash_state: FlashState::WrittenOnce, ..flash.clone() };
    let asked = |asked| {
        let mut header = writes.clone();
        header.protocol.precondition = asked;
        let all = [&flash, &spins, &trimmed, &image, &parts];
        all.map(|region| is_wanted(&header.protocol, &header.workloads, region))
    };
    assert_eq!(asked(None), [true, false, false, false, true]);
    assert_eq!(asked(Some(true)), [true; 5]);
    assert_eq!(asked(Some(false)), [false; 5]);
    let reads = run("randread").header;
    let wanted = is_wanted(&reads.protocol, &reads.workloads, &flash);
    assert!(!wanted, "reading changes nothing");
}

#[test]
fn a_round_stays_in_its_region_and_within_what_may_be_written() {
    let header = RunBuilder::stacks(&["a", "b"]).build().header;
    let region = header.region.clone().unwrap();
    let round = job(&header, &region, 0, 10_000);
    assert_eq!((round.bs, round.io_size, round.size), (4096, Some(8192), region.size_bytes));
    assert!(round.direct && round.end_fsync);
    assert_ne!(round.seed, job(&header, &region, 1, 10_000).seed, "other places each time");
}
