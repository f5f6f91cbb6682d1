//! Figures of a capture, read by a thread that shares it, or a slice a frame while it takes records and no thread can.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::task::Poll;
use std::time::Duration;

use eframe::egui::Context;
use engine::analysis::{Statistics, StatisticsJob};
use engine::capture::Capture;

use super::BackgroundAnswer;

/// Time of a frame that figures of a capture that grows may take.
const BUDGET: Duration = Duration::from_millis(1);
/// How often a thread looks whether anybody still wants its figures.
const LOOK: Duration = Duration::from_millis(5);
/// How often the window shows how far a thread is.
const SHOWN: Duration = Duration::from_millis(100);
/// So few spans are read within a frame or two.
const FEW: usize = 4_096;
/// From this many spans on, lengths are sorted by a thread.
const MANY: usize = 200_000;

/// Figures that are being read.
pub struct StatisticsReading(StatisticsReader);

enum StatisticsReader {
    Frames(Box<StatisticsJob>),
    Thread(StatisticsThread),
}

/// A thread that reads figures, until it is dropped.
struct StatisticsThread {
    answer: BackgroundAnswer<Option<Statistics>>,
    watch: Arc<StatisticsWatch>,
    /// Whether it shares the capture.
    shares: bool,
}

/// How far a thread has come, and whether its figures are still wanted.
#[derive(Default)]
struct StatisticsWatch {
    /// From 0 to 1, by its bits.
    progress: AtomicU32,
    is_unwanted: AtomicBool,
}

impl StatisticsReading {
    /// Begins to read what `job` asks of `capture`.
    pub fn new(
        job: StatisticsJob,
        (capture, grows): (&Arc<Capture>, bool),
        context: &Context,
    ) -> Self {
        if grows || capture.span_count() <= FEW {
            return Self(StatisticsReader::Frames(Box::new(job)));
        }
        let capture = Arc::clone(capture);
        let thread = StatisticsThread::new(context, true, |watch| read_all(job, capture, watch));
        Self(StatisticsReader::Thread(thread))
    }

    /// Whether a thread shares the capture, which takes no record meanwhile.
    pub const fn shares(&self) -> bool {
        matches!(&self.0, StatisticsReader::Thread(thread) if thread.shares)
    }

    /// How much is read, from 0 to 1.
    pub fn progress(&self) -> f32 {
        match &self.0 {
            StatisticsReader::Frames(job) => job.progress(),
            StatisticsReader::Thread(thread) => {
                f32::from_bits(thread.watch.progress.load(Ordering::Relaxed))
            }
        }
    }

    /// Reads on for a slice of the frame: gives the figures once they are there, nothing where nobody could make them, and
    /// else itself, and asks for the next frame.
    ///
    /// # Errors
    /// There is more to read.
    pub fn read_on(self, capture: &Capture, context: &Context) -> Result<Option<Statistics>, Self> {
        match self.0 {
            StatisticsReader::Frames(mut job) => {
                if !job.step(capture, BUDGET) {
                    context.request_repaint();
                    return Err(Self(StatisticsReader::Frames(job)));
                }
                if capture.span_count() < MANY {
                    return Ok(Some(job.finish()));
                }
                let thread = StatisticsThread::new(context, false, |_| Some(job.finish()));
                Err(Self(StatisticsReader::Thread(thread)))
            }
            StatisticsReader::Thread(thread) => match thread.answer.poll() {
                Poll::Ready(made) => Ok(made.flatten()),
                Poll::Pending => {
                    context.request_repaint_after(SHOWN);
                    Err(Self(StatisticsReader::Thread(thread)))
                }
            },
        }
    }
}

/// Reads a capture that rests to its end, unless nobody wants that any more.
fn read_all(
    mut job: StatisticsJob,
    capture: Arc<Capture>,
    watch: &StatisticsWatch,
) -> Option<Statistics> {
    while !job.step(&capture, LOOK) {
        if watch.is_unwanted.load(Ordering::Relaxed) {
            return None;
        }
        let progress = job.progress().to_bits();
        watch.progress.store(progress, Ordering::Relaxed);
    }
    drop(capture);
    Some(job.finish())
}

impl StatisticsThread {
    fn new(
        context: &Context,
        shares: bool,
        read: impl FnOnce(&StatisticsWatch) -> Option<Statistics> + Send + 'static,
    ) -> Self {
        let watch = Arc::new(StatisticsWatch::default());
        let watched = Arc::clone(&watch);
        let answer = BackgroundAnswer::new("figures", Some(context), move || read(&watched));
        Self {
            answer,
            watch,
            shares,
        }
    }
}

impl Drop for StatisticsThread {
    fn drop(&mut self) {
        self.watch.is_unwanted.store(true, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use engine::record::{
        CallId, Group, Lane, LaneId, NameId, Record, Role, Span, SpanId, SpanKind, State,
    };
    use engine::time::{Interval, Nanos};

    use super::*;

    const ALL: Interval = Interval {
        start: Nanos(0),
        end: Nanos(1 << 40),
    };

    fn capture(spans: u32) -> Arc<Capture> {
        let mut capture = Capture::new();
        capture.apply([Record::Lane(Box::new(Lane {
            id: LaneId(0),
            group: Group::Streams,
            device: None,
            role: Role::Compute,
            name: "compute".to_owned(),
            order: 0,
            process: "".into(),
            thread: "".into(),
        }))]);
        capture.apply((0..spans).map(|id| {
            let start = Nanos(i64::from(id) * 10);
            Record::Span(Span {
                id: SpanId(id),
                lane: LaneId(0),
                name: NameId(0),
                call: CallId::NONE,
                kind: SpanKind::Kernel,
                state: State::Done,
                enqueued: start,
                start,
                end: start + Nanos(7),
            })
        }));
        Arc::new(capture)
    }

    /// How many spans there are, and how long they ran together.
    fn read(capture: &Arc<Capture>, grows: bool) -> (usize, i64) {
        let context = Context::default();
        let job = StatisticsJob::new(capture, ALL);
        let mut reading = StatisticsReading::new(job, (capture, grows), &context);
        let found = loop {
            match reading.read_on(capture, &context) {
                Ok(found) => break found.expect("nobody gave it up"),
                Err(rest) => reading = rest,
            }
            std::thread::yield_now();
        };
        let lanes = found.lanes.iter();
        let sums = lanes.map(|it| (it.spans, it.inside.0));
        sums.fold((0, 0), |sum, it| (sum.0 + it.0, sum.1 + it.1))
    }

    #[test]
    fn a_thread_and_frames_read_the_same() {
        for spans in [3, 5_000, 250_000] {
            let capture = capture(spans);
            let expected = (spans as usize, i64::from(spans) * 7);
            for grows in [false, true] {
                assert_eq!(read(&capture, grows), expected, "{spans} {grows}");
            }
            assert_eq!(Arc::strong_count(&capture), 1, "a thread keeps it");
        }
    }

    #[test]
    fn what_is_given_up_lets_go_of_the_capture() {
        let capture = capture(250_000);
        let context = Context::default();
        let job = StatisticsJob::new(&capture, ALL);
        let reading = StatisticsReading::new(job, (&capture, false), &context);
        assert!(reading.shares());
        drop(reading);
        while Arc::strong_count(&capture) > 1 {
            std::thread::yield_now();
        }
    }
}
