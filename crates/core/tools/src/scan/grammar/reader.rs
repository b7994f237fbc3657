//! What reads by a grammar: which form a line has, where a result begins and ends.

use std::borrow::Cow;

use super::pattern::Pattern;
use super::{Grammar, Kind, Law, LineForm, OF_HEAD, Role, kind};
use crate::scan::finder::{Line, Reader};
use crate::scan::quantity::{Quantity, Span};
use crate::scan::result::{Metrics, Out, Place, ToolResult, finding, short};
use bakeoff_model::finding::{Finding, Severity};

struct Figure {
    name: String,
    kind: &'static Kind,
    quantity: Quantity,
    line: u64,
}

#[derive(Clone, Debug, Default)]
pub struct MatchHead {
    line: u64,
    last_line: u64,
    pub context: Option<String>,
    pub version: Option<String>,
    pub test: Option<String>,
    prefix: &'static str,
    tests: Vec<String>,
}

struct Open {
    place: Place,
    head: MatchHead,
    test: &'static str,
    last_line: u64,
    last_form: usize,
    figures: Vec<Figure>,
    findings: Vec<Finding>,
}

struct FormMatch {
    form: &'static LineForm,
    at: usize,
    prefix: &'static str,
    head: MatchHead,
    figures: Vec<Figure>,
}

enum LineFit {
    None,
    Taken,
    Heading,
    Broken(String),
}

static MARK: Kind = kind("mark", "", &[]);

pub struct Grammatical {
    grammar: &'static Grammar,
    patterns: Vec<Pattern>,
    head: Option<MatchHead>,
    /// Lines above a result that has not begun: the first, the last, and why they are none.
    before: Option<(u64, u64, &'static str)>,
    open: Option<Open>,
}

impl Reader for Grammatical {
    fn line(&mut self, line: &Line<'_>, out: &mut Out) -> bool {
        let trimmed = line.text.trim();
        let is_wide = ["\t", "\u{b}", "\u{c}", "  "].iter().any(|blank| trimmed.contains(blank));
        let words = if is_wide {
            Cow::from(trimmed.split_whitespace().collect::<Vec<_>>().join(" "))
        } else {
            Cow::from(trimmed)
        };
        let text = words.trim_start_matches(['-', '*']).trim_start();
        let mut broken = None;
        for candidate in [&*words, text].into_iter().take(1 + usize::from(text != words)) {
            for at in 0..self.patterns.len() {
                match self.form(at, candidate, line, out) {
                    LineFit::None => {}
                    LineFit::Taken => return true,
                    LineFit::Heading => return false,
                    LineFit::Broken(why) => broken = broken.or(Some(why)),
                }
            }
        }
        if let Some(why) = broken {
            self.before = None;
            out.unread(line.number, line.number, why);
            return true;
        }
        let is_like = self.patterns.iter().zip(self.grammar.forms).any(|(pattern, form)| {
            matches!(
                form.role,
                Role::Figures | Role::First | Role::Last | Role::Alone | Role::Again
            ) && !form.is_inside
                && form.prefix != OF_HEAD
                && pattern.is_like(text)
        });
        let gap = self.grammar.gap_lines;
        if self.open.as_ref().is_some_and(|open| line.number > open.last_line + gap) {
            self.close(out);
        }
        if is_like {
            let tool = self.grammar.tool;
            let why = format!("this looks like a line of {tool}, but its figures are incomplete");
            out.unread(line.number, line.number, why);
        }
        is_like
    }

    fn finish(&mut self, out: &mut Out) {
        self.close(out);
        self.list_before(out);
    }
}

impl Grammatical {
    pub fn new(grammar: &'static Grammar) -> Grammatical {
        let patterns = grammar.forms.iter().map(|form| Pattern::parse(form.pattern)).collect();
        Grammatical { grammar, patterns, head: None, before: None, open: None }
    }

