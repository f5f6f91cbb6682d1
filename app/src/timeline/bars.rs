//! Paints the spans of a lane: queued time, running time, and the patterns that states and waits have.

use std::collections::HashMap;

use eframe::egui::{Color32, Painter, Rect, TextureId, pos2};
use engine::capture::Repair;
use engine::record::{Lane, NameId, Role, SpanKind};

use super::fold::{Bar, Folds};
use super::frame::Frame;
use super::label::{self, Labels};
use super::layout::Row;
use super::piece::{Fill, LEVELS, Piece, is_wait, pieces, role};
use super::sheet::Sheet;
use crate::theme::{RADIUS, Theme, mixed};

/// Length of the stripes' pattern, in points.
pub const PERIOD: f32 = 8.0;

/// The narrowest bar that has a pattern, in points; a narrower one has the pattern's mean colour.
const PATTERNED: f32 = 4.0;

/// The colours to write with, by the colour that is written on. To find one costs more than to draw a
/// bar, and there are few: each is found once.
#[derive(Default)]
pub struct Inks {
    dark: bool,
    known: HashMap<Color32, Color32>,
}

impl Inks {
    fn on(&mut self, theme: &Theme, ground: Color32) -> Color32 {
        if self.dark != theme.dark {
            self.dark = theme.dark;
            self.known.clear();
        }
        *self.known.entry(ground).or_insert_with(|| {
            let ink = theme.ink(ground);
            if ground == theme.lost {
                mixed(ink, ground, 0.75)
            } else {
                ink
            }
        })
    }
}

/// The colour of a span. What a queue shows again stays quiet beside the streams that showed it first.
fn hue(theme: &Theme, lane: Role, kind: SpanKind, name: NameId) -> Color32 {
    let hue = theme.span(role(lane, kind), kind, name);
    if lane == Role::Queue {
        mixed(hue, theme.row, 0.5)
    } else {
        hue
    }
}

/// The sheets that bars are painted on, the lowest first.
pub struct Bars<'a> {
    queued: Sheet,
    filled: Sheet,
    hatch: Sheet,
    marks: Sheet,
    run: Option<(Rect, Color32)>,
    folded: Option<(SpanKind, u8, Color32)>,
    inks: &'a mut Inks,
}

impl<'a> Bars<'a> {
    /// Empty sheets for a screen of `pixels` pixels a point; `hatch` is the texture of stripes.
    pub fn new(pixels: f32, hatch: TextureId, inks: &'a mut Inks) -> Self {
        Self {
            queued: Sheet::new(pixels),
            filled: Sheet::new(pixels),
            hatch: Sheet::textured(pixels, hatch, PERIOD),
            marks: Sheet::new(pixels),
            run: None,
            folded: None,
            inks,
        }
    }

    /// Adds what shows of a lane.
    pub fn lane(
        &mut self,
        frame: &Frame<'_>,
        (row, lane): (&Row, &Lane),
        folds: &mut Folds,
        labels: &mut Labels,
    ) {
        let capture = frame.picture.capture;
        for depth in frame.depths(row) {
            let view = frame.scale.interval();
            let (bars, column) = folds.bars(capture, (lane.id, depth), view, frame.column);
            let (y, height) = frame.layout.bar(row, depth);
            let (top, bottom) = (frame.y(y), frame.y(y + height));
            let (top, bottom) = (self.filled.snap(top), self.filled.snap(bottom));
            self.folded = None;
            for (piece, bar) in pieces(bars, &frame.scale, column, frame.pixel) {
                self.bar(frame, lane.role, (piece, bar, top, bottom), labels);
            }
            self.flush();
            self.open(frame, lane, (depth, top, bottom), labels);
        }
    }

    fn bar(
        &mut self,
        frame: &Frame<'_>,
        lane: Role,
        (piece, bar, top, bottom): (Piece, &Bar, f32, f32),
        labels: &mut Labels,
    ) {
        // Far outside the view only the edge matters.
        let left = self.filled.snap(piece.left.max(frame.scale.left() - 8.0));
        let right = self.filled.snap(piece.right.min(frame.scale.right() + 8.0));
        let mut rect = Rect::from_min_max(pos2(left, top), pos2(right, bottom));
        if let Fill::Folded(level) = piece.fill {
            rect.max.x = right.max(left + self.filled.pixel());
            let color = self.folded(frame, lane, bar.cell.kind, level);
            self.join(rect, color);
            return;
        }
        self.flush();
        if right - left > 4.0 * self.filled.pixel() {
            // A pixel of nothing parts spans that follow each other without a pause.
            rect.max.x -= self.filled.pixel();
        } else {
            rect.max.x = right.max(left + 2.0 * self.filled.pixel());
        }
        let theme = frame.picture.theme;
        let cell = &bar.cell;
        let hue = hue(theme, lane, cell.kind, cell.name);
        if piece.queued + 1.0 < piece.left {
            let from = piece.queued.max(frame.scale.left() - 8.0);
            let height = ((bottom - top) * 0.15).round().max(1.0);
            let waiting = Rect::from_min_max(pos2(from, bottom - height), pos2(left, bottom));
            self.queued.rect(waiting, theme.queued(hue));
        }
        if piece.left > frame.scale.right() {
            return;
        }
        let ground = self.fill(frame, piece.fill, rect, hue);
        if cell.repair != Repair::None && rect.width() >= PATTERNED {
            let (x, y, size) = (rect.right(), rect.top(), (rect.height() / 3.0).min(6.0));
            let notch = [pos2(x - size, y), pos2(x + 0.5, y), pos2(x + 0.5, y + size)];
            self.marks.triangle(notch, theme.row);
        }
        let seen = rect.intersect(frame.areas.body);
        let start = if piece.fill == Fill::Failed {
            10.0
        } else {
            0.0
        };
        let seen = seen.with_min_x(seen.left() + start);
        if seen.width() >= label::LEAST && lane != Role::Queue {
            let ink = self.inks.on(frame.picture.theme, ground);
            labels.want(seen, cell.name, ink);
        }
    }

