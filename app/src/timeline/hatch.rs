//! The stripes of a wait, as a small texture that repeats.

use eframe::egui::{
    Color32, ColorImage, Context, TextureFilter, TextureHandle, TextureId, TextureOptions,
    TextureWrapMode,
};

use super::bars::PERIOD;

/// The texture, made for one density of pixels.
#[derive(Default)]
pub struct Hatch {
    texture: Option<(u32, TextureHandle)>,
}

impl Hatch {
    /// The texture for `context`'s screen.
    pub fn texture(&mut self, context: &Context) -> TextureId {
        let size = (PERIOD * context.pixels_per_point()).round().max(4.0) as u32;
        match &self.texture {
            Some((known, texture)) if *known == size => texture.id(),
            _ => {
                let options = TextureOptions {
                    magnification: TextureFilter::Linear,
                    minification: TextureFilter::Linear,
                    wrap_mode: TextureWrapMode::Repeat,
                    mipmap_mode: None,
                };
                let texture = context.load_texture("hatch", stripes(size), options);
                let id = texture.id();
                self.texture = Some((size, texture));
                id
            }
        }
    }
}

/// One period of stripes that rise to the right, `size` pixels wide and high, with smooth edges.
fn stripes(size: u32) -> ColorImage {
    let width = size as f32 * 0.3;
    let pixels = (0..size * size).map(|at| {
        let (x, y) = (at % size, at / size);
        let along = ((x + y) % size) as f32 - size as f32 / 2.0;
        let cover = (width / 2.0 - along.abs() * 0.9 + 0.5).clamp(0.0, 1.0);
        Color32::from_white_alpha((cover * 255.0) as u8)
    });
    ColorImage::new([size as usize; 2], pixels.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stripes_join_at_the_edges_and_leave_room_between() {
        let image = stripes(8);
        let at = |x: usize, y: usize| image.pixels[y % 8 * 8 + x % 8].a();
        for x in 0..16 {
            for y in 0..16 {
                assert_eq!(at(x, y), at(x + 1, y + 7));
            }
        }
        assert!(image.pixels.iter().any(|pixel| pixel.a() == 255));
        assert!(image.pixels.iter().any(|pixel| pixel.a() == 0));
    }
}
