//! The arrows on screen: the dependencies of what is selected and pointed at.

use eframe::egui::{Color32, Painter, Shape, Stroke, pos2, vec2};
use engine::analysis::Chain;
use engine::record::{Basis, Dependency, DependencyId, DependencyKind, SpanId};

use super::arrow_route::{
    ArrowEnd, ArrowPart, ArrowRoute, ScreenPoint, ViewportSide, rounded, route,
};
use super::frame::PaintFrame;
use super::signs::inserted_hue;
use crate::theme::Theme;

/// How many causes, and how many effects, of one span have arrows.
const MOST: usize = 48;

/// How near to an arrow the pointer must be, in points.
const REACH: f32 = 4.0;

/// The dependency of an arrow, and how it runs.
#[derive(Clone, Debug)]
pub struct DependencyArrow {
    /// Its number.
    pub id: DependencyId,
    /// What it ties.
    pub dependency: Dependency,
    /// How it runs.
    pub route: ArrowRoute,
    tone: ArrowTone,
    chosen: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ArrowTone {
    Cause,
    Effect,
}

/// The arrows of the selected span and of its whole chain, of the selected dependency and of what is pointed at.
pub fn links(frame: &PaintFrame<'_>) -> Vec<DependencyArrow> {
    let state = frame.picture.state;
    let mut links = Vec::new();
    let capture = frame.picture.capture;
    let mut of_span = |span: SpanId, chosen: bool| {
        for id in capture.causes(span).take(MOST) {
            add(frame, &mut links, id, (ArrowTone::Cause, chosen));
        }
        for id in capture.effects(span).take(MOST) {
            add(frame, &mut links, id, (ArrowTone::Effect, chosen));
        }
    };
    if let Some(span) = state.selection.span {
        of_span(span, true);
    }
    if let Some(span) = state.hover.span
        && state.hover.span != state.selection.span
    {
        of_span(span, false);
    }
    if let Some(span) = state.selection.span {
        let chain = Chain::of(capture, span);
        for (ids, tone) in [
            (chain.causes, ArrowTone::Cause),
            (chain.effects, ArrowTone::Effect),
        ] {
            for id in ids {
                add(frame, &mut links, id, (tone, true));
            }
        }
    }
    for (id, chosen) in [
        (state.selection.dependency, true),
        (state.hover.dependency, false),
    ] {
        if let Some(id) = id {
            add(frame, &mut links, id, (ArrowTone::Cause, chosen));
        }
    }
    links
}

fn add(
    frame: &PaintFrame<'_>,
    links: &mut Vec<DependencyArrow>,
    id: DependencyId,
    (tone, chosen): (ArrowTone, bool),
) {
    if let Some(known) = links.iter_mut().find(|link| link.id == id) {
        known.chosen |= chosen;
        return;
    }
    let Some(dependency) = frame.picture.capture.dependency(id) else {
        return;
    };
    let Some((cause, effect)) = frame.ends(&dependency) else {
        return;
    };
    let Some(route) = route(cause, effect, frame.port()) else {
        return;
    };
    links.push(DependencyArrow {
        id,
        dependency,
        route,
        tone,
        chosen,
    });
}

/// The arrow at `point`, and which part of it.
pub fn link_at(
    links: &[DependencyArrow],
    point: ScreenPoint,
) -> Option<(&DependencyArrow, ArrowPart)> {
    let near = links.iter().filter_map(|link| {
        let (part, far) = link.route.part_at(point, REACH)?;
        Some((link, part, far))
    });
    near.min_by(|a, b| a.2.total_cmp(&b.2))
        .map(|(link, part, _)| (link, part))
}

/// Paints `links`, those of the selection last.
pub fn paint(painter: &Painter, frame: &PaintFrame<'_>, links: &[DependencyArrow]) {
    let hovered = frame.picture.state.hover.dependency;
    for chosen in [false, true] {
        for link in links.iter().filter(|link| link.chosen == chosen) {
            let strong = link.chosen || hovered == Some(link.id);
            link.paint(painter, frame.picture.theme, strong);
        }
    }
}

impl DependencyArrow {
    fn paint(&self, painter: &Painter, theme: &Theme, strong: bool) {
        let is_inserted = matches!(
            self.dependency.kind,
            DependencyKind::Automatic | DependencyKind::Legacy
        );
        let hue = match self.tone {
            _ if is_inserted => inserted_hue(theme),
            ArrowTone::Cause => theme.cause,
            ArrowTone::Effect => theme.effect,
        };
        let width = if strong { 1.5 } else { 1.0 };
        let line: Vec<_> = rounded(&self.route.points, 4.0)
            .into_iter()
            .map(|[x, y]| pos2(x, y))
            .collect();
        // A dark edge keeps the line apart from bars of its own hue.
        painter.line(line.clone(), Stroke::new(width + 2.0, theme.canvas));
        match self.dependency.basis {
            // Enforced, and asked for by nobody: dots and dashes.
            Basis::Enforced if is_inserted => {
                painter.extend(Shape::dashed_line_with_offset(
                    &line,
                    Stroke::new(width, hue),
                    &[7.0, 1.5],
                    &[2.5, 2.5],
                    0.0,
                ));
            }
            Basis::Enforced => {
                painter.line(line, Stroke::new(width, hue));
            }
            Basis::Declared => {
                painter.extend(Shape::dashed_line(&line, Stroke::new(width, hue), 5.0, 3.0));
            }
            Basis::Observed | Basis::Inferred => {
                painter.extend(Shape::dashed_line(&line, Stroke::new(width, hue), 1.5, 3.0));
            }
        }
        end(painter, self.route.cause, None, (hue, theme.canvas));
        end(
            painter,
            self.route.effect,
            Some(self.route.head),
            (hue, theme.canvas),
        );
    }
}

/// What stands at an end: the head where it arrives, a dot where it leaves. At the edge of the screen a head points to where
/// it arrives, and a ring stands where it comes from: an arrow has one head.
fn end(
    painter: &Painter,
    mark: ArrowEnd,
    head: Option<ViewportSide>,
    (hue, edge): (Color32, Color32),
) {
    let [x, y] = mark.point();
    let at = pos2(x, y);
    let (side, tip) = match (mark, head) {
        (ArrowEnd::Stub(_, side), Some(_)) => (side, at),
        (ArrowEnd::Stub(_, side), None) => {
            let middle = at - 4.5 * direction(side);
            painter.circle(middle, 4.5, edge, Stroke::new(0.0, edge));
            painter.circle(middle, 3.5, edge, Stroke::new(2.0, hue));
            return;
        }
        (ArrowEnd::Span(_), Some(side)) => (side, at + 3.0 * direction(side)),
        (ArrowEnd::Span(_), None) => {
            painter.circle(at, 2.5, hue, Stroke::new(1.0, edge));
            return;
        }
    };
    let (length, half) = if matches!(mark, ArrowEnd::Stub(..)) {
        (9.0, 5.5)
    } else {
        (8.0, 4.5)
    };
    let along = direction(side);
    let base = tip - along * length;
    let across = vec2(along.y, -along.x) * half;
    let corners = vec![tip, base + across, base - across];
    painter.add(Shape::convex_polygon(corners, hue, Stroke::new(1.0, edge)));
}

fn direction(side: ViewportSide) -> eframe::egui::Vec2 {
    match side {
        ViewportSide::Left => vec2(-1.0, 0.0),
        ViewportSide::Right => vec2(1.0, 0.0),
        ViewportSide::Up => vec2(0.0, -1.0),
        ViewportSide::Down => vec2(0.0, 1.0),
    }
}
