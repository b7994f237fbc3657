//! L62 crypto-unspecified: the cipher, key size or sector size of the encryption is not stated.

use crate::evidence::rule::Hit;
use bakeoff_model::candidate::Stack;
use bakeoff_model::design::Design;
use bakeoff_model::host::Place;

/// L62 for directories: an encrypted layer whose cipher is not known from here.
pub fn of_place(_: Design<'_>, place: &Place) -> Option<Hit> {
    let layer = place.cipher()?;
    let evidence = format!("{} is encrypted; cipher, key and sector size are unknown", layer.name);
    let advice = "state them next to the result; to show them: cryptsetup luksDump";
    Some(Hit::new(evidence, advice))
}

pub fn of_stacks(design: Design<'_>) -> Vec<Hit> {
    let named = |(name, stack): (&str, &Stack)| {
        Some(Hit { candidate: Some(name.to_string()), ..of_stack(stack)? })
    };
    design.stacks().filter_map(named).collect()
}

fn of_stack(stack: &Stack) -> Option<Hit> {
    let crypt = stack.crypt.as_ref().filter(|c| c.sector_size.is_none())?;
    let evidence = format!(
        "{} with a {}-bit key and the default sector size of cryptsetup",
        crypt.cipher, crypt.key_bits
    );
    Some(Hit::new(evidence, "set it in the plan: crypt = { sector_size = 4096, … }"))
}

#[cfg(test)]
mod tests {
    use crate::rules::tests::before::{fires, places, stack, with};
    use bakeoff_model::candidate::Crypt;
    use bakeoff_model::host::{Layer, LayerKind};

    fn crypt(sector_size: Option<u32>) -> Crypt {
        Crypt {
            kind: "luks2".to_string(),
            cipher: "aes-xts-plain64".to_string(),
            key_bits: 512,
            sector_size,
            no_read_workqueue: false,
            no_write_workqueue: false,
        }
    }

    #[test]
    fn l62_encryption_that_is_not_stated() {
        let layer = |target: &str| Layer {
            name: "dm-0".to_string(),
            kind: LayerKind::Dm,
            dm_target: Some(target.to_string()),
            ..Layer::default()
        };
        assert!(fires("L62", &places(|p| p.chain.insert(0, layer("crypt")))));
        assert!(!fires("L62", &places(|p| p.chain.insert(0, layer("linear")))));
        assert!(fires("L62", &with(|h| stack(h, 0).crypt = Some(crypt(None)))));
        assert!(!fires("L62", &with(|h| stack(h, 0).crypt = Some(crypt(Some(4096))))));
    }
}
