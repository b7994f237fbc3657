//! One picture of the terminal: the answer so far, the machine, the keys. 80 x 24 is enough.

use bakeoff_report::now::{MatrixCell, Now, Place, state_words};
use bakeoff_report::runs::State as RunState;
use bakeoff_stats::units;
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Cell, LineGauge, Paragraph, Row, Sparkline, Table, Wrap};

use super::state::{KeyMode, State};

/// Rows of the matrix on a small terminal; further candidates are counted.
const CANDIDATES: usize = 9;
const DISKS: usize = 3;
const NAME: u16 = 21;
/// Columns of a sparkline's name and of its figure.
const LABEL: u16 = 14;
const FIGURE: u16 = 14;

pub fn draw(frame: &mut Frame, state: &State) {
    let area = frame.area();
    let rows = state.now.as_ref().map_or(1, |(now, _)| now.candidates.len());
    let matrix = (rows.min(CANDIDATES.max(usize::from(area.height).saturating_sub(15))) + 1) as u16;
    let [top, gauge, table, interval, middle, keys] = Layout::vertical([
        Constraint::Length(3),
        Constraint::Length(1),
        Constraint::Length(matrix),
        Constraint::Length(1),
        Constraint::Min(3),
        Constraint::Length(1),
    ])
    .areas(area);
    match &state.now {
        Some((now, read)) => {
            heading(frame, top, now);
            progress(frame, gauge, now, read.elapsed().as_nanos() as u64);
            candidates(frame, table, now, state.workload);
            one_workload(frame, interval, now, state.workload);
        }
        None => {
            let said = match state.mode {
                KeyMode::Run | KeyMode::Beside => "Preparing the run…",
                KeyMode::Watch => "No run is in progress.",
            };
            frame.render_widget(Paragraph::new(said), top);
        }
    }
    match (&state.now, state.has_details) {
        (Some((now, _)), true) => details(frame, middle, now),
        _ => machine(frame, middle, state),
    }
    frame.render_widget(Paragraph::new(keys_line(state)), keys);
}

fn bold(text: impl Into<String>) -> Span<'static> {
    Span::styled(text.into(), Style::new().add_modifier(Modifier::BOLD))
}

fn dim(text: impl Into<String>) -> Span<'static> {
    Span::styled(text.into(), Style::new().fg(Color::DarkGray))
}

fn heading(frame: &mut Frame, area: Rect, now: &Now) {
    let lines = vec![
        Line::from(vec![bold(now.title.clone()), dim(format!("  run {}", short(&now.run)))]),
        Line::from(now.headline.clone()),
        Line::from(match now.state {
            RunState::Running => now.doing.clone(),
            RunState::Dead | RunState::Stopped | RunState::Unfinished | RunState::Unreadable => {
                state_words(now)
            }
        }),
    ];
    frame.render_widget(Paragraph::new(lines), area);
}

fn short(run: &str) -> &str {
    &run[..run.len().min(8)]
}

fn progress(frame: &mut Frame, area: Rect, now: &Now, since_ns: u64) {
    let left_ns = now.left_ns.map(|left| left.saturating_sub(since_ns));
    let whole_ns = now.left_ns.map_or(now.elapsed_ns, |left| now.elapsed_ns + left).max(1);
    let done_ns = whole_ns.saturating_sub(left_ns.unwrap_or(0));
    let left = match (left_ns, now.state) {
        (Some(ns), _) => format!("{} left", units::duration(ns)),
        (None, RunState::Running) => "preparing".to_string(),
        (None, _) => "ended".to_string(),
    };
    let written = units::size(now.written_bytes);
    let label = format!("{left}, {} blocks, {written} written", now.blocks);
    let ratio = (done_ns as f64 / whole_ns as f64).clamp(0.0, 1.0);
    let gauge = LineGauge::default().ratio(ratio).label(label).filled_style(Color::Cyan);
    frame.render_widget(gauge, area);
}

fn fitted(name: &str) -> String {
    let (length, most) = (name.chars().count(), usize::from(NAME) - 1);
    match name.starts_with('/') && length > most {
        true => std::iter::once('…').chain(name.chars().skip(length - most + 1)).collect(),
        false => name.to_string(),
    }
}

