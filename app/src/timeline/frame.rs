//! One frame of the timeline: the areas on screen, and where in them every row and span lies.

use std::ops::Range;
use std::sync::Arc;

use eframe::egui::{Rect, pos2};
use engine::analysis::causes::{CauseReader, ChainSegment, DependencyTimes};
use engine::capture::{Capture, PlacedSpan};
use engine::record::{Dependency, LaneId, SpanId};
use engine::time::{Interval, Nanos};

use super::arrow_route::{ArrowViewport, BarEdge};
use super::faults::LossMarker;
use super::layout::{LayoutRow, TimelineLayout};
use super::never_ran::NeverRan;
use super::pan_anchor::AnchoredFrame;
use super::pending_promises::PendingPromises;
use super::races::RacePair;
use super::running_spans::RunningSpans;
use super::scale::Scale;
use crate::state::{AppState, Switch, ThemeChoice};
use crate::theme::{MINIMAP, RULER, SpanColours, Theme};

/// The colours that the user chose.
pub fn theme_of(state: &AppState) -> &'static Theme {
    let settings = &state.settings;
    let colours = if !state.view.colour_field.is_empty() {
        SpanColours::Field
    } else if settings.is_on(Switch::ColourByName) {
        SpanColours::Name
    } else if settings.is_on(Switch::ColourByKind) {
        SpanColours::Kind
    } else {
        SpanColours::Role
    };
    Theme::of(settings.theme == ThemeChoice::Dark, colours)
}

/// What is to come into a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PendingContent<'a> {
    /// What this file holds, which is being read.
    File(&'a str),
    /// What a program does that is recorded, once somebody starts to keep it.
    Program,
}

/// What the timeline is a picture of.
#[derive(Clone, Copy)]
pub struct Picture<'a> {
    /// What ran.
    pub capture: &'a Capture,
    /// Where the user is.
    pub state: &'a AppState,
    /// The colours.
    pub theme: &'a Theme,
    /// The graph of causes, once there is one.
    pub causes: Option<CauseReader<'a>>,
    /// The critical path, where it is to be drawn; in order of time.
    pub path: &'a [ChainSegment],
    /// Whether it is a run, or one to come, whose device could be lost at a time that the picture shows.
    pub can_lose: bool,
    /// What is to come into it, where that is known.
    pub pending: Option<PendingContent<'a>>,
    /// When the spans start that are searched for, and which they are; in order of time.
    pub matches: Option<&'a Arc<Vec<(Nanos, SpanId)>>>,
}

/// The parts of the timeline on screen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Areas {
    /// All of it.
    pub whole: Rect,
    /// The whole capture in small.
    pub minimap: Rect,
    /// The ticks.
    pub ruler: Rect,
    /// The names of groups and lanes.
    pub names: Rect,
    /// The lanes.
    pub body: Rect,
    /// What colours say, below the lanes; empty where that is not told.
    pub legend: Rect,
}

impl Areas {
    /// Divides `whole`, with `names` points for the column of names and `legend` points for the line below.
    pub fn new(whole: Rect, (names, legend): (f32, f32)) -> Self {
        let left = (whole.left() + names).min(whole.right() - 1.0);
        let minimap = (whole.top() + MINIMAP).min(whole.bottom());
        let ruler = (minimap + RULER).min(whole.bottom());
        let rect =
            |left, top, right, bottom| Rect::from_min_max(pos2(left, top), pos2(right, bottom));
        let bottom = (whole.bottom() - legend).max(ruler);
        Self {
            whole,
            minimap: rect(left, whole.top(), whole.right(), minimap),
            ruler: rect(left, minimap, whole.right(), ruler),
            names: rect(whole.left(), ruler, left, bottom),
            body: rect(left, ruler, whole.right(), bottom),
            legend: rect(whole.left(), bottom, whole.right(), whole.bottom()),
        }
    }
}

/// What stays the same while one frame is painted.
#[derive(Clone)]
pub struct PaintFrame<'a> {
    /// What it is a picture of.
    pub picture: Picture<'a>,
    /// The parts on screen.
    pub areas: Areas,
    /// Every row.
    pub layout: &'a TimelineLayout,
    /// What runs now.
    pub opens: &'a RunningSpans,
    /// Losses of devices.
    pub faults: &'a [LossMarker],
    /// Uses of buffers that nothing orders.
    pub races: &'a [RacePair],
    /// What losses cancelled before it began.
    pub never_ran: &'a [NeverRan],
    /// Promises that never settled.
    pub pending: &'a PendingPromises,
    /// Time to points.
    pub scale: Scale,
    /// Where its pixels are counted from.
    pub pin: AnchoredFrame,
    /// What spans are folded to.
    pub column: Nanos,
    /// How far the rows are scrolled down, in points.
    pub scroll: f32,
    /// How high the rows are together that stay at the top, in points: none where they would take too much of the body.
    pub sticky: f32,
    /// The rows in view, without those that stay at the top.
    pub rows: Range<usize>,
    /// One pixel, in points.
    pub pixel: f32,
    /// Another number for every state of the capture.
    pub stamp: u64,
}

/// Where a span lies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SpanGeometry {
    /// Its lane.
    pub lane: LaneId,
    /// From its start to its end, or to now.
    pub interval: Interval,
    /// Its bar on screen, which may lie outside the view; that of its group where that is collapsed.
    pub rect: Rect,
}

impl SpanGeometry {
    /// The edge that arrows to its effects leave.
    pub fn end(&self) -> BarEdge {
        self.edge(self.rect.right())
    }

