//! Names that fit where they stand: whole, shortened in the middle, or left out.

use std::collections::{HashMap, HashSet};

use eframe::egui::{Color32, FontId, Painter, Pos2, Rect, Shape, pos2};
use engine::capture::Capture;
use engine::record::NameId;

use crate::text;

/// How many names of spans are written in one frame: the widest spans come first.
const MOST: usize = 500;

/// How many names that the frame before did not write may be new in one frame: each is laid out glyph by glyph.
const FRESH: usize = 60;

/// The narrowest width that a name is written in, in points.
pub const LEAST: f32 = 22.0;

/// Fewer letters and digits of a name that is cut tell nothing.
const USEFUL: usize = 6;

/// Between a bar's edge and its name, in points.
const PAD: f32 = 5.0;

/// A name to write.
#[derive(Clone, Copy, Debug)]
pub struct LabelRequest {
    /// The visible part of the bar it is written on.
    pub rect: Rect,
    /// The name.
    pub name: NameId,
    /// In which colour.
    pub color: Color32,
}

/// The names wanted in this frame, and how names were shortened in frames before.
#[derive(Default)]
pub struct NameLabels {
    wanted: Vec<LabelRequest>,
    fitted: HashMap<(NameId, u16), Box<str>>,
    widths: HashMap<NameId, f32>,
    font: Option<(FontId, u32)>,
    /// Of which capture names were shortened, and how many it had.
    names: (u64, usize),
    written: HashSet<(NameId, u16)>,
    /// Where they were written.
    places: Vec<Rect>,
    before: HashSet<(NameId, u16)>,
}

impl NameLabels {
    /// Wants `name` written on the bar over `rect`, where that is wide enough for any.
    pub fn want(&mut self, rect: Rect, name: NameId, color: Color32) {
        if rect.width() >= LEAST {
            self.wanted.push(LabelRequest { rect, name, color });
        }
    }

    /// Writes what was wanted since the last time; says whether some of it is left for the next frame.
    pub fn paint(&mut self, painter: &Painter, capture: &Capture, font: &FontId) -> bool {
        self.forget_when_stale(capture, font, painter.pixels_per_point());
        let mut wanted = std::mem::take(&mut self.wanted);
        if wanted.len() > MOST {
            let width = |wanted: &LabelRequest| -wanted.rect.width();
            wanted.select_nth_unstable_by(MOST, |a, b| width(a).total_cmp(&width(b)));
            wanted.truncate(MOST);
        }
        let mut shapes = Vec::with_capacity(wanted.len());
        self.places.clear();
        std::mem::swap(&mut self.written, &mut self.before);
        self.written.clear();
        let (mut fresh, mut more) = (0, false);
        for wanted in &wanted {
            let key = self.key(painter, capture, font, wanted);
            if !self.written.contains(&key) && !self.before.contains(&key) {
                if fresh == FRESH {
                    more = true;
                    continue;
                }
                fresh += 1;
            }
            self.written.insert(key);
            let Some(text) = self.fitted(painter, capture, font, key) else {
                continue;
            };
            let galley =
                painter.layout_no_wrap(text.to_owned(), font.clone(), Color32::PLACEHOLDER);
            let left = (wanted.rect.left() + PAD).round();
            let top = (wanted.rect.center().y - galley.size().y / 2.0).round();
            self.places
                .push(Rect::from_min_size(pos2(left, top), galley.size()));
            shapes.push(Shape::galley(pos2(left, top), galley, wanted.color));
        }
        painter.extend(shapes);
        wanted.clear();
        self.wanted = wanted;
        more
    }

    /// Where names were written the last time.
    pub fn places(&self) -> &[Rect] {
        &self.places
    }

    fn forget_when_stale(&mut self, capture: &Capture, font: &FontId, pixels: f32) {
        let now = Some((font.clone(), pixels.to_bits()));
        // A name that was not known yet is known now; another capture has other names.
        let names = (capture.instance(), capture.name_count());
        if self.font != now || self.names != names || self.fitted.len() > 20_000 {
            self.fitted.clear();
            self.widths.clear();
            self.font = now;
            self.names = names;
        }
    }

