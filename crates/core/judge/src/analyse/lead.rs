//! From the intervals of a workload to its lead as it is told: who, by how much, who is behind, who
//! could still be ahead. Values only; the words are made in the crate `report`.

use crate::decide::compare::Comparison;
use crate::decide::lead::{Against, DecidedLead as Led};
use crate::decide::{exclude, figure, schedule};
use crate::evidence;
use crate::rules::limit;
use crate::rules::run::ComparedRun;
use bakeoff_model::event::Cell;
use bakeoff_model::finding::Finding;
use bakeoff_model::index::{CandidateIx, WorkloadIx};
use bakeoff_model::lead::{
    Behind, Excluded, Lead, More, NotRanked, Refusal, Rival, Span, TrimmedStalls, fraction,
};
use bakeoff_model::run::Run;
use bakeoff_model::verdict::Verdict;

const MORE_NS: u64 = 600_000_000_000;

pub fn from_run(of: &ComparedRun, compared: &Comparison, findings: &[Finding]) -> (Verdict, Lead) {
    let &ComparedRun { run, table, .. } = of;
    let margin = run.header.protocol.tie_margin;
    let led = Led::new(run, table, compared, 1);
    let for_all = Led::new(run, table, compared, run.header.workloads.len());
    let refusal = refusal(of, compared, findings);
    let own = led.verdict(margin);
    let verdict = if refusal.is_some() { Verdict::Refused } else { own };
    let name = |c: CandidateIx| run.header.candidates[c].name.clone();
    let lead_ln = led.value();
    let closest = led.closest().filter(|_| lead_ln.is_some());
    let lead = Lead {
        leader: led.leader.map(name),
        lead_ln,
        interval: closest
            .map(|a| Span { low_ln: a.interval.low, high_ln: a.interval.high })
            .filter(|span| span.high_ln.is_finite()),
        closest: closest.map(|a| name(a.other)),
        equals: equals(run, compared, &led),
        behind: behind(run, &led),
        rivals: rivals(run, &led),
        excluded: excluded(of, compared),
        stalls: stalls(of, compared.workload),
        more: more(run, &led),
        blocks: table.blocks().len() as u32,
        margin,
        holds_for_all: for_all.verdict(margin) == own,
        refusal,
    };
    (verdict, lead)
}

fn refusal(of: &ComparedRun, compared: &Comparison, findings: &[Finding]) -> Option<Refusal> {
    let &ComparedRun { run, table, .. } = of;
    let (complete, needed) = (table.blocks().len() as u32, run.header.protocol.first_look());
    // More blocks would leave the same candidates out.
    let out = exclude::excluded(run, table, compared.workload);
    let is_out = |c: CandidateIx| out.iter().any(|e| e.candidate == c);
    let has_rivals = CandidateIx::all(run.header.candidates.len())
        .filter(|c| run.header.candidates[*c].competes(&run.header.candidates) && !is_out(*c))
        .count()
        > 1;
    if complete < needed && (out.is_empty() || has_rivals) {
        return Some(Refusal::TooFewBlocks { complete, needed });
    }
    if compared.ranked.len() < 2 {
        return Some(Refusal::NothingToCompare { ranked: compared.ranked.len() as u32 });
    }
    let ids = limit::forbidding_ids(findings);
    (!ids.is_empty()).then_some(Refusal::Findings { ids })
}

fn equals(run: &Run, compared: &Comparison, led: &Led) -> Vec<String> {
    let margin = run.header.protocol.tie_margin;
    let mut together: Vec<CandidateIx> = Vec::new();
    for against in &led.against {
        let with_others = together.iter().all(|other| {
            let pair = compared.pair(*other, against.other).and_then(|pair| pair.interval);
            pair.is_some_and(|interval| interval.is_inside(margin))
        });
        let is_first_tier = against.interval.low <= 0.0;
        if is_first_tier && against.interval.is_inside(margin) && with_others {
            together.push(against.other);
        }
    }
    let all = led.leader.into_iter().chain(together);
    all.map(|c| run.header.candidates[c].name.clone()).collect()
}

fn behind(run: &Run, led: &Led) -> Vec<Behind> {
    let tell = |a: &Against| Behind {
        candidate: run.header.candidates[a.other].name.clone(),
        at_least: fraction(a.interval.low),
    };
    closest_first(led, |low| low > 0.0).into_iter().map(tell).collect()
}

fn rivals(run: &Run, led: &Led) -> Vec<Rival> {
    let tell = |a: &Against| Rival {
        candidate: run.header.candidates[a.other].name.clone(),
        at_most: fraction(-a.interval.low),
    };
    closest_first(led, |low| low <= 0.0 && low.is_finite()).into_iter().map(tell).collect()
}

fn closest_first(led: &Led, is_it: fn(f64) -> bool) -> Vec<&Against> {
    let mut found: Vec<&Against> = led.against.iter().filter(|a| is_it(a.interval.low)).collect();
    found.sort_by(|x, y| x.interval.low.total_cmp(&y.interval.low).then(x.other.cmp(&y.other)));
    found
}

/// Those left out for what their reads were, and those with fewer cells than an interval needs.
fn excluded(of: &ComparedRun, compared: &Comparison) -> Vec<Excluded> {
    let (&ComparedRun { run, table, .. }, workload) = (of, compared.workload);
    let name = |c: CandidateIx| run.header.candidates[c].name.clone();
    let out = exclude::excluded(run, table, workload);
    let known = out.iter().map(|e| Excluded {
        candidate: name(e.candidate),
        reason: e.reason,
        cells: e.cells,
        of: e.of,
    });
    let least = run.header.protocol.first_look();
    let few = |c: CandidateIx| {
        let is_twin = !run.header.candidates[c].competes(&run.header.candidates);
        let is_out = out.iter().any(|e| e.candidate == c);
        let cells = table.values(workload, c).iter().flatten().count() as u32;
        let is_few = !is_twin && !is_out && cells < least && table.blocks().len() as u32 >= least;
        let is_ranked = compared.ranked.contains(&c) && cells >= least;
        (is_few && !is_ranked).then(|| Excluded {
            candidate: name(c),
            reason: NotRanked::TooFewBlocks,
            cells,
            of: cells,
        })
    };
    known.chain(CandidateIx::all(run.header.candidates.len()).filter_map(few)).collect()
}

fn stalls(
    &ComparedRun { run, table, .. }: &ComparedRun,
    workload: WorkloadIx,
) -> Vec<TrimmedStalls> {
    let metric = run.header.workloads[workload].metric;
    let of = |c: CandidateIx| {
        let own = |cell: &&Cell| (cell.workload, cell.candidate) == (workload, c);
        let cells = table.blocks_of(run).flat_map(|b| &b.cells).filter(own);
        let counted = cells.filter(|cell| !evidence::is_invalid(&run.header, cell));
        let all = figure::stalls(metric, counted);
        (all.number > 0).then(|| TrimmedStalls {
            candidate: run.header.candidates[c].name.clone(),
            number: all.number,
            longest_ns: all.longest_ns,
            share: all.share(),
        })
    };
    CandidateIx::all(run.header.candidates.len()).filter_map(of).collect()
}

fn more(run: &Run, led: &Led) -> Option<More> {
    let block_ns = schedule::mean_block_ns(run).filter(|ns| *ns > 0)?;
    let blocks = u32::try_from(MORE_NS / block_ns).unwrap_or(u32::MAX);
    let alpha = schedule::alpha(run);
    let lead_ln = led.expected(run, blocks, alpha)?;
    (blocks > 0).then_some(More { time_ns: MORE_NS, blocks, lead_ln })
}
