//! What the commands of a foreign tool cannot do of a workload.

use thiserror::Error;

use super::fio::jobfile::JobFileError;

/// Why a tool cannot run a workload, and what to change in the plan.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Cannot {
    /// It needs one file, and the workload is on a directory.
    #[error("it needs a single file")]
    SeveralFiles,
    /// The workload is a part of the profile of another tool.
    #[error("profile = \"{name}\" needs driver = \"native\"{}", or_itself(*is_a_driver, name))]
    OtherProfile { name: &'static str, is_a_driver: bool },
    #[error("its profile has no part {0}")]
    NoPart(&'static str),
    /// Another I/O engine than read and write calls.
    #[error("it uses only read and write calls: omit engine")]
    Engine,
    #[error("its offsets are sequential or uniformly random: omit offsets")]
    Offsets,
    #[error("it flushes only at the end: use end_fsync")]
    FlushesBetween,
    #[error("it has no test of small files")]
    SmallFiles,
    #[error(transparent)]
    JobFile(#[from] JobFileError),
    /// fio has an engine each for creating, looking up and removing files.
    #[error("small files need three engines of fio: use a job file, or driver = \"native\"")]
    FioSmallFiles,
    #[error("its null engine measures fio itself")]
    FioNull,
    #[error("its other offsets differ from bakeoff's: use a job file")]
    FioOffsets,
    #[error("its verification writes its own headers")]
    FioVerify,
    #[error("it does not support transparent huge pages: omit mem")]
    FioHugePages,
    /// A synchronous engine of fio has one request in flight.
    #[error("iodepth needs engine = \"io_uring\" or \"libaio\"")]
    FioDepth,
    #[error("it reads or writes sequentially: use rw = \"read\" or \"write\"")]
    DdPattern,
    #[error("it processes the file once: omit io_size")]
    DdAmount,
    #[error("less than one block")]
    DdBlock,
    #[error("it performs only one operation at a time")]
    DdDepth,
    #[error("it cannot limit the rate")]
    DdRate,
    #[error("it cannot verify data")]
    DdVerify,
    #[error("its sizes must be whole KiB, and records above 16 MiB need a patched iozone")]
    IozoneSizes,
    /// iozone mixes with several processes only.
    #[error("it mixes reads and writes only across processes, and has no test of small files")]
    IozoneMixed,
    /// iozone takes sizes in KiB.
    #[error("its sizes must be whole KiB")]
    IozoneKib,
    #[error("records above 16 MiB need a patched iozone")]
    IozoneRecord,
    #[error("the file size must be a multiple of the record size")]
    IozoneMultiple,
    #[error(
        "it reads the data it has just written from memory: use direct = true, or driver = \
         \"native\""
    )]
    IozoneMemory,
    #[error("it does only one operation at a time here")]
    IozoneDepth,
    #[error("it makes one pass over the file: omit io_size")]
    IozoneAmount,
    /// iozone has neither rate nor verification in these modes.
    #[error("it cannot limit the rate or verify data here")]
    IozoneRate,
    /// sysbench 0.4 does not flush between sequential writes.
    #[error(
        "0.4 flushes only at the end of sequential writes: install 1.0, or set fsync above the \
         number of requests (a profile sets 100)"
    )]
    OldSysbenchFlushes,
    /// sysbench 0.4 goes through its files once.
    #[error(
        "0.4 makes one sequential pass over all its files, regardless of io_size: install 1.0, or \
         omit io_size"
    )]
    OldSysbenchAmount,
    #[error("it cannot mix sequential reads and writes")]
    SysbenchMixed,
    #[error(
        "it counts reads as well for fsync: omit fsync for randrw, or use profile = \"sysbench\""
    )]
    SysbenchCount,
    #[error("use rw = \"randread\" instead of rwmixread = 100")]
    SysbenchReads,
    #[error("it takes fsync or fdatasync, not both")]
    SysbenchFlushes,
    /// A thread of sysbench has one request in flight.
    #[error("each thread does one operation at a time: use numjobs instead of iodepth")]
    SysbenchDepth,
    #[error("its random offsets repeat")]
    SysbenchOffsets,
    #[error("its rate limit draws arrival times at random")]
    SysbenchRate,
    #[error("its verification differs from bakeoff's")]
    SysbenchVerify,
    /// bonnie++ runs its phases only.
    #[error("it runs fixed phases: use profile = \"bonnie\"")]
    BonniePhases,
    /// bonnie++ takes the size of its file in MiB.
    #[error("its file size must be whole MiB")]
    BonnieSize,
    #[error("its chunk size must be a power of two from 256 bytes to 1 MiB")]
    BonnieChunk,
    /// bonnie++ makes small files by 1024.
    #[error("it creates small files in units of 1024: nrfiles must be a multiple of 1024")]
    BonnieFiles,
    /// bonnie++ takes the amount of its phases of single bytes in MiB.
    #[error("its one-byte phases must be whole MiB: change io_size")]
    BonnieBytes,
}

fn or_itself(is_a_driver: bool, name: &str) -> String {
    if is_a_driver { format!(" or \"{name}\"") } else { String::new() }
}
