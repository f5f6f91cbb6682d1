//! Marks of what is searched for on the minimap, which are drawn anew only once something else is found or its place has changed.

use std::sync::Arc;

use eframe::egui::{Mesh, Painter, Rect, Shape};
use engine::record::SpanId;
use engine::time::Nanos;

use super::ticks;
use crate::timeline::frame::PaintFrame;
use crate::timeline::scale::Scale;

/// The marks of matches on the minimap, which stay as they are while the view moves.
#[derive(Default)]
pub struct MatchTicks {
    drawn: Option<(DrawnTicks, Arc<Mesh>)>,
}

/// What the marks were last drawn from and for.
struct DrawnTicks {
    matches: Arc<Vec<(Nanos, SpanId)>>,
    scale: Scale,
    area: Rect,
    dark: bool,
    pixel: f32,
}

impl MatchTicks {
    /// Marks every match on the minimap.
    pub fn paint(&mut self, painter: &Painter, frame: &PaintFrame<'_>, scale: &Scale) {
        let Some(matches) = frame.picture.matches else {
            return;
        };
        let area = frame.areas.minimap;
        let (dark, pixel) = (frame.picture.theme.dark, frame.pixel);
        let is_drawn = self.drawn.as_ref().is_some_and(|(drawn, _)| {
            Arc::ptr_eq(&drawn.matches, matches)
                && (drawn.scale, drawn.area, drawn.dark, drawn.pixel) == (*scale, area, dark, pixel)
        });
        if !is_drawn {
            let line = area.with_min_y(area.bottom() - 4.0);
            let sheet = ticks(painter, (frame, scale), matches, line);
            let drawn = DrawnTicks {
                matches: Arc::clone(matches),
                scale: *scale,
                area,
                dark,
                pixel,
            };
            self.drawn = Some((drawn, Arc::new(sheet.into_mesh())));
        }
        if let Some((_, mesh)) = self.drawn.as_ref().filter(|(_, mesh)| !mesh.is_empty()) {
            painter.add(Shape::Mesh(Arc::clone(mesh)));
        }
    }
}