    /// Fills a bar by what its state and kind ask for; returns the colour that its name stands on.
    fn fill(&mut self, frame: &Frame<'_>, fill: Fill, rect: Rect, hue: Color32) -> Color32 {
        let theme = frame.picture.theme;
        let patterned = rect.width() >= PATTERNED;
        match fill {
            Fill::Hatched if patterned => {
                let (ground, stripes) = theme.hatched(hue);
                self.filled.rounded(rect, RADIUS, ground);
                self.hatch
                    .pattern(rect.shrink(1.0).intersect(frame.areas.body), stripes);
                ground
            }
            Fill::Hatched => {
                let (ground, stripes) = theme.hatched(hue);
                self.filled.rect(rect, mixed(stripes, ground, 0.5));
                ground
            }
            Fill::Struck => {
                self.filled.rounded(rect, RADIUS, theme.lost);
                let middle = self.filled.snap(rect.center().y);
                let width = if rect.width() >= PATTERNED { 4.0 } else { 0.0 };
                let line = Rect::from_min_max(
                    pos2(rect.left() + width, middle),
                    pos2(rect.right() - width, middle + 1.0),
                );
                self.marks.rect(line, theme.bad);
                theme.lost
            }
            Fill::Failed => {
                let ground = mixed(theme.bad, theme.canvas, 0.3);
                self.filled.rounded(rect, RADIUS, ground);
                if rect.width() >= 12.0 {
                    self.marks
                        .cross(pos2(rect.left() + 8.0, rect.center().y), 3.0, theme.bad);
                }
                let edge = rect.with_max_x(rect.left() + 2.0 * self.filled.pixel());
                self.marks.rect(edge, theme.bad);
                ground
            }
            Fill::Solid | Fill::Folded(_) => {
                self.filled.rounded(rect, RADIUS, hue);
                hue
            }
        }
    }

    fn folded(&mut self, frame: &Frame<'_>, lane: Role, kind: SpanKind, level: u8) -> Color32 {
        if let Some((known, at, color)) = self.folded
            && known == kind
            && at == level
        {
            return color;
        }
        let theme = frame.picture.theme;
        let hue = hue(theme, lane, kind, NameId(0));
        let strength = 0.3 + 0.7 * f32::from(level) / f32::from(LEVELS);
        let color = mixed(hue, theme.row, strength);
        self.folded = Some((kind, level, color));
        color
    }

    /// Adds a folded run, to the one before where the two look like one.
    fn join(&mut self, rect: Rect, color: Color32) {
        match &mut self.run {
            Some((run, same)) if *same == color && rect.left() <= run.right() => {
                run.max.x = run.right().max(rect.right());
            }
            _ => {
                self.flush();
                self.run = Some((rect, color));
            }
        }
    }

    fn flush(&mut self) {
        if let Some((rect, color)) = self.run.take() {
            self.filled.rect(rect, color);
        }
    }

    /// Adds what runs now on a sub-lane: it has no right edge yet.
    fn open(
        &mut self,
        frame: &Frame<'_>,
        lane: &Lane,
        (depth, top, bottom): (usize, f32, f32),
        labels: &mut Labels,
    ) {
        let theme = frame.picture.theme;
        for open in frame
            .opens
            .of(lane.id)
            .iter()
            .filter(|open| open.depth == depth)
        {
            let began = &open.began;
            let hue = hue(theme, lane.role, began.kind, began.name);
            let (from, to) = (frame.scale.left() - 8.0, frame.scale.right() + 8.0);
            let left = self
                .filled
                .snap(frame.scale.x_from_time(began.start).clamp(from, to));
            let right = frame.scale.x_from_time(frame.now().max(began.start));
            let right = self
                .filled
                .snap(right.clamp(left + 2.0, to.max(left + 2.0)));
            let rect = Rect::from_min_max(pos2(left, top), pos2(right, bottom));
            let hatched = is_wait(began.kind);
            let fill = if hatched { Fill::Hatched } else { Fill::Solid };
            let ground = self.fill(frame, fill, rect, hue);
            let ink = self.inks.on(theme, ground);
            let tail = Rect::from_min_max(pos2(right, top), pos2(right + 10.0, bottom));
            self.filled
                .fade(tail, if hatched { theme.hatched(hue).0 } else { hue });
            if lane.role != Role::Queue {
                labels.want(rect.intersect(frame.areas.body), began.name, ink);
            }
        }
    }

    /// Paints all but the marks that lie above the names.
    pub fn paint(self, painter: &Painter) -> Sheet {
        for sheet in [self.queued, self.filled, self.hatch] {
            if !sheet.is_empty() {
                painter.add(sheet.into_shape());
            }
        }
        self.marks
    }
}
