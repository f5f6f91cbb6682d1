//! Paints the spans of a lane: queued time, running time, and the patterns that states and waits have.

use std::collections::HashMap;

use eframe::egui::{Color32, Painter, Rect, TextureId, pos2};
use engine::analysis::pace::{self, PacedShare};
use engine::capture::{Capture, Repair};
use engine::record::{Lane, NameId, Role, SpanId, SpanKind};

use super::bar_geometry::{BarFill, BarGeometry, BarTint, LEVELS, is_wait, role};
use super::field_colours::FieldColours;
use super::fold::{Bar, DrawnSubLane, Folds};
use super::frame::{PaintFrame, Picture};
use super::label::{self, NameLabels};
use super::layout::LayoutRow;
use super::mesh_builder::MeshBuilder;
use super::paced_bars::{self, EngineLabels};
use super::pixel_row::{BEYOND, PATTERNED, PixelExtent};
use super::raster::Raster;
use super::scale::{PixelScale, StepScale};
use crate::theme::{PaintKey, RADIUS, SpanColours, Theme, mixed};

/// Length of the stripes' pattern, in points.
pub const PERIOD: f32 = 8.0;

/// The least height of a bar that a name is written on, in points.
const LEAST_HEIGHT: f32 = 9.0;

/// How many lines of pixels may be drawn in one frame further than they show, for the frames to come.
const STRETCHED: usize = 8;

/// The colours to write with, by the colour that is written on. To find one costs more than to draw a
/// bar, and there are few: each is found once.
#[derive(Default)]
pub struct TextColors {
    paint: PaintKey,
    known: HashMap<Color32, Color32>,
    /// The colours of folded runs, by what their lanes and spans are and how busy they were.
    folded: Vec<Option<Color32>>,
}

impl TextColors {
    fn renew(&mut self, theme: &Theme) {
        if self.paint != theme.paint_key(0) {
            self.paint = theme.paint_key(0);
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
            let folded = quiet(theme, lane, theme.folded(role(lane, kind), kind));
            mixed(folded, theme.row, strength(level))
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

/// What says the colour of a span.
struct SpanPaint<'a> {
    theme: &'a Theme,
    capture: &'a Capture,
    lane: Role,
    fields: &'a mut FieldColours,
}

impl SpanPaint<'_> {
    /// The colour of a span. What a queue shows again stays quiet beside the streams that showed it first.
    fn hue(&mut self, kind: SpanKind, name: NameId, span: SpanId) -> Color32 {
        let theme = self.theme;
        let plain = theme.span(role(self.lane, kind), kind, name);
        let of_field = match theme.colours {
            SpanColours::Field => self.fields.of(theme, self.capture, span),
            _ => None,
        };
        quiet(theme, self.lane, of_field.unwrap_or(plain))
    }
}

/// How strong a folded run is painted.
fn strength(level: u8) -> f32 {
    0.3 + 0.7 * f32::from(level) / f32::from(LEVELS)
}

fn quiet(theme: &Theme, lane: Role, hue: Color32) -> Color32 {
    if lane == Role::Queue {
        mixed(hue, theme.row, 0.5)
    } else {
        hue
    }
}

/// What a bar looks like apart from its place: what can be known once for many frames.
fn tint(inks: &mut TextColors, paint: &mut SpanPaint<'_>, (bar, fill): (&Bar, BarFill)) -> BarTint {
    let (theme, kind) = (paint.theme, bar.cell.kind);
    if let BarFill::Folded(level) = fill {
        let plain = match theme.colours {
            // Neighbours mostly have one value, and the longest of them has the colour of all.
            SpanColours::Field => {
                let hue = paint.hue(kind, bar.cell.name, bar.cell.span);
                mixed(hue, theme.row, strength(level))
            }
            _ => inks.folded(theme, (paint.lane, kind), level),
        };
        return BarTint {
            plain,
            queued: plain,
        };
    }
    let hue = paint.hue(kind, bar.cell.name, bar.cell.span);
    let plain = if fill == BarFill::Hatched {
        let (ground, stripes) = theme.hatched(hue);
        mixed(stripes, ground, 0.5)
    } else {
        hue
    };
    BarTint {
        plain,
        queued: theme.queued(hue),
    }
}

/// What bars are painted on, the lowest first: the waiting before them, what is narrow, what has corners, patterns,
/// and marks.
pub struct Bars<'a> {
    queued: MeshBuilder,
    raster: &'a mut Raster,
    filled: MeshBuilder,
    hatch: MeshBuilder,
    marks: MeshBuilder,
    inks: &'a mut TextColors,
    fields: &'a mut FieldColours,
    /// Time to pixels, from where the view is pinned.
    pixels: PixelScale,
    /// How many lines were drawn further than they show.
    stretched: usize,
    /// Whether operations of the capture were held by a pace, and which of them waited for engines.
    is_paced: bool,
    engines: EngineLabels,
}

