//! L21 fake-random: random access uses blocks of a megabyte or more, or fewer than a hundred
//! blocks.

use crate::evidence::observation::{Observation, Source};
use crate::evidence::rule::Hit;
use bakeoff_stats::units;

pub fn hit(of: &Observation) -> Option<Hit> {
    let access = of.access.filter(|access| access.is_random)?;
    let blocks = access.file_bytes? / access.block_bytes.max(1);
    let is_fake = access.block_bytes >= of.limits.random_block_bytes;
    (is_fake || blocks < of.limits.random_blocks).then(|| {
        let evidence =
            format!("random access to {blocks} blocks of {}", units::size(access.block_bytes));
        let advice = match of.source {
            Source::Ours => "use small blocks and a large file: {bs=4k} {size=1g}",
            Source::Others => "Random access needs many small records: -r 4k and a large -s.",
        };
        Hit::new(evidence, advice)
    })
}

#[cfg(test)]
mod tests {
    use crate::rules::tests::before::{fires, job};
    use crate::rules::tests::imported::ids;

    #[test]
    fn l21_blocks_that_are_large_or_few_and_just_enough() {
        assert!(
            fires("L21", &job(|j| j.bs = 1 << 20)) && !fires("L21", &job(|j| j.bs = 512 << 10))
        );
        assert!(fires("L21", &job(|j| j.size = 99 * 4096)));
        assert!(!fires("L21", &job(|j| j.size = 100 * 4096)));
    }

    #[test]
    fn random_access_with_forty_records_is_none() {
        let head = "Command line used: iozone -s 1000m -r 25m -e\n\tOutput is in kBytes/sec\n\
            \u{20}             kB  reclen    write  rewrite    read    reread    read     write\n\
            \u{20}        1024000   25600    10000    10000    18000    18000    18000    10000\n";
        assert_eq!(ids(head), ["L20", "L21", "L28"]);
    }
}
