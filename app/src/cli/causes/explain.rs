//! Why single operations began, and single blocking calls returned, when they did.

use clap::Args;
use engine::analysis::causes::{CauseReader, SpanCause, TimePart, TimeUse, WalkLimit};
use engine::record::{Group, SpanId};
use engine::time::Nanos;
use serde_json::{Value, json};

use super::json::{JsonObject, cause, parts, put_span, segments, thread_delay};
use super::scope::{CauseOptions, CauseScope};
use crate::cli::arguments::OutputFormat;
use crate::cli::table::TextTable;
use crate::cli::{CliFailure, FINE, OutputStreams};
use crate::text::{self, words};

/// All operations together are printed without their chains where those have more segments than this: each operation of a
/// stream that is thousands deep would say again what all those in front of it say.
const MOST_SEGMENTS: usize = 1_000_000;
/// And where the ways back pass over more calls and operations than this, which may be many for one segment.
const MOST_POINTS: usize = 50_000_000;

/// Which spans are explained.
#[derive(Debug, Args)]
#[command(group = clap::ArgGroup::new("spans").required(true))]
pub struct ExplainOptions {
    /// The files, and which part of them
    #[command(flatten)]
    pub of: CauseOptions,
    /// The number of a span, as the inspector and --all show it
    #[arg(long, value_name = "NUMBER", group = "spans")]
    pub span: Option<u32>,
    /// Every operation and every blocking call
    #[arg(long, group = "spans")]
    pub all: bool,
}

/// Prints why spans began when they did.
pub(in crate::cli) fn explain(
    options: &ExplainOptions,
    streams: &mut OutputStreams<'_>,
) -> Result<u8, CliFailure> {
    let scope = CauseScope::open(&options.of.part, streams)?;
    let reader = scope.reader();
    let spans = match options.span {
        Some(number) => vec![known(&scope, number)?],
        None => scope.spans(),
    };
    let answered = |span: &SpanId| reader.of(*span).is_some() || was_dropped(&scope, *span);
    let spans: Vec<SpanId> = match options.span {
        Some(_) => spans,
        None => spans.into_iter().filter(answered).collect(),
    };
    if spans.is_empty() && options.of.format == OutputFormat::Text {
        let said = "nothing to explain: no operation and no blocking call in what was asked about";
        writeln!(streams.out, "{said}")?;
    }
    // Walking them all takes long, and only JSON of all spans has them.
    let are_asked = options.span.is_none() && options.of.format == OutputFormat::Json;
    let with_chains = !are_asked || chains_are_short(&reader, &spans);
    if !with_chains {
        let said = format!(
            "chain is left out: all chains together have more than {MOST_SEGMENTS} segments, or pass over more than {MOST_POINTS} \
             calls; --span shows that of one, and --range, --lane and --rank ask about fewer"
        );
        writeln!(streams.err, "{said}")?;
    }
    for span in spans {
        match options.of.format {
            OutputFormat::Json => {
                let line = line(&reader, span, with_chains);
                writeln!(streams.out, "{line}")?;
            }
            OutputFormat::Text if options.span.is_some() => write_one(&reader, span, streams)?,
            OutputFormat::Text => {
                let said = reader.sentence(span).unwrap_or_default();
                let said = words::sentence(&said);
                let name = words::span(&reader, span);
                writeln!(streams.out, "{} {name}: {said}.", span.0)?;
            }
        }
    }
    Ok(FINE)
}

/// Whether an operation never ran: why is said as well.
fn was_dropped(scope: &CauseScope, span: SpanId) -> bool {
    let placed = scope.capture.span(span);
    placed.is_some_and(|it| {
        let lane = scope.capture.lane(it.span.lane);
        it.never_ran() && lane.is_some_and(|it| it.group == Group::Streams)
    })
}

/// Whether the chains of these spans have few enough segments to print them all.
fn chains_are_short(reader: &CauseReader<'_>, spans: &[SpanId]) -> bool {
    let mut limit = WalkLimit {
        segments: MOST_SEGMENTS + 1,
        points: MOST_POINTS + 1,
    };
    spans.iter().all(|span| {
        reader.chain_within(*span, &mut limit);
        !limit.is_reached()
    })
}

/// The span with a number that is in the capture.
fn known(scope: &CauseScope, number: u32) -> Result<SpanId, CliFailure> {
    let span = SpanId(number);
    let placed = scope.capture.span(span);
    let placed = placed.ok_or_else(|| {
        let most = scope.capture.span_ids().saturating_sub(1);
        CliFailure::Wrong(format!(
            "no span has the number {number}; they go up to {most}, and --all lists those that can be explained"
        ))
    })?;
    if !scope.lanes.contains(&placed.span.lane) {
        let lane = scope.capture.lane_title(placed.span.lane);
        return Err(CliFailure::Wrong(format!(
            "span {number} is on {lane}, which --rank or --lane leaves out"
        )));
    }
    // What was dropped may lie outside of all that counts.
    if !scope.is_whole && placed.interval().intersection(scope.within).is_none() {
        let (from, to) = (
            text::duration(scope.within.start),
            text::duration(scope.within.end),
        );
        return Err(CliFailure::Wrong(format!(
            "span {number} began at {}, outside of what was asked about, {from} to {to}",
            text::duration(placed.span.start)
        )));
    }
    Ok(span)
}