/// The sub-lane that is being painted.
#[derive(Clone, Copy)]
struct SubLanePaint {
    /// Time to pixels, from where the view is pinned. A long way outside the view only the edge matters.
    steps: StepScale,
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
        frame: &PaintFrame<'_>,
        hatch: TextureId,
        (raster, (inks, fields)): (&'a mut Raster, (&'a mut TextColors, &'a mut FieldColours)),
    ) -> Self {
        let pixels = 1.0 / frame.pixel;
        let time = raster.pixels(&frame.pin.scale);
        Self {
            queued: MeshBuilder::new(pixels),
            raster,
            filled: MeshBuilder::new(pixels),
            hatch: MeshBuilder::textured(pixels, hatch, PERIOD),
            marks: MeshBuilder::new(pixels),
            inks,
            fields,
            pixels: time,
            stretched: 0,
            is_paced: pace::law(frame.picture.capture).is_some(),
            engines: EngineLabels::new(),
        }
    }

    /// Adds what shows of a lane.
    pub fn lane(
        &mut self,
        frame: &PaintFrame<'_>,
        (row, lane): (&LayoutRow, &Lane),
        folds: &mut Folds,
        labels: &mut NameLabels,
    ) {
        let Picture { capture, theme, .. } = frame.picture;
        let is_moving = frame.pin.is_new || !folds.is_still();
        for depth in frame.depths(row) {
            let (y, height) = frame.layout.bar(row, depth);
            let (top, bottom) = (frame.y(y), frame.y(y + height));
            let (top, bottom) = (self.filled.snap(top), self.filled.snap(bottom));
            let view = (frame.scale.interval(), frame.column);
            let key = theme.paint_key(self.fields.generation());
            let (inks, mut paint) = self.paint_of(frame, lane.role);
            let tint = |bar: &Bar, fill| tint(inks, &mut paint, (bar, fill));
            let mut drawn = folds.pieces(capture, (lane.id, depth), view, (key, tint));
            let strip = SubLanePaint {
                steps: self.steps(frame, &drawn),
                top,
                bottom,
                queue: ((bottom - top) * 0.15).round().max(1.0),
                is_raster: self.raster.has_room(),
            };
            let left = drawn.grid.at(view.0.start);
            if strip.is_raster {
                self.line(frame, &strip, (&mut drawn, is_moving));
                for piece in drawn.line.wide(drawn.pieces, left) {
                    self.piece(frame, (lane, &strip), (piece, drawn.bars), labels);
                }
            } else {
                let first = drawn.pieces.partition_point(|piece| piece.end < left);
                for piece in drawn.pieces.iter().skip(first) {
                    if !self.piece(frame, (lane, &strip), (piece, drawn.bars), labels) {
                        break;
                    }
                }
            }
            self.open(frame, lane, (depth, &strip), labels);
        }
    }

