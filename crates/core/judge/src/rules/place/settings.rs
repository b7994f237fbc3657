//! Rules over settings of the machine and the stacks that a comparison has to state.

use super::drive;
use crate::evidence::rule::Hit;
use bakeoff_model::candidate::{Candidate, Stack};
use bakeoff_model::design::Design;
use bakeoff_model::host::Place;
use bakeoff_model::setting::Setting;

pub fn governor(design: Design<'_>) -> Option<Hit> {
    let is_pinned = |c: &Candidate| c.stack().is_some_and(|stack| stack.knobs.governor.is_some());
    let other: Vec<&String> =
        design.host.governors.iter().filter(|g| *g != "performance").collect();
    let first = other.first().filter(|_| !design.candidates.iter().all(is_pinned))?;
    let evidence = format!("the cpufreq governor is {first} on {} policies", other.len());
    let advice = "set governor = \"performance\" in a plan's [axes], or: cpupower frequency-set \
                  -g performance";
    Some(Hit::new(evidence, advice))
}

pub fn options_unpinned(design: Design<'_>, place: &Place) -> Option<Hit> {
    let is_device = matches!(Setting::of(design), Setting::Decide | Setting::Precise);
    let drive = drive(place).filter(|_| is_device)?;
    let mut unknown = Vec::new();
    if drive.scheduler.is_none() {
        unknown.push("I/O scheduler");
    }
    if drive.read_ahead_bytes.is_none() {
        unknown.push("read-ahead");
    }
    (!unknown.is_empty()).then(|| {
        let evidence = format!("cannot read the {} of {}", unknown.join(" and "), drive.name);
        let advice = "set them for all candidates: [axes] scheduler and read_ahead_kb";
        Hit::new(evidence, advice)
    })
}

/// L62 for directories: an encrypted layer whose cipher is not known from here.
pub fn crypto_of_place(_: Design<'_>, place: &Place) -> Option<Hit> {
    let layer = place.cipher()?;
    let evidence = format!("{} is encrypted; cipher, key and sector size are unknown", layer.name);
    let advice = "state them next to the result; to show them: cryptsetup luksDump";
    Some(Hit::new(evidence, advice))
}

pub fn crypto_of_stacks(design: Design<'_>) -> Vec<Hit> {
    let named = |(name, stack): (&str, &Stack)| {
        Some(Hit { candidate: Some(name.to_string()), ..crypto_of_stack(stack)? })
    };
    design.stacks().filter_map(named).collect()
}

fn crypto_of_stack(stack: &Stack) -> Option<Hit> {
    let crypt = stack.crypt.as_ref().filter(|c| c.sector_size.is_none())?;
    let evidence = format!(
        "{} with a {}-bit key and the default sector size of cryptsetup",
        crypt.cipher, crypt.key_bits
    );
    Some(Hit::new(evidence, "set it in the plan: crypt = { sector_size = 4096, … }"))
}

#[cfg(test)]
mod tests {
    use crate::rules::tests::before::{disk_of, fires, places, stack, with};
    use bakeoff_model::candidate::Crypt;
    use bakeoff_model::host::{Layer, LayerKind};

    #[test]
    fn l50_a_governor_that_saves_power() {
        let governor = |g: &str| with(|h| h.host.governors = vec![g.to_string(); 4]);
        assert!(fires("L50", &governor("ondemand")) && !fires("L50", &governor("performance")));
        let pinned = with(|h| {
            h.host.governors = vec!["ondemand".to_string()];
            for i in 0..2 {
                stack(h, i).knobs.governor = Some("performance".to_string());
            }
        });
        assert!(!fires("L50", &pinned));
    }

    #[test]
    fn l60_a_device_whose_scheduler_is_not_known() {
        let known = |scheduler: Option<&str>| {
            with(|h| {
                let region = h.region.as_mut().expect("a region");
                region.is_image = false;
                disk_of(&mut region.place).scheduler = scheduler.map(str::to_string);
                disk_of(&mut region.place).read_ahead_bytes = Some(128 << 10);
            })
        };
        assert!(fires("L60", &known(None)) && !fires("L60", &known(Some("none"))));
    }

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
