//! Values of fio's options in the words of `bench`.

use super::From;
use crate::model::job::Rw;
use crate::model::offsets::Offsets;

/// Options of `bench`, and what has to be said; or why there are none.
pub type Answer = Result<(Vec<(&'static str, String)>, Option<String>), String>;

fn one(name: &'static str, value: impl Into<String>) -> Answer {
    Ok((vec![(name, value.into())], None))
}

fn nothing() -> Answer {
    Ok((Vec::new(), None))
}

fn said(note: &str) -> Answer {
    Ok((Vec::new(), Some(note.to_string())))
}

/// `--rw`: fio's patterns; `smallfiles` is ours.
pub fn rw(value: &str, from: From) -> Answer {
    if value.contains("trim") {
        return Err("bench does not discard blocks, which destroys what they contain. To measure \
                    how discarding affects a drive, use a plan with flash_state = \"trimmed\""
            .to_string());
    }
    if let Some((pattern, modifier)) = value.split_once(':') {
        return Err(match (pattern, modifier.starts_with('-')) {
            ("read" | "write", true) => {
                format!("use --rw={pattern} --offsets=backward")
            }
            ("read" | "write", false) => {
                format!("use --rw={pattern} --offsets=strided:BYTES, with BYTES = block plus gap")
            }
            _ => "bench draws a new offset for each I/O. Omit the modifier".to_string(),
        });
    }
    let is_known = Rw::ALL.iter().any(|rw| rw.name() == value && *rw != Rw::SmallFiles);
    match value {
        "rw" => one("rw", Rw::ReadWrite.name()),
        _ if is_known || from == From::Line => one("rw", value),
        _ => Err("this is not an access pattern of bench. Use read, write, randread, randwrite, \
                  readwrite or randrw"
            .to_string()),
    }
}

/// `--ioengine`.
pub fn engine(value: &str, _: From) -> Answer {
    match value {
        "psync" | "libaio" | "io_uring" | "null" => one("engine", value),
        "sync" | "vsync" | "pvsync" | "pvsync2" => Ok((
            vec![("engine", "psync".to_string())],
            Some("uses psync, which also does one I/O at a time".to_string()),
        )),
        "posixaio" => Err("use --ioengine=libaio or io_uring. posixaio starts threads of the C \
                           library that hide the drive's latency"
            .to_string()),
        "mmap" | "splice" => Err("bench measures read and write calls. Use --ioengine=psync, and \
                                  fio itself for this engine"
            .to_string()),
        _ => Err("bench has the engines psync, libaio, io_uring and null. Use fio itself for \
                  this one, and bakeoff import for its output"
            .to_string()),
    }
}

/// `--bs`: one size, or one for reads and one for writes.
pub fn bs(value: &str, _: From) -> Answer {
    match value.contains('-') || value.contains(':') {
        true => Err("bench measures one block size at a time. Run it once for each size, or use \
                     the plan block-size-sweep"
            .to_string()),
        false => one("bs", value),
    }
}

/// `--rwmixwrite`: what is left of the reads.
pub fn mix(value: &str, _: From) -> Answer {
    match value.parse::<u8>().ok().and_then(|writes| 100u8.checked_sub(writes)) {
        Some(reads) => one("rwmixread", reads.to_string()),
        None => Err("write a percentage from 0 to 100".to_string()),
    }
}

/// `--buffered`: the opposite of `--direct`.
pub fn buffered(value: &str, _: From) -> Answer {
    match value {
        "0" => one("direct", "1"),
        "1" => one("direct", "0"),
        _ => Err("write 0 or 1".to_string()),
    }
}

/// `--sync`.
pub fn sync(value: &str, _: From) -> Answer {
    let call = match value {
        "0" | "none" => return nothing(),
        "1" | "sync" => "fsync",
        "dsync" => "fdatasync",
        _ => return Err("write none, sync or dsync".to_string()),
    };
    let note = format!(
        "bakeoff calls {call} after each write, which is as durable as the open flag of fio. The \
         latency of the write and of the flush are separate"
    );
    Ok((vec![(call, "1".to_string())], Some(note)))
}

/// `--norandommap`: each block may come again, or each comes once.
pub fn map(value: &str, _: From) -> Answer {
    one("offsets", if value == "0" { "once" } else { "uniform" })
}

/// `--random_distribution`.
pub fn distribution(value: &str, _: From) -> Answer {
    let is_zipf = matches!(value.parse::<Offsets>(), Ok(Offsets::Zipf { .. }));
    match value {
        "random" => nothing(),
        _ if is_zipf => one("offsets", value),
        _ => Err("bench draws offsets with --offsets=uniform, once, zipf:THETA or \
                  hot:PERCENT/PERCENT"
            .to_string()),
    }
}

/// `--zero_buffers`.
pub fn zero(value: &str, _: From) -> Answer {
    one("data", if value == "0" { "random" } else { "zero" })
}

/// `--verify`: any method is bakeoff's own check.
pub fn verify(value: &str, _: From) -> Answer {
    match value {
        "0" | "none" | "null" => nothing(),
        _ => Ok((
            vec![("verify", "1".to_string())],
            Some(
                "bakeoff checks each block against the data it wrote there, not with this checksum"
                    .to_string(),
            ),
        )),
    }
}

/// `--mem`.
pub fn mem(value: &str, _: From) -> Answer {
    match value {
        "auto" | "malloc" | "thp" => one("mem", value),
        "shm" | "mmap" => Ok((
            vec![("mem", "malloc".to_string())],
            Some("the buffers are ordinary pages, as with malloc".to_string()),
        )),
        "mmaphuge" | "shmhuge" => Err("use --mem=thp, which needs no reserved huge pages".into()),
        _ => Err("bench has --mem=auto, malloc and thp".to_string()),
    }
}

/// `--overwrite` with a value is fio's: the file is laid out first. It is no consent.
pub fn lay_out(value: &str, _: From) -> Answer {
    match value {
        "0" => nothing(),
        _ => one("lay_out", "1"),
    }
}

/// `--output-format`.
pub fn format(value: &str, _: From) -> Answer {
    match value {
        "normal" => one("format", "text"),
        "json" => one("format", "fio-json"),
        "json+" => Ok((
            vec![("format", "fio-json".to_string())],
            Some("the JSON is that of --output-format=json, without bins".to_string()),
        )),
        _ => Err("bench prints normal and json. Its own JSON, with windows and findings, is \
                  --format json"
            .to_string()),
    }
}

/// `--eta`.
pub fn eta(value: &str, _: From) -> Answer {
    match value {
        "never" => said("--quiet turns off progress"),
        "auto" => nothing(),
        _ => said("bakeoff shows progress on a terminal only"),
    }
}

/// `--kb_base`.
pub fn kb_base(value: &str, _: From) -> Answer {
    match value {
        "1024" => nothing(),
        _ => Err("sizes of bench are powers of 1024 (4k = 4096). Write bytes".to_string()),
    }
}

/// `--refill_buffers` and `--scramble_buffers`: whether data is new for each write.
pub fn refill(value: &str, _: From) -> Answer {
    match value {
        "0" => said("bakeoff writes new data each time, so that no drive can deduplicate it"),
        _ => nothing(),
    }
}