fn cell(cell: &MatrixCell, is_chosen: bool) -> Cell<'static> {
    let (mark, style) = match (cell.place, cell.is_certain) {
        (Place::Leader, true) => ("*", Style::new().fg(Color::Green)),
        (Place::Leader, false) => ("?", Style::new().fg(Color::Yellow)),
        (Place::Equal, _) => ("=", Style::new().fg(Color::Green)),
        (Place::Behind, _) => ("-", Style::new()),
        (Place::Open, _) => ("?", Style::new().fg(Color::Yellow)),
        (Place::Out | Place::None, _) => (" ", Style::new().fg(Color::DarkGray)),
    };
    let style = if is_chosen { style.add_modifier(Modifier::UNDERLINED) } else { style };
    Cell::from(Span::styled(format!("{mark} {}", cell.label), style))
}

fn candidates(frame: &mut Frame, area: Rect, now: &Now, chosen: usize) {
    let heads = now.verdicts.iter().enumerate().map(|(i, verdict)| match i == chosen {
        true => Cell::from(bold(verdict.name.clone())),
        false => Cell::from(verdict.name.clone()),
    });
    let head = Row::new(std::iter::once(Cell::from("")).chain(heads)).style(Color::Cyan);
    let rows = now.candidates.iter().map(|row| {
        let cells = row.cells.iter().enumerate().map(|(i, c)| cell(c, i == chosen));
        Row::new(std::iter::once(Cell::from(fitted(&row.name))).chain(cells))
    });
    let widths = std::iter::once(Constraint::Length(NAME))
        .chain(now.verdicts.iter().map(|_| Constraint::Fill(1)));
    frame.render_widget(Table::new(rows, widths).header(head), area);
}

fn one_workload(frame: &mut Frame, area: Rect, now: &Now, chosen: usize) {
    let Some(verdict) = now.verdicts.get(chosen) else { return };
    let ranges = now.candidates.iter().filter_map(|row| {
        let (_, low, high) = row.cells.get(chosen)?.ratio.filter(|(_, low, high)| low < high)?;
        Some(format!("{} {:.0} to {:.0} %", fitted(&row.name), low * 100.0, high * 100.0))
    });
    let ranges = ranges.collect::<Vec<_>>().join(", ");
    let said = match ranges.is_empty() {
        true => format!("{}: no interval yet", verdict.name),
        false => format!("{}, share of the leader: {ranges}", verdict.name),
    };
    frame.render_widget(Paragraph::new(Line::from(dim(said))), area);
}

fn details(frame: &mut Frame, area: Rect, now: &Now) {
    let verdicts = now.verdicts.iter().map(|v| Line::from(v.sentence.clone()));
    let findings = now.findings.iter().map(|f| match f.is_severe {
        true => Line::from(vec![bold("! "), Span::from(f.said.clone())]),
        false => Line::from(f.said.clone()),
    });
    let lines: Vec<Line> = verdicts.chain(findings).collect();
    frame.render_widget(Paragraph::new(lines).wrap(Wrap { trim: true }), area);
}

/// A line each: name, course, figure.
struct GaugeLine {
    name: String,
    values: Vec<u64>,
    figure: String,
    most: Option<u64>,
}

fn machine(frame: &mut Frame, area: Rect, state: &State) {
    let mut courses = vec![processors(state)];
    if let Some(last) = state.frames.back() {
        let mut busiest: Vec<usize> = (0..last.devices.len()).collect();
        let total = |i: &usize| -> f64 {
            let rates = |f: &bakeoff_machine::watch::Frame| {
                f.devices.get(*i).map_or(0.0, |(_, r)| r.read.bytes_per_s + r.write.bytes_per_s)
            };
            state.frames.iter().map(rates).sum()
        };
        busiest.sort_by(|a, b| total(b).total_cmp(&total(a)));
        busiest.truncate(DISKS);
        courses.extend(busiest.into_iter().flat_map(|i| drive(state, i)));
    }
    let findings = state.now.iter().flat_map(|(now, _)| &now.findings);
    let lines = Layout::vertical(vec![Constraint::Length(1); usize::from(area.height)]);
    let lines = lines.split(area);
    let mut lines = lines.iter();
    for (course, line) in courses.iter().zip(lines.by_ref()) {
        draw_course(frame, *line, course);
    }
    for (finding, line) in findings.zip(lines) {
        let mark = if finding.is_severe { bold("! ") } else { dim("- ") };
        let said = Line::from(vec![mark, Span::from(finding.said.clone())]);
        frame.render_widget(Paragraph::new(said), *line);
    }
}

