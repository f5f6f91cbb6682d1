//! What the colours of the spans in view say, in a line below them.

use std::collections::BTreeMap;
use std::ops::Range;

use eframe::egui::{
    Align2, Color32, FontId, Painter, Rect, Response, Role as WidgetRole, Sense, Vec2, WidgetInfo,
    pos2,
};
use engine::record::{Lane, NameId, Role, SpanKind};
use engine::time::{Interval, Nanos};

use super::bar_geometry::role;
use super::field_colours::FieldColours;
use super::fold::{Bar, Folds};
use super::frame::PaintFrame;
use super::layout::RowContent;
use super::thread_states;
use crate::text;
use crate::theme::{GRID, PaintKey, SMALL, SpanColours, Theme};

/// Height of the line, in points.
pub const LEGEND: f32 = 22.0;
/// Frames after which it is brought up to a view that does not rest, as of a run.
const LATE: u32 = 16;
/// Bars that are looked at, at most: of more, some of each sub-lane stand for all.
const MOST_BARS: usize = 4_096;
/// Letters of a label, at most.
const LETTERS: usize = 32;

/// What one colour stands for.
#[derive(Clone, Debug, PartialEq)]
struct LegendEntry {
    colour: Color32,
    label: String,
    /// How long spans of it ran in view, those too narrow to be told apart included.
    time: Nanos,
}

/// What the legend tells of.
type LegendKey = (Interval, Range<usize>, u64, PaintKey);

/// The legend, kept while the view stays as it is.
#[derive(Default)]
pub struct Legend {
    entries: Vec<LegendEntry>,
    told: Option<LegendKey>,
    seen: Option<LegendKey>,
    waited: u32,
}

/// What a colour stands for, before it is known how it is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum ColourClass {
    Role(Role, Option<SpanKind>),
    Kind(SpanKind),
    Name(NameId),
    Value(Option<usize>),
}

impl Legend {
    /// Brings it up to what is in view, once that rests; says whether it is behind.
    pub fn update(
        &mut self,
        frame: &PaintFrame<'_>,
        (folds, fields): (&Folds, &mut FieldColours),
    ) -> bool {
        let paint = frame.picture.theme.paint_key(fields.generation());
        let key = (
            frame.scale.interval(),
            frame.rows.clone(),
            frame.stamp,
            paint,
        );
        if self.told.as_ref() == Some(&key) {
            return false;
        }
        self.waited += 1;
        let rests = self.seen.as_ref() == Some(&key) || self.told.is_none();
        if rests || self.waited >= LATE {
            self.entries = entries(frame, folds, fields);
            self.entries.extend(states(frame));
            self.entries.extend(races(frame));
            self.told = Some(key.clone());
            self.waited = 0;
        }
        self.seen = Some(key);
        self.told != self.seen
    }

    /// Paints it, as far as there is room.
    pub fn paint(&self, painter: &Painter, frame: &PaintFrame<'_>) {
        let (theme, area) = (frame.picture.theme, frame.areas.legend);
        let painter = painter.with_clip_rect(area.intersect(painter.clip_rect()));
        painter.rect_filled(area, 0.0, theme.panel);
        painter.hline(area.x_range(), area.top(), (frame.pixel, theme.line));
        let font = FontId::proportional(SMALL);
        let y = area.center().y;
        let write = |x: f32, words: &str, colour: Color32| {
            let at = pos2(x, y);
            let size = painter.text(at, Align2::LEFT_CENTER, words, font.clone(), colour);
            size.right()
        };
        let heading = heading(frame);
        let mut x = write(area.left() + 2.0 * GRID, &heading, theme.weak) + 3.0 * GRID;
        for (place, entry) in self.entries.iter().enumerate() {
            let label = text::shorten(&entry.label, LETTERS);
            let width = painter.layout_no_wrap(label.clone(), font.clone(), theme.text);
            let rest = format!("and {} more", self.entries.len() - place);
            let tail = if place + 1 == self.entries.len() {
                0.0
            } else {
                80.0
            };
            if x + 14.0 + width.size().x + tail > area.right() {
                write(x, &rest, theme.weak);
                return;
            }
            let square = Rect::from_center_size(pos2(x + 5.0, y), Vec2::splat(10.0));
            painter.rect_filled(square, 2.0, entry.colour);
            x = write(x + 14.0, &label, theme.text) + 3.0 * GRID;
        }
    }