    /// What spans of a lane are painted in.
    fn paint_of<'b>(
        &'b mut self,
        frame: &PaintFrame<'b>,
        lane: Role,
    ) -> (&'b mut TextColors, SpanPaint<'b>) {
        let paint = SpanPaint {
            theme: frame.picture.theme,
            capture: frame.picture.capture,
            lane,
            fields: self.fields,
        };
        (self.inks, paint)
    }

    /// Time to pixels, for what is drawn of a sub-lane in view.
    fn steps(&self, frame: &PaintFrame<'_>, drawn: &DrawnSubLane<'_>) -> StepScale {
        let (from, to) = (frame.pin.moved, frame.pin.moved + self.raster.width());
        self.pixels
            .steps(drawn.grid.origin(), [from - BEYOND, to + BEYOND])
    }

    /// Adds the pixels of a sub-lane, which are drawn where its line does not tell of the view. While the view `is_moving`
    /// other than by panning they are worth nothing in the next frame: no more of them are drawn than show.
    fn line(
        &mut self,
        frame: &PaintFrame<'_>,
        strip: &SubLanePaint,
        (drawn, is_moving): (&mut DrawnSubLane<'_>, bool),
    ) {
        let (pin, width) = (&frame.pin, self.raster.width());
        if !drawn.line.tells_of(pin, width) {
            let (from, to) = (pin.moved, pin.moved + width);
            let range = if is_moving || self.stretched == STRETCHED {
                from..to
            } else {
                self.stretched += 1;
                let at = |time| self.pixels.at(time);
                let around = width / 2;
                let first = at(drawn.cover.start).clamp(from - around, from);
                first..at(drawn.cover.end).clamp(to, to + around)
            };
            let pieces = (drawn.pieces, drawn.bars, drawn.grid);
            let how = (pin, &self.pixels, self.filled.pixel());
            drawn.line.draw(pieces, how, range);
        }
        let [queued, filled] = drawn.line.shown(pin, width as usize);
        let upper = strip.bottom - strip.queue;
        for (pixels, top, under) in [(queued, upper, true), (filled, strip.top, false)] {
            if let Some(pixels) = pixels {
                self.raster.add(pixels, (top, strip.bottom), under);
            }
        }
    }

    /// Adds a piece, apart from what is in the raster; says whether the view goes on behind it.
    fn piece(
        &mut self,
        frame: &PaintFrame<'_>,
        (lane, strip): (&Lane, &SubLanePaint),
        (piece, bars): (&BarGeometry, &[Bar]),
        labels: &mut NameLabels,
    ) -> bool {
        let end = frame.pin.moved + self.raster.width();
        let extent = PixelExtent::of(piece, bars, (&strip.steps, self.filled.pixel()));
        if extent.since > end {
            return false;
        }
        let first = self.raster.first() - frame.pin.moved;
        let x = |pixel: i32| (pixel + first) as f32 * self.filled.pixel();
        let rect =
            |left, right, top| Rect::from_min_max(pos2(x(left), top), pos2(x(right), strip.bottom));
        if extent.waits() && !strip.is_raster {
            let upper = strip.bottom - strip.queue;
            let rect = rect(extent.since, extent.left, upper);
            self.queued.rect(rect, piece.tint.queued);
        }
        if extent.left > end {
            return true;
        }
        let rect = rect(extent.left, extent.right, strip.top);
        match bars.get(piece.bar as usize) {
            Some(bar) if extent.is_wide => {
                self.bar(frame, lane.role, (piece.fill, bar, rect), labels);
            }
            _ if !strip.is_raster => self.filled.rect(rect, piece.tint.plain),
            _ => {}
        }
        true
    }

    /// Adds a bar with what its span bears: corners, a pattern, marks and its name.
    fn bar(
        &mut self,
        frame: &PaintFrame<'_>,
        lane: Role,
        (fill, bar, rect): (BarFill, &Bar, Rect),
        labels: &mut NameLabels,
    ) {
        let theme = frame.picture.theme;
        let cell = &bar.cell;
        let hue = self
            .paint_of(frame, lane)
            .1
            .hue(cell.kind, cell.name, cell.span);
        let ground = match self.share(frame, fill, cell.span) {
            Some(share) => {
                let capture = frame.picture.capture;
                let at = (capture, cell.span, rect);
                paced_bars::wait(&mut self.filled, frame, at, &share, &mut self.engines);
                paced_bars::fill(&mut self.filled, frame, (rect, hue), &share)
            }
            None => self.fill(frame, fill, rect, hue),
        };
        if cell.repair != Repair::None && rect.width() >= PATTERNED {
            let (x, y, size) = (rect.right(), rect.top(), (rect.height() / 3.0).min(6.0));
            let notch = [pos2(x - size, y), pos2(x + 0.5, y), pos2(x + 0.5, y + size)];
            self.marks.triangle(notch, theme.row);
        }
        let seen = rect.intersect(frame.areas.body);
        let start = if fill == BarFill::Failed { 10.0 } else { 0.0 };
        let seen = seen.with_min_x(seen.left() + start);
        // On thinner bars names would cover each other.
        let has_room = seen.width() >= label::LEAST && seen.height() >= LEAST_HEIGHT;
        if has_room && lane != Role::Queue {
            let ink = self.inks.on(frame.picture.theme, ground);
            labels.want(seen, cell.name, ink);
        }
    }

    /// What an operation spent its time on that a pace held, and that is drawn as it ran.
    fn share(&self, frame: &PaintFrame<'_>, fill: BarFill, span: SpanId) -> Option<PacedShare> {
        if !self.is_paced || fill != BarFill::Solid {
            return None;
        }
        let capture = frame.picture.capture;
        let share = PacedShare::of(capture, &capture.span(span)?)?;
        share.ran.is_some().then_some(share)
    }

    /// Fills a bar by what its state and kind ask for; returns the colour that its name stands on.
    fn fill(&mut self, frame: &PaintFrame<'_>, fill: BarFill, rect: Rect, hue: Color32) -> Color32 {
        let theme = frame.picture.theme;
        let patterned = rect.width() >= PATTERNED;
        match fill {
            BarFill::Hatched if patterned => {
                let (ground, stripes) = theme.hatched(hue);
                self.filled.rounded(rect, RADIUS, ground);
                self.hatch
                    .pattern(rect.shrink(1.0).intersect(frame.areas.body), stripes);
                ground
            }
            BarFill::Hatched => {
                let (ground, stripes) = theme.hatched(hue);
                self.filled.rect(rect, mixed(stripes, ground, 0.5));
                ground
            }
            BarFill::Struck => {
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
            BarFill::Failed => {
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
            BarFill::Solid | BarFill::Folded(_) => {
                self.filled.rounded(rect, RADIUS, hue);
                hue
            }
        }
    }

    /// Adds what runs now on a sub-lane: it has no right edge yet.
    fn open(
        &mut self,
        frame: &PaintFrame<'_>,
        lane: &Lane,
        (depth, strip): (usize, &SubLanePaint),
        labels: &mut NameLabels,
    ) {
        let theme = frame.picture.theme;
        let SubLanePaint { top, bottom, .. } = *strip;
        for open in frame
            .opens
            .of(lane.id)
            .iter()
            .filter(|open| open.depth == depth)
        {
            let began = &open.began;
            let (_, mut paint) = self.paint_of(frame, lane.role);
            let hue = paint.hue(began.kind, began.name, began.id);
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
            let fill = if hatched {
                BarFill::Hatched
            } else {
                BarFill::Solid
            };
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
    pub fn paint(self, painter: &Painter, frame: &PaintFrame<'_>) -> MeshBuilder {
        if !self.queued.is_empty() {
            painter.add(self.queued.into_shape());
        }
        painter.extend(self.raster.shape(painter.ctx()));
        for sheet in [self.filled, self.hatch] {
            if !sheet.is_empty() {
                painter.add(sheet.into_shape());
            }
        }
        paced_bars::name(painter, frame, &self.engines);
        self.marks
    }
}
