//! What would make a run hopeless is said before anything is changed.

use std::fs;
use std::process::{Command, Stdio};

use crate::bench::{Bench, Killed};
use crate::on_image::{MIB, RUN, SMALL, made};
use crate::skip;

/// A run beside a compiler on every CPU ended after hours without an answer.
#[test]
fn a_run_on_busy_cpus_is_refused_before_anything_is_written() {
    if skip::lacks_root() {
        return;
    }
    let bench = Bench::new();
    let image = made(&bench, SMALL, 96 * MIB);
    let before = fs::read(&image).unwrap();
    // Two loops for each CPU.
    let count = 2 * std::thread::available_parallelism().map_or(1, usize::from);
    let burner = |_| {
        let mut command = Command::new("sh");
        Killed(command.args(["-c", "while :; do :; done"]).stdin(Stdio::null()).spawn().unwrap())
    };
    let burners: Vec<Killed> = (0..count).map(burner).collect();
    let words: Vec<&str> = RUN.into_iter().filter(|word| *word != "--anyway").collect();
    let refused = bench.run(&words);
    drop(burners);
    assert_eq!(refused.code, 1, "{refused:?}");
    assert!(refused.err.contains("% busy (") && refused.err.contains("--anyway"), "{refused:?}");
    assert!(fs::read(&image).unwrap() == before, "nothing was written");
}