    /// The edge that arrows from its causes arrive at.
    pub fn start(&self) -> BarEdge {
        self.edge(self.rect.left())
    }

    fn edge(&self, x: f32) -> BarEdge {
        let (top, bottom) = (self.rect.top(), self.rect.bottom());
        BarEdge { x, top, bottom }
    }
}

impl<'a> PaintFrame<'a> {
    /// How long a span was queued, as its sentence says it where causes are known.
    pub fn queued(&self, placed: &PlacedSpan) -> Nanos {
        let reader = self.picture.causes;
        reader.map_or_else(|| placed.queued(), |it| it.queued(placed))
    }

    /// The vertical position on screen of `y` points below the first row's upper edge.
    pub fn y(&self, y: f32) -> f32 {
        let scroll = if y < self.sticky { 0.0 } else { self.scroll };
        self.areas.body.top() + y - scroll
    }

    /// How far below the first row's upper edge `y` on screen lies, in points: the other way round.
    pub fn row_y(&self, y: f32) -> f32 {
        let below = y - self.areas.body.top();
        if below < self.sticky {
            below
        } else {
            below + self.scroll
        }
    }

    /// The part of the body in which rows are scrolled.
    pub fn scrolled(&self) -> Rect {
        let body = self.areas.body;
        body.with_min_y((body.top() + self.sticky).min(body.bottom()))
    }

    /// The same frame with the rows that stay at the top in place of the others; nothing where none do.
    pub fn pinned(&self) -> Option<Self> {
        (self.sticky > 0.0).then(|| Self {
            rows: self.layout.pinned_rows(),
            ..self.clone()
        })
    }

    /// Whether a lane stays at the top.
    pub fn is_pinned(&self, lane: LaneId) -> bool {
        let row = self.layout.row_of(lane);
        row.is_some_and(|(_, row)| row.y < self.sticky)
    }

    /// Where the rows that stay at the top lie.
    pub fn pinned_rect(&self) -> Rect {
        let whole = self.areas.whole;
        whole
            .with_min_y(self.areas.body.top())
            .with_max_y(self.areas.body.top() + self.sticky)
    }

    /// The rows in view.
    pub fn visible(&self) -> &'a [LayoutRow] {
        self.layout.rows.get(self.rows.clone()).unwrap_or(&[])
    }

    /// Where `row` lies in the body.
    pub fn row_rect(&self, row: &LayoutRow) -> Rect {
        let top = self.y(row.y);
        let body = self.areas.body;
        Rect::from_min_max(pos2(body.left(), top), pos2(body.right(), top + row.height))
    }

    /// Where a bar of sub-lane `depth` of `row` lies, from `left` to `right`.
    pub fn bar_rect(&self, row: &LayoutRow, depth: usize, left: f32, right: f32) -> Rect {
        let (y, height) = self.layout.bar(row, depth);
        let top = self.y(y);
        Rect::from_min_max(pos2(left, top), pos2(right, top + height))
    }

    /// The sub-lanes of `row` in view.
    pub fn depths(&self, row: &LayoutRow) -> Range<usize> {
        let scroll = if row.y < self.sticky {
            0.0
        } else {
            self.scroll
        };
        self.layout
            .depths(row, scroll, scroll + self.areas.body.height())
    }

    /// The latest instant that anything is known of.
    pub fn now(&self) -> Nanos {
        let extent = self.picture.capture.extent();
        extent.map_or(Nanos::ZERO, |extent| extent.end)
    }

    /// Where a span lies, on screen or off it; nothing while it is not known.
    pub fn locate(&self, span: SpanId) -> Option<SpanGeometry> {
        let placed = self.picture.capture.span(span);
        let placed = placed.map(|placed| {
            let depth = placed.depth as usize;
            (placed.span.lane, depth, placed.interval())
        });
        let running = || {
            let open = self.opens.find(span)?;
            let interval = Interval::new(open.began.start, self.now().max(open.began.start));
            Some((open.began.lane, open.depth, interval))
        };
        let (lane, depth, interval) = placed.or_else(running)?;
        let (_, row) = self.layout.row_of(lane)?;
        let left = self.scale.x_from_time(interval.start);
        let right = self.scale.x_from_time(interval.end);
        let rect = self.bar_rect(row, depth, left, right);
        Some(SpanGeometry {
            lane,
            interval,
            rect,
        })
    }

    /// Where the arrow of a dependency leaves its cause and where it lands: at the instants at which the one was complete
    /// and the other noticed. Nothing while one of the two is not known.
    pub fn ends(&self, found: &Dependency) -> Option<(BarEdge, BarEdge)> {
        let (cause, effect) = (self.locate(found.cause)?, self.locate(found.effect)?);
        let Some(times) = DependencyTimes::of(self.picture.capture, found) else {
            // One of them still runs.
            return Some((cause.end(), effect.start()));
        };
        let at = |place: &SpanGeometry, time: Nanos| {
            let x = self.scale.x_from_time(time);
            place.edge(x.clamp(place.rect.left(), place.rect.right().max(place.rect.left())))
        };
        Some((at(&cause, times.complete), at(&effect, times.reached)))
    }

    /// The part of the screen that arrows show in.
    pub fn port(&self) -> ArrowViewport {
        let body = self.areas.body;
        ArrowViewport {
            left: body.left(),
            right: body.right(),
            top: body.top(),
            bottom: body.bottom(),
        }
    }
}
