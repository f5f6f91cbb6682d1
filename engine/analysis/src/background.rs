//! All analyses over one capture, each span read once for all of them, a slice of time at a time.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::causes::Causes;
use super::{ANALYSES, Analysis, Answer};
use capture::Capture;
use record::time::Nanos;

/// Spans looked at between two looks at the clock.
const STRIDE: u32 = 2_048;
/// The same on a thread that nobody waits for: spans are found the quicker the more are asked for at once.
const LONG_STRIDE: u32 = 1 << 16;
/// Time between two looks at whether all is to be given up.
const BUDGET: Duration = Duration::from_millis(20);

/// What one analysis asked, and its answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnalysisResult {
    /// The code of its findings.
    pub code: &'static str,
    /// What it asked, in a few words.
    pub name: &'static str,
    /// What it looks for and how it judges, in a sentence.
    pub about: &'static str,
    /// What came of it.
    pub answer: Answer,
    /// For each finding what mending it would save at most; empty where that is not known.
    pub savings: Vec<Nanos>,
}

/// The analyses in the making, over a capture with its causes.
pub struct AnalysisJob {
    causes: Arc<Causes>,
    analyses: Vec<Box<dyn Analysis>>,
    next: u32,
    answers: Vec<AnalysisResult>,
}

impl AnalysisJob {
    /// Begins; `causes` are those of the capture that is shown to each step.
    pub fn new(causes: Arc<Causes>) -> Self {
        Self {
            causes,
            analyses: ANALYSES.iter().map(|make| make()).collect(),
            next: 0,
            answers: Vec::new(),
        }
    }

    /// Reads a whole capture, for an answer once its causes are known: no analysis asks for those before.
    pub(super) fn read(capture: &Capture, cancelled: &AtomicBool) -> Option<Self> {
        let mut job = Self::new(Arc::default());
        while !job.look(capture, LONG_STRIDE, BUDGET) {
            if cancelled.load(Ordering::Relaxed) {
                return None;
            }
        }
        Some(job)
    }

    /// Goes on with the causes of the capture that was read.
    pub(super) fn with(self, causes: Arc<Causes>) -> Self {
        Self { causes, ..self }
    }

    /// How much is done, from 0 to 1.
    pub fn progress(&self, capture: &Capture) -> f32 {
        self.next as f32 / capture.span_ids().max(1) as f32
    }

    /// Works for about `budget`, and says whether all is answered. One answer is never divided, but takes little.
    pub fn step(&mut self, capture: &Capture, budget: Duration) -> bool {
        let start = Instant::now();
        self.look(capture, STRIDE, budget) && self.weigh(capture, (start, budget))
    }

    /// Shows the spans that come next to every analysis, and says whether all were.
    fn look(&mut self, capture: &Capture, stride: u32, budget: Duration) -> bool {
        let start = Instant::now();
        let ids = capture.span_ids() as u32;
        while self.next < ids {
            let end = self.next.saturating_add(stride).min(ids);
            let spans = capture.spans_numbered(self.next..end);
            for placed in spans.filter(|it| !it.is_stub()) {
                for analysis in &mut self.analyses {
                    analysis.look(capture, &placed);
                }
            }
            self.next = end;
            if start.elapsed() >= budget {
                return false;
            }
        }
        true
    }

    fn weigh(&mut self, capture: &Capture, (start, budget): (Instant, Duration)) -> bool {
        while let Some(analysis) = self.analyses.get_mut(self.answers.len()) {
            let weighed = analysis.weigh(&self.causes.read(capture));
            self.answers.push(AnalysisResult {
                code: analysis.code(),
                name: analysis.name(),
                about: analysis.about(),
                answer: weighed.answer,
                savings: weighed.savings,
            });
            if start.elapsed() >= budget && self.answers.len() < self.analyses.len() {
                return false;
            }
        }
        true
    }

    /// What was answered, in the order of [`ANALYSES`].
    pub fn finish(self) -> Vec<AnalysisResult> {
        self.answers
    }
}

/// Asks every question at once, in one go. For captures that may be huge, use an [`AnalysisJob`].
pub fn analyse(capture: &Capture, causes: Arc<Causes>) -> Vec<AnalysisResult> {
    let mut job = AnalysisJob::new(causes);
    while !job.step(capture, Duration::MAX) {}
    job.finish()
}
