//! The inspector of a span.

use eframe::egui::{Align, Color32, Label, Layout, RichText, Ui};
use engine::analysis::causes::CauseReader;
use engine::analysis::pace::PacedShare;
use engine::analysis::{ElapsedMeasure, measure_of};
use engine::capture::{PlacedSpan, Repair};
use engine::record::{
    DependencyId, MEMORY_ADDRESS, MEMORY_STREAM, Severity, SpanId, SpanKind, SpanStart, State,
    Value,
};
use engine::time::Nanos;

use super::{lane_of, lines, name_of, pace, pipeline, promise, ranges, rank, title, why};
use crate::action::Action;
use crate::panel::Scene;
use crate::panel::problems::severity;
use crate::panel::widgets::{compact, field, hint, link, section};
use crate::text;

/// Causes or effects that are listed at once; the rest is counted.
const LISTED: usize = 20;
/// Findings of one span that are listed.
const FOUND: usize = 3;
/// So many characters of a link and its note fit side by side in the narrowest inspector.
const SIDE_BY_SIDE: usize = 38;
/// Points by which a note below its link stands in.
const NOTE_INDENT: f32 = 14.0;

/// Every field of the span, its place in the source, its causes and its effects.
pub fn show(
    ui: &mut Ui,
    scene: &Scene<'_>,
    (id, answer, origin): (SpanId, &mut why::SpanAnswer, &mut ranges::OriginRanges),
    actions: &mut Vec<Action>,
) {
    let Some(placed) = scene.capture.span(id) else {
        let began = scene.capture.running(id);
        return match began {
            Some(began) => running(ui, scene, began),
            None => hint(ui, scene.theme, "This span has not arrived yet"),
        };
    };
    heading(ui, scene, &placed);
    times(ui, scene, &placed);
    found(ui, scene, id, actions);
    why::show(ui, scene, (id, answer), actions);
    ranges::show(ui, scene, (id, origin), actions);
    pace::show(ui, scene, &placed);
    measured(ui, scene, id);
    promise::parts(ui, scene, id, actions);
    pipeline::part(ui, scene, id, actions);
    let capture = scene.capture;
    dependency_list(ui, scene, "Causes", capture.causes(id), actions);
    dependency_list(ui, scene, "Effects", capture.effects(id), actions);
    arguments(ui, scene, id);
    rank::show(ui, scene, placed.span.lane);
    lines::show(ui, scene, placed.span.call, actions);
}

/// What the time from its start to its end is called.
const fn length_title(kind: SpanKind) -> &'static str {
    match kind {
        SpanKind::EventWait => "waited",
        _ => "ran",
    }
}

fn heading(ui: &mut Ui, scene: &Scene<'_>, placed: &PlacedSpan) {
    let capture = scene.capture;
    let span = &placed.span;
    let lane = capture.lane(span.lane);
    let mut detail = format!(
        "{} on {}",
        span.kind.label(),
        lane.map_or("?", |lane| &lane.name)
    );
    let device = lane
        .and_then(|lane| lane.device)
        .and_then(|id| capture.devices().get(id.index()));
    if let Some(device) = device {
        detail = format!("{detail} · {}", device.short_name());
    }
    title(ui, scene, capture.name(span.name), &detail);
    let (sign, colour) = match span.state {
        State::Done => ("", scene.theme.weak),
        State::Failed => ("× failed", scene.theme.bad),
        State::Cancelled if placed.never_ran() => ("× cancelled: it never ran", scene.theme.bad),
        State::Cancelled => ("× cancelled before its end", scene.theme.bad),
        State::Lost => ("× lost with its device", scene.theme.bad),
    };
    if !sign.is_empty() {
        ui.label(RichText::new(sign).color(colour));
    }
    let repair = placed.repair.label();
    if placed.repair == Repair::Overlap {
        // Branches of a graph do, and so do operations that a program lets start early.
        hint(ui, scene.theme, &format!("It {repair}"));
    } else if !repair.is_empty() {
        ui.label(RichText::new(format!("! repaired: {repair}")).color(scene.theme.warning));
    }
}

