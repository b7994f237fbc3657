//! Rules over what the intervals say: claims that the run itself casts doubt on.

use super::{control, finding};
use crate::decide::compare::{Comparison, Outcome};
use crate::decide::lead::{Lead, Reading};
use crate::decide::schedule;
use crate::decide::table::Table;
use crate::evidence::registry;
use crate::model::candidate::{Kind, Stack};
use crate::model::finding::Finding;
use crate::model::protocol::{Mode, Rules};
use crate::model::run::Run;
use crate::stats::hodges_lehmann;
use crate::stats::paired::Paired;
use crate::stats::sample;
use crate::units;
use crate::words::figures;

/// Rules over one workload.
pub fn workload(run: &Run, table: &Table, workload: u16, compared: &Comparison) -> Vec<Finding> {
    let of = [
        below_noise(run, table, workload, compared),
        ceiling(run, table, workload, compared),
        contradiction(run, compared),
        methods(run, table, workload, compared),
    ];
    of.into_iter().flatten().collect()
}

/// Rules over all workloads together.
pub fn whole(run: &Run, table: &Table) -> Vec<Finding> {
    let alpha = schedule::alpha_pair(run);
    let all: Vec<Comparison> = (0..run.header.workloads.len() as u16)
        .map(|w| Comparison::of(run, table, w, alpha))
        .collect();
    [rank_flip(run, table, &all), calls(run, table), fresh(run)].into_iter().flatten().collect()
}

/// The winner of a workload, and its differences to the next best.
fn winner(run: &Run, table: &Table, compared: &Comparison) -> Option<(u16, Option<Paired>)> {
    if run.header.protocol.rules == Rules::Lead {
        let lead = Lead::of(run, table, compared, 1);
        let is_winner = lead.reading(run.header.protocol.tie_margin) == Reading::Fastest;
        let closest = lead.closest().and_then(|against| against.paired);
        return lead.leader.filter(|_| is_winner).map(|leader| (leader, closest));
    }
    let winner =
        compared.settled.top.first().filter(|_| compared.settled.outcome == Outcome::Beats);
    let ahead = compared.pairs.iter().find(|p| p.interval.is_some_and(|i| i.low > 0.0));
    Some((*winner?, ahead.and_then(|pair| pair.paired)))
}

fn name(run: &Run, candidate: u16) -> &str {
    &run.header.candidates[usize::from(candidate)].name
}

/// L40: the lead of the winner against what an A/A twin shows.
fn below_noise(run: &Run, table: &Table, workload: u16, compared: &Comparison) -> Option<Finding> {
    let lead = winner(run, table, compared)?.1?;
    let candidates = &run.header.candidates;
    let twins = (0..candidates.len() as u16).filter_map(|twin| {
        let twin_of = &candidates[usize::from(twin)];
        let of = twin_of.twin_of.as_ref().filter(|_| twin_of.slowed_ppm == 0)?;
        let original = candidates.iter().position(|c| c.name == *of)? as u16;
        Some((original, Paired::of(&table.differences(workload, twin, original))?))
    });
    let own = twins.max_by(|a, b| a.1.mean.abs().total_cmp(&b.1.mean.abs()));
    let (who, apart) = match own {
        Some((original, apart)) => (name(run, original).to_string(), apart.mean),
        None => {
            let (runs, of) = control::pooled(run, workload)?;
            (format!("a candidate of {}", crate::words::count(runs, "earlier run")), of.mean)
        }
    };
    (apart.abs() >= lead.mean.abs()).then(|| {
        let percent = |y: f64| libm::expm1(y.abs()) * 100.0;
        let evidence = format!(
            "the winner leads by {:.1} %, but {who} differs from itself by {:.1} %",
            percent(lead.mean),
            percent(apart)
        );
        finding(
            &run.header,
            &registry::BELOW_NOISE,
            evidence,
            "measure more blocks to confirm such a small lead: --mode precise",
        )
    })
}

/// L41: several alike at what the link carries.
fn ceiling(run: &Run, table: &Table, workload: u16, compared: &Comparison) -> Option<Finding> {
    let of = &run.header.workloads[usize::from(workload)];
    let limits = &run.header.protocol.thresholds;
    if of.metric != crate::model::workload::Metric::Bandwidth {
        return None;
    }
    let carried = |c: &u16| {
        let place = crate::evidence::cell::place(&run.header, *c)?;
        crate::boards::link::of_place(place)
    };
    let mean = |c: &u16| {
        let values: Vec<f64> = table.values(workload, *c).iter().flatten().copied().collect();
        sample::mean(&values).map(|y| of.metric.of_score(y))
    };
    let at_limit: Vec<f64> = compared
        .ranked
        .iter()
        .filter_map(|c| {
            let (rate, link) = (mean(c)?, carried(c)?);
            (rate >= limits.ceiling * link).then_some(rate)
        })
        .collect();
    let (low, high) = (
        at_limit.iter().copied().fold(f64::MAX, f64::min),
        at_limit.iter().copied().fold(0.0, f64::max),
    );
    (at_limit.len() >= 3 && high <= low * (1.0 + limits.alike)).then(|| {
        let evidence = format!(
            "{} candidates between {} and {}, {:.0} % of the link or more",
            at_limit.len(),
            units::rate(low),
            units::rate(high),
            limits.ceiling * 100.0
        );
        finding(
            &run.header,
            &registry::CEILING,
            evidence,
            "add small or flushed requests: --workload randwrite",
        )
    })
}

