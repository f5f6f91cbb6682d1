//! Narrow bars as pixels: a texture with a line for each sub-lane. A pixel costs a hundredth of a rectangle of triangles.

use std::sync::Arc;

use eframe::egui::{
    Color32, ColorImage, Context, ImageData, Mesh, Rect, Shape, TextureHandle, TextureOptions, pos2,
};

use super::scale::{Pixels, Scale};

/// The texture is made larger by steps of this many pixels, so that a window that grows seldom needs another.
const STEP: usize = 64;

/// A line of pixels, drawn from `top` to `bottom`.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Line {
    top: f32,
    bottom: f32,
    /// Whether it lies under the others.
    under: bool,
}

/// Pixels on either side of a draft that do not show.
const PAD: usize = 48;

/// How far outside the body an edge may lie, in pixels.
pub const BEYOND: i32 = 32;

/// Up to so many pixels are filled at once, whether they are fewer or not.
const NARROW: usize = 4;

/// A line that is being filled.
#[derive(Default)]
pub struct Draft {
    pixels: Vec<Color32>,
    /// How many of them show.
    width: i32,
    /// How far it is filled.
    reach: i32,
    is_blank: bool,
}

impl Draft {
    /// Empties it.
    fn begin(&mut self, width: usize) {
        self.pixels.clear();
        self.pixels.resize(width + 2 * PAD, Color32::TRANSPARENT);
        (self.width, self.reach, self.is_blank) = (width as i32, -BEYOND, true);
    }

    /// Colours it from `left` to `right`, in pixels.
    pub fn fill(&mut self, left: i32, right: i32, color: Color32) {
        let (left, right) = (left.max(-BEYOND), right.min(self.width + BEYOND));
        let place = |x: i32| (x + PAD as i32).max(0) as usize;
        let (from, to) = (place(left), place(right));
        if to <= from + NARROW && right >= self.reach && left < right {
            // Whatever comes after lies further right: what is too much is emptied again. No loop, and nothing to guess.
            self.put(from, color);
            self.put(to, Color32::TRANSPARENT);
        } else if let Some(pixels) = self.pixels.get_mut(from..to) {
            pixels.fill(color);
        }
        self.reach = self.reach.max(right);
        self.is_blank = false;
    }

    fn put(&mut self, at: usize, color: Color32) {
        let rest = self.pixels.get_mut(at..);
        if let Some(pixels) = rest.and_then(|rest| rest.first_chunk_mut::<NARROW>()) {
            *pixels = [color; NARROW];
        }
    }
}

/// Lines of pixels as wide as the body, kept from frame to frame.
#[derive(Default)]
pub struct Raster {
    /// The line of waiting in queues.
    pub queued: Draft,
    /// The line of bars.
    pub filled: Draft,
    texture: Option<TextureHandle>,
    shown: Arc<ColorImage>,
    pixels: Vec<Color32>,
    lines: Vec<Line>,
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
        self.queued.begin(self.width);
        self.filled.begin(self.width);
    }

    /// Whether there is room for both drafts as lines.
    pub fn has_room(&self) -> bool {
        self.lines.len() + 2 <= self.most
    }

    /// Adds what is in the drafts as lines, the one of waiting from `top` and the other from `upper` to `bottom`, and
    /// empties them.
    pub fn add(&mut self, upper: f32, top: f32, bottom: f32) {
        for (draft, top, under) in [
            (&mut self.queued, top, true),
            (&mut self.filled, upper, false),
        ] {
            if !draft.is_blank && self.lines.len() < self.most {
                self.lines.push(Line { top, bottom, under });
                let shown = draft.pixels.get(PAD..PAD + self.width);
                self.pixels.extend_from_slice(shown.unwrap_or_default());
                draft.begin(self.width);
            }
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
    pub fn pixels(&self, scale: &Scale) -> Pixels {
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
    use engine::time::{Interval, Nanos};

    use super::*;

    fn raster() -> Raster {
        let mut raster = Raster::default();
        let body = Rect::from_min_max(pos2(10.0, 0.0), pos2(20.0, 50.0));
        raster.begin(body, 2.0, 64);
        raster
    }

    #[test]
    fn bars_become_the_pixels_that_they_cover() {
        let mut raster = raster();
        let view = Interval::new(Nanos(0), Nanos(100));
        let pixels = raster.pixels(&Scale::new(view, 10.0, 10.0));
        let mut fill = |from, to, color| {
            let draft = &mut raster.filled;
            draft.fill(pixels.at(Nanos(from)), pixels.at(Nanos(to)), color);
        };
        fill(-50, -10, Color32::BLUE);
        fill(10, 20, Color32::RED);
        fill(40, 60, Color32::RED);
        fill(50, 55, Color32::BLUE);
        fill(70, 70, Color32::BLUE);
        fill(90, 900, Color32::BLUE);
        raster.add(0.0, 5.0, 10.0);
        let marks = raster.pixels.iter().map(|pixel| match *pixel {
            Color32::RED => 'r',
            Color32::BLUE => 'b',
            _ => '.',
        });
        assert_eq!(marks.collect::<String>(), "..rr....rrbr......bb");
    }

    #[test]
    fn lines_are_what_filling_pixel_by_pixel_makes_them() {
        let mut seed = 1_u32;
        let mut random = |below: u32| {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (seed >> 8) % below
        };
        for _ in 0..200 {
            let mut raster = raster();
            let mut plain = [Color32::TRANSPARENT; 20];
            let mut at = -8;
            while at < 24 {
                at += random(4) as i32;
                let right = at + random(9) as i32;
                let color = Color32::from_gray(1 + random(250) as u8);
                raster.filled.fill(at, right, color);
                for x in at..right {
                    if let Some(pixel) = usize::try_from(x).ok().and_then(|x| plain.get_mut(x)) {
                        *pixel = color;
                    }
                }
            }
            raster.add(0.0, 5.0, 10.0);
            assert_eq!(raster.pixels, plain);
        }
    }

    #[test]
    fn an_unchanged_picture_is_not_sent_to_the_screen_again() {
        let context = Context::default();
        let mut sent = Vec::new();
        let mut raster = raster();
        for color in [Color32::RED, Color32::RED, Color32::BLUE] {
            let mut output = context.run_ui(eframe::egui::RawInput::default(), |_| {
                raster.begin(Rect::from_min_max(pos2(0.0, 0.0), pos2(8.0, 8.0)), 1.0, 64);
                assert!(raster.has_room());
                raster.filled.fill(0, 4, color);
                raster.add(0.0, 4.0, 8.0);
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
