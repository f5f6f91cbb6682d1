//! Each of egui's shapes as elements of SVG.

use eframe::egui::epaint::{ColorMode, PathShape, RectShape, TextShape};
use eframe::egui::{Color32, FontFamily, Pos2, Shape, Stroke, StrokeKind, vec2};

use super::markup::{Markup, short};
use super::mesh::{self, polygon};

/// Writes a shape.
pub(super) fn write(markup: &mut Markup, shape: Shape) {
    match shape {
        Shape::Vec(shapes) => {
            for shape in shapes {
                write(markup, shape);
            }
        }
        Shape::Circle(it) => {
            let radius = vec2(it.radius, it.radius);
            markup.ellipse(it.center, radius, it.fill, it.stroke);
        }
        Shape::Ellipse(it) => markup.ellipse(it.center, it.radius, it.fill, it.stroke),
        Shape::LineSegment { points, stroke } => {
            markup.path(&polygon(&points, false), Color32::TRANSPARENT, stroke);
        }
        Shape::Path(path) => write_path(markup, &path),
        Shape::Rect(rect) => write_rect(markup, &rect),
        Shape::Text(text) => write_text(markup, &text),
        Shape::Mesh(it) => mesh::write(markup, &it),
        Shape::QuadraticBezier(it) => {
            let commands = curve('Q', &it.points);
            markup.path(&commands, it.fill, solid(it.stroke.width, &it.stroke.color));
        }
        Shape::CubicBezier(it) => {
            let commands = curve('C', &it.points);
            markup.path(&commands, it.fill, solid(it.stroke.width, &it.stroke.color));
        }
        // The timeline paints none of these.
        Shape::Noop | Shape::Band(_) | Shape::Callback(_) => {}
    }
}

fn curve(command: char, points: &[Pos2]) -> String {
    let mut commands = String::new();
    for (place, point) in points.iter().enumerate() {
        commands.push(match place {
            0 => 'M',
            1 => command,
            _ => ' ',
        });
        commands.push_str(&short(point.x));
        commands.push(' ');
        commands.push_str(&short(point.y));
    }
    commands
}

fn solid(width: f32, color: &ColorMode) -> Stroke {
    match color {
        ColorMode::Solid(color) => Stroke::new(width, *color),
        ColorMode::UV(_) => Stroke::NONE,
    }
}

fn write_path(markup: &mut Markup, path: &PathShape) {
    let stroke = solid(path.stroke.width, &path.stroke.color);
    markup.path(&polygon(&path.points, path.closed), path.fill, stroke);
}

fn write_rect(markup: &mut Markup, shape: &RectShape) {
    // A line of SVG lies on the edge.
    let out = match shape.stroke_kind {
        StrokeKind::Inside => -shape.stroke.width / 2.0,
        StrokeKind::Middle => 0.0,
        StrokeKind::Outside => shape.stroke.width / 2.0,
    };
    let radius = f32::from(shape.corner_radius.nw);
    markup.rect(shape.rect.expand(out), radius, shape.fill, shape.stroke);
}

fn write_text(markup: &mut Markup, shape: &TextShape) {
    let Some(format) = shape.galley.job.sections.first().map(|it| &it.format) else {
        return;
    };
    let own = shape.override_text_color.unwrap_or(format.color);
    let color = if own == Color32::PLACEHOLDER {
        shape.fallback_color
    } else {
        own
    };
    let mono = format.font_id.family == FontFamily::Monospace;
    let color = color.gamma_multiply(shape.opacity_factor);
    for placed in &shape.galley.rows {
        let glyphs = &placed.row.glyphs;
        let (Some(first), Some(last)) = (glyphs.first(), glyphs.last()) else {
            continue;
        };
        let text: String = glyphs.iter().map(|glyph| glyph.chr).collect();
        let at = shape.pos + placed.pos.to_vec2() + first.pos.to_vec2();
        let width = last.pos.x + last.advance_width - first.pos.x;
        markup.text(at, &text, (format.font_id.size, mono), width, color);
    }
}
