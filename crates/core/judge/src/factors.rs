//! Which of several factors matters, and by how much: where the candidates are every combination of
//! two or more, as of filesystems and schedulers.
//!
//! No candidate of such a run is dropped: each combination tells of two factors.
//!
//! All contrasts of a workload hold together: they share its alpha.

use bakeoff_machine::prepare::recipe::recipe_of;
use bakeoff_model::candidate::{Candidate, Crypt, Stack};
use bakeoff_model::event::Header;
use bakeoff_model::factors::{CandidateFactor, FactorEffect, FactorOutcome, FactorRatio, Factors};
use bakeoff_model::index::{CandidateIx, WorkloadIx};
use bakeoff_model::run::Run;
use bakeoff_stats::crossing::{Crossing, LevelPair};
use bakeoff_stats::paired::{Interval, Paired};

use crate::decide::schedule;
use crate::decide::table::ScoreTable;

/// The factors of a run and who has which levels, if its candidates are a full crossing.
struct CrossedDesign {
    factors: Vec<(CandidateFactor, Vec<String>)>,
    /// In the order of the combinations, the last factor varying fastest.
    candidates: Vec<CandidateIx>,
}

/// The factors of each workload of which enough blocks are whole; empty without a full crossing.
pub fn of_run(run: &Run, table: &ScoreTable) -> Vec<Factors> {
    let Some(design) = design(&run.header).filter(|_| schedule::has_question(run)) else {
        return Vec::new();
    };
    let all = WorkloadIx::all(run.header.workloads.len());
    all.filter_map(|workload| of_workload(run, table, &design, workload)).collect()
}

/// Whether a run compares every combination of two or more factors.
pub fn are_crossed(header: &Header) -> bool {
    design(header).is_some()
}

fn design(header: &Header) -> Option<CrossedDesign> {
    let compared: Vec<(CandidateIx, &Candidate)> =
        CandidateIx::each(&header.candidates).filter(|(_, c)| c.twin_of.is_none()).collect();
    let values = |factor: CandidateFactor| -> Option<Vec<String>> {
        compared.iter().map(|(_, candidate)| level(header, candidate, factor)).collect()
    };
    let mut factors: Vec<(CandidateFactor, Vec<String>)> = Vec::new();
    let mut places = vec![0; compared.len()];
    for factor in CandidateFactor::ALL {
        let own = values(factor)?;
        let mut levels: Vec<String> = Vec::new();
        own.iter().for_each(|level| {
            if !levels.contains(level) {
                levels.push(level.clone());
            }
        });
        if levels.len() < 2 {
            continue;
        }
        for (place, level) in places.iter_mut().zip(&own) {
            let at = levels.iter().position(|known| known == level).unwrap_or(0);
            *place = *place * levels.len() + at;
        }
        factors.push((factor, levels));
    }
    let combinations: usize = factors.iter().map(|(_, levels)| levels.len()).product();
    let at = |number: usize| places.iter().position(|place| *place == number);
    let candidates: Option<Vec<CandidateIx>> =
        (0..compared.len()).map(|number| Some(compared[at(number)?].0)).collect();
    let is_crossed = factors.len() > 1 && combinations == compared.len();
    candidates.filter(|_| is_crossed).map(|candidates| CrossedDesign { factors, candidates })
}

/// The level of a factor that a stack has; `None` for a directory.
fn level(header: &Header, candidate: &Candidate, factor: CandidateFactor) -> Option<String> {
    let stack = candidate.stack()?;
    let knobs = &stack.knobs;
    let number = |n: Option<u32>, unit: &str| n.map(|n| format!("{n}{unit}"));
    let found = |value: Option<String>| value.unwrap_or_else(|| "as found".to_string());
    let target = header.regions().nth(usize::from(candidate.region)).map(|region| &region.target);
    Some(match factor {
        CandidateFactor::Target => target.map(ToString::to_string).unwrap_or_default(),
        CandidateFactor::Filesystem => filesystem(stack),
        CandidateFactor::Encryption => stack.crypt.as_ref().map_or("none".to_string(), encryption),
        CandidateFactor::Volume => if stack.lvm { "LVM" } else { "no volume" }.to_string(),
        CandidateFactor::Scheduler => found(knobs.scheduler.clone()),
        CandidateFactor::ReadAhead => found(number(knobs.read_ahead_kb, " KiB")),
        CandidateFactor::Requests => found(number(knobs.nr_requests, " requests")),
        CandidateFactor::Governor => found(knobs.governor.clone()),
    })
}