    fn form(&mut self, at: usize, text: &str, line: &Line<'_>, out: &mut Out) -> LineFit {
        let form = &self.grammar.forms[at];
        let found = match self.read(at, text, line) {
            Ok(found) => found,
            Err(fit) => return fit,
        };
        match form.role {
            Role::Own => {
                if let Some(open) = &mut self.open {
                    open.last_line = line.number;
                } else if let Some(head) = &mut self.head {
                    head.last_line = line.number;
                }
                LineFit::Taken
            }
            Role::Unread(why) => {
                self.before = None;
                if !form.is_inside {
                    self.close(out);
                }
                out.unread(line.number, line.number, why);
                LineFit::Taken
            }
            Role::Fault => self.fault(line, text, found, out),
            Role::Before(why) => {
                self.close(out);
                let first = self.before.map_or(line.number, |(first, ..)| first);
                self.before = Some((first, line.number, why));
                LineFit::Taken
            }
            Role::Head => {
                self.close(out);
                self.add_head(line, form, found.head);
                if self.patterns[at].has_words() { LineFit::Taken } else { LineFit::Heading }
            }
            Role::Alone | Role::Again | Role::Guess => self.alone(line, found, out),
            Role::Figures | Role::First | Role::Last => self.figures(line, found, out),
        }
    }

    fn read(&self, at: usize, text: &str, line: &Line<'_>) -> Result<FormMatch, LineFit> {
        let Grammar { tool, forms, kinds, gap_lines, .. } = self.grammar;
        let form = &forms[at];
        let is_near = |open: &Open| line.number <= open.last_line + gap_lines;
        if form.is_inside && !self.open.as_ref().is_some_and(is_near) {
            return Err(LineFit::None);
        }
        let (head, figures) = self.patterns[at].read(text, line, kinds).ok_or(LineFit::None)?;
        let of_head = self.head.as_ref().map_or("", |head| head.prefix);
        let is_of_head = form.prefix == OF_HEAD;
        if is_of_head && of_head.is_empty() {
            let why = format!("a line of {tool} lacks the line above it that says of what it is");
            return Err(LineFit::Broken(why));
        }
        let prefix = if is_of_head { of_head } else { form.prefix };
        let figure = |(mut name, kind, quantity): (String, &'static Kind, Quantity)| {
            if !name.starts_with('_') {
                name.insert_str(0, prefix);
            }
            Figure { name, kind, quantity, line: line.number }
        };
        let mut figures: Vec<Figure> = figures.into_iter().map(figure).collect();
        if !form.mark.is_empty()
            && let Some(mut quantity) = Quantity::with_unit("1", 1)
        {
            quantity.raw = short(text);
            let name = form.mark.to_string();
            figures.push(Figure { name, kind: &MARK, quantity, line: line.number });
        }
        Ok(FormMatch { form, at, prefix, head, figures })
    }

    fn fault(&mut self, line: &Line<'_>, text: &str, found: FormMatch, out: &mut Out) -> LineFit {
        if self.open.is_none() && self.head.is_some() {
            self.begin(line, found.form, found.head, out);
        }
        let Some(open) = &mut self.open else { return LineFit::None };
        let advice = "the results cover only a part: repeat the test";
        open.findings.push(finding("tool-error", Severity::Error, short(text), advice));
        open.last_line = line.number;
        LineFit::Taken
    }

    /// Adds what the line says to what stands above it; one without words begins anew.
    fn add_head(&mut self, line: &Line<'_>, form: &LineForm, head: MatchHead) {
        let is_new = form.prefix.is_empty();
        let is_clear = is_new && [&head.context, &head.version, &head.test] == [&None; 3];
        let is_above = |known: &MatchHead| {
            line.number <= known.last_line + self.grammar.gap_lines
                && (known.context.is_none() || head.context.is_none())
                && !is_clear
        };
        let known = self.head.take().filter(is_above).unwrap_or_default();
        self.head = Some(MatchHead {
            line: if known.line > 0 && is_new { known.line } else { line.number },
            last_line: line.number,
            context: head.context.or(known.context),
            version: head.version.or(known.version),
            test: head.test.or(known.test),
            prefix: form.prefix,
            tests: Vec::new(),
        });
    }

