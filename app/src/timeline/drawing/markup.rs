//! The text of an SVG file: elements, colours and what is clipped.

use std::fmt::Write as _;

use eframe::egui::{Color32, Pos2, Rect, Stroke, Vec2};

use super::is_clear;
use crate::timeline::bars::PERIOD;

/// An SVG file on its way.
pub(super) struct Markup {
    size: Vec2,
    ground: Color32,
    body: String,
    clips: Vec<Rect>,
    hatches: Vec<Color32>,
    is_open: bool,
}

impl Markup {
    /// A drawing of `size` points on `ground`.
    pub fn new(size: Vec2, ground: Color32) -> Self {
        Self {
            size,
            ground,
            body: String::new(),
            clips: Vec::new(),
            hatches: Vec::new(),
            is_open: false,
        }
    }

    /// What follows shows inside `rect` alone.
    pub fn clip(&mut self, rect: Rect) {
        let rect = rect.intersect(Rect::from_min_size(Pos2::ZERO, self.size));
        if self.is_open && self.clips.last() == Some(&rect) {
            return;
        }
        self.end_group();
        self.clips.push(rect);
        self.add(format_args!(
            "<g clip-path=\"url(#clip{})\">\n",
            self.clips.len() - 1
        ));
        self.is_open = true;
    }

    fn end_group(&mut self) {
        if self.is_open {
            self.body.push_str("</g>\n");
            self.is_open = false;
        }
    }

    fn add(&mut self, text: std::fmt::Arguments<'_>) {
        // Writing to a string cannot fail.
        let _ = self.body.write_fmt(text);
    }

    /// A rectangle with rounded corners.
    pub fn rect(&mut self, rect: Rect, radius: f32, fill: Color32, stroke: Stroke) {
        let line = line(stroke);
        if (is_clear(fill) && line.is_empty()) || !rect.is_positive() {
            return;
        }
        let round = if radius > 0.0 {
            format!(" rx=\"{}\"", short(radius))
        } else {
            String::new()
        };
        self.add(format_args!(
            "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"{round}{}{line}/>\n",
            short(rect.left()),
            short(rect.top()),
            short(rect.width()),
            short(rect.height()),
            filled(fill)
        ));
    }

    /// A rectangle of stripes.
    pub fn hatched(&mut self, rect: Rect, color: Color32) {
        let known = self.hatches.iter().position(|&it| it == color);
        let hatch = known.unwrap_or_else(|| {
            self.hatches.push(color);
            self.hatches.len() - 1
        });
        self.add(format_args!(
            "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"url(#hatch{hatch})\"/>\n",
            short(rect.left()),
            short(rect.top()),
            short(rect.width()),
            short(rect.height())
        ));
    }

    /// Lines through points, or the area between them.
    pub fn path(&mut self, commands: &str, fill: Color32, stroke: Stroke) {
        let line = line(stroke);
        if is_clear(fill) && line.is_empty() {
            return;
        }
        self.add(format_args!(
            "<path d=\"{commands}\"{}{line}/>\n",
            filled(fill)
        ));
    }

    /// An ellipse.
    pub fn ellipse(&mut self, center: Pos2, radius: Vec2, fill: Color32, stroke: Stroke) {
        self.add(format_args!(
            "<ellipse cx=\"{}\" cy=\"{}\" rx=\"{}\" ry=\"{}\"{}{}/>\n",
            short(center.x),
            short(center.y),
            short(radius.x),
            short(radius.y),
            filled(fill),
            line(stroke)
        ));
    }

    /// A line of text from `at` on its base line, as wide as it is on screen whatever the font.
    pub fn text(
        &mut self,
        at: Pos2,
        text: &str,
        (size, mono): (f32, bool),
        width: f32,
        color: Color32,
    ) {
        if text.trim().is_empty() {
            return;
        }
        let family = if mono {
            "Hack, 'DejaVu Sans Mono', monospace"
        } else {
            "Ubuntu, 'DejaVu Sans', sans-serif"
        };
        self.add(format_args!(
            "<text x=\"{}\" y=\"{}\" font-family=\"{family}\" font-size=\"{}\" textLength=\"{}\" \
             lengthAdjust=\"spacingAndGlyphs\" xml:space=\"preserve\"{}>{}</text>\n",
            short(at.x),
            short(at.y),
            short(size),
            short(width),
            filled(color),
            escaped(text)
        ));
    }

    /// The whole file.
    pub fn finish(mut self) -> String {
        self.end_group();
        let (width, height) = (short(self.size.x), short(self.size.y));
        let mut text = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
             viewBox=\"0 0 {width} {height}\">\n<defs>\n"
        );
        for (place, rect) in self.clips.iter().enumerate() {
            let _ = writeln!(
                text,
                "<clipPath id=\"clip{place}\"><rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/></clipPath>",
                short(rect.left()),
                short(rect.top()),
                short(rect.width().max(0.0)),
                short(rect.height().max(0.0))
            );
        }
        let (half, more) = (PERIOD / 2.0, PERIOD * 1.5);
        for (place, color) in self.hatches.iter().enumerate() {
            let stripe = line(Stroke::new(PERIOD * 0.23, *color));
            let _ = writeln!(
                text,
                "<pattern id=\"hatch{place}\" width=\"{PERIOD}\" height=\"{PERIOD}\" \
                 patternUnits=\"userSpaceOnUse\"><path d=\"M-{half} {PERIOD}L{PERIOD} -{half}M0 {more}L{more} \
                 0\"{stripe}/></pattern>"
            );
        }
        let ground = filled(self.ground);
        let _ = writeln!(
            text,
            "</defs>\n<rect width=\"{width}\" height=\"{height}\"{ground}/>"
        );
        text + &self.body + "</svg>\n"
    }
}

