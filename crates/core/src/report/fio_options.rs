//! docs/fio.md: what `bench` makes of fio's options, from the table that decides it.

use crate::tools::fio::habit::table::{TABLE, Taken};

const HEAD: &str = "\
# fio's words

`bakeoff bench` takes what you type at fio, and fio's job files:

```sh
bakeoff bench --name=test --filename=/dev/sdb --ioengine=libaio --direct=1 --rw=randread \\
              --bs=4k --iodepth=32 --runtime=30 --time_based --group_reporting --output-format=json
bakeoff bench job.fio                       # all sections, one after the other
bakeoff bench job.fio --section=random      # one of them
```

Options have one hyphen or two, and a value behind `=` or a space. Options before the first
`--name` are for all jobs. `--format json` prints bakeoff's own JSON, `--output-format=json`
that of fio.

Differences from fio:

- **bakeoff writes to nothing that exists without your consent.** A file needs `--overwrite`
  (without a value), a block device `--erase TOKEN`. A job file cannot give this consent: fio's
  `overwrite=1` only lays out a scratch file.
- A directory, and a `--filename` that does not exist, get a scratch file that bakeoff removes
  at the end.
- Jobs run one after the other. fio runs jobs without `stonewall` together. bakeoff reports the
  difference.
- All threads of `--numjobs` use one file. As in fio, `--size` and `--io_size` count for each of
  them.
- On the command line, `--runtime` always lasts its whole time, as with `--time_based`, and
  random offsets can repeat, as with `--norandommap`. In a job file both are as in fio: `size`
  ends the job, and each block comes once.
- `--invalidate=1` is the default in a job file and for scratch files. Other files keep what
  memory has of them. Where memory and not the drive answered the reads, the first line of the
  output says so.
- `--ramp_time` runs the same load with other offsets first, and measures afterwards.

A test compares the list with the options of the installed fio (3.33). A refused option is an
error (exit code 2).

";

/// The page.
pub fn fio_markdown() -> String {
    let mut out = HEAD.to_string() + "| option of fio | in `bakeoff bench` |\n|---|---|\n";
    for entry in TABLE {
        let what = match entry.taken {
            Taken::Same => "the same".to_string(),
            Taken::Called(own) => format!("`--{own}`"),
            Taken::Worded(_, how) => how.to_string(),
            Taken::Always(why) => format!("always so: {why}"),
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
