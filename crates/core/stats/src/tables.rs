//! Tables that are part of the program: comma-separated text in `data`, below a line of titles.

/// The rows of a table, each with so many fields; the last may hold commas.
pub fn rows<const N: usize>(table: &'static str) -> impl Iterator<Item = [&'static str; N]> {
    let fields = |line: &'static str| line.splitn(N, ',').collect::<Vec<_>>().try_into().ok();
    table.lines().skip(1).filter_map(fields)
}
