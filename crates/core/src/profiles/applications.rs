//! What applications do: databases, downloads, servers, package managers and desktops.
//!
//! Each names where its pattern is documented. Rows and pieces are the applications' own; sizes are
//! those of a short cell.

use super::{PartSpec, Spec, Writes, cold};
use crate::model::job::{DEFAULT_SIZE_BYTES, Job, Rw};
use crate::model::workload::Metric::{
    Bandwidth, FilesPerSecond, Iops, LatencyP99, TransactionsPerSecond as Transactions,
};

/// sqlite: commits of one small row, by the real library: rows of 100 bytes, `synchronous=FULL`.
///
/// Source: sqlite.org, "SQLite Frequently Asked Questions", (19) "INSERT is really slow", and
/// "Write-Ahead Logging".
pub static SQLITE: Spec = Spec {
    summary: "SQLite: transactions of one small row",
    lays_out: false,
    parts: &[
        // Four flushes a commit: of the journal twice, of the database, of the directory.
        PartSpec::new("rollback", "SQLite commits, rollback journal", Transactions, Rw::RandWrite)
            .timed(0)
            .writes(Writes::Flushed(4 << 10))
            .settles(),
        PartSpec::new("wal", "SQLite commits, write-ahead log", Transactions, Rw::RandWrite)
            .timed(0)
            .writes(Writes::Flushed(16 << 10))
            .settles(),
    ],
    job: Job::new(Rw::RandWrite, 100, 64 << 20),
};

/// home-assistant: the recorder's database and the log of a home automation server, a hundred
/// changes of state a transaction, each a row of the states with its attributes.
///
/// Source: home-assistant.io, "Recorder"; homeassistant/components/recorder/util.py, which sets up
/// the connection to SQLite.
pub static HOME_ASSISTANT: Spec = Spec {
    summary: "Home Assistant: its recorder and its log",
    lays_out: false,
    parts: &[PartSpec::new(
        "",
        "Home Assistant: intervals of 100 changes, recorded and logged",
        Transactions,
        Rw::RandWrite,
    )
    .timed(0)
    .settles()],
    job: Job::new(Rw::RandWrite, 200, 64 << 20),
};

/// A thousand pieces of a torrent, and as many more as come in the time of a cell.
const PIECES_NS: u64 = 1_600_000_000;

/// Pieces of 16 KiB that the line brings: 10 MiB a second.
pub const TORRENT_PIECES_PER_S: u64 = 640;

/// torrent: 16 KiB pieces arriving at random places, 10 MiB a second from the line.
///
/// Source: bittorrent.org, BEP 3, "The BitTorrent Protocol Specification", and BEP 52.
pub static TORRENT: Spec = Spec {
    summary: "torrent: pieces arrive while the kernel writes back",
    lays_out: false,
    parts: &[
        PartSpec::new(
            "stall",
            "torrent: p99 of a 16k piece that arrives while others are flushed",
            LatencyP99,
            Rw::RandWrite,
        )
        .timed(PIECES_NS)
        .writes(Writes::Paced(TORRENT_PIECES_PER_S * (16 << 10))),
        PartSpec::new(
            "rate",
            "torrent: pieces accepted of 10 MiB per second, flushed",
            Bandwidth,
            Rw::RandWrite,
        )
        .timed(PIECES_NS)
        .writes(Writes::Shared),
    ],
    job: Job::new(Rw::RandWrite, 16 << 10, DEFAULT_SIZE_BYTES),
};

/// nas: several people copy large files to and from a server, four streams.
///
/// Source: the access pattern of Samba's and knfsd's large reads and writes (smb.conf(5), `aio read
/// size`; nfs(5), `rsize` and `wsize`, 1 MiB at most).
pub static NAS: Spec = Spec {
    summary: "nas: four sequential streams of 1 MiB blocks",
    lays_out: false,
    parts: &[
        PartSpec::new("write", "nas: four large files written at once", Bandwidth, Rw::Write)
            .timed(0),
        PartSpec::new("read", "nas: four large files read at once", Bandwidth, Rw::Read).timed(0),
        PartSpec::new(
            "mixed",
            "nas: two large files read while two are written",
            Bandwidth,
            Rw::RandRw,
        )
        .timed(0),
    ],
    job: Job { numjobs: 4, ..cold(Rw::Write, 1 << 20) },
};

/// copy-tree: a tree of files copied as `rsync -a` does it, in pieces of 32 KiB. Half of the bytes
/// are the source, half the copy.
///
/// Source: rsync(1); rsync 3.2, fileio.c and receiver.c.
pub static COPY_TREE: Spec = Spec {
    summary: "copy-tree: files of all sizes copied as rsync does",
    lays_out: true,
    parts: &[PartSpec::new(
        "",
        "files of 1 KiB to 1 MiB copied as rsync does, flushed at the end",
        FilesPerSecond,
        Rw::RandRw,
    )],
    job: cold(Rw::RandRw, 32 << 10),
};

/// boot: many cold small reads, headers and pieces of files in random order.
///
/// Source: Joo, Ryu, Park and Shin, "FAST: Quick Application Launch on Solid-State Disks", FAST
/// 2011.
pub static BOOT: Spec = Spec {
    summary: "boot: many cold small reads",
    lays_out: true,
    parts: &[PartSpec::new("", "boot: headers and 16k pieces of files, cold", Iops, Rw::RandRead)],
    job: cold(Rw::RandRead, 16 << 10),
};

/// package-install: packages unpacked as dpkg does it, forty files a package.
///
/// Source: dpkg 1.21, src/main/archives.c and lib/dpkg/dbmodify.c.
pub static PACKAGE_INSTALL: Spec = Spec {
    summary: "package-install: small files written, flushed and renamed",
    lays_out: false,
    parts: &[PartSpec::new(
        "",
        "packages of 40 small files installed as dpkg does",
        FilesPerSecond,
        Rw::RandWrite,
    )
    .timed(0)
    // The mean size of its files, each flushed.
    .writes(Writes::Flushed(39 << 10))
    .settles()],
    job: Job::new(Rw::RandWrite, 4 << 10, 16 << 20),
};

/// A thousand reads of a desktop at 250 a second.
const CLICKS_NS: u64 = 4_000_000_000;

/// desktop: small reads while a large file is written. Half of the bytes are read, half written.
///
/// Source: the kernel's Documentation/block/bfq-iosched.rst, which states the same test (start-up
/// and response times while files are written) as what it was made for.
pub static DESKTOP: Spec = Spec {
    summary: "desktop: small reads while a large file is written",
    lays_out: true,
    parts: &[PartSpec::new(
        "",
        "p99 of 16k reads that arrive while a large file is written",
        LatencyP99,
        Rw::RandRw,
    )
    .timed(CLICKS_NS)],
    job: cold(Rw::RandRw, 16 << 10),
};
