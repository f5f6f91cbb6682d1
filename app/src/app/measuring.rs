//! What lies in the selected range, counted by a thread, or a slice a frame while the capture grows.

use std::sync::Arc;

use eframe::egui::Context;
use engine::analysis::{Statistics, StatisticsJob};
use engine::capture::Capture;
use engine::record::{LaneId, Role};
use engine::time::{Interval, Nanos};

use crate::background::StatisticsReading;
use crate::panel::RangeMeasure;

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
    job: Option<(MeasureKey, StatisticsReading)>,
    /// What was counted last.
    counted: Option<MeasureKey>,
}

impl RangeJob {
    /// Counts on for a slice of a frame; `found` is what is shown.
    pub fn advance(
        &mut self,
        (capture, grows): (&Arc<Capture>, bool),
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
        if grows && self.job.as_ref().is_some_and(|it| it.1.shares()) {
            // The capture takes no record before the thread lets go of it.
            self.job = None;
        }
        self.count((capture, grows), key, (found, context));
    }

    /// Counts for a slice of a frame.
    fn count(
        &mut self,
        (capture, grows): (&Arc<Capture>, bool),
        key: MeasureKey,
        (found, context): (&mut Option<RangeMeasure>, &Context),
    ) {
        let begun = self.job.take();
        // What is added to a capture meanwhile is counted the next time.
        let (key, reading) = begun.unwrap_or_else(|| {
            let job = begin(capture, key.0);
            (key, StatisticsReading::new(job, (capture, grows), context))
        });
        match reading.read_on(capture, context) {
            Ok(Some(statistics)) => {
                *found = Some(measure(&statistics, key.0));
                self.counted = Some(key);
            }
            // The next frame begins anew.
            Ok(None) => {}
            Err(reading) => self.job = Some((key, reading)),
        }
    }
}

/// What a count comes to.
fn measure(statistics: &Statistics, range: Interval) -> RangeMeasure {
    let lanes = &statistics.lanes;
    RangeMeasure {
        range,
        spans: lanes.iter().map(|it| it.spans).sum(),
        sum: lanes.iter().fold(Nanos::ZERO, |sum, it| sum + it.inside),
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
