//! Signs for what is well and what is not, drawn rather than written: fonts do not agree on them.

use eframe::egui::{Color32, Response, Sense, Stroke, Ui, Vec2, vec2};

/// A sign in front of a line of text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sign {
    /// It is as it should be.
    Check,
    /// It is not.
    Cross,
    /// Nobody knows.
    Dash,
}

impl Sign {
    /// Shows it, as high as a line of body text.
    pub fn ui(self, ui: &mut Ui, colour: Color32) -> Response {
        let size = Vec2::new(12.0, 16.0);
        let (rect, response) = ui.allocate_exact_size(size, Sense::hover());
        let middle = rect.center();
        let stroke = Stroke::new(1.8, colour);
        let line = |from: Vec2, to: Vec2| {
            ui.painter()
                .line_segment([middle + from, middle + to], stroke);
        };
        match self {
            Self::Check => {
                line(vec2(-4.5, 0.5), vec2(-1.5, 3.5));
                line(vec2(-1.5, 3.5), vec2(4.5, -3.5));
            }
            Self::Dash => line(vec2(-3.5, 0.0), vec2(3.5, 0.0)),
            Self::Cross => {
                line(vec2(-3.5, -3.5), vec2(3.5, 3.5));
                line(vec2(-3.5, 3.5), vec2(3.5, -3.5));
            }
        }
        response
    }
}
