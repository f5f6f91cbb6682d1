//! The whole capture in small: how busy each role was, and which part of it is in view.

use std::sync::Arc;

use eframe::egui::{
    CornerRadius, CursorIcon, Mesh, Painter, Pos2, Rect, Response, Shape, Stroke, StrokeKind, pos2,
};
use engine::capture::Capture;
use engine::record::{Group, LaneId, Role};
use engine::time::{Interval, Nanos};

use super::bookmarks;
use super::frame::PaintFrame;
use super::matches::MatchTicks;
use super::mesh_builder::MeshBuilder;
use super::scale::{self, Scale};
use super::utilization::{self, BusyColumns, BusyTimeChart, BusyTimeRange};
use crate::action::Action;
use crate::state::ViewChange;
use crate::theme::{GRID, mixed};

/// How wide a column of the minimap is, in points.
const COLUMN: f32 = 4.0;

/// What the minimap keeps from frame to frame: all but the view's window changes seldom.
#[derive(Default)]
pub struct Minimap {
    profile: BusyTimeChart,
    stamp: u64,
    /// What the frame before showed.
    view: Option<(Scale, f32)>,
    lanes: Vec<(LaneId, usize)>,
    drawn: Option<(DrawnMinimap, Arc<Mesh>)>,
    ticks: MatchTicks,
    /// Whether every frame is whole, however long it takes.
    is_whole: bool,
}

impl Minimap {
    /// One that is whole in its first frame.
    pub fn at_once() -> Self {
        Self {
            is_whole: true,
            ..Self::default()
        }
    }
}

/// What the bars were last drawn from and for.
#[derive(Clone, Copy, PartialEq)]
struct DrawnMinimap {
    version: u64,
    scale: Scale,
    area: Rect,
    dark: bool,
    pixel: f32,
}

/// The lanes that the minimap sums up, with their roles: the streams, and where there are none, all.
fn lanes(capture: &Capture) -> Vec<(LaneId, usize)> {
    let streams = capture
        .lanes()
        .iter()
        .any(|lane| lane.group == Group::Streams);
    capture
        .lanes()
        .iter()
        .filter(|lane| !streams || lane.group == Group::Streams && lane.role != Role::Queue)
        .map(|lane| {
            let class = Role::ALL.iter().position(|&role| role == lane.role);
            (lane.id, class.unwrap_or(0))
        })
        .collect()
}

/// The minimap's scale: the whole capture, with the margin that showing everything has.
pub fn scale(frame: &PaintFrame<'_>) -> Option<Scale> {
    let extent = frame.picture.capture.extent()?;
    let all = frame.picture.state.view.shown(Some(extent));
    let whole = if frame.picture.state.view.interval.is_none() {
        all
    } else {
        scale::padded(extent, 1.0 / 40.0)
    };
    let area = frame.areas.minimap;
    Some(Scale::new(whole, area.left(), area.width()))
}

/// Paints the minimap; returns whether the next frame has more to show.
pub fn paint(painter: &Painter, frame: &PaintFrame<'_>, minimap: &mut Minimap) -> bool {
    let theme = frame.picture.theme;
    let area = frame.areas.minimap;
    painter.rect_filled(area.with_min_x(frame.areas.whole.left()), 0.0, theme.panel);
    let Some(scale) = scale(frame) else {
        return false;
    };
    let more = minimap.bars(painter, frame, &scale);
    minimap.ticks.paint(painter, frame, &scale);
    bookmarks::on_minimap(painter, frame, &scale);
    let seen = window(frame, &scale);
    painter.rect_filled(seen, CornerRadius::same(3), theme.range);
    let stroke = Stroke::new(1.0, mixed(theme.accent, theme.panel, 0.6));
    painter.rect_stroke(seen, CornerRadius::same(3), stroke, StrokeKind::Inside);
    let y = area.bottom() - frame.pixel / 2.0;
    let line = Stroke::new(frame.pixel, theme.line);
    painter.hline(frame.areas.whole.x_range(), y, line);
    more
}

