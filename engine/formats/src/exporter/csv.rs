//! Writes tables of comma-separated values: the spans, the dependencies, or the samples of counters, a line each.

use std::io::{self, Write};

use super::{ExportFidelity, Exporter};
use capture::{Capture, PlacedSpan, Repair};
use record::time::{Interval, Nanos};
use record::{Bookmark, CallId, Counter, DependencyId, Span, SpanId, SpanStart, State, Value};

/// The spans as `.csv`.
pub struct SpansCsv;

/// The dependencies as `.dependencies.csv`.
pub struct DependenciesCsv;

/// The samples of all counters as `.counters.csv`.
pub struct CountersCsv;

/// The state of a span that has no end: no [`State`] says so.
const RUNNING: &str = "running";
/// The columns of [`SpansCsv`].
const SPANS: &str = "id,name,kind,state,group,device,process,thread,lane,role,depth,enqueued_ns,start_ns,end_ns,\
    duration_ns,queued_ns,repair,line,arguments";
/// The columns of [`DependenciesCsv`].
const DEPENDENCIES: &str = "id,kind,basis,event,generation,cause,cause_name,cause_lane,cause_end_ns,effect,\
    effect_name,effect_lane,effect_start_ns";
/// The columns of [`CountersCsv`].
const COUNTERS: &str = "counter,name,unit,device,time_ns,value";

impl Exporter for SpansCsv {
    fn name(&self) -> &'static str {
        "csv"
    }

    fn extension(&self) -> &'static str {
        "csv"
    }

    fn about(&self) -> &'static str {
        "Spans for spreadsheets and data frames, a line each, times in nanoseconds; no text of them is a formula."
    }

    fn keeps(&self) -> ExportFidelity {
        ExportFidelity::Rows
    }

    fn write_with(
        &self,
        capture: &Capture,
        _: &[Bookmark],
        output: &mut dyn Write,
    ) -> io::Result<()> {
        writeln!(output, "{SPANS}")?;
        for placed in capture.spans() {
            let state = placed.span.state.label();
            writeln!(output, "{}", row_of_span(capture, &placed, state))?;
        }
        for began in capture.open() {
            let placed = running(capture, began);
            writeln!(output, "{}", row_of_span(capture, &placed, RUNNING))?;
        }
        output.flush()
    }
}

impl Exporter for DependenciesCsv {
    fn name(&self) -> &'static str {
        "csv-dependencies"
    }

    fn extension(&self) -> &'static str {
        "dependencies.csv"
    }

    fn about(&self) -> &'static str {
        "Dependencies for spreadsheets and data frames, a line each, times in nanoseconds."
    }

    fn keeps(&self) -> ExportFidelity {
        ExportFidelity::Rows
    }

    fn write_with(
        &self,
        capture: &Capture,
        _: &[Bookmark],
        output: &mut dyn Write,
    ) -> io::Result<()> {
        writeln!(output, "{DEPENDENCIES}")?;
        for id in (0..capture.dependency_count() as u32).map(DependencyId) {
            if let Some(row) = row_of_dependency(capture, id) {
                writeln!(output, "{row}")?;
            }
        }
        output.flush()
    }
}

impl Exporter for CountersCsv {
    fn name(&self) -> &'static str {
        "csv-counters"
    }

    fn extension(&self) -> &'static str {
        "counters.csv"
    }

    fn about(&self) -> &'static str {
        "Samples of counters for spreadsheets and data frames, a line each, times in nanoseconds."
    }

    fn keeps(&self) -> ExportFidelity {
        ExportFidelity::Rows
    }

    fn write_with(
        &self,
        capture: &Capture,
        _: &[Bookmark],
        output: &mut dyn Write,
    ) -> io::Result<()> {
        writeln!(output, "{COUNTERS}")?;
        for counter in capture.counters() {
            let of = head_of_counter(capture, counter);
            let samples = capture.samples(counter.id);
            for (time, value) in samples.times().iter().zip(samples.values()) {
                writeln!(output, "{of},{},{value}", time.0)?;
            }
        }
        output.flush()
    }
}

/// What the lines of a counter have in common.
fn head_of_counter(capture: &Capture, counter: &Counter) -> String {
    let device = counter
        .device
        .and_then(|id| capture.devices().get(id.index()));
    let fields = [
        counter.id.0.to_string(),
        quoted(&counter.name),
        quoted(&counter.unit),
        device.map_or_else(String::new, |it| quoted(&it.name)),
    ];
    fields.join(",")
}

/// What began and has not ended, as a span that lasts to the end of the capture, below all others of its lane.
fn running(capture: &Capture, began: &SpanStart) -> PlacedSpan {
    let last = capture.extent().map_or(began.start, |it| it.end);
    let all = Interval {
        start: Nanos::MIN,
        end: Nanos::MAX,
    };
    let is_alone = capture.spans_in(began.lane, all).next().is_none();
    let depth = if is_alone {
        0
    } else {
        capture.depth(began.lane)
    };
    PlacedSpan {
        span: Span {
            id: began.id,
            lane: began.lane,
            name: began.name,
            call: CallId::NONE,
            kind: began.kind,
            state: State::Done,
            enqueued: began.enqueued,
            start: began.start,
            end: last.max(began.start),
        },
        depth: depth as u32,
        repair: Repair::None,
    }
}

/// A span, be it over or not.
fn find_span(capture: &Capture, id: SpanId) -> Option<PlacedSpan> {
    let began = || Some(running(capture, capture.running(id)?));
    capture.span(id).or_else(began)
}