fn processors(state: &State) -> GaugeLine {
    let busy = |f: &bakeoff_machine::watch::Frame| {
        let cpus = &f.machine.cpu_percent;
        cpus.iter().sum::<f64>() / cpus.len().max(1) as f64
    };
    let waited = state.frames.back().and_then(|f| f.machine.io_some_percent);
    let waited = waited.map_or(String::new(), |w| format!(" io {w:.0} %"));
    GaugeLine {
        name: "processors".to_string(),
        values: state.frames.iter().map(|f| busy(f) as u64).collect(),
        figure: format!("{:.0} %{waited}", state.frames.back().map_or(0.0, busy)),
        most: Some(100),
    }
}

fn drive(state: &State, index: usize) -> [GaugeLine; 2] {
    let course = |what: &str, of: fn(&bakeoff_machine::telemetry::rates::DeviceRates) -> f64| {
        let values = state.frames.iter().map(|f| f.devices.get(index).map_or(0.0, |(_, r)| of(r)));
        let values: Vec<f64> = values.collect();
        let name = state.frames.back().and_then(|f| f.devices.get(index)).map(|(name, _)| name);
        GaugeLine {
            name: format!("{} {what}", name.map_or("", |name| name.as_str())),
            figure: units::rate(values.last().copied().unwrap_or(0.0)),
            values: values.into_iter().map(|v| v as u64).collect(),
            most: None,
        }
    };
    [course("read", |r| r.read.bytes_per_s), course("write", |r| r.write.bytes_per_s)]
}

fn draw_course(frame: &mut Frame, area: Rect, course: &GaugeLine) {
    let [name, line, figure] = Layout::horizontal([
        Constraint::Length(LABEL),
        Constraint::Fill(1),
        Constraint::Length(FIGURE),
    ])
    .areas(area);
    frame.render_widget(Paragraph::new(course.name.clone()), name);
    let skipped = course.values.len().saturating_sub(usize::from(line.width));
    let shown = &course.values[skipped..];
    let most = course.most.or_else(|| shown.iter().max().copied()).unwrap_or(1).max(1);
    frame.render_widget(Sparkline::default().data(shown).max(most).style(Color::Cyan), line);
    frame.render_widget(Paragraph::new(course.figure.clone()).right_aligned(), figure);
}

fn keys_line(state: &State) -> Line<'static> {
    if state.asks {
        return Line::from(bold("Stop the run and undo all changes? y: yes, any other key: no"));
    }
    let pause = if state.is_paused { "p continue" } else { "p pause display" };
    let details = if state.has_details { "d machine" } else { "d details" };
    let quit = match state.mode {
        KeyMode::Run => "q stop the run",
        KeyMode::Watch => "q quit",
        KeyMode::Beside => "q back to line output   Ctrl-C stop the run",
    };
    Line::from(dim(format!("{quit}   {pause}   {details}   w next workload")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use bakeoff_judge::analyse::analyse;
    use bakeoff_judge::testing::RunBuilder;
    use ratatui::Terminal;
    use ratatui::backend::TestBackend;
    use std::time::Instant;

    fn text(state: &State, width: u16, height: u16) -> String {
        let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
        terminal.draw(|frame| draw(frame, state)).unwrap();
        terminal.backend().to_string()
    }

    fn state() -> State {
        let rate = |_: u32, candidate: u16, _: u16| 1000.0 - f64::from(candidate) * 200.0;
        let run = RunBuilder::stacks(&["ext4", "xfs", "f2fs"]).play(6, rate).build();
        let now = Now::new(&run, &analyse(&run), RunState::Running);
        let mut state = State::new(KeyMode::Run);
        state.now = Some((Box::new(now), Instant::now()));
        state.frame(bakeoff_machine::watch::Frame::default());
        state
    }

    #[test]
    fn paths_that_do_not_fit_keep_their_end() {
        assert_eq!(fitted("/home"), "/home");
        assert_eq!(fitted("/media/someone/stick-1"), "…dia/someone/stick-1");
        assert_eq!(fitted("ext4, no journal, none"), "ext4, no journal, none");
    }

    #[test]
    fn everything_is_on_a_small_terminal_and_nothing_breaks_a_tiny_one() {
        let mut state = state();
        let shown = text(&state, 80, 24);
        for word in ["ext4", "f2fs", "random writes", "processors", "q stop the run", "left"] {
            assert!(shown.contains(word), "{word}: {shown}");
        }
        state.has_details = true;
        for (width, height) in [(1, 1), (20, 5), (80, 24), (200, 60)] {
            text(&state, width, height);
        }
        state.asks = true;
        assert!(text(&state, 80, 24).contains("y: yes"));
        text(&State::new(KeyMode::Watch), 80, 24);
    }
}
