//! The card beside the pointer: what a span is, when it ran and what it waited for.

mod subject;

use eframe::egui::{Align, Id, Label, LayerId, Layout, PopupAnchor, RichText, Tooltip, Ui};
use engine::analysis::causes::{
    CauseKind, CauseReader, DependencyRole, DependencyTimes, IdleGap, IdleUse,
};
use engine::record::{Dependency, Lane, LaneId, SpanId};
use engine::time::Nanos;

use super::fold::Bar;
use super::frame::PaintFrame;
use crate::text;
use crate::theme::{GRID, SMALL, Theme, mono};

/// How long the pointer rests before the card shows, in seconds.
const DELAY: f32 = 0.35;

/// Width of a label and its time, in points.
const LINE: f32 = 220.0;

/// Letters of a long name that the card has.
const WHOLE: usize = 1_200;

/// How many causes the card names.
const CAUSES: usize = 3;

/// What the pointer is on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum CardSubject {
    /// A span that is drawn alone or runs now.
    Span(SpanId),
    /// Spans that are drawn as one.
    Run(Bar),
    /// A dependency's arrow.
    Tie(Dependency),
    /// A lane at an instant at which nothing is drawn on it.
    Idle(LaneId, Nanos),
}

/// Shows the card about `subject` when the pointer has rested on it.
pub fn ui(ui: &Ui, frame: &PaintFrame<'_>, subject: CardSubject) {
    let (rested, moving) = ui.input(|input| {
        let pointer = &input.pointer;
        (pointer.time_since_last_movement(), pointer.any_down())
    });
    if moving {
        return;
    }
    if rested < DELAY {
        let rest = std::time::Duration::from_secs_f32(DELAY - rested + 0.01);
        ui.ctx().request_repaint_after(rest);
        return;
    }
    let gap = match subject {
        CardSubject::Idle(lane, time) => {
            let reader = frame.picture.causes;
            let Some(gap) = reader.and_then(|reader| reader.gap_at(lane, time)) else {
                return;
            };
            Some(gap)
        }
        _ => None,
    };
    let layer: LayerId = ui.layer_id();
    let id = Id::unique("timeline-card");
    Tooltip::always_open(ui.ctx().clone(), layer, id, PopupAnchor::Pointer)
        .gap(3.0 * GRID)
        .show(|ui| match subject {
            CardSubject::Span(span) => span_ui(ui, frame, span),
            CardSubject::Run(bar) => run_ui(ui, frame, &bar),
            CardSubject::Tie(tie) => tie_ui(ui, frame, &tie),
            CardSubject::Idle(..) => {
                if let Some(gap) = gap {
                    gap_ui(ui, frame, &gap);
                }
            }
        });
}

fn span_ui(ui: &mut Ui, frame: &PaintFrame<'_>, id: SpanId) {
    let capture = frame.picture.capture;
    let theme = frame.picture.theme;
    let (name, lane, kind, start, end, queued, state) = match capture.span(id) {
        Some(placed) => {
            let span = placed.span;
            let state = (span.state != engine::record::State::Done).then(|| span.state.label());
            (
                span.name,
                span.lane,
                span.kind,
                span.start,
                Some(span.end),
                frame.queued(&placed),
                state,
            )
        }
        None => match frame.opens.find(id) {
            Some(open) => {
                let began = open.began;
                let state = Some("running");
                (
                    began.name,
                    began.lane,
                    began.kind,
                    began.start,
                    None,
                    began.start - began.enqueued,
                    state,
                )
            }
            None => return,
        },
    };
    let (whole, short) = (capture.name(name), text::shown(capture.name(name)));
    if short != whole {
        let whole = RichText::new(text::shorten(whole, WHOLE)).size(SMALL);
        ui.add(Label::new(whole.color(theme.weak)).wrap());
    }
    ui.strong(short);
    let lane = capture.lane(lane).map_or("?", |lane: &Lane| &lane.name);
    let mut about = format!("{} on {lane}", kind.label());
    if let Some(state) = state {
        about = format!("{about} · {state}");
    }
    ui.label(RichText::new(about).color(theme.weak));
    ui.add_space(GRID);
    if queued > Nanos::ZERO {
        line(ui, theme, "queued", queued);
    }
    let length = end.unwrap_or_else(|| frame.now()) - start;
    line(
        ui,
        theme,
        if super::bar_geometry::is_wait(kind) {
            "waited"
        } else {
            "ran"
        },
        length,
    );
    // The numbers of the sentence: of a wait not all is due to what it waited for.
    let inside = frame
        .picture
        .causes
        .map_or_else(Vec::new, |it| it.inside(id));
    for part in inside.iter().filter(|_| inside.len() > 1) {
        line(ui, theme, part.what.label(), part.interval.length());
    }
    line(ui, theme, "start", start);
    subject::ui(ui, frame, id);
    let mut causes = capture.causes(id).filter_map(|tie| capture.dependency(tie));
    for tie in causes.by_ref().take(CAUSES) {
        if let Some(text) = cause(frame, &tie) {
            ui.label(RichText::new(text).color(theme.cause));
        }
    }
    let more = causes.take(1_000).count();
    if more > 0 {
        ui.label(RichText::new(format!("and {more} more")).color(theme.weak));
    }
}

