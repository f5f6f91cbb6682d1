//! Paints what lies under the spans: rows, grid, names of groups and lanes, counters.

use eframe::egui::{
    Align2, Color32, FontId, Painter, Pos2, Rangef, Rect, Response, Shape, Stroke, pos2, vec2,
};
use engine::backend::BACKENDS;
use engine::capture::Capture;
use engine::record::{CounterId, DeviceId, Group, LaneId, NameId, Role, SpanKind};
use engine::time::Nanos;

use super::answers;
use super::frame::{PaintFrame, Picture};
use super::label;
use super::layout::{LayoutEntry, LayoutRow, RowContent, TimelineLayout};
use super::mesh_builder::MeshBuilder;
use super::overlay::{self, covered_by_pointer};
use super::plot::{PlotStep, Pyramid, ValueRange, steps};
use super::projected;
use super::ruler::Ruler;
use super::thread_states;
use super::utilization::BusyColumns;
use crate::state::GroupKey;
use crate::text;
use crate::theme::{GRID, LANE_NAMES, SMALL, Theme, mixed, mono, small};

/// Half of what a length, or the time of what is played, takes of the ruler at most, in points.
pub const COVERED: f32 = 48.0;
/// How far names stand in from the left, in points.
const INDENT: f32 = 5.0 * GRID;

/// The name of a group as its row shows it.
pub fn title(frame: &PaintFrame<'_>, key: GroupKey) -> String {
    let devices = frame.picture.capture.devices();
    let device = devices.iter().find(|device| device.id.0 == key.device);
    match (key.group, device) {
        _ if key == GroupKey::ANSWERS => "answers".to_owned(),
        _ if key == GroupKey::PINNED => "pinned".to_owned(),
        _ if key == GroupKey::FUNCTIONS => format!("{} · functions", key.group.label()),
        (Group::Host | Group::Counters, _) | (_, None) => key.group.label().to_owned(),
        (Group::Device, Some(_)) if devices.len() == 1 => key.group.label().to_owned(),
        (_, Some(device)) if devices.len() == 1 => {
            // A file's format is no device: what it says of one is its name.
            let is_ours = BACKENDS.iter().any(|it| it.name() == device.backend);
            let own = if is_ours {
                &device.backend
            } else {
                &device.name
            };
            match own.as_str() {
                // Its whole law is in the bar at the bottom.
                _ if device.paced.is_some() => {
                    let stretch = device.paced.map_or(1.0, |law| law.stretch);
                    format!("{} · CPU, paced × {stretch}", key.group.label())
                }
                "" => key.group.label().to_owned(),
                own => format!("{} · {own}", key.group.label()),
            }
        }
        (_, Some(device)) => match (&device.rank, known(frame, device.id)) {
            (Some(place), Some(clock)) => {
                format!("rank {} · {}{clock}", place.rank, key.group.label())
            }
            _ => format!("{} · {}", key.group.label(), device.short_name()),
        },
    }
}

/// How well the clock of a rank's device is known; nothing to say of one that is this machine's own.
fn known(frame: &PaintFrame<'_>, device: DeviceId) -> Option<String> {
    let mut clocks = frame.picture.capture.clocks().iter();
    let clock = clocks.find(|it| it.device == device && it.is_unix);
    clock.map(|it| match it.uncertainty {
        Nanos::ZERO => String::new(),
        known => format!(" ± {}", text::duration(known)),
    })
}

/// The name of a row that is not a group's.
pub fn name<'a>(picture: &Picture<'a>, entry: LayoutEntry) -> &'a str {
    let capture = picture.capture;
    match entry {
        LayoutEntry::Lane(lane, _) | LayoutEntry::Thin(lane, _) | LayoutEntry::States(lane) => {
            capture.lane(lane).map_or("?", |lane| &lane.name)
        }
        LayoutEntry::Counter(counter) => capture
            .counters()
            .get(counter.index())
            .map_or("?", |counter| &counter.name),
        LayoutEntry::Projected(place, _) => {
            let lane = picture.state.projected.all().get(place);
            lane.map_or("?", |lane| &lane.name)
        }
        LayoutEntry::Answer(place, _) => {
            let drawn = picture.state.drawn.rows().get(place);
            drawn.map_or("?", |row| &row.name)
        }
    }
}

