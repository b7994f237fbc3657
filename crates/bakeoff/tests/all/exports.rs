//! `bakeoff show -o FILE.gp`: gnuplot draws what is written.

use std::process::Command;

use crate::skip;
use crate::stored::Home;

#[test]
fn gnuplot_draws_the_script_of_a_run() {
    if skip::lacks_command("gnuplot") {
        return;
    }
    let home = Home::with_run();
    assert_eq!(home.run(&["show", "last", "-o", "run.gp"]).0, 0);
    let drawn = Command::new("gnuplot").arg("run.gp").current_dir(home.dir.path()).output();
    let drawn = drawn.unwrap();
    assert!(drawn.status.success(), "{}", String::from_utf8_lossy(&drawn.stderr));
    let bytes = std::fs::read(home.dir.path().join("bakeoff.png")).unwrap();
    assert!(bytes.starts_with(b"\x89PNG") && bytes.len() > 1000, "{}", bytes.len());
}