fn cause(frame: &PaintFrame<'_>, tie: &Dependency) -> Option<String> {
    let capture = frame.picture.capture;
    let span = capture.span(tie.cause)?.span;
    let lane = capture.lane(span.lane).map_or("?", |lane| &lane.name);
    let verb = match tie.kind {
        engine::record::DependencyKind::Submission => "submitted by",
        engine::record::DependencyKind::Buffer => "needs",
        engine::record::DependencyKind::Step => "next step after",
        engine::record::DependencyKind::Pipeline => "needs the pipeline",
        engine::record::DependencyKind::Join => "asked to wait for",
        engine::record::DependencyKind::Barrier => "barrier: waited for",
        engine::record::DependencyKind::Elapsed => "time taken since",
        engine::record::DependencyKind::Abort => "dropped by",
        engine::record::DependencyKind::Engine => "its engine ran before",
        engine::record::DependencyKind::Legacy => "legacy default stream: waited for",
        engine::record::DependencyKind::Automatic => "inserted: waited for",
        _ => "waited for",
    };
    Some(format!(
        "◂ {verb} {} on {lane}",
        text::shown(capture.name(span.name))
    ))
}

fn line(ui: &mut Ui, theme: &Theme, label: &str, time: Nanos) {
    // As high as its text, like the lines around it.
    ui.spacing_mut().interact_size.y = 4.0 * GRID;
    ui.horizontal(|ui| {
        ui.set_width(LINE);
        let right = Layout::right_to_left(Align::Center);
        ui.with_layout(right, |ui| {
            ui.label(RichText::new(text::duration(time)).font(mono()));
            // What is left of the line is the label's, which may be the name of a call.
            ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
                ui.add(Label::new(RichText::new(label).color(theme.weak)).truncate());
            });
        });
    });
}

fn run_ui(ui: &mut Ui, frame: &PaintFrame<'_>, bar: &Bar) {
    let capture = frame.picture.capture;
    let theme = frame.picture.theme;
    let cell = &bar.cell;
    ui.strong(text::counted(u64::from(cell.count), "span"));
    let share = cell.busy.0 as f64 / cell.interval.length().0.max(1) as f64;
    let busy = format!("busy {} of the time", text::percent(share.min(1.0)));
    ui.label(RichText::new(busy).color(theme.weak));
    ui.add_space(GRID);
    line(ui, theme, "together", cell.busy);
    line(ui, theme, "within", cell.interval.length());
    let longest = format!("longest: {}", text::shown(capture.name(cell.name)));
    ui.label(RichText::new(longest).color(theme.weak));
    ui.label(RichText::new("zoom in to tell them apart").color(theme.weak));
}

/// What an idle stream waited for.
fn gap_ui(ui: &mut Ui, frame: &PaintFrame<'_>, gap: &IdleGap) {
    let (capture, theme) = (frame.picture.capture, frame.picture.theme);
    let weak = |words: String| RichText::new(words).color(theme.weak);
    let Some(next) = gap.next else {
        ui.strong("Nothing more to do");
        ui.label(weak("No operation follows on this stream".to_owned()));
        return;
    };
    ui.strong(format!(
        "Idle for {}",
        text::duration(gap.interval.length())
    ));
    let name = capture.span(next).map(|it| it.span.name);
    let name = name.map_or("?", |name| capture.name(name));
    ui.label(weak(format!("before {}", text::shown(name))));
    ui.add_space(GRID);
    for what in IdleUse::ALL.into_iter().filter(|it| it.is_idle()) {
        let time = what.of(&gap.time);
        if time > Nanos::ZERO {
            line(ui, theme, what.label(), time);
        }
    }
    host_ui(ui, frame, (next, gap.interval.start));
    let cause = frame.picture.causes.and_then(|it| it.of(next)?.binding);
    if let Some(cause) = cause
        && let Some(placed) = capture.span(cause.span())
    {
        let lane = capture.lane_title(placed.span.lane);
        let name = text::shown(capture.name(placed.span.name));
        let tie = match cause.kind {
            CauseKind::Launch => "submitted by",
            CauseKind::Stream => "next after",
            kind => kind.label(),
        };
        let words = format!("◂ {tie} {name} on {lane}");
        ui.label(RichText::new(words).color(theme.cause));
    }
}

