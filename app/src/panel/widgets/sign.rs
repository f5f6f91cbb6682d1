//! Signs for what is well and what is not, drawn rather than written: fonts do not agree on them.

use eframe::egui::{Color32, Painter, Pos2, Response, Sense, Shape, Stroke, Ui, Vec2, vec2};
use engine::record::{PipelineState, Verdict};

use crate::theme::Theme;
use crate::timeline::bolt;

/// A sign in front of a line of text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sign {
    /// It is as it should be.
    Check,
    /// It is not.
    Cross,
    /// Nobody knows.
    Dash,
    /// It has not begun.
    Ring,
    /// It waits for its turn.
    Dots,
    /// It is under way.
    Half,
    /// Its device was lost.
    Bolt,
}

impl Sign {
    /// The sign and the colour of a pipeline's state.
    pub const fn of_state(state: PipelineState, theme: &Theme) -> (Self, Color32) {
        match state {
            PipelineState::Requested | PipelineState::Checked => (Self::Ring, theme.weak),
            PipelineState::Queued => (Self::Dots, theme.weak),
            PipelineState::Compiling => (Self::Half, theme.warning),
            PipelineState::Ready => (Self::Check, theme.good),
            PipelineState::Failed => (Self::Cross, theme.bad),
            PipelineState::Lost => (Self::Bolt, theme.bad),
        }
    }

    /// The sign and the colour of how a promise ended; `None` while it is pending.
    pub const fn of_verdict(verdict: Option<Verdict>, theme: &Theme) -> (Self, Color32) {
        match verdict {
            None => (Self::Dots, theme.warning),
            Some(Verdict::Resolved) => (Self::Check, theme.good),
            Some(Verdict::Rejected) => (Self::Cross, theme.bad),
        }
    }

    /// Shows it, as high as a line of body text.
    pub fn ui(self, ui: &mut Ui, colour: Color32) -> Response {
        let size = Vec2::new(12.0, 16.0);
        let (rect, response) = ui.allocate_exact_size(size, Sense::hover());
        self.paint(ui.painter(), rect.center(), colour);
        response
    }

    /// Draws it about `middle`, at most 12 points wide and high.
    pub fn paint(self, painter: &Painter, middle: Pos2, colour: Color32) {
        let stroke = Stroke::new(1.8, colour);
        let line = |from: Vec2, to: Vec2| {
            painter.line_segment([middle + from, middle + to], stroke);
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
            Self::Ring => {
                painter.circle_stroke(middle, 3.8, Stroke::new(1.5, colour));
            }
            Self::Dots => {
                for x in [-4.0, 0.0, 4.0] {
                    painter.circle_filled(middle + vec2(x, 0.0), 1.4, colour);
                }
            }
            Self::Half => {
                painter.circle_stroke(middle, 4.0, Stroke::new(1.5, colour));
                let arc = (0..=8).map(|step| {
                    let angle = std::f32::consts::PI * (step as f32 / 8.0 - 0.5);
                    middle + 3.8 * Vec2::angled(angle)
                });
                painter.add(Shape::convex_polygon(arc.collect(), colour, Stroke::NONE));
            }
            Self::Bolt => bolt(painter, middle, colour),
        }
    }
}
