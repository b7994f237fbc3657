//! The answer over boards, drives, kernels or years for programs, people and forums. Schema
//! `bakeoff/fleet/1`, documented in docs/format.md.

use serde_json::{Value, json};

use super::document::{Document, Table, number, words as column};
use super::run_document::{day, short_id};
use crate::fleet::coverage::Covered;
use crate::fleet::effect::{
    Answer, Apart, Discarded, FleetEffect, FleetExcluded, OnBoard, RatioRange,
};
use crate::fleet::over::Noun;
use crate::fleet::{Fleet, OfBoard};
use bakeoff_judge::compare::differences::LeftOut;
use bakeoff_model::lead;
use bakeoff_model::verdict::Verdict;
use bakeoff_stats::paired::Interval;
use bakeoff_stats::phrases::{self, figures};
use bakeoff_stats::random_effects::FEWEST;

/// Most boards whose own figures are listed below an effect; programs get all.
const LISTED: usize = 24;

/// For people: the answer, each workload, each board and what limits them.
pub fn fleet_document(fleet: &Fleet) -> Document {
    let noun = fleet.over.noun();
    let mut out = Document::default();
    out.headline(headline(fleet));
    for answer in &fleet.answers {
        write_answer(answer, noun, &mut out);
    }
    out.heading(noun.title);
    for board in &fleet.boards {
        out.line(1, of_board(board));
        own_words(board).into_iter().for_each(|own| out.line(2, own));
    }
    let notes = notes(fleet);
    if !notes.is_empty() {
        out.heading("Notes");
    }
    notes.into_iter().for_each(|note| out.bullet(note));
    out
}

fn write_answer(answer: &Answer, noun: Noun, out: &mut Document) {
    out.heading(format!("{}: {}", answer.workload, answer.summary));
    out.paragraph(sentence(answer, noun));
    out.table(effects(answer, noun));
    for effect in &answer.effects {
        effect_words(effect, noun).into_iter().for_each(|text| out.line(1, text));
    }
    excluded_words(answer).into_iter().for_each(|text| out.line(1, text));
}

fn effects(answer: &Answer, noun: Noun) -> Table {
    let columns = [
        column("against"),
        column(format!("next {} (95 %)", noun.one)),
        column("mean (95 % CI)"),
        number("variation"),
        number("I²"),
    ];
    let row = |effect: &FleetEffect| {
        let cell = |range: Option<RatioRange>| range.map_or("-".to_string(), range_words);
        let (tau, share) = match effect.pooled {
            Some(p) => (figures::percent(libm::expm1(p.tau)), figures::percent(p.i_squared)),
            None => ("-".to_string(), "-".to_string()),
        };
        vec![effect.b.clone(), cell(effect.prediction), cell(effect.mean), tau, share]
    };
    Table::new(columns, answer.effects.iter().map(row))
}

/// `bakeoff/fleet/1`.
pub fn fleet_json(fleet: &Fleet) -> String {
    let mut document = json!(fleet);
    if let Value::Object(map) = &mut document {
        map.insert("schema".to_string(), json!("bakeoff/fleet/1"));
        map.insert("headline".to_string(), json!(headline(fleet)));
        map.insert("left_out".to_string(), json!(left_out(fleet)));
        let sentences: Vec<String> = {
            let noun = fleet.over.noun();
            fleet.answers.iter().map(|answer| sentence(answer, noun)).collect()
        };
        map.insert("sentences".to_string(), json!(sentences));
    }
    format!("{document:#}\n")
}

/// How often predictions come true, as a table of docs/fleet.md.
pub fn coverage_document(found: &[Covered]) -> Document {
    let columns =
        ["boards", "blocks", "true variation", "coverage", "width", "coverage of HTS"].map(number);
    let percent = |share: f64| format!("{:.1} %", share * 100.0);
    let cells = |of: &Covered| {
        vec![
            of.boards.to_string(),
            of.blocks.to_string(),
            format!("{:.0} %", of.share * 100.0),
            percent(of.coverage),
            of.width.map_or("-".to_string(), |width| format!("{width:.2}")),
            percent(of.coverage_hts),
        ]
    };
    let mut out = Document::default();
    out.table(Table::new(columns, found.iter().map(cells)));
    out
}

