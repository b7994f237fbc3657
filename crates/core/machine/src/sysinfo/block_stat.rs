//! `/sys/block/X/stat`: what a block device has done since it appeared.
//!
//! A sector here is 512 bytes whatever the device says its sectors are. `/proc/diskstats` holds
//! the same fields after major, minor and name. Source: `Documentation/admin-guide/iostats.rst`.

use serde::{Deserialize, Serialize};

use super::dev::Dev;

/// Counters of one block device. They only grow, and wrap on 32-bit kernels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BlockStat {
    pub reads: u64,
    pub read_merges: u64,
    pub read_bytes: u64,
    pub read_ms: u64,
    pub writes: u64,
    pub write_merges: u64,
    pub written_bytes: u64,
    pub write_ms: u64,
    pub in_flight: u64,
    /// Time with at least one request in flight; approximate since Linux 5.0.
    pub busy_ms: u64,
    pub queue_ms: u64,
    /// Discards (TRIM), since Linux 4.18.
    pub discards: Option<Discards>,
    /// Flushes completed, since Linux 5.5; never counted for partitions.
    pub flushes: Option<u64>,
    pub flush_ms: Option<u64>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Discards {
    pub count: u64,
    pub merges: u64,
    pub bytes: u64,
    pub ms: u64,
}

/// Reads `/sys/block/X/stat`; `None` when a field is missing.
pub fn parse(text: &str) -> Option<BlockStat> {
    from_words(text.split_ascii_whitespace())
}

/// Reads `/proc/diskstats`: number, name and counters of each device.
pub fn parse_diskstats(text: &str) -> Vec<(Dev, &str, BlockStat)> {
    text.lines()
        .filter_map(|line| {
            let mut words = line.split_ascii_whitespace();
            let dev = Dev::new(words.next()?.parse().ok()?, words.next()?.parse().ok()?);
            let name = words.next()?;
            Some((dev, name, from_words(words)?))
        })
        .collect()
}

/// Allocates nothing: this is read ten times a second beside a measurement.
fn from_words<'a>(words: impl Iterator<Item = &'a str>) -> Option<BlockStat> {
    let mut fields = [None; 17];
    let numbers = words.map_while(|word| word.parse::<u64>().ok());
    for (field, number) in fields.iter_mut().zip(numbers) {
        *field = Some(number);
    }
    let at = |index: usize| fields[index];
    Some(BlockStat {
        reads: at(0)?,
        read_merges: at(1)?,
        read_bytes: at(2)?.checked_mul(512)?,
        read_ms: at(3)?,
        writes: at(4)?,
        write_merges: at(5)?,
        written_bytes: at(6)?.checked_mul(512)?,
        write_ms: at(7)?,
        in_flight: at(8)?,
        busy_ms: at(9)?,
        queue_ms: at(10)?,
        discards: at(14).and_then(|ms| {
            Some(Discards { count: at(11)?, merges: at(12)?, bytes: at(13)?.checked_mul(512)?, ms })
        }),
        flushes: at(15),
        flush_ms: at(16),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_of_old_and_new_kernels() {
        let new = "   57286     9884  5907562    81778    16013    33462  9068360    33844        0 \
             41320   118075     4730       20   509080     2324     1848      127\n";
        let stat = parse(new).expect("all fields are there");
        assert_eq!(stat.reads, 57286);
        assert_eq!(stat.read_bytes, 5_907_562 * 512);
        assert_eq!(stat.written_bytes, 9_068_360 * 512);
        assert_eq!((stat.busy_ms, stat.flushes, stat.flush_ms), (41320, Some(1848), Some(127)));
        let old = parse("1 2 3 4 5 6 7 8 9 10 11").expect("eleven fields are enough");
        assert_eq!((old.read_bytes, old.written_bytes, old.flushes), (1536, 3584, None));
        let discards = Discards { count: 4730, merges: 20, bytes: 509_080 * 512, ms: 2324 };
        assert_eq!((stat.read_merges, stat.write_merges), (9884, 33462));
        assert_eq!(stat.discards, Some(discards));
        assert_eq!(parse("1 2 3"), None);
    }

    #[test]
    fn diskstats_is_the_same_after_three_words() {
        let rows =
            parse_diskstats(" 254 0 vda 1 2 3 4 5 6 7 8 9 10 11\nnot a line\n 7 0 loop0 0\n");
        assert_eq!(rows.len(), 1);
        assert_eq!(rows[0].0, Dev::new(254, 0));
        assert_eq!((rows[0].1, rows[0].2.read_bytes), ("vda", 1536));
        assert_eq!(rows[0].2.discards, None);
    }
}
