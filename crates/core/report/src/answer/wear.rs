//! What candidates cost the flash, in words and as a table: bytes that reached the drive for each
//! byte that a workload wrote.

use bakeoff_judge::analyse::scope;
use bakeoff_model::candidate::Kind;
use bakeoff_model::event::Region;
use bakeoff_model::host::Layer;
use bakeoff_model::path::sanitize;
use bakeoff_model::recommendation::{MOST_REGRET, Recommendation};
use bakeoff_model::run::Run;
use bakeoff_model::verdict::{Analysis, Effect, WorkloadVerdict};
use bakeoff_model::wear::{WearFigure, WearVerdict};
use bakeoff_stats::paired::Interval;
use bakeoff_stats::units::three_digits;

use super::choice::Choice;
use super::matrix::{Matrix, MatrixCell, MatrixRow, Place};
use super::{Answer, names};
use crate::recipe;

/// What the figures of the table are.
pub const TITLE: &str = "Bytes that reached the drive for each byte written";

/// "f2fs writes 1.4 bytes for each byte; ext4 3.1, 2.2 times as much (95 % CI: 2.1 to 2.3). The
/// card lasts that much longer with f2fs."
pub fn sentence(run: &Run, wear: &WearVerdict) -> String {
    let least = wear.figures.first().map_or(String::new(), |least| sanitize(&least.candidate));
    format!("{least} {}", writes(run, wear))
}

fn writes(run: &Run, wear: &WearVerdict) -> String {
    let Some((least, others)) = wear.figures.split_first() else { return String::new() };
    let name = sanitize(&least.candidate);
    let mut said = format!("writes {} bytes for each byte", number(least.bytes_per_byte));
    for other in others {
        said.push_str(&format!("; {}", against(other, wear.more_of(&other.candidate))));
    }
    said.push('.');
    let certain = wear.more.iter().filter(|effect| effect.low > 1.0).count();
    match (flash(run), certain) {
        (Some(drive), 1) if others.len() == 1 => {
            said.push_str(&format!(" The {drive} lasts that much longer with {name}."));
        }
        (Some(drive), n) if n > 0 && n == others.len() => {
            said.push_str(&format!(" The {drive} lasts longest with {name}."));
        }
        _ => {}
    }
    said
}

fn against(other: &WearFigure, effect: Option<&Effect>) -> String {
    let figure = format!("{} {}", sanitize(&other.candidate), number(other.bytes_per_byte));
    match effect {
        Some(effect) if effect.low > 1.0 => format!("{figure}, {}", times(effect)),
        Some(_) => format!("{figure} (no certain difference)"),
        None => format!("{figure} (too few blocks)"),
    }
}

fn times(effect: &Effect) -> String {
    let Effect { ratio, low, high, .. } = effect;
    let [ratio, low, high] = [ratio, low, high].map(|value| number(*value));
    format!("{ratio} times as much (95 % CI: {low} to {high})")
}

/// Two digits after the point where a figure is near 1, fewer where it is large.
fn number(value: f64) -> String {
    match value {
        v if v < 1.995 => format!("{v:.2}"),
        v if v < 9.95 => format!("{v:.1}"),
        v => three_digits(v),
    }
}

/// With flushes, for the details of a workload.
pub fn full(run: &Run, verdict: &WorkloadVerdict) -> Option<String> {
    let wear = verdict.wear.as_ref()?;
    let flushes = |figure: &WearFigure| {
        let per_mb = figure.flushes_per_mb?;
        Some(format!("{} {}", sanitize(&figure.candidate), three_digits(per_mb)))
    };
    let all: Vec<String> = wear.figures.iter().filter_map(flushes).collect();
    let flushes = if all.is_empty() {
        String::new()
    } else {
        format!(" Flushes for each MB written: {}.", all.join(", "))
    };
    Some(format!("{}{flushes}", sentence(run, wear)))
}