    /// Tells all of it where it is pointed at.
    pub fn hover(&self, frame: &PaintFrame<'_>, response: Response) {
        if self.entries.is_empty() {
            return;
        }
        let theme = frame.picture.theme;
        let labels = self.entries.iter().map(|it| it.label.as_str());
        let labels = labels.collect::<Vec<_>>().join(", ");
        let words = format!("{}: {labels}", heading(frame));
        response.widget_info(|| WidgetInfo::labeled(WidgetRole::Label, true, &words));
        let all = self.entries.iter().map(|it| it.time.0).sum::<i64>().max(1);
        response.on_hover_ui(|ui| {
            ui.label(heading(frame));
            ui.weak("Shares of the time that spans in view ran");
            for entry in self.entries.iter().take(24) {
                ui.horizontal(|ui| {
                    let (rect, _) = ui.allocate_exact_size(Vec2::splat(10.0), Sense::hover());
                    ui.painter().rect_filled(rect, 2.0, entry.colour);
                    ui.label(text::shorten(&entry.label, 64));
                    let share = text::percent(entry.time.0 as f64 / all as f64);
                    ui.colored_label(theme.weak, share);
                });
            }
            if self.entries.len() > 24 {
                ui.weak(format!("and {} more", self.entries.len() - 24));
            }
        });
    }
}

/// What colours say.
fn heading(frame: &PaintFrame<'_>) -> String {
    match frame.picture.theme.colours {
        SpanColours::Role => "Colour: what a stream is for".to_owned(),
        SpanColours::Kind => "Colour: kind".to_owned(),
        SpanColours::Name => "Colour: name".to_owned(),
        SpanColours::Field => {
            let field = &frame.picture.state.view.colour_field;
            format!("Colour: {}", text::shown(field))
        }
    }
}

/// What is in view by its colour, of most time first; spans without the field come last.
fn entries(frame: &PaintFrame<'_>, folds: &Folds, fields: &mut FieldColours) -> Vec<LegendEntry> {
    let theme = frame.picture.theme;
    let view = frame.scale.interval();
    let mut times: BTreeMap<ColourClass, Nanos> = BTreeMap::new();
    let pinned = frame.pinned();
    let strips: Vec<(&Lane, &[Bar])> = [Some(frame), pinned.as_ref()]
        .into_iter()
        .flatten()
        .flat_map(|frame| strips(frame, folds))
        .collect();
    let all: usize = strips.iter().map(|it| it.1.len()).sum();
    let step = all.div_ceil(MOST_BARS).max(1);
    for (lane, bars) in strips {
        for bar in bars.iter().step_by(step) {
            if let Some(inside) = bar.cell.interval.intersection(view) {
                let class = class(frame, (lane, bar), fields);
                // Of a run of spans no more is known than how long all of them were busy.
                let time = inside.length().min(bar.cell.busy.max(Nanos(1)));
                *times.entry(class).or_default() += time;
            }
        }
    }
    for class in running(frame) {
        times.entry(class).or_insert(Nanos(1));
    }
    let mut times: Vec<_> = times.into_iter().collect();
    times.sort_by_key(|it| (it.0 == ColourClass::Value(None), std::cmp::Reverse(it.1)));
    times
        .into_iter()
        .map(|(class, time)| {
            let (colour, label) = told(frame, theme, fields, class);
            LegendEntry {
                colour,
                label,
                time,
            }
        })
        .collect()
}

/// What stands for the states of threads in view.
fn states(frame: &PaintFrame<'_>) -> impl Iterator<Item = LegendEntry> {
    let theme = frame.picture.theme;
    let found = thread_states::in_view(frame).into_iter();
    found.map(|state| LegendEntry {
        colour: thread_states::look(theme, state).0,
        label: format!("thread {}", thread_states::label(state)),
        time: Nanos::ZERO,
    })
}