/// By its recipe, with the words that the plan adds to it.
fn filesystem(stack: &Stack) -> String {
    let recipe = recipe_of(stack);
    let name = recipe.map_or(stack.fs.as_str(), |recipe| recipe.name);
    let is_known = |word: &String| {
        let known = recipe.map(|r| [&r.options, &r.mount, &r.equalised, &r.equalised_mkfs]);
        known.into_iter().flatten().any(|words| words.contains(&word.as_str()))
    };
    let words = stack.mkfs.iter().chain(&stack.mount).filter(|word| !is_known(word));
    std::iter::once(name.to_string()).chain(words.cloned()).collect::<Vec<_>>().join(" ")
}

fn encryption(crypt: &Crypt) -> String {
    let sector = crypt.sector_size.map(|bytes| format!(" sectors of {bytes}"));
    let queues = [(crypt.no_read_workqueue, " no-rq"), (crypt.no_write_workqueue, " no-wq")];
    let queues = queues.iter().filter(|(is_on, _)| *is_on).map(|(_, word)| *word);
    let all = sector.as_deref().into_iter().chain(queues).collect::<String>();
    format!("{} {} {}{all}", crypt.kind, crypt.cipher, crypt.key_bits)
}

fn of_workload(
    run: &Run,
    table: &ScoreTable,
    design: &CrossedDesign,
    workload: WorkloadIx,
) -> Option<Factors> {
    let scores = |at: usize| -> Option<Vec<f64>> {
        design.candidates.iter().map(|c| *table.values(workload, *c).get(at)?).collect()
    };
    let blocks: Vec<Vec<f64>> = (0..table.blocks().len()).filter_map(scores).collect();
    let levels = design.factors.iter().map(|(_, levels)| levels.len()).collect();
    let crossing = Crossing::new(levels, blocks)?;
    if crossing.blocks() < run.header.protocol.first_look() {
        return None;
    }
    let told = ContrastTeller { run, design, crossing: &crossing };
    let pairs = crossing.pairs();
    let margin = run.header.protocol.tie_margin;
    let effects = (0..design.factors.len()).filter_map(|at| told.effect(at, &pairs));
    Some(Factors {
        workload: run.header.workloads[workload].name.clone(),
        blocks: crossing.blocks(),
        margin,
        effects: effects.collect(),
    })
}

/// A contrast with its interval.
struct Contrast {
    pair: LevelPair,
    paired: Paired,
    interval: Interval,
}

struct ContrastTeller<'a> {
    run: &'a Run,
    design: &'a CrossedDesign,
    crossing: &'a Crossing,
}

impl ContrastTeller<'_> {
    fn contrast(&self, pair: LevelPair, among: usize) -> Option<Contrast> {
        let paired = Paired::from_differences(&self.crossing.main(pair))?;
        let alpha = schedule::alpha(self.run) / among.max(1) as f64;
        Some(Contrast { pair, paired, interval: paired.interval(alpha) })
    }

    fn level(&self, factor: usize, level: usize) -> String {
        self.design.factors[factor].1[level].clone()
    }

    fn effect(&self, factor: usize, all: &[LevelPair]) -> Option<FactorEffect> {
        let own = all.iter().filter(|pair| pair.factor == factor);
        let contrasts: Vec<Contrast> =
            own.filter_map(|pair| self.contrast(*pair, all.len())).collect();
        let (outcome, told) = told(&contrasts, self.run.header.protocol.tie_margin)?;
        let LevelPair { a, b, .. } = told.pair;
        let is_ahead = told.paired.mean >= 0.0;
        let (fast, slow) = if is_ahead { (a, b) } else { (b, a) };
        Some(FactorEffect {
            factor: self.design.factors[factor].0,
            outcome,
            fast: self.level(factor, fast),
            slow: self.level(factor, slow),
            ratio: ratio(told.paired.mean, told.interval, is_ahead),
        })
    }
}