/// The name of a row as it stands: of a pinned lane, its device's as well where another has a lane of that name.
fn row_name<'a>(
    frame: &PaintFrame<'a>,
    row: &LayoutRow,
    entry: LayoutEntry,
) -> std::borrow::Cow<'a, str> {
    match entry.lane().filter(|_| row.key == GroupKey::PINNED) {
        Some(lane) => with_device(frame.picture.capture, lane),
        None => name(&frame.picture, entry).into(),
    }
}

/// A lane's name with that of its device, which no heading tells.
fn with_device(capture: &Capture, id: LaneId) -> std::borrow::Cow<'_, str> {
    let title = capture.lane_title(id);
    let lane = capture.lane(id);
    let device = lane.and_then(|lane| capture.devices().get(lane.device?.index()));
    let Some(device) = device.filter(|_| capture.devices().len() > 1) else {
        return title;
    };
    let name = device.short_name();
    // Of several files both begin with the rank, which is told once.
    let is_told = lane.is_none_or(|lane| title != lane.name.as_str());
    let rank = title.split_once(" · ").map(|(rank, _)| rank);
    if is_told || rank.is_some_and(|rank| name.starts_with(rank)) {
        return title;
    }
    format!("{title} · {name}").into()
}

/// Paints the edge below the rows that stay at the top.
pub fn pinned_edge(painter: &Painter, frame: &PaintFrame<'_>) {
    let rect = frame.pinned_rect();
    let color = mixed(frame.picture.theme.accent, frame.picture.theme.line, 0.5);
    painter.hline(rect.x_range(), rect.bottom() - 0.5, Stroke::new(1.0, color));
}

/// What the pointer on a row's name is told: all of the name, and what it stands for.
pub fn about(frame: &PaintFrame<'_>, row: &LayoutRow) -> String {
    let capture = frame.picture.capture;
    match &row.content {
        RowContent::Group { .. } if row.key == GroupKey::ANSWERS => {
            "drawn of answers in SQL; nothing here was measured".to_owned()
        }
        RowContent::Group { members, .. } => {
            let lanes = text::counted(members.len() as u64, "lane");
            format!("{} · {lanes}", title(frame, row.key))
        }
        RowContent::Entry(
            entry @ (LayoutEntry::Lane(lane, depths) | LayoutEntry::Thin(lane, depths)),
        ) => {
            let mut about = name(&frame.picture, *entry).to_owned();
            let role = capture.lane(*lane).map(|lane| lane.role);
            match role {
                None | Some(Role::None) => {}
                Some(Role::Queue) => {
                    about =
                        format!("{about} · the streams' operations again, as they were serialised");
                }
                Some(role) => about = format!("{about} · {}", role.label()),
            }
            if *depths > 1 {
                about = format!("{about} · {depths} sub-lanes, where spans overlap");
            }
            about
        }
        RowContent::Entry(entry @ LayoutEntry::Counter(counter)) => {
            let unit = capture.counters().get(counter.index());
            let unit = unit.map_or("", |counter| &counter.unit);
            format!("{} · {unit}", name(&frame.picture, *entry))
        }
        RowContent::Entry(LayoutEntry::States(lane)) => thread_states::about(capture, *lane),
        RowContent::Entry(LayoutEntry::Projected(..)) => {
            projected::of(frame, row).map_or_else(String::new, projected::about)
        }
        RowContent::Entry(LayoutEntry::Answer(..)) => {
            answers::of(frame, row).map_or_else(String::new, |(_, drawn)| answers::about(drawn))
        }
    }
}

/// Paints the rows' ground and the grid on it.
pub fn ground(painter: &Painter, frame: &PaintFrame<'_>, ruler: &Ruler) {
    let theme = frame.picture.theme;
    let mut sheet = MeshBuilder::new(painter.pixels_per_point());
    let body = frame.areas.body;
    sheet.rect(body, theme.canvas);
    for row in frame.visible() {
        let rect = frame.row_rect(row);
        match row.content {
            RowContent::Group { .. } => {
                let top = sheet.snap(rect.bottom() - 1.0);
                let line = body.with_min_y(top).with_max_y(top + frame.pixel);
                sheet.rect(line, mixed(theme.line, theme.canvas, 0.6));
            }
            RowContent::Entry(_) => {
                let space = frame.layout.metrics.pad.min(2.0) / 2.0;
                let (top, bottom) = (rect.top() + space, rect.bottom() - space);
                let (top, bottom) = (sheet.snap(top), sheet.snap(bottom));
                sheet.rect(rect.with_min_y(top).with_max_y(bottom), theme.row);
            }
        }
    }
    for tick in ruler.ticks.iter().filter(|tick| !tick.label.is_empty()) {
        let x = sheet.snap(tick.x);
        let line = Rect::from_min_max(pos2(x, body.top()), pos2(x + frame.pixel, body.bottom()));
        sheet.rect(line, mixed(theme.line, theme.row, 0.55));
    }
    painter.add(sheet.into_shape());
}