/// L43: more work, and faster for certain.
fn contradiction(run: &Run, compared: &Comparison) -> Option<Finding> {
    let stack = |c: u16| match &run.header.candidates[usize::from(c)].kind {
        Kind::Stack(stack) => Some(stack),
        Kind::Directory { .. } => None,
    };
    let pair = compared.pairs.iter().find(|p| {
        let certain = p.interval.is_some_and(|i| i.low > 0.0);
        let adds = stack(p.a).zip(stack(p.b)).is_some_and(|(a, b)| adds_to(a, b));
        certain && adds
    })?;
    let lead = libm::expm1(pair.paired?.mean) * 100.0;
    let evidence = format!(
        "{} is {lead:.1} % faster than {}, the same stack without the layer",
        name(run, pair.a),
        name(run, pair.b)
    );
    let advice = "an uncontrolled factor affects the result: measure again with --mode precise";
    Some(finding(&run.header, &registry::CONTRADICTION, evidence, advice))
}

/// Whether `a` is `b` with encryption or a logical volume added, and nothing else changed.
fn adds_to(a: &Stack, b: &Stack) -> bool {
    let more = (a.crypt.is_some() && b.crypt.is_none()) || (a.lvm && !b.lvm);
    let mut bare = a.clone();
    if b.crypt.is_none() {
        bare.crypt = None;
    }
    if !b.lvm {
        bare.lvm = false;
    }
    more && bare == *b
}

/// The interval of ranks against the interval of the mean, where there are blocks enough for one.
fn methods(run: &Run, table: &Table, workload: u16, compared: &Comparison) -> Option<Finding> {
    let alpha = schedule::alpha_pair(run);
    let pair = compared.pairs.iter().find(|p| {
        let by_mean = p.interval.is_some_and(|i| i.excludes_zero());
        let differences = table.differences(workload, p.a, p.b);
        let by_rank = hodges_lehmann::interval(&differences, alpha);
        by_mean && by_rank.is_some_and(|i| !i.excludes_zero())
    })?;
    let differences = table.differences(workload, pair.a, pair.b);
    let median = hodges_lehmann::estimate(&differences)?;
    let percent = |y: f64| libm::expm1(y) * 100.0;
    let evidence = format!(
        "{} against {}: mean {:+.1} %, by ranks {:+.1} % (not significant)",
        name(run, pair.a),
        name(run, pair.b),
        percent(pair.paired?.mean),
        percent(median)
    );
    let advice =
        "check the single blocks (bakeoff report last); a few of them cause the difference";
    Some(finding(&run.header, &registry::METHODS_DISAGREE, evidence, advice))
}

/// L42: different winners.
fn rank_flip(run: &Run, table: &Table, all: &[Comparison]) -> Option<Finding> {
    let won: Vec<(usize, u16)> =
        all.iter().enumerate().filter_map(|(w, c)| Some((w, winner(run, table, c)?.0))).collect();
    let first = won.first()?;
    let other = won.iter().find(|o| o.1 != first.1)?;
    let lead = |(w, winner): (usize, u16)| {
        let ahead = all[w].pairs.iter().find_map(|p| {
            let certain = p.interval.filter(|i| p.a == winner && i.low > 0.0)?;
            Some(figures::lead(p.paired?.mean, certain))
        });
        let by = ahead.map(|by| format!(" ({by})")).unwrap_or_default();
        format!("{}{by}", run.header.workloads[w].name)
    };
    let evidence = format!(
        "{} wins on {}, {} on {}",
        name(run, first.1),
        lead(*first),
        name(run, other.1),
        lead(*other)
    );
    let advice = "choose by your workload; bakeoff show last names the winner for each";
    Some(finding(&run.header, &registry::RANK_FLIP, evidence, advice))
}

/// L22: as many calls a second whatever the block size.
fn calls(run: &Run, table: &Table) -> Option<Finding> {
    let workloads = &run.header.workloads;
    let rate = |w: usize| -> Option<f64> {
        let of = &workloads[w];
        let candidates = 0..run.header.candidates.len() as u16;
        let means = candidates.filter_map(|c| {
            let values: Vec<f64> = table.values(w as u16, c).iter().flatten().copied().collect();
            let figure = of.metric.of_score(sample::mean(&values)?);
            Some(match of.metric {
                crate::model::workload::Metric::Bandwidth => figure / of.job.bs as f64,
                _ => figure,
            })
        });
        sample::mean(&means.collect::<Vec<_>>())
    };
    for (i, a) in workloads.iter().enumerate() {
        for (j, b) in workloads.iter().enumerate().skip(i + 1) {
            let alike = a.job.rw == b.job.rw && !a.job.direct && !b.job.direct;
            let sizes = (a.job.bs.min(b.job.bs), a.job.bs.max(b.job.bs));
            let far = sizes.1 >= 8 * sizes.0 && a.profile.is_none() && b.profile.is_none();
            let (Some(x), Some(y)) = (rate(i), rate(j)) else { continue };
            if alike && far && a.driver == b.driver && (x / y - 1.0).abs() < 0.2 {
                let evidence = format!(
                    "{x:.0} calls per second at {} and {y:.0} at {}",
                    units::size(a.job.bs),
                    units::size(b.job.bs)
                );
                let advice = "this measures calls, not the disk: use --direct or larger blocks";
                return Some(finding(&run.header, &registry::TINY_BLOCK, evidence, advice));
            }
        }
    }
    None
}

/// L67: where figures are to be published.
fn fresh(run: &Run) -> Option<Finding> {
    let is_stack = run.header.candidates.iter().any(|c| matches!(c.kind, Kind::Stack(_)));
    (is_stack && run.header.protocol.mode == Mode::Precise).then(|| {
        let blocks = run.complete_blocks().count();
        let evidence = format!("each of the {blocks} blocks created new filesystems");
        let advice = "to measure filesystems in use, run bakeoff quick DIR...; label this figure \
            as \"fresh\", because age can change the order";
        finding(&run.header, &registry::FRESH_FS_ONLY, evidence, advice)
    })
}