/// What stands for races, where there are any: a broken outline.
fn races(frame: &PaintFrame<'_>) -> Option<LegendEntry> {
    (!frame.races.is_empty()).then(|| LegendEntry {
        colour: frame.picture.theme.bad,
        label: "race (broken outline)".to_owned(),
        time: Nanos::ZERO,
    })
}

/// The lanes in view with the bars of each sub-lane; what a queue shows again is the streams'.
fn strips<'a>(
    frame: &'a PaintFrame<'a>,
    folds: &'a Folds,
) -> impl Iterator<Item = (&'a Lane, &'a [Bar])> {
    let lanes = frame.visible().iter().filter_map(|row| match &row.content {
        RowContent::Entry(entry) => Some((row, frame.picture.capture.lane(entry.lane()?)?)),
        RowContent::Group { .. } => None,
    });
    let lanes = lanes.filter(|it| it.1.role != Role::Queue);
    lanes.flat_map(move |(row, lane)| {
        let depths = frame.depths(row);
        depths.map(move |depth| (lane, folds.last(lane.id, depth)))
    })
}

/// What runs now on the lanes in view; what field it has is not known before it ends.
fn running(frame: &PaintFrame<'_>) -> Vec<ColourClass> {
    let colours = frame.picture.theme.colours;
    let mut found = Vec::new();
    for row in frame.visible() {
        let RowContent::Entry(entry) = &row.content else {
            continue;
        };
        let lane = entry.lane().and_then(|it| frame.picture.capture.lane(it));
        let Some(lane) = lane.filter(|it| it.role != Role::Queue) else {
            continue;
        };
        for open in frame.opens.of(lane.id) {
            let began = open.began;
            match colours {
                SpanColours::Role => found.push(by_role(lane, began.kind)),
                SpanColours::Kind => found.push(ColourClass::Kind(began.kind)),
                SpanColours::Name => found.push(ColourClass::Name(began.name)),
                SpanColours::Field => {}
            }
        }
    }
    found
}

fn by_role(lane: &Lane, kind: SpanKind) -> ColourClass {
    let own = Theme::kind_before_role(kind);
    let role = own.map_or_else(|| role(lane.role, kind), |_| Role::None);
    ColourClass::Role(role, own)
}

fn class(
    frame: &PaintFrame<'_>,
    (lane, bar): (&Lane, &Bar),
    fields: &mut FieldColours,
) -> ColourClass {
    let cell = &bar.cell;
    match frame.picture.theme.colours {
        SpanColours::Role => by_role(lane, cell.kind),
        SpanColours::Kind => ColourClass::Kind(cell.kind),
        SpanColours::Name => ColourClass::Name(cell.name),
        SpanColours::Field => ColourClass::Value(fields.class_of(frame.picture.capture, cell.span)),
    }
}

/// The colour of a class, and what it is called.
fn told(
    frame: &PaintFrame<'_>,
    theme: &Theme,
    fields: &FieldColours,
    class: ColourClass,
) -> (Color32, String) {
    let plain = NameId(0);
    match class {
        ColourClass::Role(role, Some(kind)) => {
            let label = match kind {
                SpanKind::Compile => "compilation",
                SpanKind::Call => "host",
                _ => "ranges and host functions",
            };
            (theme.span(role, kind, plain), label.to_owned())
        }
        ColourClass::Role(role, None) => {
            let label = match role {
                Role::None => "other",
                role => role.label(),
            };
            (theme.role(role), label.to_owned())
        }
        ColourClass::Kind(kind) => (theme.span(Role::None, kind, plain), kind.label().to_owned()),
        ColourClass::Name(name) => (
            theme.span(Role::None, SpanKind::Kernel, name),
            text::shown(frame.picture.capture.name(name)),
        ),
        ColourClass::Value(Some(class)) => (fields.colour(theme, class), fields.label(class)),
        ColourClass::Value(None) => (
            theme.span(Role::None, SpanKind::Kernel, plain),
            "without it".to_owned(),
        ),
    }
}
