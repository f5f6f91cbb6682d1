//! The signs of run, pause, step and stop, drawn rather than written: fonts do not agree on them.

use eframe::egui::{Color32, Painter, Pos2, Rect, Shape, Stroke, Vec2, pos2};

/// What a button does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Icon {
    /// A triangle.
    Run,
    /// Two bars.
    Pause,
    /// A triangle against a bar.
    Step,
    /// A square.
    Stop,
}

impl Icon {
    /// Draws it about `middle`, 12 points high.
    pub fn paint(self, painter: &Painter, middle: Pos2, colour: Color32) {
        let bar = |x: f32, width: f32| {
            let rect = Rect::from_center_size(middle + Vec2::new(x, 0.0), Vec2::new(width, 11.0));
            painter.rect_filled(rect, 1.0, colour);
        };
        match self {
            Self::Run => triangle(painter, middle + Vec2::new(1.0, 0.0), colour),
            Self::Pause => {
                bar(-3.0, 3.0);
                bar(3.0, 3.0);
            }
            Self::Step => {
                triangle(painter, middle - Vec2::new(2.0, 0.0), colour);
                bar(5.0, 2.0);
            }
            Self::Stop => {
                painter.rect_filled(
                    Rect::from_center_size(middle, Vec2::splat(10.0)),
                    1.0,
                    colour,
                );
            }
        }
    }
}

fn triangle(painter: &Painter, middle: Pos2, colour: Color32) {
    let corners = [(-4.0, -5.5), (5.0, 0.0), (-4.0, 5.5)];
    let points = corners.map(|(x, y)| pos2(middle.x + x, middle.y + y));
    painter.add(Shape::convex_polygon(points.into(), colour, Stroke::NONE));
}
