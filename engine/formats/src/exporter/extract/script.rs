//! The text of an extracted workload: what it declares, and the calls of its host.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use super::order::HostOrder;
use super::{ExtractedWorkload, micros};
use capture::{Capture, PlacedSpan};
use record::time::{Interval, Nanos};
use record::{CALL_LABEL, LaneId, Role, Span, SpanId, SpanKind, Value, counted};

/// Shorter pauses of the host are not worth a line.
const PAUSE: Nanos = Nanos::from_micros(5);
/// Names of the argument that says how much was copied.
const BYTES: &[&str] = &["bytes", "Bytes", "size", "Size", "size_bytes", "size(Byte)"];
/// Bytes of a label beyond which it is no name.
const LONGEST_LABEL: usize = 64;
/// Bytes beyond which a copy is told as time alone: no device may have room for it.
const LARGEST: i64 = 4 << 30;

/// How much a text says besides what is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ScriptStyle {
    /// Streams by their names, every operation with the name it had, and parameters to stretch times with.
    Full,
    /// None of that, to fit more operations.
    Terse,
}

/// A workload on its way.
pub(super) struct WorkloadScript<'a> {
    capture: &'a Capture,
    style: ScriptStyle,
    streams: BTreeMap<LaneId, String>,
    /// The name and the place in its array of each event.
    events: Vec<(String, u32)>,
    buffers: BTreeSet<(String, i64)>,
    calls: String,
    host: Option<Nanos>,
    unsized_copies: usize,
}

impl<'a> WorkloadScript<'a> {
    pub fn new(capture: &'a Capture, order: &HostOrder, style: ScriptStyle) -> Self {
        let mut names = DeclaredNames::default();
        let mut streams = BTreeMap::new();
        for lane in capture.lane_order() {
            let used = order.steps.iter().any(|step| step.lane() == lane);
            if let (true, Some(row)) = (used, capture.lane(lane)) {
                let name = match style {
                    ScriptStyle::Full => row.name.clone(),
                    ScriptStyle::Terse => format!("s{}", streams.len()),
                };
                streams.insert(lane, names.unique(&name, "stream"));
            }
        }
        let mut counts: BTreeMap<String, u32> = BTreeMap::new();
        let mut arrays: BTreeMap<String, String> = BTreeMap::new();
        let mut events = Vec::new();
        for &cause in &order.events {
            let called = event_name(capture, cause);
            let array = arrays
                .entry(called)
                .or_insert_with_key(|called| names.unique(called, "event"));
            let count = counts.entry(array.clone()).or_default();
            events.push((array.clone(), *count));
            *count += 1;
        }
        Self {
            capture,
            style,
            streams,
            events,
            buffers: BTreeSet::new(),
            calls: String::new(),
            host: None,
            unsized_copies: 0,
        }
    }

    fn call(&mut self, text: std::fmt::Arguments<'_>) {
        // Writing to a string cannot fail.
        let _ = writeln!(self.calls, "    {text}");
    }

    fn stream(&self, lane: LaneId) -> String {
        quoted(self.streams.get(&lane).map_or("?", String::as_str))
    }

    /// Submits an operation when it was submitted.
    pub fn run(&mut self, placed: &PlacedSpan, at: Nanos) {
        let span = placed.span;
        let pause = at - self.host.unwrap_or(at);
        if pause >= PAUSE {
            let length = micros(pause);
            match self.style {
                ScriptStyle::Full => {
                    self.call(format_args!("work micros=\"host-scale * {length}\""));
                }
                ScriptStyle::Terse => self.call(format_args!("work micros={length}")),
            }
        }
        self.host = Some(self.host.map_or(at, |host| host.max(at)));
        let on = self.stream(span.lane) + &self.label(&span);
        let was = match self.style {
            ScriptStyle::Full => format!(" // {}", comment(self.capture.name(span.name))),
            ScriptStyle::Terse => String::new(),
        };
        let bytes = self.bytes(&span);
        match (span.kind, bytes) {
            (SpanKind::Upload, Some(bytes)) => {
                let buffer = self.buffer("up", &span, bytes);
                self.call(format_args!("upload {buffer} on={on}{was}"));
            }
            (SpanKind::Download, Some(bytes)) => {
                let buffer = self.buffer("down", &span, bytes);
                self.call(format_args!("download {buffer} on={on}{was}"));
            }
            (SpanKind::Copy, Some(bytes)) => {
                let from = self.buffer("from", &span, bytes);
                let to = self.buffer("to", &span, bytes);
                self.call(format_args!("copy {from} {to} on={on}{was}"));
            }
            (SpanKind::Fill, Some(bytes)) => {
                let buffer = self.buffer("fill", &span, bytes);
                self.call(format_args!("fill {buffer} value=0 on={on}{was}"));
            }
            (SpanKind::HostFunction | SpanKind::Callback, _) => {
                let name = quoted(self.unlabelled(&span));
                let length = micros(span.end - span.start);
                self.call(format_args!("host-function {name} micros={length} on={on}"));
            }
            (kind, _) => {
                self.unsized_copies += usize::from(kind != SpanKind::Kernel);
                let length = micros(span.end - span.start);
                let length = match self.style {
                    ScriptStyle::Full => format!("\"scale * {length}\""),
                    ScriptStyle::Terse => length,
                };
                self.call(format_args!(
                    "launch \"spin\" on={on} {{ set \"micros\" {length} }}{was}"
                ));
            }
        }
    }