/// "card", "stick" or "drive" where writing wears it; `None` for disks that spin, virtual ones,
/// what is not known, and images, which are on a filesystem of their own.
fn flash(run: &Run) -> Option<&'static str> {
    let is_flash = |disk: &&Layer| disk.seeks() == Some(false) && !disk.is_virtual();
    removable(run).or_else(|| {
        let mut disks = run.header.disks().peekable();
        disks.peek()?;
        (!run.header.regions().any(is_image) && disks.all(|disk| is_flash(&disk)))
            .then_some("drive")
    })
}

fn is_image(region: &Region) -> bool {
    region.is_image
}

fn removable(run: &Run) -> Option<&'static str> {
    let disk = run.header.disks().next().filter(|_| !run.header.regions().any(is_image))?;
    match disk.bus.as_deref() {
        Some("mmc") => Some("card"),
        Some("usb") if disk.removable == Some(true) => Some("stick"),
        _ => None,
    }
}

/// What the recommended candidate costs a card or a stick, where that is a quarter more than with
/// another for certain, or a quarter less than with every other.
pub fn note(run: &Run, analysis: &Analysis, chosen: &Recommendation) -> Option<String> {
    let drive = removable(run)?;
    let on = || analysis.verdicts.iter().filter_map(|v| Some((v, v.wear.as_ref()?)));
    let price = |(v, wear): (&'_ WorkloadVerdict, &'_ WearVerdict)| {
        Some((v.workload.clone(), wear.more_of(&chosen.candidate)?.clone()))
    };
    let gain = |(v, wear): (&'_ WorkloadVerdict, &'_ WearVerdict)| {
        let is_least = wear.figures.first()?.candidate == chosen.candidate && wear.is_certain();
        let closest = wear.more.iter().min_by(|x, y| x.low.total_cmp(&y.low));
        Some((v.workload.clone(), closest.filter(|_| is_least)?.clone()))
    };
    let (workload, effect) = far(on().filter_map(price)).or_else(|| far(on().filter_map(gain)))?;
    let (who, least) = (sanitize(&effect.a), sanitize(&effect.b));
    let [ratio, low, high] = [effect.ratio, effect.low, effect.high].map(number);
    Some(format!(
        "For {}, {who} writes {ratio} times as many bytes to the {drive} as {least} (95 % CI: \
         {low} to {high}): the {drive} lasts that much longer with {least}.",
        names::workload(&workload)
    ))
}

fn far(all: impl Iterator<Item = (String, Effect)>) -> Option<(String, Effect)> {
    let most = all.max_by(|x, y| x.1.low.total_cmp(&y.1.low));
    most.filter(|(_, effect)| effect.low >= 1.0 + MOST_REGRET)
}

/// The table of a run; `None` where nothing was counted. Rows and columns are those of `like`.
pub fn matrix(analysis: &Analysis, like: &Matrix) -> Option<Matrix> {
    analysis.verdicts.iter().find(|v| v.wear.is_some())?;
    let row = |of: &MatrixRow| MatrixRow {
        index: of.index,
        name: of.name.clone(),
        cells: analysis.verdicts.iter().map(|v| cell(v, &of.name, like.margin)).collect(),
    };
    let rows = like.rows.iter().map(row).collect();
    Some(Matrix { columns: like.columns.clone(), rows, margin: like.margin })
}

