//! What lies in the selected range, counted by a thread, or a slice a frame while the capture grows.

use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use eframe::egui::Context;
use engine::analysis::StatisticsJob;
use engine::capture::Capture;
use engine::record::{LaneId, Role};
use engine::time::{Interval, Nanos};

use crate::background::BackgroundAnswer;
use crate::panel::RangeMeasure;

/// Time of a frame that counting may take, or of a thread between two looks.
const BUDGET: Duration = Duration::from_millis(1);
/// So few spans are counted within a frame or two.
const FEW: usize = 4_096;
/// Seconds for which a range has to stay as it is to be counted.
const STILL: f64 = 0.1;

/// Of what spans are counted: a range, and a state of the capture.
type MeasureKey = (Interval, u64);

/// What counts.
enum RangeCount {
    /// The frames.
    Slices(Box<StatisticsJob>),
    /// A thread, which shares the capture.
    Thread(BackgroundAnswer<RangeMeasure>),
}

/// The count of a range's spans in the making.
#[derive(Default)]
pub struct RangeJob {
    /// What is wanted, and since when in seconds of the window's clock.
    wanted: Option<(MeasureKey, f64)>,
    /// What is counted now, and of what.
    job: Option<(MeasureKey, RangeCount)>,
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
        if grows && matches!(self.job, Some((_, RangeCount::Thread(_)))) {
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
        let (key, count) = begun.unwrap_or_else(|| {
            let job = begin(capture, key.0);
            let is_thread = !grows && capture.span_count() > FEW;
            let count = if is_thread {
                RangeCount::Thread(count_apart(Arc::clone(capture), (job, key.0), context))
            } else {
                RangeCount::Slices(Box::new(job))
            };
            (key, count)
        });
        let counted = match count {
            RangeCount::Slices(mut job) => {
                if job.step(capture, BUDGET) {
                    Ok(measure(*job, key.0))
                } else {
                    Err(RangeCount::Slices(job))
                }
            }
            RangeCount::Thread(answer) => match answer.poll() {
                Poll::Ready(Some(measure)) => Ok(measure),
                Poll::Ready(None) => Err(RangeCount::Slices(Box::new(begin(capture, key.0)))),
                Poll::Pending => Err(RangeCount::Thread(answer)),
            },
        };
        match counted {
            Ok(measure) => {
                *found = Some(measure);
                self.counted = Some(key);
            }
            Err(rest) => self.job = Some((key, rest)),
        }
    }
}

/// Counts on a thread of its own.
fn count_apart(
    capture: Arc<Capture>,
    (mut job, range): (StatisticsJob, Interval),
    context: &Context,
) -> BackgroundAnswer<RangeMeasure> {
    BackgroundAnswer::new("range", Some(context), move || {
        while !job.step(&capture, BUDGET) {}
        drop(capture);
        measure(job, range)
    })
}

/// What a count comes to.
fn measure(job: StatisticsJob, range: Interval) -> RangeMeasure {
    let lanes = job.finish().lanes;
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
