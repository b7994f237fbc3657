//! A candidate with one layer alone: what tells which layer takes the time.

use bakeoff_machine::prepare::recipe;
use bakeoff_model::candidate::{Candidate, Kind, Knobs, Stack};
use bakeoff_model::use_state::UseState;

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
    use bakeoff_model::candidate::Crypt;

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
        let alone = of(filesystem_alone(&encrypted()));
        assert_eq!((alone.crypt, alone.knobs, alone.mkfs), (None, Knobs::default(), own.mkfs));
        let cipher = of(cipher_alone(&encrypted()));
        assert_eq!((cipher.fs.as_str(), cipher.crypt), ("raw", own.crypt));
    }

    #[test]
    fn what_has_no_such_layer_has_no_variant() {
        let plain = Candidate::new("p", Kind::Stack(Stack::plain("ext4", vec![], vec![], false)));
        assert!(cipher_alone(&plain).is_none() && filesystem_alone(&plain).is_some());
        let raw = Candidate::new("r", Kind::Stack(Stack::plain("raw", vec![], vec![], false)));
        assert!(filesystem_alone(&raw).is_none());
    }
}
