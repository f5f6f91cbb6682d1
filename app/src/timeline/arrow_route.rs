//! How an arrow runs from the end of a cause to the start of its effect, and where it can be pointed at.

/// A position on screen, in points.
pub type ScreenPoint = [f32; 2];

/// The edge of a bar that an arrow leaves or arrives at, in points.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BarEdge {
    /// The instant.
    pub x: f32,
    /// The bar's upper edge.
    pub top: f32,
    /// The bar's lower edge.
    pub bottom: f32,
}

/// The part of the screen that arrows show in, in points.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ArrowViewport {
    /// Its left edge.
    pub left: f32,
    /// Its right edge.
    pub right: f32,
    /// Its upper edge.
    pub top: f32,
    /// Its lower edge.
    pub bottom: f32,
}

/// A way out of the port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ViewportSide {
    /// To earlier instants.
    Left,
    /// To later instants.
    Right,
    /// To lanes above.
    Up,
    /// To lanes below.
    Down,
}

/// What stands at an end of an arrow.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ArrowEnd {
    /// The span itself is there.
    Span(ScreenPoint),
    /// The span lies off the screen, that way.
    Stub(ScreenPoint, ViewportSide),
}

impl ArrowEnd {
    /// Where it is, in points.
    pub fn point(self) -> ScreenPoint {
        match self {
            Self::Span(point) | Self::Stub(point, _) => point,
        }
    }
}

/// The course of an arrow.
#[derive(Clone, Debug, PartialEq)]
pub struct ArrowRoute {
    /// Its corners, from the cause to the effect, in points.
    pub points: Vec<ScreenPoint>,
    /// What stands where it leaves.
    pub cause: ArrowEnd,
    /// What stands where it arrives.
    pub effect: ArrowEnd,
    /// Which way the head points.
    pub head: ViewportSide,
}

/// How far from a bar an arrow runs beside it: the middle of the space between two lanes.
const CLEARANCE: f32 = 4.0;

/// The course from `cause` to `effect`; nothing where no part of it shows.
///
/// It leaves straight up or down from the end of the cause, bends once into the space beside the
/// effect's lane, and arrives at the effect's start from there: never across the effect's label.
pub fn route(cause: BarEdge, effect: BarEdge, port: ArrowViewport) -> Option<ArrowRoute> {
    let down = effect.top >= cause.top;
    let leave = if effect.top > cause.bottom {
        cause.bottom
    } else {
        cause.top
    };
    let (tip, beside) = if down {
        (effect.top, effect.top - CLEARANCE)
    } else {
        (effect.bottom, effect.bottom + CLEARANCE)
    };
    let head = if down {
        ViewportSide::Down
    } else {
        ViewportSide::Up
    };
    let whole = [
        [cause.x, leave],
        [cause.x, beside],
        [effect.x, beside],
        [effect.x, tip],
    ];
    let (points, first, last) = cut(&whole, port)?;
    Some(ArrowRoute {
        points,
        cause: first.map_or(ArrowEnd::Span([cause.x, leave]), |(at, side)| {
            ArrowEnd::Stub(at, side)
        }),
        effect: last.map_or(ArrowEnd::Span([effect.x, tip]), |(at, side)| {
            ArrowEnd::Stub(at, side)
        }),
        head,
    })
}

type ViewportExit = Option<(ScreenPoint, ViewportSide)>;

/// The part of an orthogonal line that lies in `port`, and where it leaves it at either end.
fn cut(
    whole: &[ScreenPoint; 4],
    port: ArrowViewport,
) -> Option<(Vec<ScreenPoint>, ViewportExit, ViewportExit)> {
    let mut points: Vec<ScreenPoint> = Vec::with_capacity(4);
    let mut first = None;
    let mut last = None;
    for pair in whole.windows(2) {
        let &[from, to] = pair else { continue };
        let Some((a, b)) = clip(from, to, port) else {
            continue;
        };
        if points.is_empty() && a != whole[0] {
            first = Some((a, side(a, port)));
        }
        if points.last() != Some(&a) {
            points.push(a);
        }
        if points.last() != Some(&b) {
            points.push(b);
        }
        last = (b != to).then(|| (b, side(b, port)));
        if last.is_some() {
            break;
        }
    }
    let ends_inside = last.is_some() || points.last() == Some(&whole[3]);
    if points.is_empty() {
        return None;
    }
    if !ends_inside {
        last = points.last().map(|&at| (at, side(at, port)));
    }
    Some((points, first, last))
}