    /// What a name looks like on its bar: whole, or shortened to steps of four points.
    fn key(
        &mut self,
        painter: &Painter,
        capture: &Capture,
        font: &FontId,
        wanted: &LabelRequest,
    ) -> (NameId, u16) {
        let room = wanted.rect.width() - 2.0 * PAD + 1.0;
        let name = wanted.name;
        let whole = *self.widths.entry(name).or_insert_with(|| {
            painter.fonts_mut(|fonts| width(fonts, font, &text::function_name(capture.name(name))))
        });
        // Steps of four points keep the cache small, and a name from flickering while zooming.
        let step = (room / 4.0).floor() as u16;
        (name, if whole <= room { u16::MAX } else { step })
    }

    /// The name as it fits; nothing where none does.
    fn fitted(
        &mut self,
        painter: &Painter,
        capture: &Capture,
        font: &FontId,
        (name, step): (NameId, u16),
    ) -> Option<&str> {
        let fitted = self.fitted.entry((name, step)).or_insert_with(|| {
            let text = text::function_name(capture.name(name));
            if step == u16::MAX {
                return text.into();
            }
            let room = f32::from(step) * 4.0;
            let short = painter.fonts_mut(|fonts| shorten(fonts, font, &text, room));
            short.into_boxed_str()
        });
        Some(&**fitted).filter(|text| !text.is_empty())
    }
}

type LabelFonts<'a> = eframe::egui::epaint::FontsView<'a>;

/// How wide `text` is written on one line, in points.
pub fn width(fonts: &mut LabelFonts<'_>, font: &FontId, text: &str) -> f32 {
    text.chars().map(|char| fonts.glyph_width(font, char)).sum()
}

/// `text` shortened in the middle to at most `room` points; empty where six of its letters do not fit.
pub fn shorten(fonts: &mut LabelFonts<'_>, font: &FontId, text: &str, room: f32) -> String {
    let count = text.chars().count();
    let whole = width(fonts, font, text);
    if whole <= room {
        return text.to_owned();
    }
    let mut chars = ((room / whole) * count as f32).ceil() as usize;
    while chars > USEFUL {
        let short = text::shorten(text, chars);
        if width(fonts, font, &short) <= room {
            let letters = short.chars().filter(|it| it.is_alphanumeric());
            return if letters.count() < USEFUL {
                String::new()
            } else {
                short
            };
        }
        chars -= 1;
    }
    String::new()
}

/// Writes `text` from `at` on, in at most `room` points, centred vertically on it.
pub fn write(
    painter: &Painter,
    at: Pos2,
    room: f32,
    text: &str,
    (font, color): (&FontId, Color32),
) -> Rect {
    let short = painter.fonts_mut(|fonts| shorten(fonts, font, text, room));
    let galley = painter.layout_no_wrap(short, font.clone(), color);
    let at = pos2(at.x.round(), (at.y - galley.size().y / 2.0).round());
    let rect = Rect::from_min_size(at, galley.size());
    painter.galley(at, galley, color);
    rect
}

#[cfg(test)]
mod tests {
    use eframe::egui::{Context, RawInput, vec2};
    use engine::record::Record;

    use super::*;

    #[test]
    fn brackets_and_colons_make_no_name() {
        let context = Context::default();
        let name = "flash::kernel<Traits<64, 128>>";
        let mut output = context.run_ui(RawInput::default(), |ui| {
            let font = FontId::default();
            for room in 10..200 {
                let room = room as f32;
                let short = ui.fonts_mut(|fonts| shorten(fonts, &font, name, room));
                let letters = short.chars().filter(|it| it.is_alphanumeric()).count();
                assert!(letters == 0 || letters >= 6, "{short}");
                assert!(short.is_empty() || room > 30.0, "{short} in {room}");
            }
        });
        // Nothing draws it.
        output.textures_delta.clear();
    }

    #[test]
    fn another_capture_with_as_many_names_has_its_own() {
        let mut labels = NameLabels::default();
        let context = Context::default();
        for name in ["wait free[0]", "left: spin"] {
            let mut capture = Capture::new();
            capture.apply([Record::Name(NameId(0), name.into())]);
            let mut output = context.run_ui(RawInput::default(), |ui| {
                let rect = Rect::from_min_size(Pos2::ZERO, vec2(400.0, 20.0));
                labels.want(rect, NameId(0), Color32::WHITE);
                labels.paint(ui.painter(), &capture, &FontId::default());
            });
            // Nothing draws it.
            output.textures_delta.clear();
            let written: Vec<&str> = labels.fitted.values().map(|it| &**it).collect();
            assert_eq!(written, [name]);
        }
    }
}
