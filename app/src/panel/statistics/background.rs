//! The figures that the tab shows: begun anew where the range moves, and now and then while a capture grows.

use std::time::Duration;

use eframe::egui::{Context, Ui};
use engine::analysis::{Durations, Statistics, StatisticsJob};
use engine::capture::Capture;
use engine::record::{Group, LaneId};
use engine::time::{Interval, Nanos};

use crate::background::StatisticsReading;
use crate::panel::Scene;

/// Seconds between two readings of a capture that grows.
const PAUSE: f64 = 0.25;
/// Seconds for which a range has to stay as it is to be read: one that is dragged would be read anew in each frame.
const STILL: f64 = 0.1;
/// Seconds after which it is read anyway.
const OFTEN: f64 = 1.0;
/// Bars of a stream's strip.
const STRIP: i64 = 64;
/// Streams that have strips.
pub const STREAMS: usize = 12;

/// Figures that are ready to be drawn.
pub struct ReadyStatistics {
    /// The figures.
    pub statistics: Statistics,
    /// How many spans they are of.
    pub spans: usize,
    /// The share of each column of time in which each stream was busy.
    pub strips: Vec<(LaneId, Vec<f64>)>,
}

/// What figures are of.
#[derive(Clone, Copy, Debug, PartialEq)]
struct StatisticsKey {
    /// Which capture, and in which state.
    instance: u64,
    revision: u64,
    spans: usize,
    /// The range that was asked for; nothing where it moves with the data.
    asked: Option<Interval>,
}

impl StatisticsKey {
    fn of(scene: &Scene<'_>) -> Self {
        let state = scene.state;
        let view = state.view.interval.filter(|_| !state.follow);
        Self {
            instance: scene.capture.instance(),
            revision: scene.capture.revision(),
            spans: scene.capture.span_count(),
            asked: state.selection.range.or(view),
        }
    }

    /// Whether figures of `self` say nothing of what `now` asks for.
    fn is_elsewhere(self, now: Self) -> bool {
        self.instance != now.instance || self.asked != now.asked || self.spans > now.spans
    }
}

/// The figures that are shown, and those in the making.
#[derive(Default)]
pub struct StatisticsLoader {
    /// Figures in the making.
    reading: Option<(StatisticsKey, StatisticsReading)>,
    shown: Option<(StatisticsKey, ReadyStatistics)>,
    /// How many figures were shown before.
    version: u64,
    /// When the last reading ended, in seconds of the window's clock.
    ended: f64,
    /// When it began.
    began: f64,
    /// What is asked for.
    wanted: Option<StatisticsKey>,
    /// The range that is asked for, and since when.
    asked: (Option<Interval>, f64),
}

impl StatisticsLoader {
    /// The latest figures, where there are any of the capture on screen.
    pub fn found(&self) -> Option<&ReadyStatistics> {
        let shown = self.shown.as_ref();
        let shown =
            shown.filter(|(key, _)| Some(key.instance) == self.wanted.map(|it| it.instance));
        shown.map(|(_, found)| found)
    }

    /// Whether those figures are of something else than what is asked for.
    pub fn is_stale(&self) -> bool {
        self.shown.as_ref().map(|(key, _)| *key) != self.wanted
    }

    /// Another number for each figures.
    pub const fn version(&self) -> u64 {
        self.version
    }

    /// How far newer ones have come, from 0 to 1.
    pub fn progress(&self) -> Option<f32> {
        self.reading.as_ref().map(|(_, reading)| reading.progress())
    }

    /// Reads on for a slice of the frame.
    pub fn read_on(&mut self, ui: &Ui, scene: &Scene<'_>) {
        let now = ui.input(|input| input.time);
        let wanted = StatisticsKey::of(scene);
        self.wanted = Some(wanted);
        if self.reading.as_ref().is_some_and(|it| it.1.shares()) && scene.grows() {
            // The capture takes no record before the thread lets go of it.
            self.reading = None;
        }
        if self.asked.0 != wanted.asked {
            self.asked = (wanted.asked, now);
        }
        if self.must_begin(wanted, ui.ctx(), now) {
            self.began = now;
            let job = StatisticsJob::new(scene.capture, within(scene));
            let of = (scene.capture, scene.grows());
            self.reading = Some((wanted, StatisticsReading::new(job, of, ui.ctx())));
        }
        let Some((key, reading)) = self.reading.take() else {
            return;
        };
        if key.is_elsewhere(wanted) {
            // It waits for the next one to begin.
            self.reading = Some((key, reading));
            return;
        }
        match reading.read_on(scene.capture, ui.ctx()) {
            Err(reading) => self.reading = Some((key, reading)),
            Ok(Some(statistics)) => self.show(scene.capture, key, statistics, now),
            // The figures stay as they are, and are read again when the time comes for it.
            Ok(None) => self.ended = now,
        }
    }

