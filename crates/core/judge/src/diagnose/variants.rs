//! A candidate with one layer changed or alone: what tells which layer takes the time.
//!
//! Methodology: the same work on the stack without its cipher, with a cipher that does nothing, on
//! the filesystem in memory, on the cipher in memory.

use bakeoff_machine::prepare::recipe;
use bakeoff_model::candidate::{Candidate, Crypt, Kind, Knobs, Stack};
use bakeoff_model::use_state::UseState;

/// dm-crypt with nothing to compute (`crypto/crypto_null.c`).
const NULL_CIPHER: &str = "cipher_null-ecb";

/// The stack without encryption; `None` where it has none.
pub fn without_cipher(of: &Candidate) -> Option<Candidate> {
    let stack = of.stack()?;
    stack.crypt.as_ref()?;
    Some(changed(of, "without encryption", Stack { crypt: None, ..stack.clone() }))
}

/// The stack on dm-crypt with the null cipher; `None` where it has no encryption. Plain dm-crypt,
/// because LUKS keeps no key for a cipher that takes none (cryptsetup-luksFormat(8)).
pub fn null_cipher(of: &Candidate) -> Option<Candidate> {
    let stack = of.stack()?;
    let own = stack.crypt.clone()?;
    let crypt = Crypt { kind: "plain".into(), cipher: NULL_CIPHER.into(), ..own };
    Some(changed(of, "with the null cipher", Stack { crypt: Some(crypt), ..stack.clone() }))
}

/// The encryption on the region itself, without a filesystem; `None` where it has none, or nothing
/// else.
pub fn cipher_on_the_region(of: &Candidate) -> Option<Candidate> {
    let stack = of.stack().filter(|stack| stack.fs != recipe::RAW)?;
    let crypt = stack.crypt.clone()?;
    let raw = Stack::plain(recipe::RAW, Vec::new(), Vec::new(), false);
    let alone = Stack { crypt: Some(crypt), knobs: stack.knobs.clone(), ..raw };
    Some(changed(of, "without a filesystem", alone))
}

/// The filesystem with nothing below it, the kernel as it is found; `None` where there is none.
pub fn filesystem_alone(of: &Candidate) -> Option<Candidate> {
    let stack = of.stack().filter(|stack| stack.fs != recipe::RAW)?;
    let (knobs, state) = (Knobs::default(), UseState::default());
    let alone = Stack { crypt: None, lvm: false, knobs, state, ..stack.clone() };
    Some(changed(of, "in memory", alone))
}

/// The encryption with nothing on it, the kernel as it is found; `None` where there is none.
pub fn cipher_alone(of: &Candidate) -> Option<Candidate> {
    let crypt = of.stack()?.crypt.clone()?;
    let raw = Stack::plain(recipe::RAW, Vec::new(), Vec::new(), false);
    Some(changed(of, "the cipher in memory", Stack { crypt: Some(crypt), ..raw }))
}

fn changed(of: &Candidate, how: &str, stack: Stack) -> Candidate {
    let name = format!("{}, {how}", of.name);
    Candidate { name, kind: Kind::Stack(stack), ..of.clone() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn encrypted() -> Candidate {
        let crypt = Crypt {
            kind: "luks2".into(),
            cipher: "aes-xts-plain64".into(),
            key_bits: 512,
            sector_size: Some(4096),
            no_read_workqueue: false,
            no_write_workqueue: false,
        };
        let plain = Stack::plain("ext4", vec!["-m".into(), "0".into()], Vec::new(), false);
        let knobs = Knobs { scheduler: Some("bfq".into()), ..Knobs::default() };
        Candidate::new("e", Kind::Stack(Stack { crypt: Some(crypt), knobs, ..plain }))
    }

    #[test]
    fn one_thing_changes() {
        let of = |c: Option<Candidate>| c.unwrap().stack().unwrap().clone();
        let own = encrypted().stack().unwrap().clone();
        assert_eq!(of(without_cipher(&encrypted())), Stack { crypt: None, ..own.clone() });
        let null = of(null_cipher(&encrypted()));
        let crypt = null.crypt.clone().unwrap();
        assert_eq!((crypt.cipher.as_str(), crypt.sector_size), (NULL_CIPHER, Some(4096)));
        assert_eq!(Stack { crypt: own.crypt.clone(), ..null }, own);
        let raw = of(cipher_on_the_region(&encrypted()));
        assert_eq!(
            (raw.fs.as_str(), raw.crypt, raw.knobs),
            ("raw", own.crypt.clone(), own.knobs.clone())
        );
        let alone = of(filesystem_alone(&encrypted()));
        assert_eq!((alone.crypt, alone.knobs, alone.mkfs), (None, Knobs::default(), own.mkfs));
        let cipher = of(cipher_alone(&encrypted()));
        assert_eq!((cipher.fs.as_str(), cipher.crypt), ("raw", own.crypt));
    }

    #[test]
    fn what_has_no_such_layer_has_no_variant() {
        let plain = Candidate::new("p", Kind::Stack(Stack::plain("ext4", vec![], vec![], false)));
        assert!(without_cipher(&plain).is_none() && null_cipher(&plain).is_none());
        assert!(cipher_on_the_region(&plain).is_none());
        assert!(cipher_alone(&plain).is_none() && filesystem_alone(&plain).is_some());
        let raw = Candidate::new("r", Kind::Stack(Stack::plain("raw", vec![], vec![], false)));
        assert!(filesystem_alone(&raw).is_none());
    }
}
