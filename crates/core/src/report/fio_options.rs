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
- In a directory, and for a `--filename` that does not exist, bakeoff creates scratch files under
  the names that fio gives them. It removes them after the last job. A later job with the same
  `filename` uses the file of an earlier one.
- Before the measurement, files are laid out as in fio. A job that reads, or one with `overwrite=1`,
  gets a written file. A job that only writes gets a file with allocated blocks (`--fallocate`).
  If the filesystem cannot allocate blocks, bakeoff writes the file.
- Jobs run one after the other. fio runs jobs without `stonewall` together. bakeoff reports the
  difference.
- Each thread of `--numjobs` has a scratch file of its own, as in fio. With `--filename` all threads
  use one file, and each starts at another place in it. `--size`, `--io_size`, `--rate` and
  `--rate_iops` count for each thread. `--numjobs` is at most 4,096.
- `--rate_iops=100` allows 100 reads and 100 writes per second in a mix, and `--rate_iops=100,50`
  allows 100 and 50. Reads and writes then take turns at these rates, and `--rwmixread` has no
  effect.
- A job file can contain `include FILE`, `${VARIABLE}`, `$ncpus`, `$pagesize`, `$mb_memory`, and
  whole numbers in parentheses, such as `size=(2*1024*1024)`. Options next to a job file on the
  command line are defaults of its jobs.
- Options of the whole call (`--output`, `--output-format`, `--section`, `--readonly`, `--eta`) work
  after any `--name`.
- `KiB`, `MiB` and `GiB` are powers of 1024, like `k`, `Ki`, `m` and `Mi`. In fio 3.33 `16MiB` are
  16,000,000 bytes.
- On the command line, a job always runs for the whole `--runtime`, as with `--time_based`, and
  random offsets can repeat, as with `--norandommap`. In a job file both work as in fio: the job
  ends after `size`, and accesses each block once.
- `--invalidate=1` is the default in a job file and for scratch files. Other files stay in the
  page cache. If reads came from memory and not from the drive, the first line of the output
  reports it.
- `--ramp_time` runs the same load with other offsets first, and measures afterwards.

The first line of the output counts reads and writes without flushes. `make bench` runs 100 job
files with bakeoff and with the installed fio, and compares files, laid out bytes, operations, bytes
and offsets.

A test compares this list with the options of fio 3.33. A refused option is an error (exit code 2).

";

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
