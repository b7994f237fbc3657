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
            let note = "iozone's data pattern is missing";
            return Err(EngineError::wrong_data(at, PATTERN[0], page[0], note));
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
        let error = check(&bytes, 100).unwrap_err();
        let at = format!("wrong data at byte {}:", 100 + 2 * PAGE_BYTES);
        assert!(error.to_string().contains(&at), "{error}");
    }
}