fn headline(fleet: &Fleet) -> String {
    let noun = fleet.over.noun();
    let boards = phrases::count(fleet.boards.len(), noun.one);
    if !fleet.unlike.is_empty() {
        let what: Vec<String> = fleet.unlike.iter().take(4).map(ToString::to_string).collect();
        let more = match fleet.unlike.len().saturating_sub(what.len()) {
            0 => String::new(),
            more => format!(", and in {more} more"),
        };
        return format!(
            "No answer for these {boards}: their plans differ in {}{more}. Run the same plan on \
             all of them.",
            phrases::list(&what)
        );
    }
    if fleet.answers.is_empty() {
        return format!(
            "No answer for these {boards}: they share no workload with two candidates in common."
        );
    }
    let of = |verdict: Verdict| fleet.answers.iter().filter(move |a| a.verdict == verdict);
    let names =
        |verdict: Verdict| -> Vec<String> { of(verdict).map(|a| a.workload.clone()).collect() };
    let mut parts: Vec<String> = of(Verdict::Fastest)
        .chain(of(Verdict::AsFast))
        .map(|a| format!("{} {}", a.workload, short(a, noun)))
        .collect();
    if of(Verdict::Leads).next().is_some() {
        parts.push(format!(
            "the answer depends on the {} for {}",
            noun.one,
            phrases::list(&names(Verdict::Leads))
        ));
    }
    if of(Verdict::Refused).next().is_some() {
        let names = phrases::list(&names(Verdict::Refused));
        parts.push(format!("too few {} for a prediction for {names}", noun.many));
    }
    format!("Across {boards}: {}.", parts.join("; "))
}

fn short(answer: &Answer, noun: Noun) -> String {
    let leader = answer.leader.as_deref().unwrap_or("-");
    let how = if answer.verdict == Verdict::Fastest { "fastest" } else { "as fast as any" };
    format!("is {how} with {leader} {} {} like these", noun.at, noun.many)
}

fn sentence(answer: &Answer, Noun { one, many, at, .. }: Noun) -> String {
    let leader = answer.leader.as_deref().unwrap_or("no candidate");
    let bound = answer.lead_ln.map_or(0.0, |lead| lead::fraction(lead).abs());
    let bound = figures::percent(bound);
    match answer.verdict {
        Verdict::Fastest => format!(
            "{leader} is fastest {at} {many} like these: {at} the next one it is at least {bound} \
             faster than any other (95 % prediction)."
        ),
        Verdict::AsFast => format!(
            "{leader} is as fast as any {at} {many} like these: {at} the next one no other is \
             more than {bound} faster (95 % prediction)."
        ),
        Verdict::Leads => format!(
            "The answer depends on the {one}: {leader} has the best mean, but {at} the next {one} \
             another could be up to {bound} faster (95 % prediction)."
        ),
        _ => match answer.effects.iter().map(|e| e.boards.len()).min() {
            None => format!("No {one} has a verdict."),
            Some(boards) => format!(
                "{leader} has the best mean over {}. A prediction for the next {one} needs \
                 {FEWEST}.",
                phrases::count(boards, one)
            ),
        },
    }
}

/// What the table has no column for: each board's own effect, and boards that differ.
fn effect_words(effect: &FleetEffect, noun: Noun) -> Vec<String> {
    let shown = effect.boards.iter().take(LISTED).map(on_board);
    let mut list: Vec<String> = shown.collect();
    if effect.boards.len() > LISTED {
        list.push(format!("{} more in --format json", effect.boards.len() - LISTED));
    }
    let mut all = vec![format!("Against {}, by {}: {}", effect.b, noun.one, list.join("; "))];
    all.extend(differing(effect, noun));
    all
}

fn on_board(board: &OnBoard) -> String {
    format!("{} {}", board.board, signed(board.mean_ln))
}

/// `4.1 % faster`, one decimal.
fn signed(ln: f64) -> String {
    let word = if ln < 0.0 { "slower" } else { "faster" };
    format!("{} {word}", figures::percent(libm::expm1(ln).abs()))
}

