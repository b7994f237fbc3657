//! The small files of bonnie++: made, looked at and removed, in order and shuffled.
//!
//! Names are those of bonnie++: ten hexadecimal digits of the file's number and up to a dozen
//! random letters and digits, the number first or last. In order means the order the directory
//! lists them in; shuffled means a random order, another one for each phase. Creating and removing
//! end with the filesystem flushed: bonnie++ calls sync(2), which flushes every filesystem of the
//! machine; here syncfs(2) flushes the one under test.

use std::ffi::CStr;
use std::io::Write;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, OwnedFd};

use bakeoff_model::job::Job;
use bakeoff_stats::prng::{SplitMix64, mix};
use rustix::fs::{AtFlags, Mode, OFlags, RawDir, StatxFlags, openat, statx, unlinkat};

use rustix::io::Errno;

use super::meter::Meter;
use super::tools;
use super::workdir::Workdir;
use super::{Context, block, per_second};
use crate::error::EngineError;
use crate::offsets::{Once, Span, Walk};
use crate::record::Kind;
use crate::target;

/// Files where nobody says otherwise: `-n 16`.
const FILES: u32 = 16 * 1024;
const FIRST: u16 = 6;
const DIRECTORY: &str = "Bonnie";
/// Bytes of directory entries asked for at a time, as glibc does.
const LIST_BYTES: usize = 32 << 10;
const LETTERS: &[u8; 62] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
/// Tell the orders of two phases apart.
const STAT: u64 = 1;
const DELETE: u64 = 2;

pub fn run(context: &mut Context<'_>) -> Result<(), EngineError> {
    context.workdir.remove("Bonnie.0")?;
    for (set, shuffled) in [(0, false), (3, true)] {
        if (FIRST + set..FIRST + set + 3).any(|part| context.wants(part)) {
            set_of_three(context, FIRST + set, shuffled)?;
        }
    }
    Ok(())
}

/// Create, stat and delete take turns until each has had its time, so that each pass finds what
/// the one before it left. Looking up is so quick that it has all of its time in the first pass.
fn set_of_three(context: &mut Context<'_>, part: u16, shuffled: bool) -> Result<(), EngineError> {
    let files = if context.job.nrfiles == 0 { FILES } else { context.job.nrfiles };
    let flushed = |job: &mut Job| (job.bs, job.end_fsync) = (1, true);
    let mut create = context.meter(part, &[Kind::Create, Kind::Flush], flushed);
    let mut stat = context.meter(part + 1, &[Kind::Stat], flushed);
    let mut delete = context.meter(part + 2, &[Kind::Unlink, Kind::Flush], flushed);
    for pass in 0.. {
        let seed = mix(context.job.seed ^ pass);
        let set = Set { workdir: context.workdir.make_dir(DIRECTORY)?, files, shuffled, seed };
        set.create(&mut create)?;
        let once = context.job.runtime_ns.is_none();
        if pass == 0 {
            stat.repeat(|stat| {
                set.visit(stat, STAT, look_up)?;
                stat.pause();
                Ok(())
            })?;
        }
        set.delete(&mut delete, context)?;
        let meters = [&create, &stat, &delete];
        if once || meters.iter().all(|m| m.is_over()) || meters.iter().any(|m| m.is_cut_off()) {
            break;
        }
    }
    let all = [(create, Kind::Create), (stat, Kind::Stat), (delete, Kind::Unlink)];
    for (part, (meter, kind)) in (part..).zip(all) {
        if context.wants(part) {
            let rate = per_second(meter.so_far(kind).0 as f64, meter.elapsed_ns()).floor();
            let longest_ns = meter.longest_ns(kind);
            let cpu = (meter.usage.sum_ns(), meter.elapsed_ns());
            let figures = tools::bonnie(part, (rate, "/sec"), cpu, longest_ns);
            context.push(meter.finish(figures));
        }
    }
    Ok(())
}

fn look_up(meter: &mut Meter<'_>, dir: &OwnedFd, name: &CStr) -> Result<(), EngineError> {
    match statx(dir, name, AtFlags::SYMLINK_NOFOLLOW, StatxFlags::BASIC_STATS) {
        Ok(_) => meter.op(Kind::Stat, 0),
        // Not made, because creating was cut off.
        Err(Errno::NOENT) => 0,
        Err(e) => return Err(EngineError::io("looking up a file", e)),
    };
    Ok(())
}

struct Set {
    workdir: Workdir,
    files: u32,
    shuffled: bool,
    seed: u64,
}