/// The line of a span in JSON.
fn line(reader: &CauseReader<'_>, span: SpanId, with_chain: bool) -> Value {
    let mut object = JsonObject::new();
    let is_operation = reader.is_operation(span);
    let what = match reader.of(span) {
        Some(_) if is_operation => "op",
        Some(_) => "call",
        None => "span",
    };
    object.insert("type".to_owned(), json!(what));
    put_span(reader, span, &mut object);
    let end = reader.capture().span(span).map(|it| it.span.end.0);
    object.insert("end_ns".to_owned(), json!(end));
    let why = reader.of(span);
    object.insert(
        "cause".to_owned(),
        why.as_ref()
            .map_or(Value::Null, |it| cause_value(reader, it)),
    );
    if let Some(why) = why {
        let also = why.also.iter().map(|it| cause(reader, why.point, it));
        object.insert("also".to_owned(), also.collect());
    }
    let inside = reader.inside(span);
    if !inside.is_empty() || what == "call" {
        object.insert("inside".to_owned(), parts(reader, &inside));
    }
    if is_operation {
        let enqueued = reader.enqueued(span);
        object.insert("enqueued_ns".to_owned(), json!(enqueued.map(|it| it.0)));
        object.insert("split".to_owned(), parts(reader, &reader.split(span)));
        object.insert("alone_ns".to_owned(), json!(reader.alone(span).0));
        if let Some(delay) = reader.late_submission(span) {
            object.insert("submitted_late".to_owned(), thread_delay(reader, &delay));
        }
        if enqueued.is_some() && with_chain {
            object.insert("chain".to_owned(), segments(reader, &reader.chain(span)));
        }
    }
    if let Some(said) = reader.sentence(span) {
        object.insert("text".to_owned(), json!(words::sentence(&said)));
    }
    Value::Object(object)
}

/// The cause of a span: unknown, or the binding one.
fn cause_value(reader: &CauseReader<'_>, why: &SpanCause) -> Value {
    let binding = why.binding.as_ref().map(|it| cause(reader, why.point, it));
    match (why.is_unknown, binding) {
        (false, Some(binding)) => binding,
        (_, Some(binding)) => json!({ "kind": "unknown", "last_known": binding }),
        (_, None) => json!({ "kind": "unknown" }),
    }
}

/// A span for people: the sentence, the split, and what happened meanwhile.
fn write_one(
    reader: &CauseReader<'_>,
    span: SpanId,
    streams: &mut OutputStreams<'_>,
) -> Result<(), CliFailure> {
    let Some(placed) = reader.capture().span(span) else {
        return Ok(());
    };
    let length = words::length(placed.interval().length());
    let (name, start) = (words::span(reader, span), words::exact(placed.span.start));
    writeln!(streams.out, "{name}: began at {start}, took {length}")?;
    let said = reader.sentence(span).map(|it| words::sentence(&it));
    let said = said.unwrap_or_else(|| "The capture tells of nothing that it waited for".to_owned());
    writeln!(streams.out, "{said}.")?;
    write_parts(reader, "queued", &reader.split(span), streams)?;
    write_parts(reader, "within", &reader.inside(span), streams)?;
    let why = reader.of(span);
    let others = why
        .iter()
        .flat_map(|it| it.also.iter().map(|also| (it.point, also)));
    for (point, also) in others {
        let other = words::span(reader, also.span());
        writeln!(
            streams.out,
            "complete at the same instant: {other} ({}, {})",
            also.kind.label(),
            reader.known(point, also).label()
        )?;
    }
    let chain = reader.meanwhile(span, usize::MAX);
    let whole = chain.iter().map(|it| it.interval.length());
    let whole = whole.fold(Nanos::ZERO, |sum, it| sum + it);
    let mut table = TextTable::new(&["meanwhile", ">time", ">share", "of"]);
    for segment in &chain {
        let time = segment.interval.length();
        table.row([
            segment.what.label().to_owned(),
            words::length(time),
            words::share(time, whole),
            words::segment(reader, segment),
        ]);
    }
    table.write_after_a_line(streams.out)?;
    Ok(())
}

fn write_parts(
    reader: &CauseReader<'_>,
    head: &'static str,
    parts: &[TimePart],
    streams: &mut OutputStreams<'_>,
) -> Result<(), CliFailure> {
    let whole = parts.iter().map(|it| it.interval.length());
    let whole = whole.fold(Nanos::ZERO, |sum, it| sum + it);
    let mut table = TextTable::new(&[head, ">time", ">share", "by"]);
    for part in parts {
        let time = part.interval.length();
        let by = part.by.filter(|_| part.what == TimeUse::Blocked);
        let by = by.map(|it| format!("{} ({})", words::span(reader, it.span()), it.kind.label()));
        table.row([
            part.what.label().to_owned(),
            words::length(time),
            words::share(time, whole),
            by.unwrap_or_default(),
        ]);
    }
    table.write_after_a_line(streams.out)?;
    Ok(())
}
