//! Everything that is concluded of a whole capture at once: the analyses' answers, the critical path, and the overview.

use std::panic::resume_unwind;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use super::causes::{CauseReader, Causes, CausesTotals, ChainSegment};
use super::{AnalysisJob, AnalysisResult, IterationTable, Iterations, Overview};
use capture::Capture;

/// Time between two looks at whether all is to be given up.
const BUDGET: Duration = Duration::from_millis(20);
/// The parts of the work that the graph and the analyses are, for those who look on.
const GRAPH: f32 = 0.6;
const ANALYSES: f32 = 0.3;

/// What was concluded of a capture.
#[derive(Debug, Default)]
pub struct Conclusions {
    /// The graph of causes.
    pub causes: Arc<Causes>,
    /// What each analysis found.
    pub answers: Vec<AnalysisResult>,
    /// The critical path of the whole capture, in order of time.
    pub path: Vec<ChainSegment>,
    /// The steps and frames of the capture, and what each comes to.
    pub iterations: IterationTable,
    /// What the capture comes to.
    pub overview: Overview,
}

/// What is summed up of a whole capture.
struct CaptureSummary {
    path: Vec<ChainSegment>,
    iterations: IterationTable,
    totals: CausesTotals,
}

impl CaptureSummary {
    fn of(reader: &CauseReader<'_>) -> Self {
        let path = reader.path();
        Self {
            iterations: IterationTable::new(reader, &Iterations::find(reader, None)),
            totals: CausesTotals::new(reader, reader.causes().extent(), &path),
            path,
        }
    }
}

impl Conclusions {
    /// Concludes all of it in one go.
    pub fn of(capture: &Capture) -> Self {
        let made = Self::build(capture, &AtomicBool::new(false), |_| {});
        made.unwrap_or_default()
    }

    /// The same on a thread of its own: tells how much is done from 0 to 1, and gives up once `cancelled` comes true.
    pub fn build(
        capture: &Capture,
        cancelled: &AtomicBool,
        progress: impl FnMut(f32),
    ) -> Option<Self> {
        let mut made = Self::build_timed(capture, cancelled, progress)?;
        if let Some(causes) = Arc::get_mut(&mut made.causes) {
            causes.forget_times();
        }
        Some(made)
    }

    /// The same for whoever asks about all spans next: the graph keeps their times, 20 bytes a span.
    pub fn build_timed(
        capture: &Capture,
        cancelled: &AtomicBool,
        mut progress: impl FnMut(f32),
    ) -> Option<Self> {
        // The analyses read the capture while the graph is built, for neither needs the other until both are there.
        let (causes, job) = std::thread::scope(|scope| {
            let named = std::thread::Builder::new().name("analyses".to_owned());
            let thread = named.spawn_scoped(scope, || AnalysisJob::read(capture, cancelled));
            let causes = Causes::build_with(capture, cancelled, |done| progress(done * GRAPH))?;
            let job = match thread {
                Ok(thread) => thread.join().unwrap_or_else(|panic| resume_unwind(panic)),
                // Without another thread it is done on this one.
                Err(_) => AnalysisJob::read(capture, cancelled),
            };
            Some((causes, job?))
        })?;
        let causes = Arc::new(causes);
        let measured = || CaptureSummary::of(&causes.read(capture));
        // Sums and findings have nothing to do with each other: each keeps a core busy.
        let (measured, answers) = std::thread::scope(|scope| {
            let named = std::thread::Builder::new().name("measure".to_owned());
            let thread = named.spawn_scoped(scope, measured);
            let mut job = job.with(Arc::clone(&causes));
            while !job.step(capture, BUDGET) {
                if cancelled.load(Ordering::Relaxed) {
                    return None;
                }
                progress(GRAPH + job.progress(capture) * ANALYSES);
            }
            let measured = match thread {
                Ok(thread) => thread.join().unwrap_or_else(|panic| resume_unwind(panic)),
                // Without another thread it is done on this one.
                Err(_) => measured(),
            };
            Some((measured, job.finish()))
        })?;
        progress(GRAPH + ANALYSES);
        let CaptureSummary {
            path,
            iterations,
            totals,
        } = measured;
        let overview = Overview::new(&causes.read(capture), &totals, &answers, &iterations);
        Some(Self {
            causes,
            answers,
            path,
            iterations,
            overview,
        })
    }

    /// How many findings there are.
    pub fn findings(&self) -> usize {
        let all = self.answers.iter();
        all.map(|it| it.answer.findings.len()).sum()
    }
}
