//! What an I/O's result means when it is not the length that was asked for.

use std::io;

use super::Op;
use crate::error::EngineError;

/// What is left to do of `op` after `result`, or why there is no going on. Short transfers are
/// legal: a signal, or a device that filled up in the middle, whose error comes with the rest.
pub fn rest_of(mut op: Op, result: i32) -> Result<Op, EngineError> {
    let doing = if op.write { "writing" } else { "reading" };
    let place = || format!("{doing} {} bytes at byte {}", op.len, op.offset);
    if result == 0 {
        return Err(EngineError::invalid(format!(
            "{} transferred no data: the target is shorter than before",
            place()
        )));
    }
    if result < 0 {
        return match -result {
            libc::EINTR | libc::EAGAIN => Ok(op),
            errno => Err(EngineError::io(place(), io::Error::from_raw_os_error(errno))),
        };
    }
    let moved = result.unsigned_abs().min(op.len);
    op.len -= moved;
    op.offset += u64::from(moved);
    // Within the block, or one past its end.
    op.memory = op.memory.wrapping_add(moved as usize);
    Ok(op)
}

#[cfg(test)]
mod tests {
    use bakeoff_tools::native::FailureKind;

    use super::*;

    #[test]
    fn a_short_transfer_goes_on_and_an_error_names_its_place() {
        let mut block = [0u8; 4096];
        let memory = block.as_mut_ptr();
        let op = Op { slot: 3, write: true, len: 4096, offset: 8192, memory };
        let rest = rest_of(op, 1000).unwrap();
        assert_eq!((rest.slot, rest.len, rest.offset), (3, 3096, 9192));
        assert_eq!(rest.memory as usize, memory as usize + 1000);
        assert_eq!(rest_of(op, -libc::EINTR).unwrap().len, 4096);
        let full = rest_of(rest, -libc::ENOSPC).unwrap_err();
        assert!(full.to_string().contains("writing 3096 bytes at byte 9192"), "{full}");
        assert!(full.kind() == FailureKind::NoSpace);
        assert!(rest_of(op, 0).unwrap_err().to_string().contains("shorter"));
    }
}
