//! Plans in TOML.

#![no_main]

use bakeoff_judge::plan::{NAME_CHARS, PlanMachine, Target, expand, parse};
use bakeoff_machine::setup::lacking::Lacking;
use bakeoff_model::candidate::Stack;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let plan = match parse(text, "plan.toml") {
        Ok(plan) => plan,
        Err(error) => {
            let said = error.to_string();
            assert!(said.chars().all(|c| c == '\n' || !c.is_control()), "{said:?}");
            return;
        }
    };
    let supports = |stack: &Stack, target: usize| {
        if stack.lvm && target == 1 { Err(Lacking::Other("no LVM".to_string())) } else { Ok(()) }
    };
    let here = PlanMachine { supports: &supports };
    let targets: Vec<Target> = ["sda", "disk.img"]
        .map(|name| Target { name: name.to_string(), region_bytes: Some(1 << 30) })
        .into();
    for targets in [&targets[..0], &targets[..]] {
        let Ok(made) = expand(&plan, targets, &here) else { continue };
        assert!(made.candidates.iter().all(|c| c.name.chars().count() <= NAME_CHARS));
        for (at, candidate) in made.candidates.iter().enumerate() {
            assert!(made.candidates[..at].iter().all(|c| c.name != candidate.name));
        }
        for (at, workload) in made.workloads.iter().enumerate() {
            assert!(made.workloads[..at].iter().all(|w| w.name != workload.name));
        }
    }
});