/// The part of a horizontal or vertical line in `port`.
fn clip(
    from: ScreenPoint,
    to: ScreenPoint,
    port: ArrowViewport,
) -> Option<(ScreenPoint, ScreenPoint)> {
    let inside = |[x, y]: ScreenPoint| {
        [
            x.clamp(port.left, port.right),
            y.clamp(port.top, port.bottom),
        ]
    };
    let (a, b) = (inside(from), inside(to));
    let vertical = from[0] == to[0];
    let misses = if vertical {
        a[0] != from[0]
    } else {
        a[1] != from[1]
    };
    let outside = a == b && from != to;
    (!misses && !outside).then_some((a, b))
}

fn side([x, y]: ScreenPoint, port: ArrowViewport) -> ViewportSide {
    if x <= port.left {
        ViewportSide::Left
    } else if x >= port.right {
        ViewportSide::Right
    } else if y <= port.top {
        ViewportSide::Up
    } else {
        ViewportSide::Down
    }
}

/// `points` with each corner drawn as an arc of at most `radius` points.
pub fn rounded(points: &[ScreenPoint], radius: f32) -> Vec<ScreenPoint> {
    const STEPS: usize = 4;
    let mut out = Vec::with_capacity(points.len() * (STEPS + 1));
    out.extend(points.first());
    for corner in points.windows(3) {
        let &[a, b, c] = corner else { continue };
        let radius = radius.min(distance(a, b) / 2.0).min(distance(b, c) / 2.0);
        let (from, to) = (towards(b, a, radius), towards(b, c, radius));
        for step in 0..=STEPS {
            let t = step as f32 / STEPS as f32;
            let mix = |p: ScreenPoint, q: ScreenPoint| {
                [p[0] + (q[0] - p[0]) * t, p[1] + (q[1] - p[1]) * t]
            };
            out.push(mix(mix(from, b), mix(b, to)));
        }
    }
    if points.len() > 1 {
        out.extend(points.last());
    }
    out
}

fn distance(a: ScreenPoint, b: ScreenPoint) -> f32 {
    (a[0] - b[0]).hypot(a[1] - b[1])
}

/// The point `by` points from `from` on the way to `to`.
fn towards(from: ScreenPoint, to: ScreenPoint, by: f32) -> ScreenPoint {
    let length = distance(from, to).max(f32::EPSILON);
    let share = (by / length).min(1.0);
    [
        from[0] + (to[0] - from[0]) * share,
        from[1] + (to[1] - from[1]) * share,
    ]
}

/// What of an arrow is pointed at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArrowPart {
    /// The end at the cause.
    Cause,
    /// The end at the effect.
    Effect,
    /// The line between them.
    Line,
}

impl ArrowRoute {
    /// What of it lies at `point`, and how far away, in points; nothing beyond `reach`.
    pub fn part_at(&self, point: ScreenPoint, reach: f32) -> Option<(ArrowPart, f32)> {
        let end = |mark: ArrowEnd| {
            // A stub is a target of its own; the mark on a span must leave the span clickable.
            let reach = if matches!(mark, ArrowEnd::Stub(..)) {
                reach + 5.0
            } else {
                reach
            };
            Some(distance(mark.point(), point)).filter(|&far| far <= reach)
        };
        let line = || {
            let pairs = self.points.windows(2);
            let far = pairs.filter_map(|pair| match pair {
                &[a, b] => Some(distance_to_line(point, a, b)),
                _ => None,
            });
            far.fold(f32::INFINITY, f32::min)
        };
        end(self.effect)
            .map(|far| (ArrowPart::Effect, far))
            .or_else(|| end(self.cause).map(|far| (ArrowPart::Cause, far)))
            .or_else(|| Some((ArrowPart::Line, line())).filter(|&(_, far)| far <= reach))
    }
}

fn distance_to_line(p: ScreenPoint, a: ScreenPoint, b: ScreenPoint) -> f32 {
    let (dx, dy) = (b[0] - a[0], b[1] - a[1]);
    let square = dx * dx + dy * dy;
    if square == 0.0 {
        return distance(p, a);
    }
    let t = (((p[0] - a[0]) * dx + (p[1] - a[1]) * dy) / square).clamp(0.0, 1.0);
    distance(p, [a[0] + dx * t, a[1] + dy * t])
}

