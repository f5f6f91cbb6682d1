//! What lies in the selected range, counted a slice a frame.

use std::time::Duration;

use eframe::egui::Context;
use engine::analysis::StatisticsJob;
use engine::capture::Capture;
use engine::record::{LaneId, Role};
use engine::time::{Interval, Nanos};

use crate::panel::RangeMeasure;

/// Time of a frame that counting may take.
const BUDGET: Duration = Duration::from_millis(1);
/// Seconds for which a range has to stay as it is to be counted.
const STILL: f64 = 0.1;

/// Of what spans are counted: a range, and a state of the capture.
type MeasureKey = (Interval, u64);

/// The count of a range's spans in the making.
#[derive(Default)]
pub struct RangeJob {
    /// What is wanted, and since when in seconds of the window's clock.
    wanted: Option<(MeasureKey, f64)>,
    /// What is counted now, and of what.
    job: Option<(MeasureKey, StatisticsJob)>,
    /// What was counted last.
    counted: Option<MeasureKey>,
}

impl RangeJob {
    /// Counts on for a slice of a frame; `found` is what is shown.
    pub fn advance(
        &mut self,
        capture: &Capture,
        range: Option<Interval>,
        found: &mut Option<RangeMeasure>,
        context: &Context,
    ) {
        let Some(range) = range else {
            *found = None;
            *self = Self::default();
            return;
        };
        // What is told of another range is wrong, and of an earlier state of a capture that grows nearly right.
        if found.is_some_and(|it| it.range != range) {
            *found = None;
        }
        let now = context.input(|input| input.time);
        let key = (range, capture.revision());
        if self.counted == Some(key) {
            return;
        }
        let is_other = self.wanted.is_none_or(|(wanted, _)| wanted.0 != range);
        if is_other {
            self.wanted = Some((key, now));
            self.job = None;
        }
        context.request_repaint();
        if self.wanted.is_some_and(|(_, since)| now < since + STILL) {
            return;
        }
        self.count(capture, key, found);
    }

    /// Counts for a slice of a frame.
    fn count(&mut self, capture: &Capture, key: MeasureKey, found: &mut Option<RangeMeasure>) {
        let begun = self.job.take();
        // What is added to a capture meanwhile is counted the next time.
        let (key, mut job) = begun.unwrap_or_else(|| (key, begin(capture, key.0)));
        if job.step(capture, BUDGET) {
            let lanes = job.finish().lanes;
            *found = Some(RangeMeasure {
                range: key.0,
                spans: lanes.iter().map(|it| it.spans).sum(),
                sum: lanes.iter().fold(Nanos::ZERO, |sum, it| sum + it.inside),
            });
            self.counted = Some(key);
        } else {
            self.job = Some((key, job));
        }
    }
}

/// Begins to count what overlaps a range. A queue's lane shows again what its streams have.
fn begin(capture: &Capture, range: Interval) -> StatisticsJob {
    let is_counted = |lane: &LaneId| {
        let known = capture.lane(*lane);
        known.is_some_and(|it| it.role != Role::Queue)
    };
    let lanes = capture.lane_order().into_iter().filter(is_counted);
    StatisticsJob::of_some(capture, range, lanes.collect()).without_names()
}