fn cell(verdict: &WorkloadVerdict, name: &str, margin: f64) -> MatrixCell {
    let none = || MatrixCell {
        label: "-".to_string(),
        spoken: "not counted".to_string(),
        ..MatrixCell::default()
    };
    let Some(wear) = &verdict.wear else { return none() };
    let Some(at) = wear.figures.iter().position(|f| sanitize(&f.candidate) == name) else {
        return none();
    };
    let figure = &wear.figures[at];
    let label = number(figure.bytes_per_byte);
    let spoken = format!("{label} bytes for each byte");
    let least = wear.figures[0].bytes_per_byte;
    let by_means = (least / figure.bytes_per_byte).min(1.0);
    let (place, ratio) = match wear.more_of(&figure.candidate) {
        _ if at == 0 => (Place::Leader, (1.0, 1.0, 1.0)),
        None => (Place::Open, (by_means, by_means, by_means)),
        Some(effect) => {
            let span = Interval { low: libm::log(effect.low), high: libm::log(effect.high) };
            let place = match () {
                () if span.low > 0.0 => Place::Behind,
                () if span.is_inside(margin) => Place::Equal,
                () => Place::Open,
            };
            (place, (1.0 / effect.ratio, 1.0 / effect.high, 1.0 / effect.low))
        }
    };
    let is_certain = match place {
        Place::Leader => wear.is_certain(),
        other => matches!(other, Place::Behind | Place::Equal),
    };
    MatrixCell { label, spoken, place, is_certain, ratio: Some(ratio), stalls: None }
}

/// The same answer ranked by what candidates cost the flash.
pub fn ranked(answer: Answer, run: &Run, analysis: &Analysis) -> Answer {
    let only = || analysis.verdicts.iter().find_map(|v| v.wear.as_ref());
    let overall = analysis.wear.as_ref().or_else(only);
    let mut matrix = answer.wear.clone();
    if let Some(matrix) = &mut matrix {
        let place = |row: &MatrixRow| {
            let figures = overall.map_or(&[][..], |wear| &wear.figures);
            figures.iter().position(|f| sanitize(&f.candidate) == row.name).unwrap_or(usize::MAX)
        };
        matrix.rows.sort_by_key(place);
    }
    let lines = answer.lines.into_iter().zip(&analysis.verdicts);
    let lines = lines.map(|(mut line, of)| {
        line.said = match &of.wear {
            Some(wear) => sentence(run, wear),
            None => "Writes nothing, or was not counted.".to_string(),
        };
        line.figure = line.said.clone();
        line
    });
    Answer {
        choice: choice(run, overall, analysis.wear.is_some()),
        lines: lines.collect(),
        matrix: matrix.or(answer.matrix),
        wear: None,
        is_by_wear: true,
        ..answer
    }
}

