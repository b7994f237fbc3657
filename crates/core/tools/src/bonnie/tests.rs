//! Tables of bonnie++ as people post them: moved, renamed, with blanks more or less. A figure is
//! given to its own test or to none.

const OUTPUT: [&str; 3] = [
    "Version  1.97       ------Sequential Output------ --Sequential Input- --Random-",
    "Concurrency   1     -Per Chr- --Block-- -Rewrite- -Per Chr- --Block-- --Seeks--",
    "Machine        Size K/sec %CP K/sec %CP K/sec %CP K/sec %CP K/sec %CP  /sec %CP",
];
const PARTIAL: &str =
    "raspberrypi      1G            3757   9  3014   6           23912  19 961.5 118";
const PARTIAL_LATENCY: &str =
    "Latency                        4142ms    3671ms             84012us     310ms";
const WHOLE: &str =
    "raspberrypi      1G    84  94  3757   9  3014   6   642  97 23912  19 961.5 118";

fn figures(lines: &[&str]) -> Vec<(String, String)> {
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    let imported = crate::read(text.as_bytes());
    let metrics = imported.results.iter().flat_map(|result| &result.metrics);
    let figures = metrics.filter(|m| m.name.contains('.'));
    figures.map(|m| (m.name.clone(), m.raw.clone())).collect()
}

fn table<'a>(row: &'a str, latency: &'a str) -> Vec<&'a str> {
    OUTPUT.into_iter().chain([row, latency]).collect()
}

/// Four posted tables were refused for one blank too many.
#[test]
fn a_whole_row_with_another_blank_is_read() {
    let right = figures(&table(WHOLE, ""));
    assert_eq!(right.len(), 12, "{right:?}");
    assert_eq!(figures(&table(PARTIAL, PARTIAL_LATENCY)).len(), 12);
    for at in (0..WHOLE.len()).filter(|at| WHOLE[*at..].starts_with(' ')) {
        let row = format!("{} {}", &WHOLE[..at], &WHOLE[at..]);
        assert_eq!(figures(&table(&row, "")), right, "{row}");
    }
}

/// A blank cell and a value in no column: which test it belongs to cannot be told.
#[test]
fn a_row_with_two_readings_is_refused() {
    for row in [
        "raspberrypi      1G              3757   9  3014   6           23912  19 961.5 118",
        "raspberrypi      1G 3757 9 3014 6 23912 19 961.5 118",
        " raspberrypi      1G            3757   9  3014   6           23912  19 961.5 118",
    ] {
        assert_eq!(figures(&table(row, PARTIAL_LATENCY)), [], "{row}");
    }
}

/// The second block of 1.03 has no version of its own, and its tables needed their CSV line.
#[test]
fn a_table_of_1_03_with_small_files_is_read_without_its_csv_line() {
    let found = figures(&[
        "Version  1.03       ------Sequential Output------ --Sequential Input- --Random-",
        "                    -Per Chr- --Block-- -Rewrite- -Per Chr- --Block-- --Seeks--",
        "Machine        Size K/sec %CP K/sec %CP K/sec %CP K/sec %CP K/sec %CP  /sec %CP",
        "debian           2G 30443  94 36425  17 16702   7 31222  85 43213   9 162.3   0",
        "                    ------Sequential Create------ --------Random Create--------",
        "                    -Create-- --Read--- -Delete-- -Create-- --Read--- -Delete--",
        "              files  /sec %CP  /sec %CP  /sec %CP  /sec %CP  /sec %CP  /sec %CP",
        "                 16  2416  98 +++++ +++ +++++ +++  2612  99 +++++ +++  8034  99",
    ]);
    assert_eq!(found.len(), 12 + 6, "{found:?}");
    assert!(found.contains(&("random_delete.rate".into(), "8034".into())), "{found:?}");
}