fn times(ui: &mut Ui, scene: &Scene<'_>, placed: &PlacedSpan) {
    let span = &placed.span;
    let reader = scene.reader();
    let queued = reader.map_or_else(|| placed.queued(), |it| it.queued(placed));
    // Of an operation whose submission is not told nothing is said of a queue either.
    let has_none =
        |it: &CauseReader<'_>| it.is_operation(span.id) && it.enqueued(span.id).is_none();
    let is_untold = queued == Nanos::ZERO && reader.is_some_and(|it| has_none(&it));
    let is_told =
        |(name, _): &(&str, Nanos)| !(is_untold && matches!(*name, "enqueued" | "queued"));
    let all = [
        ("enqueued", span.start - queued),
        ("began", span.start),
        ("ended", span.end),
        ("queued", queued),
        (length_title(span.kind), placed.interval().length()),
    ];
    for (name, value) in all.into_iter().filter(is_told) {
        field(ui, scene.theme, name, &value.to_string());
    }
    field(ui, scene.theme, "span", &text::id(span.id.0));
    if span.call.is_some() {
        field(ui, scene.theme, "call", &span.call.0.to_string());
    }
}

/// What is wrong with this span as analyses found; what they only remark, its sentence says.
fn found(ui: &mut Ui, scene: &Scene<'_>, id: SpanId, actions: &mut Vec<Action>) {
    let made = scene.status.why.conclusions.as_ref();
    let answers = made.map_or(&[][..], |made| made.answers.as_slice());
    let all = answers.iter().flat_map(|it| &it.answer.findings);
    let wrong = all.filter(|it| it.severity != Severity::Info);
    let own: Vec<_> = wrong.filter(|it| it.spans.contains(&id)).collect();
    if own.is_empty() {
        return;
    }
    section(ui, scene.theme, "Findings");
    for finding in own.iter().take(FOUND) {
        let (sign, colour) = severity(scene.theme, finding.severity);
        let words = RichText::new(format!("{sign} {}", finding.code)).color(colour);
        ui.label(words.strong());
        ui.label(&finding.text);
    }
    if own.len() > FOUND {
        let words = format!("and {} more", own.len() - FOUND);
        if link(ui, &words, scene.theme.accent).clicked() {
            actions.push(Action::OpenTab("findings"));
        }
    }
}

/// What was measured between two records, beside what ran on the stream in between.
fn measured(ui: &mut Ui, scene: &Scene<'_>, id: SpanId) {
    let Some(found) = measure_of(scene.capture, id) else {
        return;
    };
    section(ui, scene.theme, "Measured");
    field(
        ui,
        scene.theme,
        "between the records",
        &found.elapsed.to_string(),
    );
    let lane = scene
        .capture
        .lane(found.lane)
        .map_or("?", |lane| &lane.name);
    field(
        ui,
        scene.theme,
        &format!("ran on {lane}"),
        &format!(
            "{} in {}",
            found.own,
            text::counted(found.count as u64, "span")
        ),
    );
    hint(ui, scene.theme, remark(&found));
}

/// What to know about a measured time.
fn remark(found: &ElapsedMeasure) -> &'static str {
    if found.elapsed < Nanos::ZERO {
        "The second event was reached first · CUDA: not documented, believed negative · AscendCL: error 107007"
    } else {
        "The time between two records holds whatever ran between them, on other streams as well; it is never a \
         kernel's own time (rule A19)"
    }
}

fn running(ui: &mut Ui, scene: &Scene<'_>, began: &SpanStart) {
    let capture = scene.capture;
    let lane = capture.lane(began.lane).map_or("?", |lane| &lane.name);
    title(
        ui,
        scene,
        capture.name(began.name),
        &format!("{} on {lane} · running", began.kind.label()),
    );
    field(ui, scene.theme, "enqueued", &began.enqueued.to_string());
    field(ui, scene.theme, "began", &began.start.to_string());
}