    fn alone(&mut self, line: &Line<'_>, found: FormMatch, out: &mut Out) -> LineFit {
        let FormMatch { form, prefix, head, figures, .. } = found;
        let broken = self.broken(form, prefix, &[], &figures);
        if form.role == Role::Guess && (broken.is_some() || !line.is_ended) {
            return LineFit::None;
        }
        if let Some(why) = broken {
            return LineFit::Broken(why);
        }
        self.close(out);
        self.begin(line, form, head, out);
        self.add(line, figures);
        if form.role == Role::Again || form.prefix == OF_HEAD {
            return self.close_unless_known(form, out);
        }
        self.close(out);
        LineFit::Taken
    }

    fn figures(&mut self, line: &Line<'_>, found: FormMatch, out: &mut Out) -> LineFit {
        let FormMatch { form, at, prefix, mut head, figures } = found;
        let is_next = |open: &&Open| {
            let has = |new: &Figure| open.figures.iter().any(|old| old.name == new.name);
            let is_of_test =
                head.test.is_none() || open.head.test.is_none() || head.test == open.head.test;
            line.number <= open.last_line + self.grammar.gap_lines
                && (form.test.is_empty() || open.test == form.test)
                && form.role != Role::First
                && (!form.is_next || open.last_form + 1 == at && is_of_test)
                && !figures.iter().any(has)
        };
        let known = self.open.as_ref().filter(is_next);
        if form.is_next && known.is_none() {
            let why = format!("a line of {} lacks the line above it", self.grammar.tool);
            return LineFit::Broken(why);
        }
        let known_figures = known.map_or(&[][..], |open| &open.figures);
        if let Some(why) = self.broken(form, prefix, known_figures, &figures) {
            return LineFit::Broken(why);
        }
        let words = head.test.take();
        if known.is_none() {
            self.close(out);
            self.begin(line, form, head, out);
        }
        self.add(line, figures);
        if let Some(open) = &mut self.open {
            open.head.test = words.or(open.head.test.take());
            open.last_form = at;
        }
        if form.role == Role::Last {
            self.close(out);
            self.head = None;
        }
        LineFit::Taken
    }

    fn begin(&mut self, line: &Line<'_>, form: &LineForm, own: MatchHead, out: &mut Out) {
        let mut place = line.place(self.grammar.tool);
        let gap = self.grammar.gap_lines;
        let head = self.head.clone().filter(|head| line.number <= head.last_line + gap);
        let mut head = head.unwrap_or_default();
        if head.line > 0 && matches!(form.role, Role::Figures | Role::Last) {
            place.first_line = head.line;
        }
        head.test = own.test.or(head.test);
        match self.before.take_if(|(_, last, _)| place.first_line <= *last + gap) {
            Some((first, ..)) => place.first_line = place.first_line.min(first),
            None => self.list_before(out),
        }
        let (figures, findings) = (Vec::new(), Vec::new());
        let (test, last_line, last_form) = (form.test, line.number, 0);
        self.open = Some(Open { place, head, test, last_line, last_form, figures, findings });
    }

    fn add(&mut self, line: &Line<'_>, figures: Vec<Figure>) {
        if let Some(open) = &mut self.open {
            open.figures.extend(figures);
            open.last_line = line.number;
        }
    }

