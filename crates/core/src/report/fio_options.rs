//! docs/fio.md: what `bench` makes of fio's options, from the table that decides it.

use crate::tools::fio::options::table::{Taken, entries};

const HEAD: &str = "\
# Options of fio

`bakeoff bench` accepts the options of fio, and its job files:

```sh
bakeoff bench --name=test --filename=/dev/sdb --ioengine=libaio --direct=1 --rw=randread \\
              --bs=4k --iodepth=32 --runtime=30 --time_based --group_reporting --output-format=json
bakeoff bench job.fio                       # all sections, one after the other
bakeoff bench job.fio --section=random      # one of them
```

Write an option with one or two hyphens, and its value after `=` or a space. Options before the
first `--name` apply to all jobs. `--format json` prints bakeoff's own JSON. `--output-format=json`
prints the JSON of fio.

Differences from fio:

- **bakeoff does not write to existing files or devices without your consent.** A file needs
  `--overwrite` (without a value), a block device `--erase TOKEN`. A job file cannot give this
  consent: fio's `overwrite=1` only lays out a scratch file.
- In a directory, and for a `--filename` that does not exist, bakeoff creates a scratch file. It
  removes the file at the end.
- Jobs run one after the other. fio runs jobs without `stonewall` together. bakeoff reports the
  difference.
- All threads of `--numjobs` use one file. As in fio, `--size` and `--io_size` count for each of
  them.
- On the command line, a job always runs for the whole `--runtime`, as with `--time_based`, and
  random offsets can repeat, as with `--norandommap`. In a job file both work as in fio: the job
  ends after `size`, and accesses each block once.
- `--invalidate=1` is the default in a job file and for scratch files. Other files stay in the
  page cache. If reads came from memory and not from the drive, the first line of the output
  reports it.
- `--ramp_time` runs the same load with other offsets first, and measures afterwards.

A test compares this list with the options of fio 3.33. A refused option is an error (exit code 2).

";

/// The page.
pub fn fio_markdown() -> String {
    let mut out = HEAD.to_string() + "| option of fio | in `bakeoff bench` |\n|---|---|\n";
    for entry in entries() {
        let what = match entry.taken {
            Taken::Same => "the same".to_string(),
            Taken::Called(own) => format!("`--{own}`"),
            Taken::Worded(how) => how.to_string(),
            Taken::Always(why) => format!("always: {why}"),
            Taken::Idle(why) => format!("no effect: {why}"),
            Taken::Refused(why) => format!("refused: {why}"),
        };
        let names: Vec<String> = entry.names.split(' ').map(|name| format!("`{name}`")).collect();
        out.push_str(&format!("| {} | {what} |\n", names.join(" ")));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_says_what_the_table_does() {
        let page = include_str!("../../../../docs/fio.md");
        assert_eq!(page, fio_markdown(), "cargo run -p bakeoff --example docs");
    }
}