fn choice(run: &Run, wear: Option<&WearVerdict>, is_overall: bool) -> Choice {
    let Some(wear) = wear else {
        let none = "No answer by wear: the bytes that reached the drive were not counted, or other \
                    processes transferred too much meanwhile.";
        return Choice::without_candidate(none.to_string());
    };
    let notes: Vec<String> = scope::reach(&run.header).map(str::to_string).into_iter().collect();
    let least = wear.figures.first().map(|figure| &figure.candidate);
    let least = least.filter(|_| wear.is_certain());
    let stack = run.header.candidates.iter().find(|c| Some(&c.name) == least);
    let commands = match stack.map(|c| &c.kind) {
        Some(Kind::Stack(stack)) => recipe::make(stack),
        Some(Kind::Directory { .. }) | None => Vec::new(),
    };
    let over = if is_overall { ", on average of the workloads" } else { "" };
    let said = match least {
        Some(least) => {
            format!("{} wears the drive least{over}: it {}", sanitize(least), writes(run, wear))
        }
        None => {
            format!("No candidate wears the drive least for certain{over}: {}", sentence(run, wear))
        }
    };
    Choice { candidate: least.map(|name| sanitize(name)), said, notes, commands }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bakeoff_judge::analyse::analyse;
    use bakeoff_judge::testing::RunBuilder;
    use bakeoff_model::wear::{DriveWrites, RankedBy};

    /// ext4 is the fastest, and for each 10 MB makes `reached` bytes reach a drive on `bus`, f2fs
    /// 14 MB.
    fn run_on(bus: &str, is_image: bool, reached: impl Fn(u32) -> u64) -> Run {
        let mut run = RunBuilder::stacks(&["ext4", "f2fs"])
            .header(|header| {
                let region = header.region.as_mut().unwrap();
                region.is_image = is_image;
                region.place.chain.iter_mut().for_each(|layer| layer.bus = Some(bus.to_string()));
            })
            .play(6, |block, c, _| f64::from(200 - 20 * u32::from(c) + block % 2))
            .build();
        for cell in run.blocks.iter_mut().flat_map(|block| &mut block.cells) {
            let number = cell.block.number();
            let first = cell.candidate.number() == 0;
            cell.measurement.drive_writes = Some(DriveWrites {
                asked_bytes: 10_000_000,
                reached_bytes: if first { reached(number) } else { 14_000_000 },
                flushes: Some(2440),
                is_shared: false,
            });
        }
        run
    }

    fn answer(run: &Run, by: RankedBy) -> Answer {
        Answer::new(run, &bakeoff_model::verdict::Analysis { by, ..analyse(run) })
    }

    #[test]
    fn a_card_lasts_longer_with_what_writes_less() {
        let run = run_on("mmc", false, |block| 31_000_000 + u64::from(block % 2) * 20_000);
        let verdict = &analyse(&run).verdicts[0];
        assert_eq!(
            full(&run, verdict).unwrap(),
            "f2fs writes 1.40 bytes for each byte; ext4 3.1, 2.2 times as much (95 % CI: 2.2 to \
             2.2). The card lasts that much longer with f2fs. Flushes for each MB written: f2fs \
             244, ext4 244."
        );
        let by_speed = answer(&run, RankedBy::Speed);
        let note = by_speed.choice.notes.last().unwrap();
        assert!(note.contains("ext4 writes 2.2 times as many bytes to the card as f2fs"), "{note}");
        let wear = by_speed.wear.unwrap();
        let labels: Vec<&str> = wear.rows.iter().map(|row| row.cells[0].label.as_str()).collect();
        assert_eq!((labels, wear.rows[0].name.as_str()), (vec!["3.1", "1.40"], "ext4"));
        assert_eq!((wear.rows[1].cells[0].mark(), wear.rows[0].cells[0].mark()), ('*', '*'));
    }

    #[test]
    fn ranked_by_wear_the_answer_is_another_candidate() {
        let run = run_on("mmc", false, |_| 31_000_000);
        let by_wear = answer(&run, RankedBy::Wear);
        assert_eq!(by_wear.choice.candidate.as_deref(), Some("f2fs"));
        assert!(by_wear.choice.said.starts_with("f2fs wears the drive least: it writes 1.40 "));
        assert_eq!(by_wear.matrix.unwrap().rows[0].name, "f2fs");
        assert!(by_wear.wear.is_none() && by_wear.lines[0].said.contains("ext4 3.1"));
    }

    #[test]
    fn nothing_is_promised_of_images_and_of_what_is_not_certain() {
        let image = run_on("mmc", true, |_| 31_000_000);
        assert!(!full(&image, &analyse(&image).verdicts[0]).unwrap().contains("lasts"));
        let noisy = run_on("mmc", false, |block| 9_000_000 + u64::from(block % 2) * 12_000_000);
        let said = full(&noisy, &analyse(&noisy).verdicts[0]).unwrap();
        assert!(said.contains("(no certain difference)") && !said.contains("lasts"), "{said}");
        for run in [image, noisy] {
            let notes = answer(&run, RankedBy::Speed).choice.notes;
            assert!(!notes.iter().any(|note| note.contains(" as many bytes ")), "{notes:?}");
        }
        let choice = answer(&RunBuilder::stacks(&["a", "b"]).build(), RankedBy::Wear).choice;
        assert!(choice.said.starts_with("No answer by wear"), "{}", choice.said);
    }

    #[test]
    fn figures_keep_the_digits_that_differ() {
        let all = [1.0, 1.07, 1.994, 1.996, 9.94, 9.96, 31.24, 131.2].map(number);
        assert_eq!(all, ["1.00", "1.07", "1.99", "2.0", "9.9", "9.96", "31.2", "131"]);
    }
}