fn dependency_list(
    ui: &mut Ui,
    scene: &Scene<'_>,
    heading: &str,
    found: impl Iterator<Item = DependencyId>,
    actions: &mut Vec<Action>,
) {
    let causes = heading == "Causes";
    let mut found = found.peekable();
    if found.peek().is_none() {
        return;
    }
    section(ui, scene.theme, heading);
    for id in found.by_ref().take(LISTED) {
        let Some(tie) = scene.capture.dependency(id) else {
            continue;
        };
        let (other, sign, colour) = if causes {
            (tie.cause, "◀", scene.theme.cause)
        } else {
            (tie.effect, "▶", scene.theme.effect)
        };
        let words = format!("{sign} {}", name_of(scene.capture, other));
        let note = format!("{} · {}", tie.kind.label(), lane_of(scene.capture, other));
        end(
            ui,
            scene,
            (&words, colour),
            &note,
            vec![Action::Reveal(other)],
            actions,
        );
    }
    let rest = found.count();
    if rest > 0 {
        hint(
            ui,
            scene.theme,
            &format!("and {} more", text::count(rest as u64)),
        );
    }
}

/// A link on the left and a quiet note on the right, or below it where both are not short enough for one line.
pub fn end(
    ui: &mut Ui,
    scene: &Scene<'_>,
    (words, colour): (&str, Color32),
    note: &str,
    went: Vec<Action>,
    actions: &mut Vec<Action>,
) {
    let is_long = words.chars().count() + note.chars().count() > SIDE_BY_SIDE;
    if is_long {
        return end_below(ui, scene, (words, colour), note, went, actions);
    }
    compact(ui);
    ui.horizontal(|ui| {
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            ui.label(RichText::new(note).color(scene.theme.weak).small());
            ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
                if link(ui, words, colour).clicked() {
                    actions.extend(went);
                }
            });
        });
    });
}

/// A link and a quiet note below it.
pub fn end_below(
    ui: &mut Ui,
    scene: &Scene<'_>,
    (words, colour): (&str, Color32),
    note: &str,
    went: Vec<Action>,
    actions: &mut Vec<Action>,
) {
    compact(ui);
    if link(ui, words, colour).clicked() {
        actions.extend(went);
    }
    let note = RichText::new(note).color(scene.theme.weak).small();
    ui.horizontal(|ui| {
        ui.add_space(NOTE_INDENT);
        ui.add(Label::new(note).truncate());
    });
}

fn arguments(ui: &mut Ui, scene: &Scene<'_>, id: SpanId) {
    // What the pace says is said above.
    let arguments = scene.capture.arguments(id);
    let mut arguments = arguments
        .filter(|(name, _)| !PacedShare::FIELDS.contains(name))
        .peekable();
    if arguments.peek().is_none() {
        return;
    }
    section(ui, scene.theme, "Arguments");
    for (name, value) in arguments {
        let value = argument(name, &value);
        if !value.contains('\n') {
            field(ui, scene.theme, name, &value).on_hover_text(&value);
            continue;
        }
        // A stack has a line for each of its functions.
        compact(ui);
        ui.add(Label::new(RichText::new(name).color(scene.theme.weak)).selectable(false));
        for line in value.lines() {
            ui.horizontal(|ui| {
                ui.add_space(NOTE_INDENT);
                ui.add(Label::new(RichText::new(line).monospace()).truncate());
            });
        }
    }
}

/// What an argument says: addresses as tools write them, other whole numbers with all of their digits.
fn argument(name: &str, value: &Value) -> String {
    match value {
        Value::Integer(address) if name == MEMORY_ADDRESS => format!("{address:#x}"),
        // Numbers of streams are names, which are searched for as they are.
        Value::Integer(stream) if name == MEMORY_STREAM => stream.to_string(),
        Value::Integer(number) => {
            let sign = if *number < 0 { "-" } else { "" };
            format!("{sign}{}", text::count(number.unsigned_abs()))
        }
        Value::Number(number) => number.to_string(),
        Value::Text(words) => words.to_string(),
    }
}
