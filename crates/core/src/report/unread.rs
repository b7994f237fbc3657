//! Why an import could not read lines, in words: one sentence without the last full stop.

use crate::scan::lines::LINE_LIMIT_BYTES;
use crate::scan::why::{
    DdWhy, Doubt, FioWhy, Impossible, IozoneWhy, LostDigits, Peculiar, RowWhy, SysbenchWhy,
    TextWhy, Unequal, Why,
};
use crate::scan::{NO_UNIT, RESULTS_LIMIT};

/// The reason, and what would help. Text of the input in it is as it stands there.
pub fn why(why: &Why) -> String {
    match why {
        Why::Text(why) => text(why),
        Why::Row(why) => row(why),
        Why::Fio(why) => fio(why),
        Why::Dd(why) => dd(why),
        Why::Iozone(why) => iozone(why),
        Why::Sysbench(why) => sysbench(why),
        Why::Peculiar(why) => peculiar(*why).to_string(),
        Why::Failed { tool, said } => format!("{tool} failed: {said}"),
        Why::Interrupted(tool) => format!("{tool} was interrupted before its first result"),
        Why::NoReader(tool) => format!("{tool}: bakeoff cannot read its output"),
        Why::PassedOver { tool, part } => format!("{tool}: bakeoff does not read {part}"),
        Why::OnlyPhases(tool) => format!(
            "{tool} printed its phases without a figure: it was interrupted, or its figures are in \
             its other output"
        ),
        Why::Disturbed(tool) => format!(
            "the lines look like output of {tool}, but cannot be read: remove the text before each \
             line, restore the line breaks, or import the complete output"
        ),
        Why::Incomplete(part) => format!("{part} is incomplete"),
        Why::Cut(part) => {
            format!("{part} is incomplete: it was cut, or was wrapped and continues elsewhere")
        }
        Why::LooksLike(part) => format!("this looks like {part}, but its figures are incomplete"),
        Why::Wrapped(part) => format!("{part} was wrapped, and its pieces do not fit together"),
        Why::Without { part, what } => format!("{part} has no {what}"),
        Why::Lacks { part, what } => format!("{part} lacks {what}"),
        Why::NoTotals { lines, totals } => {
            format!("{lines} lack {totals}: import the last lines too")
        }
        Why::NoRow(part) => format!("{part} has no readable row below it"),
        Why::Misfit { values, columns } => format!("{values} do not fit {columns}"),
        Why::Contradict(figures) => format!("{figures} contradict each other"),
        Why::Unequal(why) => unequal(why),
        Why::Unsound { part, doubts } => {
            format!("{part} {}", any(&doubts.iter().map(doubt).collect::<Vec<_>>()))
        }
        Why::Mixed(lines) => format!("{lines} are mixed"),
        Why::Misplaced { line, tool } => {
            format!("line {line} is not in the order in which {tool} prints: outputs are mixed up")
        }
        Why::NoNumber(part) => format!("{part} is not a number"),
        Why::IsNot { text, part } => format!("'{text}' is not {part}"),
        Why::LostDigits(why) => {
            format!("{}: digits are missing; the job's other figures are given", lost_digits(why))
        }
    }
}

fn lost_digits(why: &LostDigits) -> String {
    let fixed = match why {
        LostDigits::Incomplete => "the figures of this line are incomplete",
        LostDigits::Contradict(figures) => return format!("{figures} contradict each other"),
        LostDigits::Unequal(why) => return unequal(why),
        LostDigits::NoLatencies => "its latencies are not numbers",
        LostDigits::MeanOutside => "its mean latency is not between the minimum and the maximum",
        LostDigits::PercentileNotANumber => "a percentile is not a number",
        LostDigits::PercentilesDecrease => "the percentiles decrease",
        LostDigits::PercentileOutside => "a percentile is not between the minimum and the maximum",
    };
    fixed.to_string()
}

/// `a`, `a or b`, `a, b, or c`.
fn any(doubts: &[String]) -> String {
    match doubts {
        [] => String::new(),
        [one] => one.clone(),
        [one, other] => format!("{one} or {other}"),
        [first @ .., last] => format!("{}, or {last}", first.join(", ")),
    }
}

fn unequal(Unequal { product, printed }: &Unequal) -> String {
    format!("{product} does not equal {printed}")
}

fn doubt(doubt: &Doubt) -> String {
    match doubt {
        Doubt::Incomplete => "is incomplete".to_string(),
        Doubt::Contradicts(what) => format!("contradicts {what}"),
        Doubt::OfAnotherRun => "is among those of another run".to_string(),
        Doubt::Misplaced => "is in another place".to_string(),
        Doubt::Unit => "has a unit that may be wrong".to_string(),
    }
}