impl Set {
    fn create(&self, meter: &mut Meter<'_>) -> Result<(), EngineError> {
        let flags = OFlags::CREATE | OFlags::EXCL | OFlags::WRONLY;
        let flags = flags | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let dir = self.workdir.dir();
        meter.resume();
        for number in 0..self.files {
            let name = self.name(number);
            let file = openat(dir, name.as_c_str(), flags, Mode::RUSR | Mode::WUSR)
                .map_err(|e| EngineError::io("creating a file", e))?;
            target::close(file)?;
            meter.op(Kind::Create, 0);
            if meter.is_cut_off() {
                break;
            }
        }
        self.sync(meter)
    }

    fn delete(self, meter: &mut Meter<'_>, context: &Context<'_>) -> Result<(), EngineError> {
        let unlink = |meter: &mut Meter<'_>, dir: &OwnedFd, name: &CStr| {
            match unlinkat(dir, name, AtFlags::empty()) {
                Ok(()) => meter.op(Kind::Unlink, 0),
                // Not made, because creating was cut off.
                Err(Errno::NOENT) => 0,
                Err(e) => return Err(EngineError::io("removing a file", e)),
            };
            Ok(())
        };
        self.visit(meter, DELETE, unlink)?;
        // What a listing left out while files went away, and after a cut.
        self.workdir.clear()?;
        unlinkat(context.workdir.dir(), DIRECTORY, AtFlags::REMOVEDIR)
            .map_err(|e| EngineError::io("removing a directory", e))?;
        self.sync(meter)
    }

    fn sync(&self, meter: &mut Meter<'_>) -> Result<(), EngineError> {
        block::syncfs(self.workdir.dir())?;
        meter.flush();
        meter.pause();
        Ok(())
    }

    fn visit(
        &self,
        meter: &mut Meter<'_>,
        phase: u64,
        mut work: impl FnMut(&mut Meter<'_>, &OwnedFd, &CStr) -> Result<(), EngineError>,
    ) -> Result<(), EngineError> {
        let dir = self.workdir.dir();
        meter.resume();
        if !self.shuffled {
            return self.list(meter, |meter, name| work(meter, dir, name));
        }
        let mut order = Once::new(Span::whole(self.files.into()), mix(self.seed ^ phase));
        for _ in 0..self.files {
            // Blocks of the span are below `files`.
            let name = self.name(order.next_block() as u32);
            work(meter, dir, name.as_c_str())?;
            if meter.is_cut_off() {
                break;
            }
        }
        Ok(())
    }

    fn list(
        &self,
        meter: &mut Meter<'_>,
        mut work: impl FnMut(&mut Meter<'_>, &CStr) -> Result<(), EngineError>,
    ) -> Result<(), EngineError> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let dir = openat(self.workdir.dir(), ".", flags, Mode::empty())
            .map_err(|e| EngineError::io("opening a directory", e))?;
        let mut memory = [MaybeUninit::uninit(); LIST_BYTES];
        let mut entries = RawDir::new(dir.as_fd(), &mut memory);
        while let Some(entry) = entries.next() {
            let entry = entry.map_err(|e| EngineError::io("reading a directory", e))?;
            let name = entry.file_name();
            if name != c"." && name != c".." {
                work(meter, name)?;
            }
            if meter.is_cut_off() {
                break;
            }
        }
        Ok(())
    }

    fn name(&self, number: u32) -> Name {
        Name::new(number, self.shuffled, self.seed)
    }
}

/// A file's name, without allocation.
struct Name([u8; 24]);

impl Name {
    fn new(number: u32, random_first: bool, seed: u64) -> Name {
        let mut random = SplitMix64::derive(seed, &[number.into()]);
        let mut letters = [0; 12];
        let len = (random.next_u64() % 13) as usize;
        for letter in &mut letters[..len] {
            *letter = LETTERS[(random.next_u64() % LETTERS.len() as u64) as usize];
        }
        let mut bytes = [0; 24];
        let digits_at = if random_first { len } else { 0 };
        let letters_at = if random_first { 0 } else { 10 };
        bytes[letters_at..letters_at + len].copy_from_slice(&letters[..len]);
        // Ten digits are room for any number of 32 bits.
        let written = write!(&mut bytes[digits_at..digits_at + 10], "{number:010x}");
        debug_assert!(written.is_ok());
        Name(bytes)
    }

    fn as_c_str(&self) -> &CStr {
        CStr::from_bytes_until_nul(&self.0).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_bonnie_and_differ() {
        let all: std::collections::BTreeSet<Vec<u8>> =
            (0..1000).map(|n| Name::new(n, true, 3).as_c_str().to_bytes().to_vec()).collect();
        assert_eq!(all.len(), 1000);
        assert!(all.iter().all(|n| (10..=22).contains(&n.len())));
        let name = Name::new(0xab, false, 3);
        assert!(name.as_c_str().to_bytes().starts_with(b"00000000ab"));
        let name = Name::new(0xab, true, 3);
        assert!(name.as_c_str().to_bytes().ends_with(b"00000000ab"));
    }
}