/// What the contrasts say together, and the one that says most: of those that are certain the
/// largest, where there are any.
fn told(contrasts: &[Contrast], margin: f64) -> Option<(FactorOutcome, &Contrast)> {
    let is_certain = |c: &&Contrast| c.interval.excludes_zero();
    let largest =
        |x: &&Contrast, y: &&Contrast| x.paired.mean.abs().total_cmp(&y.paired.mean.abs());
    let is_small = contrasts.iter().all(|c| c.interval.is_inside(margin));
    match contrasts.iter().filter(is_certain).max_by(largest) {
        Some(certain) if !is_small => Some((FactorOutcome::Matters, certain)),
        _ => {
            let outcome = if is_small { FactorOutcome::NoDifference } else { FactorOutcome::Open };
            contrasts.iter().max_by(largest).map(|contrast| (outcome, contrast))
        }
    }
}

fn ratio(mean: f64, interval: Interval, is_ahead: bool) -> FactorRatio {
    let (mean, low, high) = if is_ahead {
        (mean, interval.low, interval.high)
    } else {
        (-mean, -interval.high, -interval.low)
    };
    FactorRatio { ratio: libm::exp(mean), low: libm::exp(low), high: libm::exp(high) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analyse::analyse;
    use crate::testing::RunBuilder;

    const SCHEDULERS: [&str; 4] = ["none", "mq-deadline", "bfq", "kyber"];

    /// Two filesystems and four schedulers, as `rate` says by their numbers.
    fn factors(rate: impl Fn(u16, u16) -> f64) -> Vec<Factors> {
        let names: Vec<String> = ["ext4", "xfs"]
            .iter()
            .flat_map(|fs| SCHEDULERS.iter().map(move |scheduler| format!("{fs} {scheduler}")))
            .collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let run = RunBuilder::stacks(&names).header(|header| {
            for (at, candidate) in header.candidates.iter_mut().enumerate() {
                if let bakeoff_model::candidate::Kind::Stack(stack) = &mut candidate.kind {
                    stack.knobs.scheduler = Some(SCHEDULERS[at % 4].to_string());
                }
            }
        });
        let noisy = |block: u32, candidate: u16, _: u16| {
            let noise = f64::from((block * 7 + u32::from(candidate) * 3) % 5) / 20_000.0;
            1e3 * (1.0 + f64::from(block)) * rate(candidate / 4, candidate % 4) * (1.0 + noise)
        };
        analyse(&run.play(9, noisy).build()).factors
    }

    #[test]
    fn the_factor_that_matters_is_named_with_its_size() {
        let all = factors(|_, scheduler| if scheduler == 2 { 1.0 } else { 1.3 });
        let [of] = &all[..] else { panic!("{all:?}") };
        let [filesystem, scheduler] = &of.effects[..] else { panic!("{of:?}") };
        assert_eq!(filesystem.factor, CandidateFactor::Filesystem);
        assert_eq!(filesystem.outcome, FactorOutcome::NoDifference);
        assert_eq!(scheduler.outcome, FactorOutcome::Matters);
        assert_eq!(scheduler.slow, "bfq");
        let FactorRatio { ratio, low, high } = scheduler.ratio;
        assert!(
            low < 1.3 && 1.3 < high && low > 1.25 && (ratio - 1.3).abs() < 0.01,
            "{scheduler:?}"
        );
    }

    #[test]
    fn one_factor_alone_or_a_combination_that_is_missing_is_no_crossing() {
        let run = RunBuilder::stacks(&["ext4", "xfs", "btrfs"]).play(9, |_, _, _| 1e3).build();
        assert!(analyse(&run).factors.is_empty());
    }
}