fn row_of_span(capture: &Capture, placed: &PlacedSpan, state: &str) -> String {
    let span = placed.span;
    let lane = capture.lane(span.lane);
    let device = lane.and_then(|lane| capture.devices().get(lane.device?.index()));
    let source = capture.calls().get(span.call.index()).map(|call| call.line);
    let fields = [
        span.id.0.to_string(),
        quoted(capture.name(span.name)),
        span.kind.label().to_owned(),
        state.to_owned(),
        lane.map_or_else(String::new, |it| it.group.label().to_owned()),
        device.map_or_else(String::new, |it| quoted(&it.name)),
        lane.map_or_else(String::new, |it| number(&it.process)),
        lane.map_or_else(String::new, |it| number(&it.thread)),
        lane.map_or_else(String::new, |it| quoted(&it.name)),
        lane.map_or_else(String::new, |it| it.role.label().to_owned()),
        placed.depth.to_string(),
        span.enqueued.0.to_string(),
        span.start.0.to_string(),
        span.end.0.to_string(),
        (span.end - span.start).0.to_string(),
        placed.queued().0.to_string(),
        placed.repair.label().to_owned(),
        source.map_or_else(String::new, |line| line.to_string()),
        quoted(&arguments(capture, span.id)),
    ];
    fields.join(",")
}

fn row_of_dependency(capture: &Capture, id: DependencyId) -> Option<String> {
    let tie = capture.dependency(id)?;
    let event = capture.events().get(tie.event.index());
    let called = |id: SpanId| {
        let placed = find_span(capture, id);
        placed.map_or_else(String::new, |it| quoted(capture.name(it.span.name)))
    };
    let when = |id: SpanId, end: bool| {
        let placed = find_span(capture, id).map(|it| it.span);
        placed.map_or_else(String::new, |it| {
            if end { it.end } else { it.start }.0.to_string()
        })
    };
    let fields = [
        id.0.to_string(),
        tie.kind.label().to_owned(),
        tie.basis.label().to_owned(),
        event.map_or_else(String::new, |event| quoted(capture.name(event.name))),
        tie.generation.to_string(),
        tie.cause.0.to_string(),
        called(tie.cause),
        quoted(&lane_name(capture, tie.cause)),
        when(tie.cause, true),
        tie.effect.0.to_string(),
        called(tie.effect),
        quoted(&lane_name(capture, tie.effect)),
        when(tie.effect, false),
    ];
    Some(fields.join(","))
}

fn lane_name(capture: &Capture, span: SpanId) -> String {
    let placed = find_span(capture, span);
    let lane = placed.and_then(|it| capture.lane(it.span.lane));
    lane.map_or_else(String::new, |lane| lane.name.clone())
}

/// The arguments of a span as one JSON object; nothing where there are none.
fn arguments(capture: &Capture, span: SpanId) -> String {
    let fields: serde_json::Map<String, serde_json::Value> = capture
        .arguments(span)
        .map(|(name, value)| (name.to_owned(), json(&value)))
        .collect();
    if fields.is_empty() {
        return String::new();
    }
    serde_json::Value::Object(fields).to_string()
}

/// A value in JSON, which has no word for what is not finite.
pub(super) fn json(value: &Value) -> serde_json::Value {
    match value {
        Value::Integer(value) => (*value).into(),
        Value::Number(value) if value.is_finite() => (*value).into(),
        Value::Number(value) => value.to_string().into(),
        Value::Text(value) => value.to_string().into(),
    }
}

/// What a spreadsheet takes for the beginning of a formula, which may start programs and send data away.
const FORMULAS: [char; 11] = ['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠'];

/// A text as a field: in quotation marks where it holds what would end it (RFC 4180), and with an apostrophe before it where
/// it would be a formula to a spreadsheet. A text that begins so already gets another one, so that taking one away from
/// every field that begins with apostrophes and then the sign of a formula gives the texts back.
pub fn quoted(text: &str) -> String {
    if text.trim_start_matches('\'').starts_with(FORMULAS) {
        return enclosed(&format!("'{text}"));
    }
    enclosed(text)
}

/// The number of a process or a thread, which may be below zero and is no formula then; a word as any text.
fn number(text: &str) -> String {
    let digits = text.strip_prefix('-').unwrap_or_default();
    if !digits.is_empty() && digits.bytes().all(|it| it.is_ascii_digit()) {
        return text.to_owned();
    }
    quoted(text)
}

/// A field, in quotation marks where it holds what would end it.
fn enclosed(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_that_would_break_a_line_are_quoted() {
        assert_eq!(quoted("saxpy"), "saxpy");
        assert_eq!(quoted("f<int, 2>"), "\"f<int, 2>\"");
        assert_eq!(quoted("say \"a\"\n"), "\"say \"\"a\"\"\n\"");
    }

    #[test]
    fn no_field_is_a_formula_and_every_text_comes_back() {
        let texts = [
            "=HYPERLINK(\"http://x\",\"y\")",
            "+1",
            "-matmul",
            "@sum",
            "\tcmd",
            "'=1",
            "''-2",
            "'quoted'",
            "saxpy",
            "",
            "＝1",
            "\r=1",
            "\n=1",
        ];
        for text in texts {
            let field = quoted(text);
            let bare = match field.strip_prefix('"').and_then(|it| it.strip_suffix('"')) {
                Some(inner) => inner.replace("\"\"", "\""),
                None => field.clone(),
            };
            let first = bare.chars().next().unwrap_or_default();
            assert!(!"=+-@\t\r\n＝＋－＠".contains(first), "{field}");
            let is_marked =
                bare.starts_with('\'') && bare.trim_start_matches('\'').starts_with(FORMULAS);
            let back = if is_marked { &bare[1..] } else { &bare };
            assert_eq!(back, text);
        }
        assert_eq!(quoted("-1"), "'-1");
        assert_eq!(number("-2065865532370268434"), "-2065865532370268434");
        assert_eq!(number("-2+3"), "'-2+3");
    }
}