    pub fn record(&mut self, event: u32, lane: LaneId) {
        let on = self.stream(lane);
        if let Some((name, place)) = self.events.get(event as usize).cloned() {
            self.call(format_args!("record {} {place} on={on}", quoted(&name)));
        }
    }

    pub fn wait(&mut self, event: u32, lane: LaneId) {
        let on = self.stream(lane);
        if let Some((name, place)) = self.events.get(event as usize).cloned() {
            self.call(format_args!("wait {} {place} on={on}", quoted(&name)));
        }
    }

    /// The label of the call that a span is of, where it has one.
    fn call_label(&self, span: &Span) -> Option<String> {
        let mut arguments = self.capture.arguments(span.id);
        arguments.find_map(|(name, value)| match value {
            Value::Text(text) if name == CALL_LABEL && text.len() <= LONGEST_LABEL => {
                Some(text.to_string())
            }
            _ => None,
        })
    }

    /// The same as it is written behind the call; nothing where it has none.
    fn label(&self, span: &Span) -> String {
        let label = self.call_label(span);
        label.map_or_else(String::new, |it| format!(" label={}", quoted(&it)))
    }

    /// What a span is called without its label.
    fn unlabelled(&self, span: &Span) -> &str {
        let name = self.capture.name(span.name);
        let label = self.call_label(span);
        let rest = label.and_then(|it| name.strip_prefix(&it)?.strip_prefix(": "));
        rest.unwrap_or(name)
    }

    /// How much a span copied or filled, where that is known.
    fn bytes(&self, span: &Span) -> Option<i64> {
        let mut arguments = self.capture.arguments(span.id);
        let found = arguments.find_map(|(name, value)| match value {
            Value::Integer(bytes) if BYTES.contains(&name) => Some(bytes),
            Value::Number(bytes) if BYTES.contains(&name) => Some(bytes as i64),
            Value::Text(text) if BYTES.contains(&name) => text.parse().ok(),
            _ => None,
        });
        found.filter(|bytes| (1..=LARGEST).contains(bytes))
    }

    /// A buffer for what a stream copies: one for each size, so that streams share none that they did not.
    fn buffer(&mut self, what: &str, span: &Span, bytes: i64) -> String {
        let floats = (bytes + 3) / 4;
        let name = format!("{what}-{}-{floats}", span.lane.0);
        self.buffers.insert((name.clone(), floats));
        quoted(&name)
    }

