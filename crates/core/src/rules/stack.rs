//! Rules about stacks: what mkfs and mount options make of a comparison.
//!
//! Sources: mke2fs(8) on lazy initialisation and discard; mkfs.btrfs(8); mount(8) on `discard`.

use super::finding;
use crate::evidence::registry;
use crate::model::candidate::{Kind, Stack};
use crate::model::event::Header;
use crate::model::finding::Finding;
use crate::model::workload::{Phase, Workload};
use crate::plan::{self, FlashState};
use crate::prepare::support::keeps_no_journal;
use crate::{units, words};

/// Everything about stacks.
pub fn rules(header: &Header) -> Vec<Finding> {
    let stacks: Vec<(&str, &Stack)> = header
        .candidates
        .iter()
        .filter_map(|c| match &c.kind {
            Kind::Stack(stack) => Some((c.name.as_str(), stack)),
            Kind::Directory { .. } => None,
        })
        .collect();
    let mut found = Vec::new();
    found.extend(flash_state(header, &stacks));
    found.extend(lazy(header, &stacks));
    found.extend(inert(header, &stacks));
    found.extend(discard(header, &stacks));
    for (name, stack) in &stacks {
        found.extend(cipher(header, stack).map(|f| f_about(f, name)));
    }
    found
}

fn f_about(mut finding: Finding, name: &str) -> Finding {
    finding.candidate = Some(name.to_string());
    finding
}

/// Words of an option list, split at commas too.
fn says(options: &[String], word: &str) -> bool {
    options.iter().any(|o| o.split(',').any(|w| w == word))
}

/// L05 and L06: the state of the flash before each visit.
fn flash_state(header: &Header, stacks: &[(&str, &Stack)]) -> Option<Finding> {
    let region = header.region.as_ref().filter(|r| !r.is_image && !stacks.is_empty())?;
    let is_flash = region.place.disks().any(|d| d.rotational == Some(false));
    if !is_flash {
        return None;
    }
    let Some(text) = header.plan.as_deref() else {
        let evidence = "no plan sets the state of the flash before each visit".to_string();
        let advice = "measure with a plan that has flash_state = \"overwritten\": bakeoff run";
        return Some(finding(header, &registry::STATE_CARRYOVER, evidence, advice));
    };
    let asked = plan::parse(text, "plan").ok()?.protocol.flash_state;
    (asked == FlashState::Trimmed).then(|| {
        let size = units::size(region.size_bytes);
        let evidence = format!("all {size} of the region are trimmed before each visit");
        let advice = "set flash_state = \"overwritten\" to measure the disk as it will be";
        finding(header, &registry::FRESH_FLASH, evidence, advice)
    })
}

fn lazy(header: &Header, stacks: &[(&str, &Stack)]) -> Option<Finding> {
    let is_lazy = |s: &Stack| {
        s.fs.starts_with("ext")
            && (says(&s.mkfs, "lazy_itable_init=1") || says(&s.mkfs, "lazy_journal_init=1"))
    };
    let names: Vec<String> =
        stacks.iter().filter(|(_, s)| is_lazy(s)).map(|(n, _)| n.to_string()).collect();
    (!names.is_empty()).then(|| {
        let evidence =
            format!("mkfs of {} leaves tables to be initialized later", words::list(&names));
        let advice = "use -E lazy_itable_init=0,lazy_journal_init=0, as plans do by default";
        finding(header, &registry::LAZYINIT, evidence, advice)
    })
}

/// L66: a factor that no workload can feel.
fn inert(header: &Header, stacks: &[(&str, &Stack)]) -> Option<Finding> {
    let differ =
        |key: &dyn Fn(&Stack) -> String| stacks.iter().any(|(_, s)| key(s) != key(stacks[0].1));
    if stacks.len() < 2 {
        return None;
    }
    let plain = |w: &Workload| w.profile.is_none();
    let stream = |w: &Workload| {
        plain(w)
            && !w.job.rw.is_random()
            && w.job.iodepth * w.job.numjobs <= 1
            && w.phase != Phase::Metadata
    };
    let large = |w: &Workload| stream(w) && w.job.bs >= 1 << 20 && w.job.fsync != 1;
    let all = |is: &dyn Fn(&Workload) -> bool| header.workloads.iter().all(is);
    let tell = |what: &str, why: &str| {
        let advice = "add a workload that is sensitive to it: smallfiles, or randread with iodepth \
            = 32";
        Some(finding(header, &registry::INERT_FACTOR, format!("{what} differs, but {why}"), advice))
    };
    if differ(&|s| s.knobs.scheduler.clone().unwrap_or_default()) && all(&stream) {
        return tell("the I/O scheduler", "one stream at depth 1 leaves nothing to sort");
    }
    if differ(&|s| keeps_no_journal(&s.mkfs).to_string()) && all(&large) {
        return tell("the journal", "streams of 1 MiB and more produce almost no metadata");
    }
    None
}

fn discard(header: &Header, stacks: &[(&str, &Stack)]) -> Option<Finding> {
    let trims = |s: &Stack| says(&s.mount, "discard") || says(&s.mkfs, "discard");
    let names: Vec<String> =
        stacks.iter().filter(|(_, s)| trims(s)).map(|(n, _)| n.to_string()).collect();
    (!names.is_empty() && names.len() < stacks.len()).then(|| {
        let evidence = format!("{} trims, the others do not", words::list(&names));
        let advice = "remove discard from the mkfs and mount options, or set it for all candidates";
        finding(header, &registry::DISCARD_ASYMMETRY, evidence, advice)
    })
}

fn cipher(header: &Header, stack: &Stack) -> Option<Finding> {
    let crypt = stack.crypt.as_ref().filter(|c| c.sector_size.is_none())?;
    let evidence = format!(
        "{} with a key of {} bits and the default sector size of cryptsetup",
        crypt.cipher, crypt.key_bits
    );
    Some(finding(
        header,
        &registry::CRYPTO_UNSPECIFIED,
        evidence,
        "set it in the plan: crypt = { sector_size = 4096, … }",
    ))
}
