//! The token that lets a reader in: printed once, kept as a hash, compared in constant time.

use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use crate::files::User;
use crate::store::place;

/// Bytes of a token; nobody guesses 128 bits.
const BYTES: usize = 16;

/// What a token is recognised by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    hash: [u8; 32],
}

impl Token {
    /// The token of a store: the one of its file, or a new one, whose text comes with it.
    ///
    /// # Errors
    /// When the file cannot be read or made, or others could read it.
    pub fn of_store(store: &Path) -> io::Result<(Token, Option<String>)> {
        let path = path(store);
        match fs::read_to_string(&path) {
            Ok(text) => match parse(text.trim()) {
                Some(hash) => Ok((Token { hash }, None)),
                None => Err(io::Error::other("the file does not contain a token. Remove it")),
            },
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let (token, text) = Token::fresh()?;
                let mut options = fs::OpenOptions::new();
                let mut file = options.write(true).create_new(true).mode(0o600).open(&path)?;
                writeln!(file, "{}", hex(&token.hash))?;
                if let Some(user) = User::behind_sudo() {
                    user.give(&file)?;
                }
                Ok((token, Some(text)))
            }
            Err(error) => Err(error),
        }
    }

    fn fresh() -> io::Result<(Token, String)> {
        let mut bytes = [0; BYTES];
        let mut filled = 0;
        while filled < BYTES {
            let flags = rustix::rand::GetRandomFlags::empty();
            filled += rustix::rand::getrandom(&mut bytes[filled..], flags)?;
        }
        let text = hex(&bytes);
        Ok((Token { hash: Sha256::digest(text.as_bytes()).into() }, text))
    }

    /// Whether that is the token. Hashes are compared, all their bytes every time, so that the time
    /// tells nothing about where they differ.
    pub fn is(&self, typed: &str) -> bool {
        let typed: [u8; 32] = Sha256::digest(typed.trim().as_bytes()).into();
        let differs = self.hash.iter().zip(typed).fold(0, |all, (a, b)| all | (a ^ b));
        std::hint::black_box(differs) == 0
    }
}

/// Where the hash is kept.
pub fn path(store: &Path) -> PathBuf {
    place::beside(store, ".serve-token")
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn parse(text: &str) -> Option<[u8; 32]> {
    let digits = text.as_bytes();
    if digits.len() != 64 || !digits.iter().all(u8::is_ascii_hexdigit) {
        return None;
    }
    let mut hash = [0; 32];
    for (byte, at) in hash.iter_mut().zip((0..64).step_by(2)) {
        *byte = u8::from_str_radix(&text[at..at + 2], 16).ok()?;
    }
    Some(hash)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn is_told_once_and_kept_as_a_hash_that_only_its_owner_reads() {
        let dir = tempfile::tempdir().unwrap();
        let store = dir.path().join("s.db");
        let (token, text) = Token::of_store(&store).unwrap();
        let text = text.unwrap();
        assert!(token.is(&text) && token.is(&format!("{text}\n")));
        assert!(!token.is("") && !token.is(&text[1..]) && !token.is(&text.to_uppercase()));
        let kept = fs::read_to_string(path(&store)).unwrap();
        assert!(!kept.contains(&text), "{kept}");
        let mode = fs::metadata(path(&store)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        assert_eq!(Token::of_store(&store).unwrap(), (token, None));
        // The hash itself lets nobody in.
        assert!(!Token::of_store(&store).unwrap().0.is(kept.trim()));
        for damaged in ["", "abc", &"é".repeat(32)] {
            fs::write(path(&store), damaged).unwrap();
            assert!(Token::of_store(&store).is_err(), "{damaged}");
        }
    }
}