/// What the host did while a stream waited for the submission of `next`.
fn host_ui(ui: &mut Ui, frame: &PaintFrame<'_>, (next, from): (SpanId, Nanos)) {
    let (capture, theme) = (frame.picture.capture, frame.picture.theme);
    let found = frame.picture.causes.and_then(|it| it.late_host(next, from));
    let Some((thread, shares)) = found else {
        return;
    };
    let thread = capture.lane_title(thread);
    ui.label(RichText::new(format!("{thread} meanwhile")).color(theme.weak));
    for share in shares.iter().take(CAUSES) {
        let name = share.name.map(|name| capture.name(name));
        let name = name.unwrap_or("in no call shown");
        line(ui, theme, name, share.time);
    }
    let rest = shares.get(CAUSES..).unwrap_or_default();
    if !rest.is_empty() {
        let more = format!("and {} more", rest.len());
        let time = rest.iter().map(|it| it.time).sum();
        line(ui, theme, &more, time);
    }
    let delay = frame.picture.causes.and_then(|it| it.late_submission(next));
    let delay = delay.iter().flat_map(|it| {
        [
            ("without a core", it.runnable),
            ("blocked", it.blocked),
            ("off its core", it.off_cpu),
        ]
    });
    for (label, time) in delay.filter(|it| it.1 > Nanos::ZERO) {
        line(ui, theme, label, time);
    }
}

fn tie_ui(ui: &mut Ui, frame: &PaintFrame<'_>, tie: &Dependency) {
    let capture = frame.picture.capture;
    let theme = frame.picture.theme;
    let name = |span: SpanId| {
        let placed = capture.span(span)?;
        let lane = capture
            .lane(placed.span.lane)
            .map_or("?", |lane| &lane.name);
        Some(format!(
            "{} on {lane}",
            text::shown(capture.name(placed.span.name))
        ))
    };
    let mut title = format!("{} dependency, {}", tie.kind.label(), tie.basis.label());
    if let Some(event) = capture.events().get(tie.event.index()) {
        title = format!(
            "{title} · {} generation {}",
            capture.name(event.name),
            tie.generation
        );
    }
    ui.strong(title);
    if let Some(cause) = name(tie.cause) {
        ui.label(RichText::new(format!("◂ {cause}")).color(theme.cause));
    }
    if let Some(effect) = name(tie.effect) {
        ui.label(RichText::new(format!("▸ {effect}")).color(theme.effect));
    }
    let times = DependencyTimes::of(capture, tie);
    for (label, length) in times.iter().flat_map(DependencyTimes::lines) {
        line(ui, theme, label, length);
    }
    if let Some(words) = role(frame.picture.causes, tie) {
        ui.label(RichText::new(words).color(theme.weak));
    }
}

/// What a dependency was among all that its effect had to come after, in words.
pub fn role(causes: Option<CauseReader<'_>>, tie: &Dependency) -> Option<String> {
    let reader = causes?;
    Some(match reader.role(tie) {
        DependencyRole::Binding => "binding: it was complete last".to_owned(),
        DependencyRole::Tied => "complete at the same instant as the binding cause".to_owned(),
        DependencyRole::Earlier(by, binding) => {
            let capture = reader.capture();
            let name = capture.span(binding).map(|it| it.span.name);
            let name = name.map_or_else(
                || "another".to_owned(),
                |name| text::shown(capture.name(name)),
            );
            format!(
                "not binding: {name} was complete {} later",
                text::duration(by)
            )
        }
        DependencyRole::NoCause => "nothing waited for it".to_owned(),
    })
}
