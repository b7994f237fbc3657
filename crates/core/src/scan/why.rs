//! Why lines that look like a tool's output give nothing: the facts. [`crate::report::unread`] has
//! the words.
//!
//! What any tool can print is a kind here, with the name of the tool's part. What only one tool
//! does is at the end, so that a tool with ordinary outputs needs nothing of this file.

/// What a tool calls a part of its output, with an article: `a row of iostat`.
pub type Part = &'static str;

/// Why nothing was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Why {
    /// The text itself is at fault.
    Text(TextWhy),
    /// A row of a table that people made is at fault.
    Row(RowWhy),
    /// An output of fio.
    Fio(FioWhy),
    /// An output of dd.
    Dd(DdWhy),
    /// An output of iozone.
    Iozone(IozoneWhy),
    /// An output of sysbench.
    Sysbench(SysbenchWhy),
    /// An output of one of the other tools.
    Peculiar(Peculiar),
    /// The tool failed.
    Failed {
        /// Its name.
        tool: &'static str,
        /// Its own words.
        said: String,
    },
    /// The tool was interrupted before its first result.
    Interrupted(&'static str),
    /// bakeoff has no reader for the outputs of this tool.
    NoReader(&'static str),
    /// The reader of this tool passes over this part.
    PassedOver {
        /// The tool.
        tool: &'static str,
        /// The part.
        part: Part,
    },
    /// The tool named its phases, and none has a figure.
    OnlyPhases(&'static str),
    /// Marks of this tool are there, but no line has its form.
    Disturbed(&'static str),
    /// The part ends too early.
    Incomplete(Part),
    /// The line ends too early, or goes on elsewhere.
    Cut(Part),
    /// It resembles this part, but figures are missing.
    LooksLike(Part),
    /// The part was wrapped, and its pieces do not fit together.
    Wrapped(Part),
    /// The part has no such thing.
    Without {
        /// The part.
        part: Part,
        /// What it has none of, without an article.
        what: &'static str,
    },
    /// The part needs something else.
    Lacks {
        /// The part.
        part: Part,
        /// What it lacks, with an article.
        what: &'static str,
    },
    /// Lines that only make sense with the totals below them.
    NoTotals {
        /// The lines, in the plural.
        lines: &'static str,
        /// The totals.
        totals: &'static str,
    },
    /// The titles of a table without a row.
    NoRow(Part),
    /// Values, in the plural, that are not below their titles.
    Misfit {
        /// The values.
        values: &'static str,
        /// The columns or titles.
        columns: &'static str,
    },
    /// Figures, two or more, that cannot all be true.
    Contradict(&'static str),
    /// A product of printed figures is not what was printed for it.
    Unequal(Unequal),
    /// One of these doubts is right.
    Unsound {
        /// The part.
        part: Part,
        /// What may be wrong with it.
        doubts: &'static [Doubt],
    },
    /// Lines of two, in the plural, are among each other.
    Mixed(&'static str),
    /// A line where the tool never prints it.
    Misplaced {
        /// The line.
        line: u64,
        /// The tool.
        tool: &'static str,
    },
    /// A part that should be a number.
    NoNumber(Part),
    /// A word where the tool prints something else.
    IsNot {
        /// The word.
        text: String,
        /// What it should be.
        part: Part,
    },
    /// A figure of one line lost digits; the others of the job are given.
    LostDigits(LostDigits),
}

/// What may be wrong with a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Doubt {
    /// It is incomplete.
    Incomplete,
    /// It contradicts itself or what is near.
    Contradicts(&'static str),
    /// It is of another run than the lines around it.
    OfAnotherRun,
    /// It is not where the tool prints it.
    Misplaced,
    /// Its unit may be wrong.
    Unit,
}

/// A product that is not what was printed for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unequal {
    /// Of which figures.
    pub product: &'static str,
    /// The printed figure.
    pub printed: &'static str,
}

/// How a line shows that digits are missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LostDigits {
    /// A figure is missing.
    Incomplete,
    /// These figures contradict each other.
    Contradict(&'static str),
    /// A product does not fit.
    Unequal(Unequal),
    /// Its latencies are no numbers.
    NoLatencies,
    /// Its mean latency is not between the minimum and the maximum.
    MeanOutside,
    /// A percentile is no number.
    PercentileNotANumber,
    /// The percentiles decrease.
    PercentilesDecrease,
    /// A percentile is not between the minimum and the maximum.
    PercentileOutside,
}

/// What is wrong with a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TextWhy {
    /// A line above the limit.
    LongLine {
        /// Its length.
        length_bytes: u64,
    },
    /// It is in UTF-16.
    Utf16,
    /// It is a worksheet of `iozone -b`.
    Worksheet,
    /// More results and unread parts than are kept.
    TooMany {
        /// How many were not.
        dropped: u64,
    },
    /// A run of bakeoff in a format that is no whole run.
    OwnExport {
        /// The format, as `export --format` takes it.
        format: &'static str,
    },
}

/// What is wrong with a row or a table that people made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RowWhy {
    /// It has more or fewer cells than the table has columns.
    Cells {
        /// Cells of the row.
        cells: usize,
        /// Columns of the table.
        columns: usize,
    },
    /// A cell is no number, or the row is incomplete.
    NoNumber,
    /// No column of figures has a figure.
    NoFigure,
    /// The point before three digits may separate thousands.
    UnclearPoint,
    /// The text may continue a label of the row above.
    MayContinue,
    /// A quotation mark is not closed.
    OpenQuote,
    /// A field without a value.
    NoValue {
        /// The field.
        name: String,
        /// What the row notes.
        note: String,
    },
    /// The value of a field is no number.
    NotANumber {
        /// The field.
        name: String,
        /// Its value.
        value: String,
    },
    /// A table that is read with these columns where that is asked for.
    Columns(String),
    /// A table whose columns lack a unit.
    NoUnit(String),
    /// Cells with more than a number and its unit.
    UnclearCells,
}

/// What is wrong with an output of fio.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FioWhy {
    /// Figures appear twice, so that two outputs are mixed up.
    FiguresTwice,
    /// The issued requests and the bytes are of different jobs.
    Jobs,
    /// A job transferred no bytes.
    NoBytes,
    /// A job failed with this error number.
    JobFailed(u64),
    /// It issued requests of this operation, and the line of it is missing.
    Issued(&'static str),
    /// A terse line has too few fields, or too many.
    Fields(usize),
    /// A field of this direction is no number in a terse line.
    Field(&'static str),
    /// JSON ends before its last brace; what was there is read.
    CutJson,
    /// The last brace of JSON is missing, or other text is in it.
    NoLastBrace,
    /// A parser refuses the JSON, in its words.
    InvalidJson(String),
    /// JSON has more values than are read.
    TooManyValues,
    /// A path appears twice in JSON.
    Twice(String),
    /// A direction transferred bytes without a request.
    NoRequests(&'static str),
    /// The minimum latency of this operation is zero.
    ZeroMinimum(&'static str),
    /// The mean latency of this operation is not between the minimum and the maximum.
    MeanOutside(&'static str),
    /// The percentiles of this operation decrease, or exceed the maximum.
    Percentiles(&'static str),
}

/// What is wrong with an output of dd.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DdWhy {
    /// The bytes are not the size next to them.
    Size {
        /// As printed.
        bytes: u64,
    },
    /// The bytes are not the time times the rate.
    Rate {
        /// As printed.
        bytes: u64,
    },
    /// Statistics in another language or in units that dd does not print.
    Words,
    /// A progress line without the end of the run.
    Progress,
    /// Statistics above those of another run.
    Statistics,
    /// Record counts without the line that has the time.
    Records,
}

/// What is wrong with an output of iozone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum IozoneWhy {
    /// A table does not state its unit.
    Unit,
    /// An Excel report contradicts the table above it.
    Report {
        /// The line of the report.
        line: u64,
    },
    /// More lists of latencies than are read.
    Lists {
        /// The limit.
        limit: usize,
    },
}

/// What is wrong with an output of sysbench.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SysbenchWhy {
    /// It has no result of fileio.
    Test,
    /// sysbench counted no operations.
    Nothing,
    /// A report repeats a figure.
    Repeated {
        /// The line of the second.
        line: u64,
    },
    /// There were too few events for a latency.
    TooFewEvents {
        /// The latency.
        name: String,
        /// As printed.
        raw: String,
    },
    /// Figures that one run cannot print.
    Impossible(Impossible),
}

/// What one run of sysbench cannot print.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Impossible {
    /// Figures of version 0.4 and of 1.0.
    Versions,
    /// A prepare and a run.
    PrepareAndRun,
    /// A prepare without the number of its files.
    PrepareFiles,
    /// The operations do not add up to their total.
    Total,
    /// Events are not reads and writes together.
    Events,
    /// Requests transferred more than a block each.
    Larger,
    /// A product does not fit.
    Unequal(Unequal),
}

/// What only one tool prints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Peculiar {
    /// bonnie++ 1.98 to 2.00 print wrong rates for small files in their tables.
    BonnieRates,
    /// The lines that state the direction of tests of CrystalDiskMark are missing.
    DiskmarkDirection,
    /// KDiskMark before 1.4.3 prints one test twice.
    DiskmarkTwice,
    /// The rate of a test of CrystalDiskMark is zero.
    DiskmarkZero,
    /// f3 wrote or read too little for a speed.
    F3Little,
    /// ioping completed only the request that it does not count.
    IopingFirst,
    /// A table of iostat has an unknown column.
    IostatColumn,
    /// The MB of YABS may be either of two sizes.
    YabsMegabyte,
}

macro_rules! kinds {
    ($($kind:ident: $why:ident),*) => {
        $(impl From<$why> for Why {
            fn from(why: $why) -> Why {
                Why::$kind(why)
            }
        })*
    };
}

kinds!(
    Text: TextWhy, Row: RowWhy, Fio: FioWhy, Dd: DdWhy, Iozone: IozoneWhy, Sysbench: SysbenchWhy,
    Peculiar: Peculiar, Unequal: Unequal
);

impl From<Impossible> for Why {
    fn from(why: Impossible) -> Why {
        Why::Sysbench(SysbenchWhy::Impossible(why))
    }
}
