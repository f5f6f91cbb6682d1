//! Paints the spans of a lane: queued time, running time, and the patterns that states and waits have.

use std::collections::HashMap;

use eframe::egui::{Color32, Painter, Rect, TextureId, pos2};
use engine::capture::Repair;
use engine::record::{Lane, NameId, Role, SpanKind};

use super::fold::{Bar, Folds};
use super::frame::{Frame, Picture};
use super::label::{self, Labels};
use super::layout::Row;
use super::piece::{Fill, Grid, LEVELS, Piece, Tint, is_wait, role};
use super::raster::{BEYOND, Raster};
use super::scale::{Pixels, Steps};
use super::sheet::Sheet;
use crate::theme::{RADIUS, Theme, mixed};

/// Length of the stripes' pattern, in points.
pub const PERIOD: f32 = 8.0;

/// The narrowest bar that has a pattern, in points; a narrower one has the pattern's mean colour.
const PATTERNED: f32 = 4.0;

/// The narrowest bar that has rounded corners, in points.
const ROUNDED: f32 = RADIUS * 3.0;

/// The colours to write with, by the colour that is written on. To find one costs more than to draw a
/// bar, and there are few: each is found once.
#[derive(Default)]
pub struct Inks {
    dark: bool,
    known: HashMap<Color32, Color32>,
    /// The colours of folded runs, by what their lanes and spans are and how busy they were.
    folded: Vec<Option<Color32>>,
}

impl Inks {
    fn renew(&mut self, theme: &Theme) {
        if self.dark != theme.dark {
            self.dark = theme.dark;
            self.known.clear();
            self.folded.clear();
        }
    }

    /// The colour of a folded run of `level`.
    fn folded(&mut self, theme: &Theme, (lane, kind): (Role, SpanKind), level: u8) -> Color32 {
        self.renew(theme);
        let place = (lane as usize * SpanKind::ALL.len() + kind as usize) * usize::from(LEVELS + 1);
        let place = place + usize::from(level);
        if place >= self.folded.len() {
            self.folded.resize(place + 1, None);
        }
        let found = self.folded.get_mut(place);
        let find = || {
            let strength = 0.3 + 0.7 * f32::from(level) / f32::from(LEVELS);
            mixed(hue(theme, lane, kind, NameId(0)), theme.row, strength)
        };
        found.map_or_else(find, |known| *known.get_or_insert_with(find))
    }

