//! What iozone leaves at the start of each page, and looks for when it reads.

use crate::error::EngineError;

const PAGE_BYTES: usize = 4096;
/// The real one depends on iozone's version.
const PATTERN: [u8; 8] = [0xa5; 8];

pub fn set(bytes: &mut [u8]) {
    for page in bytes.chunks_mut(PAGE_BYTES) {
        let len = page.len().min(PATTERN.len());
        page[..len].copy_from_slice(&PATTERN[..len]);
    }
}

pub fn check(bytes: &[u8], offset: u64) -> Result<(), EngineError> {
    for (page, at) in bytes.chunks(PAGE_BYTES).zip((offset..).step_by(PAGE_BYTES)) {
        let len = page.len().min(PATTERN.len());
        if page[..len] != PATTERN[..len] {
            return Err(EngineError::Verify {
                offset: at,
                expected: PATTERN[0],
                found: page[0],
                note: "iozone's data pattern is missing".to_string(),
            });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_page_is_found() {
        let mut bytes = vec![0; 3 * PAGE_BYTES];
        set(&mut bytes);
        check(&bytes, 0).unwrap();
        bytes[2 * PAGE_BYTES + 7] = 0;
        let EngineError::Verify { offset, .. } = check(&bytes, 100).unwrap_err() else {
            panic!("another error")
        };
        assert_eq!(offset, 100 + 2 * PAGE_BYTES as u64);
    }
}