/// Paints the ruler; no time is written under `labels`, which lie on it.
pub fn ruler(painter: &Painter, frame: &PaintFrame<'_>, ruler: &Ruler, labels: &[Rangef]) {
    let theme = frame.picture.theme;
    let area = frame.areas.ruler;
    let strip = area.with_min_x(frame.areas.whole.left());
    painter.rect_filled(strip, 0.0, theme.panel);
    let inside = painter.with_clip_rect(area);
    let mut sheet = MeshBuilder::new(painter.pixels_per_point());
    // Times that are written over the ruler: the pointer's, that of what is played, and the length of the range.
    let play = frame.picture.state.playback.map(|play| {
        let x = frame.scale.x_from_time(play.at);
        Rangef::new(x - COVERED, x + COVERED)
    });
    let over = covered_by_pointer(frame).into_iter().chain(play);
    let over = over.chain(overlay::covered(frame));
    let over: Vec<Rangef> = over.chain(labels.iter().copied()).collect();
    let font = mono();
    for tick in &ruler.ticks {
        let x = sheet.snap(tick.x);
        let height = if tick.label.is_empty() {
            4.0
        } else {
            area.height()
        };
        let line = Rect::from_min_max(
            pos2(x, area.bottom() - height),
            pos2(x + frame.pixel, area.bottom()),
        );
        sheet.rect(line, theme.line);
        // No time is written over another.
        let wide = x + GRID + 8.0 * tick.label.chars().count() as f32;
        let is_covered = over.iter().any(|it| x < it.max && wide > it.min);
        // A part of a label says another time.
        let is_whole = x + GRID >= area.left() && wide <= area.right() + GRID;
        if !tick.label.is_empty() && !is_covered && is_whole {
            let at = pos2(x + GRID, area.center().y);
            inside.text(
                at,
                Align2::LEFT_CENTER,
                &tick.label,
                font.clone(),
                theme.weak,
            );
        }
    }
    inside.add(sheet.into_shape());
    if let Some((_, base)) = &ruler.base {
        let at = pos2(area.left() - 2.0 * GRID, area.center().y);
        let left = painter.with_clip_rect(strip.with_max_x(area.left()));
        left.text(at, Align2::RIGHT_CENTER, base, mono(), theme.weak);
    }
    let y = area.bottom() - frame.pixel / 2.0;
    painter.hline(strip.x_range(), y, Stroke::new(frame.pixel, theme.line));
}

/// Paints the column of names. `pointed` is the row under the pointer there.
pub fn names(painter: &Painter, frame: &PaintFrame<'_>, pointed: Option<usize>) {
    let theme = frame.picture.theme;
    let area = frame.areas.names;
    let painter = painter.with_clip_rect(area.intersect(painter.clip_rect()));
    painter.rect_filled(area, 0.0, theme.panel);
    for (place, row) in frame.rows.clone().zip(frame.visible()) {
        let rect = frame
            .row_rect(row)
            .with_min_x(area.left())
            .with_max_x(area.right());
        if pointed == Some(place) {
            painter.rect_filled(rect, 0.0, theme.hovered);
        }
        match row.content {
            RowContent::Group { collapsed, .. } => {
                let middle = pos2(rect.left() + 11.0, rect.center().y);
                arrow(&painter, middle, collapsed, theme.weak);
                let at = pos2(rect.left() + INDENT, rect.center().y);
                let room = rect.right() - at.x - GRID;
                let font = FontId::proportional(SMALL);
                label::write(
                    &painter,
                    at,
                    room,
                    &title(frame, row.key),
                    (&font, theme.weak),
                );
            }
            // It is the thread's whose name stands above.
            RowContent::Entry(LayoutEntry::States(_)) => {}
            RowContent::Entry(entry) => {
                // Beside a lane with sub-lanes its name stands at the first of them.
                let height = rect
                    .height()
                    .min(frame.layout.metrics.height(LayoutEntry::Lane(LaneId(0), 1)));
                // The name stays in sight while a lane of many sub-lanes is scrolled.
                let top = if row.y < frame.sticky {
                    rect.top()
                } else {
                    let seen = frame.scrolled().top();
                    rect.top().max(seen).min(rect.bottom() - height)
                };
                let middle = match entry {
                    LayoutEntry::Counter(_) | LayoutEntry::Answer(_, 0) => rect.center().y,
                    _ => top + height / 2.0,
                };
                let at = pos2(rect.left() + INDENT, middle);
                let room = rect.right() - at.x - 2.0 * GRID;
                let font = FontId::proportional(if height < 20.0 {
                    SMALL - 1.0
                } else {
                    SMALL + 1.0
                });
                label::write(
                    &painter,
                    at,
                    room,
                    &row_name(frame, row, entry),
                    (&font, theme.text),
                );
            }
        }
    }
    let x = area.right() - frame.pixel / 2.0;
    painter.vline(x, area.y_range(), Stroke::new(frame.pixel, theme.line));
}