fn text(why: &TextWhy) -> String {
    match why {
        TextWhy::LongLine { length_bytes } => format!(
            "the line has {length_bytes} bytes; bakeoff does not read lines above \
             {LINE_LIMIT_BYTES}"
        ),
        TextWhy::Utf16 => {
            "the text is in UTF-16: convert it with iconv -f UTF-16 -t UTF-8".to_string()
        }
        TextWhy::Worksheet => {
            "this is a worksheet of iozone -b: import the text that iozone printed".to_string()
        }
        TextWhy::TooMany { dropped } => format!(
            "the text has {dropped} more results or unread parts than the limit of \
             {RESULTS_LIMIT}: split the text"
        ),
        TextWhy::OwnExport { format } => format!(
            "this is a run of bakeoff that was exported as {format}. import needs a complete run: \
             create it with `bakeoff show RUN -o run.bundle` where the run was measured"
        ),
    }
}

fn row(why: &RowWhy) -> String {
    match why {
        RowWhy::Cells { cells, columns } => {
            format!("the row has {cells} cells, but the table has {columns} columns")
        }
        RowWhy::NoNumber => "the row has a cell that is not a number, or is incomplete".to_string(),
        RowWhy::NoFigure => "the row has no figure in the columns of figures".to_string(),
        RowWhy::UnclearPoint => {
            "the point before three digits may be a thousands separator, and no \
                              other number of the table shows that it is a decimal point: write \
                              the number with more or fewer digits"
                .to_string()
        }
        RowWhy::MayContinue => {
            "the text below a row may continue one of its labels: write the row on \
                             one line"
                .to_string()
        }
        RowWhy::OpenQuote => "the row has an unclosed quotation mark".to_string(),
        RowWhy::NoValue { name, note } => format!("{name} has no value; {note}"),
        RowWhy::NotANumber { name, value } => format!("{name}: '{value}' is not a number"),
        RowWhy::Columns(list) => format!(
            "this is a table of results. `--guess` reads it with these columns, or specify the \
             columns: --columns '{list}'"
        ),
        RowWhy::NoUnit(list) => format!(
            "the table of results does not state a unit. Write the unit in place of {NO_UNIT}: \
             --columns '{list}'"
        ),
        RowWhy::UnclearCells => {
            "the cells of the table of results contain more than a number and its unit".to_string()
        }
    }
}

fn fio(why: &FioWhy) -> String {
    match why {
        FioWhy::FiguresTwice => "figures appear twice: two outputs of fio are mixed up".to_string(),
        FioWhy::Jobs => "the issued requests and the bytes belong to different jobs".to_string(),
        FioWhy::NoBytes => "a job of fio transferred no bytes".to_string(),
        FioWhy::JobFailed(error) => format!("a job of fio failed with error {error}"),
        FioWhy::Issued(name) => {
            format!("fio issued {name} requests, but the line that reports them is missing")
        }
        FioWhy::Fields(fields) => format!("a terse line of fio with {fields} fields is incomplete"),
        FioWhy::Field(direction) => {
            format!("a {direction} field of a terse line of fio is not a number")
        }
        FioWhy::CutJson => {
            "fio's JSON ends before its last brace; the part before this was read".to_string()
        }
        FioWhy::NoLastBrace => {
            "fio's JSON is incomplete: its last brace is missing, or it contains \
                             other text"
                .to_string()
        }
        FioWhy::InvalidJson(error) => {
            format!("fio's JSON is incomplete or contains other text: {error}")
        }
        FioWhy::TooManyValues => "fio's JSON has more values than bakeoff reads".to_string(),
        FioWhy::Twice(path) => {
            format!("{path} appears twice in fio's JSON: two outputs are mixed up")
        }
        FioWhy::NoRequests(name) => format!("fio's {name} transferred bytes without a request"),
        FioWhy::ZeroMinimum(name) => format!("the minimum latency of {name} is zero"),
        FioWhy::MeanOutside(name) => {
            format!("the mean latency of {name} is not between its minimum and maximum")
        }
        FioWhy::Percentiles(name) => {
            format!("the percentiles of {name} decrease, or exceed the maximum")
        }
    }
}