    fn broken(
        &self,
        form: &LineForm,
        prefix: &str,
        known: &[Figure],
        new: &[Figure],
    ) -> Option<String> {
        let find = |name: &str| {
            let name = name.strip_prefix('*').map_or(name.to_string(), |n| format!("{prefix}{n}"));
            known.iter().chain(new).find(|figure| figure.name == name)
        };
        let is_new = |name: &&str| new.iter().any(|n| find(name).is_some_and(|f| f.name == n.name));
        let product = |names: &[&str]| {
            names.iter().try_fold(Span::exactly(1.0), |product, name| {
                let span = match (*name, name.parse::<f64>()) {
                    (_, Ok(number)) => Span::exactly(number),
                    ("_block", _) if form.block > 0 => Span::exactly(form.block as f64),
                    _ => find(name)?.span(),
                };
                Some(product.times(span))
            })
        };
        for Law { left, right, what, is_most } in self.grammar.laws {
            let is_of_line = left.iter().chain(*right).any(&is_new);
            if let (true, Some(left), Some(right)) = (is_of_line, product(left), product(right))
                && !(left.meets(right) || *is_most && left.is_at_most(right))
            {
                return Some(format!("{what} contradict each other"));
            }
        }
        let latencies = ["*latency_min", "*latency_avg", "*latency_max"];
        let spans: Vec<Span> =
            latencies.iter().filter_map(|name| find(name)).map(Figure::span).collect();
        let is_sorted = spans.windows(2).all(|pair| pair[0].is_at_most(pair[1]));
        (!is_sorted && latencies.iter().any(is_new))
            .then(|| "the smallest, the mean and the largest latency contradict each other".into())
    }

    /// Gives the open result, unless it has no figure.
    fn close(&mut self, out: &mut Out) {
        if let Some(result) = self.ready(out) {
            out.result(result);
        }
    }

    /// The same of a line that says once more what stands above: unless a result of the same test
    /// above has these figures, or any result has.
    fn close_unless_known(&mut self, form: &LineForm, out: &mut Out) -> LineFit {
        let Some(result) = self.ready(out) else { return LineFit::Taken };
        let test = result.test.clone().unwrap_or_default();
        let from = result.last_line.saturating_sub(self.grammar.gap_lines);
        let is_again = form.role == Role::Again;
        if is_again && result.metrics.iter().all(|metric| out.has_figure(from, metric)) {
            return LineFit::Taken;
        }
        let is_twice = if is_again {
            out.has_test(from, &result.tool, &test)
        } else {
            self.head.as_ref().is_some_and(|head| head.tests.contains(&test))
        };
        if is_twice {
            return LineFit::Broken(format!(
                "{test} of {} stands above with other figures",
                result.tool
            ));
        }
        if let Some(head) = &mut self.head {
            head.tests.push(test);
        }
        out.result(result);
        LineFit::Taken
    }

    fn ready(&mut self, out: &mut Out) -> Option<ToolResult> {
        let open = self.open.take()?;
        let mut metrics = Metrics::default();
        for Figure { name, kind, quantity, line } in &open.figures {
            quantity.give(name, kind.unit, *line, &mut metrics);
        }
        let is_given = metrics.0.iter().any(|metric| !metric.name.starts_with('_'));
        if !is_given && open.findings.is_empty() {
            return None;
        }
        let mut place = open.place;
        if let Some(context) = open.head.context {
            place.context = context;
        }
        let words = [open.test, open.head.test.as_deref().unwrap_or("")];
        let test = words.join(" ").trim().to_string();
        let result = place.result(self.grammar.tool, open.head.version, open.last_line, metrics);
        let mut result = result.of_test(&test);
        result.findings = open.findings;
        if let Some(why) = (self.grammar.note)(&mut result) {
            out.unread(result.first_line, result.last_line, why);
            return None;
        }
        result.metrics.retain(|metric| !metric.name.starts_with('_'));
        Some(result).filter(|result| !result.metrics.is_empty())
    }

    fn list_before(&mut self, out: &mut Out) {
        if let Some((first, last, why)) = self.before.take() {
            out.unread(first, last, why);
        }
    }
}

impl Figure {
    /// What it can have been printed from; a whole number of bytes or of operations is exact.
    fn span(&self) -> Span {
        let span = match self.kind.unit {
            "bytes" | "count" => self.quantity.count_span(),
            _ => self.quantity.span(),
        };
        span.plus(Span::between(-f64::from(self.kind.slack), f64::from(self.kind.slack)))
    }
}