    /// Whether figures of `key` must be begun. A capture that grows would never be read to its end if each batch of
    /// records began anew.
    fn must_begin(&self, key: StatisticsKey, context: &Context, now: f64) -> bool {
        match (&self.reading, &self.shown) {
            (Some((under_way, _)), _) => under_way.is_elsewhere(key) && self.is_due(context, now),
            (None, None) => key.spans > 0,
            (None, Some((shown, _))) if shown.is_elsewhere(key) => self.is_due(context, now),
            (None, Some((shown, _))) if *shown != key && now < self.ended + PAUSE => {
                context.request_repaint_after(Duration::from_secs_f64(PAUSE));
                false
            }
            (None, Some((shown, _))) => *shown != key,
        }
    }

    /// Whether the range has stayed as it is for long enough to be read, or was not read for too long; asks for a frame where
    /// it has not.
    fn is_due(&self, context: &Context, now: f64) -> bool {
        let is_due = now >= self.asked.1 + STILL || now >= self.began + OFTEN;
        if !is_due {
            context.request_repaint();
        }
        is_due
    }

    fn show(&mut self, capture: &Capture, key: StatisticsKey, statistics: Statistics, now: f64) {
        let strips = strips(capture, &statistics);
        let counts = statistics.durations.iter().map(Durations::count);
        let ready = ReadyStatistics {
            spans: counts.sum(),
            statistics,
            strips,
        };
        self.shown = (key.spans > 0).then_some((key, ready));
        self.ended = now;
        self.version += 1;
    }
}

/// The selected range, or what is visible of the data. Nothing is known of the margins around it, so shares are not of
/// them.
fn within(scene: &Scene<'_>) -> Interval {
    let extent = scene.capture.extent();
    let shown = scene.state.view.shown(extent);
    // What has no length at the very end is in view as well.
    let known =
        extent.and_then(|all| Interval::new(all.start, all.end + Nanos(1)).intersection(shown));
    scene.state.selection.range.or(known).unwrap_or(shown)
}

/// How busy each stream was, in equal columns of the range.
fn strips(capture: &Capture, statistics: &Statistics) -> Vec<(LaneId, Vec<f64>)> {
    let within = statistics.within;
    let column = Nanos((within.length().0 / STRIP).max(1));
    let lanes = statistics.lanes.iter().map(|used| used.lane);
    let streams = lanes.filter(|lane| {
        capture
            .lane(*lane)
            .is_some_and(|lane| lane.group == Group::Streams)
    });
    streams
        .take(STREAMS)
        .map(|lane| (lane, strip(capture, lane, within, column)))
        .collect()
}

fn strip(capture: &Capture, lane: LaneId, within: Interval, column: Nanos) -> Vec<f64> {
    let mut busy = vec![0.0_f64; STRIP as usize + 1];
    for depth in 0..capture.depth(lane) {
        capture.fold(lane, depth, within, column, &mut |cell| {
            let length = cell.interval.length().0.max(1) as f64;
            let density = cell.busy.0 as f64 / length;
            let Some(inside) = cell.interval.intersection(within) else {
                return;
            };
            let first = ((inside.start - within.start).0 / column.0) as usize;
            let last = ((inside.end - within.start).0 / column.0) as usize;
            for (at, share) in busy
                .iter_mut()
                .enumerate()
                .skip(first)
                .take(last - first + 1)
            {
                let start = within.start + Nanos(column.0 * at as i64);
                let part = inside.intersection(Interval::new(start, start + column));
                *share +=
                    density * part.map_or(0.0, |part| part.length().0 as f64) / column.0 as f64;
            }
        });
    }
    busy.truncate(STRIP as usize);
    for share in &mut busy {
        *share = share.clamp(0.0, 1.0);
    }
    busy
}

#[cfg(test)]
mod tests {
    use engine::record::{CallId, Lane, NameId, Record, Role, Span, SpanId, SpanKind, State};

    use super::*;

    #[test]
    fn a_strip_is_as_busy_as_its_spans() {
        let mut capture = Capture::new();
        capture.apply([Record::Lane(Box::new(Lane {
            id: LaneId(0),
            group: Group::Streams,
            device: None,
            role: Role::Compute,
            name: String::from("compute"),
            order: 0,
            process: "".into(),
            thread: "".into(),
        }))]);
        let spans = [(0, 0, 3_200), (1, 4_800, 4_850)].map(|(id, start, end)| {
            Record::Span(Span {
                id: SpanId(id),
                lane: LaneId(0),
                name: NameId(0),
                call: CallId::NONE,
                kind: SpanKind::Kernel,
                state: State::Done,
                enqueued: Nanos(start),
                start: Nanos(start),
                end: Nanos(end),
            })
        });
        capture.apply(spans);
        let within = Interval::new(Nanos(0), Nanos(6_400));
        let busy = strip(&capture, LaneId(0), within, Nanos(100));
        let whole: f64 = busy.iter().sum::<f64>() * 100.0;
        assert!((whole - 3_250.0).abs() < 1.0, "{whole}");
        assert_eq!(
            (busy[0], busy[31], busy[32], busy[48]),
            (1.0, 1.0, 0.0, 0.5)
        );
    }
}
