//! Figures of the selected range, or of the view: durations by kernel, how busy streams were, what overlapped.

mod charts;

use std::time::Duration;

use eframe::egui::{RichText, ScrollArea, Ui};
use engine::analysis::{Statistics, StatisticsJob};
use engine::capture::Capture;
use engine::record::{Group, LaneId};
use engine::time::{Interval, Nanos};

use super::widgets::hint;
use super::{Panel, Place, Scene};
use crate::action::{Action, Command};
use crate::text;
use crate::theme::GRID;

/// Time a frame may spend on figures.
const BUDGET: Duration = Duration::from_millis(2);
/// Seconds between two readings of a capture that grows.
const PAUSE: f64 = 0.25;
/// Bars of a stream's strip.
const STRIP: i64 = 64;

/// Figures of the selected range, or of the view.
#[derive(Default)]
pub struct Figures {
    job: Option<(Key, StatisticsJob)>,
    shown: Option<(Key, Found)>,
    /// When the last reading ended, in seconds of the window's clock.
    ended: f64,
}

/// What figures are of: the capture's revision, its number of spans, and the range.
type Key = (u64, usize, Interval);

/// Figures that are ready to be drawn.
struct Found {
    statistics: Statistics,
    /// The share of each column of time in which each stream was busy.
    strips: Vec<(LaneId, Vec<f64>)>,
}

impl Panel for Figures {
    fn id(&self) -> &'static str {
        "statistics"
    }

    fn title(&self) -> &'static str {
        "Statistics"
    }

    fn place(&self) -> Place {
        Place::Bottom
    }

    fn ui(&mut self, ui: &mut Ui, scene: &Scene<'_>, _actions: &mut Vec<Action>) {
        self.read(ui, scene);
        let Some((_, found)) = self.shown.as_ref() else {
            let words = if scene.capture.span_count() == 0 {
                format!(
                    "Figures appear here when something has run: {} runs the chosen workload",
                    Command::Rerun.key()
                )
            } else {
                String::from("Reading spans…")
            };
            return hint(ui, scene.theme, &words);
        };
        heading(
            ui,
            scene,
            &found.statistics,
            self.job.as_ref().map(|(_, job)| job.progress()),
        );
        ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
            ui.spacing_mut().item_spacing.x = 6.0 * GRID;
            ui.columns(3, |columns| {
                let [left, middle, right] = columns else {
                    return;
                };
                left.vertical(|ui| charts::durations(ui, scene, &found.statistics));
                middle.vertical(|ui| charts::busy(ui, scene, &found.statistics, &found.strips));
                right.vertical(|ui| charts::overlaps(ui, scene, &found.statistics));
            });
        });
    }
}

impl Figures {
    /// Reads on for a slice of the frame, and begins anew where the range or the capture changed.
    fn read(&mut self, ui: &Ui, scene: &Scene<'_>) {
        let capture = scene.capture;
        let shown = scene.state.view.shown(capture.extent());
        // Nothing is known of the margins around the data, so shares are not of them.
        let known = capture.extent().and_then(|all| all.intersection(shown));
        let within = scene.state.selection.range.or(known).unwrap_or(shown);
        let key = (capture.revision(), capture.span_count(), within);
        let now = ui.input(|input| input.time);
        let shown = self.shown.as_ref().map(|(key, _)| *key);
        let reading = self.job.as_ref().map(|(key, _)| *key);
        let moved = |other: Key| other.2 != within || other.1 > key.1;
        let wanted = match reading {
            // A capture that grows would never be read to its end if each batch began anew.
            Some(reading) => moved(reading),
            None => match shown {
                None => capture.span_count() > 0,
                Some(shown) if moved(shown) => true,
                Some(shown) if shown != key && now < self.ended + PAUSE => {
                    ui.ctx()
                        .request_repaint_after(Duration::from_secs_f64(PAUSE));
                    false
                }
                Some(shown) => shown != key,
            },
        };
        if wanted {
            self.job = Some((key, StatisticsJob::new(capture, within)));
        }
        if let Some((key, mut job)) = self.job.take() {
            if job.step(capture, BUDGET) {
                let statistics = job.finish();
                let strips = strips(capture, &statistics);
                self.shown =
                    (capture.span_count() > 0).then_some((key, Found { statistics, strips }));
                self.ended = now;
            } else {
                self.job = Some((key, job));
                ui.ctx().request_repaint();
            }
        }
    }
}

fn heading(ui: &mut Ui, scene: &Scene<'_>, statistics: &Statistics, progress: Option<f32>) {
    let of = if scene.state.selection.range.is_some() {
        "Selected range"
    } else {
        "In view"
    };
    let within = statistics.within;
    let spans: usize = statistics.lanes.iter().map(|lane| lane.spans).sum();
    let mut words = format!(
        "{of} · {} to {} · {} · {}",
        text::duration(within.start),
        text::duration(within.end),
        text::duration(within.length()),
        text::counted(spans as u64, "span")
    );
    if let Some(progress) = progress {
        words = format!("{words} · reading {}", text::percent(f64::from(progress)));
    }
    ui.label(RichText::new(words).color(scene.theme.weak));
    ui.add_space(GRID);
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