/// The arrow of a group: it points to its lanes, or aside where they are folded away.
fn arrow(painter: &Painter, middle: Pos2, collapsed: bool, color: Color32) {
    let corners = if collapsed {
        [vec2(-2.0, -3.5), vec2(2.5, 0.0), vec2(-2.0, 3.5)]
    } else {
        [vec2(-3.5, -2.0), vec2(3.5, -2.0), vec2(0.0, 2.5)]
    };
    let corners = corners.map(|corner| middle + corner).to_vec();
    painter.add(Shape::convex_polygon(corners, color, Stroke::NONE));
}

/// Paints how busy a collapsed group was: the thin bar is the stronger the busier it was.
pub fn collapsed(
    painter: &Painter,
    frame: &PaintFrame<'_>,
    row: &LayoutRow,
    columns: &BusyColumns,
    color: Color32,
) {
    let Some(busy) = columns.busy.first() else {
        return;
    };
    let theme = frame.picture.theme;
    let mut sheet = MeshBuilder::new(painter.pixels_per_point());
    let whole = busy.iter().copied().fold(columns.step() as f32, f32::max);
    let from = columns.span.interval.start;
    for (place, &busy) in busy.iter().enumerate().filter(|(_, busy)| **busy > 0.0) {
        let x = |place: usize| {
            let since = columns.step() * place as f64;
            frame
                .scale
                .x_from_time(from + engine::time::Nanos(since as i64))
        };
        let (left, right) = (sheet.snap(x(place)), sheet.snap(x(place + 1)));
        let strength = 0.25 + 0.75 * (busy / whole).clamp(0.0, 1.0);
        let rect = frame.bar_rect(row, 0, left, right.max(left + frame.pixel));
        sheet.rect(rect, mixed(color, theme.canvas, strength));
    }
    if !sheet.is_empty() {
        painter.add(sheet.into_shape());
    }
}

/// Paints a counter as steps over its ground.
pub fn counter(
    painter: &Painter,
    frame: &PaintFrame<'_>,
    (row, id): (&LayoutRow, CounterId),
    pyramid: &mut Pyramid,
) {
    let capture = frame.picture.capture;
    let samples = capture.samples(id);
    pyramid.update(samples);
    let Some(whole) = pyramid.whole() else {
        return;
    };
    let found = capture.counters().get(id.index());
    let counted = CounterPlot {
        steps: steps(pyramid, samples, &frame.scale, frame.now(), 2.0),
        whole,
        unit: found.map_or("", |counter| &counter.unit),
    };
    plot(painter, frame, row, &counted);
}

/// What is painted of a counter.
pub struct CounterPlot<'a> {
    /// Its pieces in view.
    pub steps: Vec<PlotStep>,
    /// The range of all its values.
    pub whole: ValueRange,
    /// The unit of its values.
    pub unit: &'a str,
}