fn differing(effect: &FleetEffect, noun: Noun) -> Vec<String> {
    let on = |side: i8| -> Vec<String> {
        effect.boards.iter().filter(|b| b.side == side).map(|b| b.board.clone()).collect()
    };
    let (above, below) = (on(1), on(-1));
    let mut all = Vec::new();
    for (boards, word) in [(above, "above"), (below, "below")] {
        if !boards.is_empty() {
            let verb = if boards.len() == 1 { "is" } else { "are" };
            all.push(format!("{} {verb} certainly {word} the mean", phrases::list(&boards)));
        }
    }
    if all.is_empty() {
        return all;
    }
    match effect.apart.as_slice() {
        [] => all.push(format!("No recorded property sets these {} apart", noun.many)),
        apart => {
            let each: Vec<String> = apart.iter().map(apart_words).collect();
            all.push(format!("Recorded differences from the others: {}", each.join("; ")));
        }
    }
    all
}

fn apart_words(apart: &Apart) -> String {
    let values = |all: &[String]| {
        let named = |v: &String| if v.is_empty() { "not recorded".to_string() } else { v.clone() };
        phrases::list(&all.iter().map(named).collect::<Vec<_>>())
    };
    format!("{} {}, elsewhere {}", apart.what, values(&apart.here), values(&apart.others))
}

fn range_words(range: RatioRange) -> String {
    let (low, high) = (range.low_ln, range.high_ln);
    if low >= 0.0 || high <= 0.0 {
        let of = |ln: f64| libm::expm1(ln.abs()) * 100.0;
        let (near, far) = if low >= 0.0 { (of(low), of(high)) } else { (of(high), of(low)) };
        let digits = usize::from(far - near < 2.0);
        let word = if low >= 0.0 { "faster" } else { "slower" };
        return format!("{near:.digits$} to {far:.digits$} % {word}");
    }
    figures::either_way(Interval { low, high })
}

fn excluded_words(answer: &Answer) -> Vec<String> {
    let word = |excluded: &FleetExcluded| match (excluded.findings.as_slice(), &excluded.discarded)
    {
        ([], None) => format!("{} (too few blocks)", excluded.board),
        ([], Some(Discarded { cells, reason })) => format!(
            "{} (too few blocks; {} discarded: {reason})",
            excluded.board,
            phrases::count(*cells, "cell")
        ),
        (ids, _) => format!("{} (findings {})", excluded.board, phrases::list(ids)),
    };
    let all: Vec<String> = answer.excluded.iter().map(word).collect();
    if all.is_empty() { all } else { vec![format!("Without a verdict: {}", phrases::list(&all))] }
}

fn of_board(board: &OfBoard) -> String {
    let run = short_id(&board.run);
    let model = board.board.model.as_deref().unwrap_or("unknown model");
    format!(
        "{}: {model}, kernel {}; run {run} of {}",
        board.board.name,
        board.kernel,
        day(board.started_unix_ns)
    )
}

fn own_words(board: &OfBoard) -> Vec<String> {
    let words = |own: &crate::fleet::Own| {
        let verdict = own.verdict.name().replace('_', " ");
        match (&own.leader, own.lead) {
            (Some(leader), Some(lead)) if lead > 0.0 => {
                format!(
                    "{}: {leader} {verdict}, by at least {}",
                    own.workload,
                    figures::percent(lead)
                )
            }
            (Some(leader), Some(lead)) => format!(
                "{}: {leader} {verdict}; another could be {} faster",
                own.workload,
                figures::percent(lead.abs())
            ),
            (Some(leader), None) => format!("{}: {leader} {verdict}", own.workload),
            (None, _) => format!("{}: {verdict}", own.workload),
        }
    };
    board.verdicts.iter().map(words).collect()
}

fn notes(fleet: &Fleet) -> Vec<String> {
    let noun = fleet.over.noun();
    let mut all = fleet.notes.clone();
    if !fleet.left_out.is_empty() {
        all.push(format!(
            "Skipped, because not measured {} all {}: {}",
            noun.at,
            noun.many,
            left_out(fleet).join(", ")
        ));
    }
    all
}

fn left_out(fleet: &Fleet) -> Vec<String> {
    let of = |one: &LeftOut| format!("{} (on {})", one.name, fleet.boards[one.run].board.name);
    fleet.left_out.iter().map(of).collect()
}