fn dd(why: &DdWhy) -> String {
    match why {
        DdWhy::Size { bytes } => {
            format!("dd's {bytes} bytes and the size next to it contradict each other")
        }
        DdWhy::Rate { bytes } => {
            format!("dd's {bytes} bytes, its time and its rate contradict each other")
        }
        DdWhy::Words => {
            "this looks like statistics of dd, but the words or units are not those of dd"
                .to_string()
        }
        DdWhy::Progress => {
            "this is a progress line of dd: the run continued after it, and its end is missing"
                .to_string()
        }
        DdWhy::Statistics => {
            "statistics of dd are directly above those of a run: they are a progress \
                           line, or the other lines of their run are missing"
                .to_string()
        }
        DdWhy::Records => {
            "the record counts of dd have no time: busybox, a version before 5.3 or status=noxfer"
                .to_string()
        }
    }
}

fn iozone(why: &IozoneWhy) -> String {
    match why {
        IozoneWhy::Unit => "a table of iozone lacks the line that states its unit, `Output is in \
                         kBytes/sec` or the command line: import that line too, or use --guess, \
                         which assumes kBytes/sec"
            .to_string(),
        IozoneWhy::Report { line } => {
            format!("line {line}: the report contradicts the table above it")
        }
        IozoneWhy::Lists { limit } => {
            format!("the text has more than {limit} lists of latencies: split the text")
        }
    }
}

fn sysbench(why: &SysbenchWhy) -> String {
    match why {
        SysbenchWhy::Test => {
            "the sysbench output has no result of fileio: it was another test, no \
                           run, or it ended early"
                .to_string()
        }
        SysbenchWhy::Nothing => {
            "sysbench counted no operations: its files were missing, or it failed".to_string()
        }
        SysbenchWhy::Repeated { line } => {
            format!("line {line} repeats a figure of the report, so two reports are mixed")
        }
        SysbenchWhy::TooFewEvents { name, raw } => {
            format!("{name} is {raw}: sysbench had too few events for it")
        }
        SysbenchWhy::Impossible(why) => {
            format!("{}: this is impossible in one run", impossible(why))
        }
    }
}

fn impossible(why: &Impossible) -> String {
    let fixed = match why {
        Impossible::Versions => {
            "figures that only 0.4 prints are among figures that only 1.0 prints"
        }
        Impossible::PrepareAndRun => "one report contains a prepare and a run",
        Impossible::PrepareFiles => "a prepare lacks the number of its files",
        Impossible::Total => "the operations do not add up to their total",
        Impossible::Events => "there are more or fewer events than reads and writes",
        Impossible::Larger => "requests transferred more than a block each",
        Impossible::Unequal(why) => return unequal(why),
    };
    fixed.to_string()
}

fn peculiar(why: Peculiar) -> &'static str {
    match why {
        Peculiar::BonnieRates => {
            "bonnie++ 1.98 to 2.00 print wrong rates for small files; the correct rates are in its \
             CSV line"
        }
        Peculiar::DiskmarkDirection => {
            "the lines with the direction ([Read], [Write]) of tests of CrystalDiskMark or \
             KDiskMark are missing or in another place"
        }
        Peculiar::DiskmarkTwice => {
            "two tests have the same three figures: KDiskMark before 1.4.3 prints the first random \
             test twice"
        }
        Peculiar::DiskmarkZero => {
            "a test of CrystalDiskMark or KDiskMark was not run: its rate is zero"
        }
        Peculiar::F3Little => "f3 had too little data for a speed",
        Peculiar::IopingFirst => {
            "ioping completed no request that it counts: it does not count the first one"
        }
        Peculiar::IostatColumn => "a table of iostat has an unknown column",
        Peculiar::YabsMegabyte => {
            "the MB in rates of YABS may be 1,000,000 or 1,024,000 bytes: the requests per second \
             have too few digits to decide"
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn doubts_are_joined_as_alternatives() {
        const ITSELF: Doubt = Doubt::Contradicts("itself");
        let part = "a row of Storage.sh";
        let of = |doubts: &'static [Doubt]| why(&Why::Unsound { part, doubts });
        assert_eq!(of(&[ITSELF]), "a row of Storage.sh contradicts itself");
        assert_eq!(
            of(&[Doubt::Incomplete, ITSELF]),
            "a row of Storage.sh is incomplete or contradicts itself"
        );
        assert_eq!(
            of(&[Doubt::Incomplete, ITSELF, Doubt::Unit]),
            "a row of Storage.sh is incomplete, contradicts itself, or has a unit that may be wrong"
        );
    }

    #[test]
    fn a_contradiction_within_sysbench_is_impossible_in_one_run() {
        let product = Unequal { product: "throughput times total time", printed: "the volume" };
        let unequal = SysbenchWhy::Impossible(Impossible::Unequal(product));
        assert_eq!(
            why(&unequal.into()),
            "throughput times total time does not equal the volume: this is impossible in one run"
        );
    }
}
