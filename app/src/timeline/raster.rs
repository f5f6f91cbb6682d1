//! Narrow bars as pixels: a texture with a line for each sub-lane. A pixel costs a hundredth of a rectangle of triangles.

use std::sync::Arc;

use eframe::egui::{
    Color32, ColorImage, Context, ImageData, Mesh, Rect, Shape, TextureHandle, TextureOptions, pos2,
};

use super::scale::{PixelScale, Scale};

/// The texture is made larger by steps of this many pixels, so that a window that grows seldom needs another.
const STEP: usize = 64;

/// Where on the screen a line is drawn: from `top` to `bottom`.
#[derive(Clone, Copy, Debug, PartialEq)]
struct RasterRow {
    top: f32,
    bottom: f32,
    /// Whether it lies under the others.
    under: bool,
}

/// Lines of pixels as wide as the body, kept from frame to frame.
#[derive(Default)]
pub struct Raster {
    texture: Option<TextureHandle>,
    shown: Arc<ColorImage>,
    pixels: Vec<Color32>,
    lines: Vec<RasterRow>,
    left: i32,
    width: usize,
    density: f32,
    most: usize,
}

impl Raster {
    /// Empties it, for a body on a screen of `density` pixels a point whose textures have at most `side` pixels a side.
    pub fn begin(&mut self, body: Rect, density: f32, side: usize) {
        self.lines.clear();
        self.pixels.clear();
        self.density = density;
        self.left = (body.left() * density).floor() as i32;
        self.width = ((body.right() * density).ceil() as i32 - self.left).max(0) as usize;
        self.most = if self.width <= side { side } else { 0 };
    }

    /// Whether there is room for the waiting and the bars of a sub-lane.
    pub fn has_room(&self) -> bool {
        self.lines.len() + 2 <= self.most
    }

    /// Adds a line of pixels, as many as it is wide, from `top` to `bottom`; under all others if it is `under`.
    pub fn add(&mut self, pixels: &[Color32], (top, bottom): (f32, f32), under: bool) {
        if pixels.len() == self.width && self.lines.len() < self.most {
            self.lines.push(RasterRow { top, bottom, under });
            self.pixels.extend_from_slice(pixels);
        }
    }

    /// The first of its pixels, counted from the screen's left edge.
    pub fn first(&self) -> i32 {
        self.left
    }

    /// How many pixels a line has.
    pub fn width(&self) -> i32 {
        self.width as i32
    }

    /// How far an instant lies from the raster's left edge, in pixels; `scale` is that of the body.
    pub fn pixels(&self, scale: &Scale) -> PixelScale {
        scale.pixels(f64::from(self.density), f64::from(self.left))
    }

    /// All lines as one shape; nothing where there are none.
    pub fn shape(&mut self, context: &Context) -> Option<Shape> {
        if self.lines.is_empty() || self.width == 0 {
            return None;
        }
        let [width, height] = self.upload(context)?;
        let left = self.left as f32 / self.density;
        let right = left + self.width as f32 / self.density;
        let end = self.width as f32 / width as f32;
        let mut mesh = Mesh::with_texture(self.texture.as_ref()?.id());
        for under in [true, false] {
            let lines = self.lines.iter().enumerate();
            for (place, line) in lines.filter(|(_, line)| line.under == under) {
                let middle = (place as f32 + 0.5) / height as f32;
                let rect = Rect::from_min_max(pos2(left, line.top), pos2(right, line.bottom));
                let uv = Rect::from_min_max(pos2(0.0, middle), pos2(end, middle));
                mesh.add_rect_with_uv(rect, uv, Color32::WHITE);
            }
        }
        Some(Shape::mesh(mesh))
    }

    /// Brings the texture up to the lines; returns its size.
    fn upload(&mut self, context: &Context) -> Option<[usize; 2]> {
        let needed = [self.width, self.lines.len()];
        let known = self.texture.as_ref().map_or([0, 0], TextureHandle::size);
        let fits = known[0] >= needed[0] && known[1] >= needed[1];
        if !fits {
            let size = [0, 1].map(|axis: usize| {
                let (needed, known) = (needed.get(axis), known.get(axis));
                let least = needed.max(known).copied().unwrap_or(0);
                least.next_multiple_of(STEP).min(self.most)
            });
            let empty = ColorImage::filled(size, Color32::TRANSPARENT);
            self.texture = Some(context.load_texture("bars", empty, TextureOptions::NEAREST));
        }
        let texture = self.texture.as_mut()?;
        if !fits || self.shown.size != needed || self.shown.pixels != self.pixels {
            // The screen has let go of the image before, unless a frame was left out.
            if let Some(shown) = Arc::get_mut(&mut self.shown) {
                std::mem::swap(&mut shown.pixels, &mut self.pixels);
                shown.size = needed;
            } else {
                let pixels = std::mem::take(&mut self.pixels);
                self.shown = Arc::new(ColorImage::new(needed, pixels));
            }
            let image = ImageData::Color(Arc::clone(&self.shown));
            texture.set_partial([0, 0], image, TextureOptions::NEAREST);
        }
        Some(texture.size())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unchanged_picture_is_not_sent_to_the_screen_again() {
        let context = Context::default();
        let mut sent = Vec::new();
        let mut raster = Raster::default();
        for color in [Color32::RED, Color32::RED, Color32::BLUE] {
            let mut output = context.run_ui(eframe::egui::RawInput::default(), |_| {
                raster.begin(Rect::from_min_max(pos2(0.0, 0.0), pos2(8.0, 8.0)), 1.0, 64);
                assert!(raster.has_room());
                raster.add(&[color; 8], (0.0, 8.0), false);
                assert!(raster.shape(&context).is_some());
            });
            let id = raster.texture.as_ref().unwrap().id();
            sent.push(output.textures_delta.set.contains_key(&id));
            output.textures_delta.clear();
        }
        assert_eq!(sent, [true, false, true]);
    }

    #[test]
    fn a_screen_with_small_textures_has_no_lines() {
        let mut raster = Raster::default();
        let body = Rect::from_min_max(pos2(0.0, 0.0), pos2(100.0, 50.0));
        raster.begin(body, 1.0, 64);
        assert!(!raster.has_room());
    }
}