    /// The whole workload, and what it leaves out.
    pub fn finish(self, range: Interval, order: &HostOrder) -> ExtractedWorkload {
        let name = self
            .capture
            .run()
            .map_or("a capture", |run| run.name.as_str());
        let mut text = String::new();
        let about = format!(
            "Extracted from {name}, {} to {}: its streams, with kernels as spins of the observed lengths, copies of \
             the observed bytes, and every record and wait between streams.",
            range.start, range.end
        );
        let _ = writeln!(text, "about {}\n", quoted(&about));
        if self.calls.contains("\"scale * ") {
            text.push_str("param \"scale\" 1 min=0 max=1000 about=\"how long kernels spin, against the capture\"\n");
        }
        if self.calls.contains("\"host-scale * ") {
            text.push_str(
                "param \"host-scale\" 1 min=0 max=1000 about=\"how far apart the host submits, against the capture; 0 is at \
                 once\"\n",
            );
        }
        text.push('\n');
        for (lane, name) in &self.streams {
            let role = match self
                .capture
                .lane(*lane)
                .map_or(Role::None, |lane| lane.role)
            {
                Role::None | Role::Compute | Role::Queue => String::new(),
                role => format!(" role=\"{}\"", role.label()),
            };
            let _ = writeln!(text, "stream {}{role}", quoted(name));
        }
        let mut counts: BTreeMap<&str, u32> = BTreeMap::new();
        for (name, place) in &self.events {
            counts.insert(name, place + 1);
        }
        for (name, count) in counts {
            let _ = writeln!(text, "event {} count={count}", quoted(name));
        }
        for (name, floats) in &self.buffers {
            let _ = writeln!(text, "buffer {} f32={floats}", quoted(name));
        }
        let calls = &self.calls;
        let _ = write!(
            text,
            "\nhost \"main\" {{\n{calls}    synchronize-device\n}}\n"
        );
        let notes = self.notes(order);
        ExtractedWorkload { text, notes }
    }

    fn notes(&self, order: &HostOrder) -> Vec<String> {
        let told = [
            (
                order.waits_outside,
                "{wait is for what lies before the range or is not known, and was|waits are for what lies before the range or is not known, \
                 and were} left out",
            ),
            (
                order.waits_in_circles,
                "{wait comes before what it waits for in every order of calls, and was|waits come before what they wait for in every order \
                 of calls, and were} left out",
            ),
            (
                self.unsized_copies,
                "{copy does not say how much it copied, and became a spin of its|copies do not say how much they copied, and became spins of \
                 their} length",
            ),
        ];
        told.into_iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, words)| counted(count as u64, words))
            .collect()
    }
}

/// What an event is called: as in the capture, where an event carried the dependency.
fn event_name(capture: &Capture, cause: SpanId) -> String {
    let mut effects = capture
        .effects(cause)
        .filter_map(|id| capture.dependency(id));
    let event = effects.find_map(|tie| capture.events().get(tie.event.index()));
    let own = capture.span(cause).map(|it| capture.name(it.span.name));
    let own = own.and_then(|name| name.strip_prefix("record "));
    let name = event
        .map(|event| capture.name(event.name))
        .or(own)
        .unwrap_or("after");
    let base = name.split('[').next().unwrap_or(name);
    base.to_owned()
}

/// Names that a workload can declare, no two the same.
#[derive(Default)]
struct DeclaredNames(BTreeSet<String>);

impl DeclaredNames {
    fn unique(&mut self, wanted: &str, otherwise: &str) -> String {
        let fits = |it: char| it.is_alphanumeric() || " ._-".contains(it);
        let plain: String = wanted
            .chars()
            .map(|it| if fits(it) { it } else { '-' })
            .collect();
        let plain = plain.trim_matches(['-', ' ']).to_owned();
        let plain = if plain.is_empty() {
            otherwise.to_owned()
        } else {
            plain
        };
        let mut name = plain.clone();
        for more in 2.. {
            if self.0.insert(name.clone()) {
                break;
            }
            name = format!("{plain} {more}");
        }
        name
    }
}

/// Whether KDL takes a character as it is, and goes on in the same line behind it.
fn may_stand(char: char) -> bool {
    !char.is_control()
        && !matches!(
            char,
            '\u{061C}' | '\u{200E}'..='\u{200F}' | '\u{2028}'..='\u{202E}' | '\u{2066}'..='\u{2069}' | '\u{FEFF}'
        )
}

/// A text in KDL.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for char in text.chars() {
        match char {
            '"' | '\\' => quoted.extend(['\\', char]),
            char if !may_stand(char) => quoted.push(' '),
            char => quoted.push(char),
        }
    }
    quoted + "\""
}

/// A name as it may stand behind a comment mark.
fn comment(name: &str) -> String {
    name.chars()
        .map(|it| match it {
            // A name that is cut short would leave a block open, to those who count them.
            '{' => '(',
            '}' => ')',
            it if !may_stand(it) => ' ',
            it => it,
        })
        .take(120)
        .collect()
}