/// Paints steps over their ground, with the greatest value.
pub fn plot(painter: &Painter, frame: &PaintFrame<'_>, row: &LayoutRow, counted: &CounterPlot<'_>) {
    let theme = frame.picture.theme;
    let whole = counted.whole;
    let (low, high) = (whole.low.min(0.0), whole.high.max(0.0));
    let rect = frame
        .row_rect(row)
        .shrink2(vec2(0.0, frame.layout.metrics.pad));
    let height = f64::from(rect.height());
    let y = |value: f64| {
        let share = if high > low {
            (value - low) / (high - low)
        } else {
            0.0
        };
        rect.bottom() - (share * height) as f32
    };
    let mut fill = MeshBuilder::new(painter.pixels_per_point());
    let mut line = MeshBuilder::new(painter.pixels_per_point());
    let zero = y(0.0);
    let mut before: Option<f32> = None;
    for step in &counted.steps {
        let (left, right) = (fill.snap(step.left), fill.snap(step.right));
        let (top, bottom) = (fill.snap(y(step.range.high)), fill.snap(y(step.range.low)));
        let ground = Rect::from_two_pos(pos2(left, top), pos2(right, zero));
        fill.rect(ground, mixed(theme.accent, theme.row, 0.22));
        line.rect(
            Rect::from_min_max(pos2(left, top), pos2(right, bottom + 1.5)),
            theme.accent,
        );
        if let Some(before) = before {
            let riser = Rect::from_two_pos(
                pos2(left, before.min(top)),
                pos2(left + 1.5, before.max(top) + 1.5),
            );
            line.rect(riser, theme.accent);
        }
        before = Some(bottom);
    }
    painter.add(fill.into_shape());
    painter.add(line.into_shape());
    let font = small();
    let galley = painter.layout_no_wrap(text::amount(high, counted.unit), font, theme.weak);
    let at = pos2(
        rect.right() - 3.0 * GRID - galley.size().x,
        rect.top() + 1.0,
    );
    let ground = Rect::from_min_size(at, galley.size()).expand2(vec2(GRID, 0.0));
    painter.rect_filled(ground, 3.0, theme.row);
    painter.galley(at, galley, theme.weak);
}

/// The colour of a group's thin bar when it is collapsed.
pub fn hue(theme: &Theme, group: Group) -> Color32 {
    match group {
        Group::Host => theme.span(Role::None, SpanKind::Call, NameId(0)),
        Group::Device => theme.span(Role::None, SpanKind::Compile, NameId(0)),
        Group::Streams => theme.role(Role::Compute),
        Group::Counters => theme.accent,
    }
}

/// How wide the column of names is: as its names need, or as it was dragged to.
#[derive(Clone, Copy, Debug, Default)]
pub struct NameColumnWidth {
    dragged: Option<f32>,
    fitted: f32,
    entries: usize,
}

impl NameColumnWidth {
    /// The width for the rows of `layout`, in points.
    pub fn fit(
        &mut self,
        painter: &Painter,
        picture: &Picture<'_>,
        (layout, whole): (&TimelineLayout, Rect),
    ) -> f32 {
        if self.entries != layout.entries.len() || self.fitted == 0.0 {
            self.entries = layout.entries.len();
            let font = FontId::proportional(SMALL + 1.0);
            let names = layout.entries.iter().map(|&entry| name(picture, entry));
            let widest = painter.fonts_mut(|fonts| {
                names
                    .map(|name| label::width(fonts, &font, name))
                    .fold(0.0, f32::max)
            });
            self.fitted = (widest + INDENT + 3.0 * GRID)
                .ceil()
                .clamp(LANE_NAMES, 220.0);
        }
        // However long the names are, the most of a narrow window is for time.
        let most = (whole.width() * 0.42).max(15.0 * GRID);
        self.dragged.unwrap_or(self.fitted.min(most))
    }

    /// Keeps this width, so that two timelines one above the other begin at the same place.
    pub fn keep(&mut self, width: f32) {
        self.dragged = Some(width);
    }

    /// Follows the pointer that drags the column's edge; a double click fits it to its names again.
    pub fn input(&mut self, edge: &Response, frame: &PaintFrame<'_>) {
        if let Some(at) = edge.interact_pointer_pos().filter(|_| edge.dragged()) {
            let most = frame.areas.whole.width() / 2.0;
            let width = at.x - frame.areas.whole.left();
            self.dragged = Some(width.clamp(15.0 * GRID, most.max(15.0 * GRID)));
        }
        if edge.double_clicked() {
            self.dragged = None;
        }
    }
}