impl Minimap {
    /// Paints the bars; returns whether the next frame has more of them.
    fn bars(&mut self, painter: &Painter, frame: &PaintFrame<'_>, scale: &Scale) -> bool {
        let capture = frame.picture.capture;
        let view = Some((frame.scale, frame.scroll));
        let is_moving = std::mem::replace(&mut self.view, view) != view;
        // It can wait while somebody looks around, and a frame that shows what the last one showed has time to spare.
        let budget = match (self.stamp == frame.stamp, is_moving) {
            _ if self.is_whole => usize::MAX,
            (false, _) => utilization::BUDGET,
            (true, true) => utilization::BUDGET / 4,
            (true, false) => utilization::BUDGET * 20,
        };
        if self.stamp != frame.stamp {
            self.stamp = frame.stamp;
            self.lanes = lanes(capture);
        }
        let span = BusyTimeRange {
            interval: scale.interval(),
            columns: (frame.areas.minimap.width() / COLUMN).ceil() as usize,
        };
        let known = (capture, frame.stamp);
        let how = (Role::ALL.len(), budget);
        let (columns, more) = self.profile.update(known, &self.lanes, how, span);
        let wanted = DrawnMinimap {
            version: columns.version(),
            scale: *scale,
            area: frame.areas.minimap,
            dark: frame.picture.theme.dark,
            pixel: frame.pixel,
        };
        if self
            .drawn
            .as_ref()
            .is_none_or(|(drawn, _)| *drawn != wanted)
        {
            let mesh = bars(painter, frame, columns, scale).into_mesh();
            self.drawn = Some((wanted, Arc::new(mesh)));
        }
        if let Some((_, mesh)) = self.drawn.as_ref().filter(|(_, mesh)| !mesh.is_empty()) {
            painter.add(Shape::Mesh(Arc::clone(mesh)));
        }
        more
    }
}

/// The part of the minimap that is in view.
fn window(frame: &PaintFrame<'_>, scale: &Scale) -> Rect {
    let area = frame.areas.minimap;
    let view = frame.scale.interval();
    let (left, right) = (scale.x_from_time(view.start), scale.x_from_time(view.end));
    let middle = f32::midpoint(left, right);
    // However short the view, its window can be seen and held.
    let half = ((right - left) / 2.0).max(3.0);
    let rect = Rect::from_min_max(
        pos2(middle - half, area.top() + 3.0),
        pos2(middle + half, area.bottom() - 3.0),
    );
    rect.intersect(area)
}

fn bars(
    painter: &Painter,
    frame: &PaintFrame<'_>,
    columns: &BusyColumns,
    scale: &Scale,
) -> MeshBuilder {
    let theme = frame.picture.theme;
    let area = frame.areas.minimap;
    let mut sheet = MeshBuilder::new(painter.pixels_per_point());
    let sums: Vec<f32> = (0..columns.span.columns)
        .map(|place| {
            columns
                .busy
                .iter()
                .filter_map(|class| class.get(place))
                .sum()
        })
        .collect();
    let most = sums.iter().copied().fold(columns.step() as f32, f32::max);
    let height = area.height() - 2.0 * GRID;
    let floor = area.bottom() - GRID;
    let start = columns.span.interval.start;
    for place in 0..columns.span.columns {
        let at =
            |place: usize| scale.x_from_time(start + Nanos((columns.step() * place as f64) as i64));
        let left = sheet.snap(at(place));
        let right = sheet.snap(at(place + 1));
        let mut bottom = floor;
        for (&role, class) in Role::ALL.iter().zip(&columns.busy) {
            let busy = class.get(place).copied().unwrap_or(0.0);
            if busy > 0.0 {
                let top = sheet.snap(bottom - (busy / most * height).max(1.0));
                let rect = Rect::from_min_max(pos2(left, top), pos2(right.max(left + 1.0), bottom));
                sheet.rect(rect, mixed(theme.role(role), theme.panel, 0.6));
                bottom = top;
            }
        }
    }
    sheet
}

/// Where the view's window was taken hold of: the time between its start and the pointer.
#[derive(Clone, Copy, Debug, Default)]
pub struct MinimapGrip(Option<Nanos>);

impl MinimapGrip {
    /// Whether the window is held.
    pub fn is_held(self) -> bool {
        self.0.is_some()
    }
}

/// Moves the view while the pointer holds its window; a press beside it centres it there first.
pub fn input(
    frame: &PaintFrame<'_>,
    response: &Response,
    hold: &mut MinimapGrip,
    actions: &mut Vec<Action>,
) {
    let Some(scale) = scale(frame) else {
        return;
    };
    let view = frame.scale.interval();
    if let Some(at) = response.hover_pos().filter(|_| hold.0.is_none())
        && window(frame, &scale).contains(at)
    {
        response.ctx.set_cursor_icon(CursorIcon::Grab);
    }
    if !response.is_pointer_button_down_on() {
        hold.0 = None;
        return;
    }
    let Some(at) = response.interact_pointer_pos() else {
        return;
    };
    let time = scale.time_from_x(at.x);
    let grip = *hold
        .0
        .get_or_insert_with(|| taken(frame, &scale, at, view, time));
    response.ctx.set_cursor_icon(CursorIcon::Grabbing);
    let start = time - grip;
    if start != view.start {
        let moved = Interval::new(start, start + view.length());
        let extent = frame.picture.capture.extent().unwrap_or(moved);
        actions.push(Action::Show(
            Some(scale::clamped(moved, extent)),
            ViewChange::Pan,
        ));
    }
}

fn taken(frame: &PaintFrame<'_>, scale: &Scale, at: Pos2, view: Interval, time: Nanos) -> Nanos {
    if window(frame, scale).contains(at) {
        time - view.start
    } else {
        Nanos(view.length().0 / 2)
    }
}