#[cfg(test)]
mod tests {
    use super::*;

    const PORT: ArrowViewport = ArrowViewport {
        left: 0.0,
        right: 1000.0,
        top: 0.0,
        bottom: 500.0,
    };

    fn edge(x: f32, top: f32) -> BarEdge {
        BarEdge {
            x,
            top,
            bottom: top + 20.0,
        }
    }

    #[test]
    fn an_arrow_bends_into_the_space_before_its_effect() {
        let route = route(edge(100.0, 50.0), edge(300.0, 150.0), PORT).unwrap();
        assert_eq!(
            route.points,
            [
                [100.0, 70.0],
                [100.0, 146.0],
                [300.0, 146.0],
                [300.0, 150.0]
            ]
        );
        assert_eq!(route.cause, ArrowEnd::Span([100.0, 70.0]));
        assert_eq!(route.effect, ArrowEnd::Span([300.0, 150.0]));
        assert_eq!(route.head, ViewportSide::Down);
    }

    #[test]
    fn an_arrow_never_enters_the_bar_it_points_at() {
        for (from, to) in [(50.0, 150.0), (150.0, 50.0), (50.0, 50.0)] {
            for x in [0.0, 299.0, 300.0, 900.0] {
                let effect = edge(300.0, to);
                let route = route(edge(x, from), effect, PORT).unwrap();
                for pair in route.points.windows(2) {
                    let middle = f32::midpoint(pair[0][1], pair[1][1]);
                    let crosses = pair[0][0].max(pair[1][0]) > effect.x;
                    let inside = middle > effect.top && middle < effect.bottom;
                    assert!(!(crosses && inside && pair[0][1] == pair[1][1]), "{pair:?}");
                }
            }
        }
    }

    #[test]
    fn upwards_it_arrives_from_below() {
        let route = route(edge(100.0, 150.0), edge(300.0, 50.0), PORT).unwrap();
        assert_eq!(route.points.first(), Some(&[100.0, 150.0]));
        assert_eq!(route.points.last(), Some(&[300.0, 70.0]));
        assert_eq!(route.head, ViewportSide::Up);
    }

    #[test]
    fn ends_off_the_screen_become_stubs() {
        let before = route(edge(-100.0, 50.0), edge(300.0, 150.0), PORT).unwrap();
        assert_eq!(
            before.cause,
            ArrowEnd::Stub([0.0, 146.0], ViewportSide::Left)
        );
        assert_eq!(before.effect, ArrowEnd::Span([300.0, 150.0]));
        let after = route(edge(100.0, 50.0), edge(3000.0, 150.0), PORT).unwrap();
        assert_eq!(
            after.effect,
            ArrowEnd::Stub([1000.0, 146.0], ViewportSide::Right)
        );
        let below = route(edge(100.0, 50.0), edge(300.0, 1500.0), PORT).unwrap();
        assert_eq!(
            below.effect,
            ArrowEnd::Stub([100.0, 500.0], ViewportSide::Down)
        );
        let above = route(edge(100.0, -50.0), edge(300.0, 150.0), PORT).unwrap();
        assert_eq!(above.cause, ArrowEnd::Stub([100.0, 0.0], ViewportSide::Up));
        assert_eq!(route(edge(-9.0, 50.0), edge(-5.0, 150.0), PORT), None);
    }

    #[test]
    fn corners_are_rounded_within_the_line() {
        let points = rounded(&[[0.0, 0.0], [0.0, 10.0], [10.0, 10.0]], 4.0);
        assert_eq!(points.first(), Some(&[0.0, 0.0]));
        assert_eq!(points.last(), Some(&[10.0, 10.0]));
        assert!(points.contains(&[0.0, 6.0]) && points.contains(&[4.0, 10.0]));
        assert!(points.iter().all(|&[x, y]| x >= 0.0 && y <= 10.0));
    }

    #[test]
    fn ends_and_line_can_be_pointed_at() {
        let route = route(edge(100.0, 50.0), edge(300.0, 150.0), PORT).unwrap();
        let part = |x, y| route.part_at([x, y], 4.0).map(|(part, _)| part);
        assert_eq!(part(101.0, 71.0), Some(ArrowPart::Cause));
        assert_eq!(part(299.0, 149.0), Some(ArrowPart::Effect));
        assert_eq!(part(200.0, 148.0), Some(ArrowPart::Line));
        assert_eq!(part(200.0, 100.0), None);
    }
}
