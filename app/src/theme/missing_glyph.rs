//! What is drawn for a character that no font has: a question mark, since a row of boxes looks like a picture of something.

use eframe::egui::{
    Color32, ColorImage, GlyphBitmap, GlyphRasterizer, RasterizedGlyph, Vec2, vec2,
};

/// Where the parts of the sign are, in heights of the font; y grows upwards from the line that letters stand on.
const WIDTH: f32 = 0.5;
const HEIGHT: f32 = 0.72;
const CENTRE: Vec2 = vec2(0.25, 0.53);
const RADIUS: f32 = 0.15;
const FOOT: f32 = 0.2;
const DOT: f32 = 0.05;
/// Half of the line's width.
const LINE: f32 = 0.04;

/// What draws it, asked after all fonts.
pub fn rasterizer() -> GlyphRasterizer {
    GlyphRasterizer::new("syncline missing glyph", |asked| {
        Some(question_mark(asked.font_size_px))
    })
}

fn question_mark(size: f32) -> RasterizedGlyph {
    let cells = |part: f32| (part * size).ceil().max(2.0) as usize;
    let (width, height) = (cells(WIDTH), cells(HEIGHT));
    let mut image = ColorImage::filled([width, height], Color32::TRANSPARENT);
    for (at, pixel) in image.pixels.iter_mut().enumerate() {
        let (column, row) = ((at % width) as f32 + 0.5, (at / width) as f32 + 0.5);
        let place = vec2(column, height as f32 - row) / size;
        let covered = (0.5 - distance(place) * size).clamp(0.0, 1.0);
        *pixel = Color32::from_white_alpha((covered * 255.0) as u8);
    }
    RasterizedGlyph {
        bitmap: GlyphBitmap {
            image,
            offset_px: vec2(0.0, -(height as f32)),
            is_color: false,
        },
        advance_px: width as f32,
    }
}

/// How far a place is outside of the sign's lines; negative within them.
fn distance(place: Vec2) -> f32 {
    let from = place - CENTRE;
    // The arc lacks its lower left quarter, from where it would meet itself.
    let is_arc = from.x > 0.0 || from.y > 0.0;
    let ends = (from - vec2(-RADIUS, 0.0)).length();
    let arc = if is_arc {
        (from.length() - RADIUS).abs()
    } else {
        ends
    };
    let foot = vec2(
        place.x - CENTRE.x,
        place.y - place.y.clamp(FOOT, CENTRE.y - RADIUS),
    );
    let dot = (place - vec2(CENTRE.x, DOT)).length() - DOT;
    (arc.min(foot.length()) - LINE).min(dot)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_an_arc_over_a_dot_and_no_box() {
        for size in [8.0, 13.0, 40.0] {
            let image = question_mark(size).bitmap.image;
            let [width, height] = image.size;
            let at = |x: f32, y: f32| {
                let (column, row) = ((x * size) as usize, height - 1 - (y * size) as usize);
                image[(column.min(width - 1), row)].a()
            };
            let corners = [(0.02, 0.02), (0.48, 0.02), (0.02, 0.3), (0.48, 0.2)];
            assert!(corners.iter().all(|(x, y)| at(*x, *y) < 64), "{size}");
            assert!(
                at(0.25, DOT) > 64 && at(0.25, CENTRE.y - RADIUS) > 64,
                "{size}"
            );
            assert!(
                at(0.25, 0.13) < at(0.25, DOT),
                "{size}: the dot is by itself"
            );
        }
    }
}
