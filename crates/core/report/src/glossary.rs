//! The words a user meets, one meaning each: docs/glossary.md and the end of the HTML report.

/// A word and what it means.
pub struct Term {
    pub word: &'static str,
    pub meaning: &'static str,
}

const fn term(word: &'static str, meaning: &'static str) -> Term {
    Term { word, meaning }
}

/// In the order of the alphabet.
pub static TERMS: [Term; 33] = [
    term(
        "A/A control",
        "A second copy of a candidate (a twin). Both are identical, so a difference between them \
         shows how far the measurement can be trusted.",
    ),
    term(
        "as fast as any",
        "No other candidate is faster than these by more than the margin, with 95 % confidence.",
    ),
    term(
        "block",
        "One preparation of all candidates and one measurement of every workload on each of them. \
         Blocks are repeated; the statistics compare candidates within a block.",
    ),
    term(
        "bottleneck",
        "The part that limits the speed: the drive, its link, the CPU, flushing, or memory. A \
         bottleneck is verified if an experiment confirmed it.",
    ),
    term(
        "candidate",
        "One of the alternatives that are compared: a filesystem with its options, with or without \
         encryption, or a directory.",
    ),
    term(
        "carry-over",
        "The effect that one candidate has on the measurement of the next one, for example \
         through a full cache in the drive.",
    ),
    term(
        "ceiling",
        "The rate of a lower layer for the same work, such as the raw drive. No candidate can be \
         much faster.",
    ),
    term(
        "cell",
        "One workload on one candidate in one block. If candidates alternate, a cell consists of \
         several slices.",
    ),
    term(
        "certain",
        "True with 95 % confidence for all answers of the run together. Marked with an asterisk.",
    ),
    term(
        "cold read",
        "A read of data that is not in memory, so that the drive has to deliver it. bakeoff \
         verifies this with the counters of the drive.",
    ),
    term(
        "confidence interval",
        "The range that contains the true value in 95 of 100 runs, written as 95 % CI.",
    ),
    term("direct I/O", "Reads and writes that bypass the page cache (O_DIRECT)."),
    term(
        "erase token",
        "A word derived from a drive's identity and contents. You type it to allow bakeoff to \
         erase the drive. It changes when the contents change.",
    ),
    term("fastest", "The leader is faster than every other candidate, with 95 % confidence."),
    term(
        "finding",
        "A fact about the run that limits what you can conclude. Its severity is note, warning, \
         error, or prevents a verdict.",
    ),
    term("flush", "A request to write cached data to the drive permanently (fsync)."),
    term(
        "foreign I/O",
        "Reads and writes of other processes on the same drive during a measurement.",
    ),
    term("IOPS", "Input and output operations per second."),
    term(
        "lead",
        "The smallest advantage that the leader has over every other candidate with 95 % \
         confidence. A negative lead of 4 % means that another candidate can be up to 4 % faster.",
    ),
    term(
        "leads so far",
        "The best candidate up to now. Another one could still be faster by more than the margin.",
    ),
    term(
        "margin",
        "Differences below it count as equal: 10 % in quick and demo, 3 % in decide, 2 % in \
         precise.",
    ),
    term("n", "The number of complete blocks behind an answer."),
    term("no verdict", "A finding prevents a conclusion. The figures are still shown."),
    term("p99", "The latency that 99 % of the operations stay below."),
    term(
        "page cache",
        "Memory in which the kernel keeps file contents. Reads from it measure memory, not the \
         drive.",
    ),
    term(
        "preconditioning",
        "Writes to a flash drive before the first block, until its speed is steady.",
    ),
    term("region", "The part of a drive or image on which a candidate is created."),
    term("round", "One slice of every candidate, in a new random order."),
    term(
        "slice",
        "A measurement of 50 to 300 ms, on slow drives of up to a minute. Candidates alternate \
         slice by slice, so that all of them are measured under the same conditions.",
    ),
    term("stack", "A filesystem and all layers below it, such as encryption or a logical volume."),
    term(
        "stall",
        "A period in which a candidate is far slower than usual. Stalls are reported separately \
         from the figure.",
    ),
    term(
        "visit",
        "The measurement of one candidate from preparation to removal before the next one begins. \
         Used where candidates cannot alternate.",
    ),
    term(
        "workload",
        "An access pattern, for example 4 KiB random writes, each followed by a flush.",
    ),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_in_alphabetical_order_and_explained_in_sentences() {
        let key = |term: &Term| term.word.to_lowercase();
        assert!(TERMS.windows(2).all(|two| key(&two[0]) < key(&two[1])));
        assert!(TERMS.iter().all(|term| term.meaning.ends_with('.')));
    }
}
