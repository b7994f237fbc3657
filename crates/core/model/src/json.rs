//! Reading JSON out of bytes. Always by way of text: serde makes the code of a type once for each
//! kind of input, and that of the model is large.

use serde::de::{DeserializeOwned, Error};

pub fn read<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, serde_json::Error> {
    serde_json::from_str(std::str::from_utf8(bytes).map_err(serde_json::Error::custom)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_that_are_no_text_are_an_error_and_no_panic() {
        assert_eq!(read::<Vec<u8>>(b"[1, 2]").unwrap(), [1, 2]);
        let error = read::<String>(b"\"\xff\"").unwrap_err().to_string();
        assert!(error.contains("utf-8"), "{error}");
    }
}