/// A length with as many decimals as are seen.
pub(super) fn short(length: f32) -> String {
    let text = format!("{length:.2}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0" } else { text }.to_owned()
}

fn paint(color: Color32) -> (String, f32) {
    let [red, green, blue, alpha] = color.to_srgba_unmultiplied();
    (
        format!("#{red:02x}{green:02x}{blue:02x}"),
        f32::from(alpha) / 255.0,
    )
}

fn filled(color: Color32) -> String {
    if is_clear(color) {
        return " fill=\"none\"".to_owned();
    }
    match paint(color) {
        (hue, 1.0) => format!(" fill=\"{hue}\""),
        (hue, alpha) => format!(" fill=\"{hue}\" fill-opacity=\"{}\"", short(alpha)),
    }
}

fn line(stroke: Stroke) -> String {
    if stroke.width <= 0.0 || is_clear(stroke.color) {
        return String::new();
    }
    let (hue, alpha) = paint(stroke.color);
    let width = short(stroke.width);
    format!(
        " stroke=\"{hue}\" stroke-opacity=\"{}\" stroke-width=\"{width}\"",
        short(alpha)
    )
}

/// A text without what SVG would take for its own, or cannot hold.
fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for char in text.chars() {
        match char {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            char if char.is_control() || is_no_xml(char) => {
                safe.push(char::REPLACEMENT_CHARACTER);
            }
            char => safe.push(char),
        }
    }
    safe
}

/// Whether XML 1.0 allows a character nowhere, not even written as a number.
const fn is_no_xml(char: char) -> bool {
    matches!(char, '\u{FFFE}' | '\u{FFFF}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_characters_of_xml_are_written() {
        // Production 2 of XML 1.0: Char.
        let is_char = |char: char| {
            matches!(char, '\t' | '\n' | '\r' | '\u{20}'..='\u{D7FF}' | '\u{E000}'..='\u{FFFD}'
                | '\u{10000}'..='\u{10FFFF}')
        };
        let all: String = (0..=0x0001_1000).filter_map(char::from_u32).collect();
        let safe = escaped(&all);
        assert!(safe.chars().all(is_char));
        assert!(!safe.contains(['<', '>']) && safe.contains("&lt;"));
        assert_eq!(
            escaped("a\u{FFFF}b\u{FFFE}\u{1F600}"),
            "a\u{FFFD}b\u{FFFD}\u{1F600}"
        );
    }
}
