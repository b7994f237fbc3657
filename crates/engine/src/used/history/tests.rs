//! Histories done on a map of sizes.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;

fn history(seed: u64, tree_bytes: u64, turnover_bytes: u64) -> History {
    History::new(FileHistory { seed, tree_bytes, turnover_bytes })
}

/// Does the deeds on a map of sizes; gives the most bytes that there ever were.
fn done(history: &mut History, files: &mut BTreeMap<u32, u64>) -> u64 {
    let (mut bytes, mut most) = (0u64, 0);
    for deed in &mut *history {
        match deed {
            Deed::Create { file, bytes: own } => {
                assert!(own > 0 && files.insert(file, own).is_none());
                bytes += own;
            }
            Deed::Grow { file, at, bytes: more } => {
                let own = files.get_mut(&file).expect("a file that is there");
                assert!(*own == at && more > 0);
                *own += more;
                bytes += more;
            }
            Deed::Overwrite { file, at, bytes: part } => {
                assert!(part > 0 && at + part <= files[&file]);
            }
            Deed::Delete { file } => bytes -= files.remove(&file).expect("a file that is there"),
        }
        most = most.max(bytes);
    }
    most
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn a_history_is_what_was_asked_for(
        seed: u64,
        tree_mib in 1u64..400,
        turnover_mib in 0u64..300,
    ) {
        let (tree, turnover) = (tree_mib << 20, turnover_mib << 20);
        let (mut own, mut files) = (history(seed, tree, turnover), BTreeMap::new());
        let most = done(&mut own, &mut files);
        prop_assert_eq!(most, tree, "it is as full as asked for, and never fuller");
        prop_assert_eq!(own.written_bytes(), tree + turnover);
        prop_assert_eq!(own.left(), (files.len() as u64, files.values().sum::<u64>()));
        prop_assert!(own.left().1 as f64 > 0.93 * tree as f64, "{:?} of {}", own.left(), tree);
        let known: BTreeMap<u32, u64> = own.known.iter().map(|f| (f.file, f.bytes)).collect();
        prop_assert_eq!(known, files);
    }

    #[test]
    fn one_seed_gives_one_history_and_another_gives_another(seed: u64) {
        let deeds = |seed| history(seed, 20 << 20, 20 << 20).collect::<Vec<Deed>>();
        prop_assert_eq!(deeds(seed), deeds(seed));
        prop_assert_ne!(deeds(seed), deeds(seed ^ 1));
        let place = |seed| {
            let (of, mut path) = (history(seed, 1 << 30, 0), String::new());
            of.write_path(7, &mut path);
            path
        };
        prop_assert_eq!(place(seed), place(seed));
    }
}

#[test]
fn memory_stays_bounded_where_there_are_more_files_than_are_known() {
    let mut own = history(3, 40 << 30, 4 << 30);
    let mut bytes = 0;
    own.by_ref().for_each(|deed| bytes += deed.written_bytes());
    assert_eq!(bytes, 44 << 30);
    assert!(own.left().0 > WINDOW as u64, "{:?}", own.left());
    assert_eq!(own.known.capacity(), WINDOW);
}

#[test]
fn nothing_to_fill_is_nothing_to_do() {
    assert_eq!(history(1, 0, 1 << 20).next(), None);
}

#[test]
fn paths_are_short_and_directories_hold_some_files() {
    let (of, mut path) = (history(1, 1 << 30, 0), String::new());
    let mut directories = BTreeMap::new();
    for file in 0..6000 {
        of.write_path(file, &mut path);
        assert!(path.len() < 128, "{path}");
        let directory = path.rsplit_once('/').map_or("", |(above, _)| above).to_string();
        *directories.entry(directory).or_insert(0u32) += 1;
    }
    let each = 6000 / directories.len();
    assert!((2..60).contains(&each), "{each} in each of {}", directories.len());
}