    fn on(&mut self, theme: &Theme, ground: Color32) -> Color32 {
        self.renew(theme);
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

/// What a bar looks like apart from its place: what can be known once for many frames.
fn tint(inks: &mut Inks, theme: &Theme, lane: Role, (bar, fill): (&Bar, Fill)) -> Tint {
    let kind = bar.cell.kind;
    if let Fill::Folded(level) = fill {
        let plain = inks.folded(theme, (lane, kind), level);
        return Tint {
            plain,
            queued: plain,
        };
    }
    let hue = hue(theme, lane, kind, bar.cell.name);
    let plain = if fill == Fill::Hatched {
        let (ground, stripes) = theme.hatched(hue);
        mixed(stripes, ground, 0.5)
    } else {
        hue
    };
    Tint {
        plain,
        queued: theme.queued(hue),
    }
}

/// What bars are painted on, the lowest first: the waiting before them, what is narrow, what has corners, patterns,
/// and marks.
pub struct Bars<'a> {
    queued: Sheet,
    raster: &'a mut Raster,
    filled: Sheet,
    hatch: Sheet,
    marks: Sheet,
    inks: &'a mut Inks,
    pixels: Pixels,
    strip: Strip,
}

/// The sub-lane that is being painted.
#[derive(Clone, Copy)]
struct Strip {
    /// Time to pixels, from the raster's left edge on. A long way outside the view only the edge matters.
    steps: Steps,
    /// The pixel that is the raster's first.
    first: i32,
    /// The pixel at which the view ends.
    end: i32,
    top: f32,
    bottom: f32,
    /// How much of it above `bottom` the bars of waiting take.
    queue: f32,
    /// Whether narrow bars are pixels.
    is_raster: bool,
}

impl<'a> Bars<'a> {
    /// Empty sheets for a screen of `pixels` pixels a point; `hatch` is the texture of stripes.
    pub fn new(
        frame: &Frame<'_>,
        hatch: TextureId,
        (raster, inks): (&'a mut Raster, &'a mut Inks),
    ) -> Self {
        let pixels = 1.0 / frame.pixel;
        let time = raster.pixels(&frame.scale);
        let strip = Strip {
            steps: time.steps(Grid::default().origin(), [0, 0]),
            first: raster.first(),
            end: raster.width(),
            top: 0.0,
            bottom: 0.0,
            queue: 0.0,
            is_raster: false,
        };
        Self {
            queued: Sheet::new(pixels),
            raster,
            filled: Sheet::new(pixels),
            hatch: Sheet::textured(pixels, hatch, PERIOD),
            marks: Sheet::new(pixels),
            inks,
            pixels: time,
            strip,
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
        let Picture { capture, theme, .. } = frame.picture;
        for depth in frame.depths(row) {
            let (y, height) = frame.layout.bar(row, depth);
            let (top, bottom) = (frame.y(y), frame.y(y + height));
            let (top, bottom) = (self.filled.snap(top), self.filled.snap(bottom));
            let view = (frame.scale.interval(), frame.column);
            let inks = &mut *self.inks;
            let tint = |bar: &Bar, fill| tint(inks, theme, lane.role, (bar, fill));
            let drawn = folds.pieces(capture, (lane.id, depth), view, (theme.dark, tint));
            let seen = [-BEYOND, self.strip.end + BEYOND];
            self.strip = Strip {
                steps: self.pixels.steps(drawn.grid.origin(), seen),
                top,
                bottom,
                queue: ((bottom - top) * 0.15).round().max(1.0),
                is_raster: self.raster.has_room(),
                ..self.strip
            };
            for piece in drawn.pieces {
                if !self.piece(frame, lane.role, (piece, drawn.bars), labels) {
                    break;
                }
            }
            if self.strip.is_raster {
                self.raster.add(top, bottom - self.strip.queue, bottom);
            }
            self.open(frame, lane, depth, labels);
        }
    }

    /// Adds a piece; says whether the view goes on behind it.
    fn piece(
        &mut self,
        frame: &Frame<'_>,
        lane: Role,
        (piece, bars): (&Piece, &[Bar]),
        labels: &mut Labels,
    ) -> bool {
        let Strip { steps, end, .. } = self.strip;
        let (left, right) = (steps.at(piece.start), steps.at(piece.end));
        if let Fill::Folded(_) = piece.fill {
            self.plain(left, right.max(left + 1), piece.tint.plain);
            return left <= end;
        }
        if piece.enqueued < piece.start {
            let since = steps.at(piece.enqueued);
            if since > end {
                return false;
            }
            if since + 1 < left {
                self.wait(since, left, piece.tint.queued);
            }
        }
        if left > end {
            return true;
        }
        // A pixel of nothing parts spans that follow each other without a pause.
        let right = if right - left > 4 {
            right - 1
        } else {
            right.max(left + 2)
        };
        let width = (right - left) as f32 * self.filled.pixel();
        if width < PATTERNED && matches!(piece.fill, Fill::Solid | Fill::Hatched) {
            self.plain(left, right, piece.tint.plain);
            return true;
        }
        let Some(bar) = bars.get(piece.bar as usize) else {
            return true;
        };
        if width < ROUNDED && piece.fill == Fill::Solid && bar.cell.repair == Repair::None {
            self.plain(left, right, piece.tint.plain);
        } else {
            let rect = self.rect(left, right, self.strip.top);
            self.bar(frame, lane, (piece.fill, bar, rect), labels);
        }
        true
    }

    /// The part of the strip below `top` that lies between two pixels.
    fn rect(&self, left: i32, right: i32, top: f32) -> Rect {
        let x = |pixel: i32| (pixel + self.strip.first) as f32 * self.filled.pixel();
        Rect::from_min_max(pos2(x(left), top), pos2(x(right), self.strip.bottom))
    }

    /// Adds the thin bar of a span's waiting.
    fn wait(&mut self, left: i32, right: i32, color: Color32) {
        if self.strip.is_raster {
            self.raster.queued.fill(left, right, color);
        } else {
            let top = self.strip.bottom - self.strip.queue;
            self.queued.rect(self.rect(left, right, top), color);
        }
    }

    /// Adds a bar without corners or pattern.
    fn plain(&mut self, left: i32, right: i32, color: Color32) {
        if self.strip.is_raster {
            self.raster.filled.fill(left, right, color);
        } else {
            let rect = self.rect(left, right, self.strip.top);
            self.filled.rect(rect, color);
        }
    }

    /// Adds a bar with what its span bears: corners, a pattern, marks and its name.
    fn bar(
        &mut self,
        frame: &Frame<'_>,
        lane: Role,
        (fill, bar, rect): (Fill, &Bar, Rect),
        labels: &mut Labels,
    ) {
        let theme = frame.picture.theme;
        let cell = &bar.cell;
        let hue = hue(theme, lane, cell.kind, cell.name);
        let ground = self.fill(frame, fill, rect, hue);
        if cell.repair != Repair::None && rect.width() >= PATTERNED {
            let (x, y, size) = (rect.right(), rect.top(), (rect.height() / 3.0).min(6.0));
            let notch = [pos2(x - size, y), pos2(x + 0.5, y), pos2(x + 0.5, y + size)];
            self.marks.triangle(notch, theme.row);
        }
        let seen = rect.intersect(frame.areas.body);
        let start = if fill == Fill::Failed { 10.0 } else { 0.0 };
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

    /// Adds what runs now on a sub-lane: it has no right edge yet.
    fn open(&mut self, frame: &Frame<'_>, lane: &Lane, depth: usize, labels: &mut Labels) {
        let theme = frame.picture.theme;
        let Strip { top, bottom, .. } = self.strip;
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
        if !self.queued.is_empty() {
            painter.add(self.queued.into_shape());
        }
        painter.extend(self.raster.shape(painter.ctx()));
        for sheet in [self.filled, self.hatch] {
            if !sheet.is_empty() {
                painter.add(sheet.into_shape());
            }
        }
        self.marks
    }
}
