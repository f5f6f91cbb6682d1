//! The graph of causes and what is concluded from it, made in the background and kept up with the capture.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::task::Poll;
use std::time::Duration;

use eframe::egui::Context;
use engine::analysis::causes::{Causes, CausesJob, CausesTable};
use engine::analysis::{AnalysisJob, Conclusions};
use engine::capture::Capture;
use engine::runner::Phase;
use engine::time::Interval;

use crate::background::{AT_ONCE, BackgroundAnswer};
use crate::panel::{AppStatus, SceneConclusions, StretchPath, stretch_within};
use crate::state::{AppState, Switch};

/// Time of a frame that may go to a capture that grows.
const BUDGET: Duration = Duration::from_millis(2);
/// Seconds between two readings of a capture that grows.
const PAUSE: f64 = 0.5;
/// While it grows, a larger capture has its graph; analyses wait until it rests.
const MOST_LIVE: usize = 200_000;

/// The tab that shows where time went.
const TAB: &str = "why";

/// What goes on.
#[derive(Default)]
enum ConclusionsStage {
    #[default]
    Idle,
    /// The capture grows and cannot be shared with a thread: a slice of each frame.
    Reading(Box<CausesJob>),
    /// The graph of a growing capture is there, and its analyses are asked.
    Asking(Box<Conclusions>, Box<AnalysisJob>),
    /// The capture rests: a thread shares it.
    Thread(ConclusionsThread),
}

/// A thread that concludes.
struct ConclusionsThread {
    made: BackgroundAnswer<Option<Conclusions>>,
    cancelled: Arc<AtomicBool>,
    /// How much is done, in thousandths.
    done: Arc<AtomicU32>,
}

impl Drop for ConclusionsThread {
    fn drop(&mut self) {
        self.cancelled.store(true, Ordering::Relaxed);
    }
}

/// What is concluded of the capture on screen, in the making.
#[derive(Default)]
pub(super) struct ConclusionsJob {
    stage: ConclusionsStage,
    /// The capture's revision that the stage works on, or that was worked on last, and whether that was all there is to
    /// conclude.
    revision: Option<(u64, bool)>,
    /// When the last reading ended, in seconds of the window's clock.
    ended: f64,
    /// The path and the table that are made, and of what.
    tabling: Option<(StretchKey, BackgroundAnswer<StretchConclusions>)>,
    /// What those are of that are shown.
    known: Option<StretchKey>,
}

/// What is concluded of a stretch of time.
#[derive(Clone, Copy, PartialEq, Eq)]
struct StretchKey {
    /// The revision of the graph that it is concluded from.
    revision: u64,
    within: Interval,
    /// Whether the table is made besides the path.
    is_tabled: bool,
}

impl StretchKey {
    /// Whether all that is wanted of a stretch is known by this one.
    fn is_enough_for(self, wanted: Self) -> bool {
        let is_same = (self.revision, self.within) == (wanted.revision, wanted.within);
        is_same && self.is_tabled >= wanted.is_tabled
    }
}

/// The critical path of a stretch, and the table of where its time went.
type StretchConclusions = (StretchPath, Option<CausesTable>);

impl ConclusionsJob {
    /// Works on for a slice of the frame, where there is something to do.
    pub fn advance(&mut self, capture: &Arc<Capture>, status: &mut AppStatus, context: &Context) {
        let grows = status.grows();
        if grows && matches!(self.stage, ConclusionsStage::Thread(_)) {
            // The capture takes no record while a thread shares it.
            self.stage = ConclusionsStage::Idle;
            self.revision = None;
        }
        if !grows
            && matches!(
                self.stage,
                ConclusionsStage::Reading(_) | ConclusionsStage::Asking(..)
            )
        {
            // It rests by now, and a thread is quicker.
            self.stage = ConclusionsStage::Idle;
            self.revision = None;
        }
        let now = context.input(|input| input.time);
        if matches!(self.stage, ConclusionsStage::Idle) {
            self.begin(capture, status, grows, (now, context));
        }
        let stage = std::mem::take(&mut self.stage);
        self.stage = self.work(stage, capture, &mut status.why, now);
        status.why.progress = self.progress(capture);
        match self.stage {
            ConclusionsStage::Idle => {}
            ConclusionsStage::Reading(_) | ConclusionsStage::Asking(..) => {
                context.request_repaint_after(Duration::from_millis(8));
            }
            ConclusionsStage::Thread(_) => {
                context.request_repaint_after(Duration::from_millis(100));
            }
        }
    }

    /// Keeps up with the stretch that is chosen: the table of where its time went, while somebody looks at it, and its critical
    /// path.
    pub fn tabulate(
        &mut self,
        capture: &Arc<Capture>,
        (state, status): (&AppState, &mut AppStatus),
        context: &Context,
    ) {
        if let Some((key, made)) = self.tabling.take() {
            match made.poll() {
                Poll::Pending => self.tabling = Some((key, made)),
                Poll::Ready(Some(made)) => self.take_stretch(key, made, &mut status.why),
                Poll::Ready(None) => {}
            }
        }
        status.why.is_tabling = self.tabling.is_some();
        if self.tabling.is_some() {
            return;
        }
        let docks = &state.settings.docks;
        let side = docks.side_of(TAB).switch();
        let is_seen = docks.is_tab_shown(TAB) && state.settings.is_on(side);
        let rests = status.why.progress.is_none();
        let Some(causes) = status.why.causes.clone().filter(|_| rests) else {
            return;
        };
        // The path of all is known anyhow. That of a view is wanted where it is drawn, that of a range for its walk as well.
        let stretch = state.stretch();
        let is_of_path = state.selection.range.is_some() || state.settings.is_on(Switch::Path);
        if !is_seen && (stretch.is_none() || !is_of_path) {
            return;
        }
        let all = causes.extent();
        let key = StretchKey {
            revision: causes.revision(),
            within: stretch.map_or(all, |it| stretch_within(it, all)),
            is_tabled: is_seen,
        };
        if self.known.is_some_and(|known| known.is_enough_for(key)) {
            return;
        }
        if capture.span_ids() <= AT_ONCE {
            let made = stretch_conclusions(capture, &causes, key);
            self.take_stretch(key, made, &mut status.why);
        } else if !matches!(status.phase, Phase::Running | Phase::Stopping) {
            let capture = Arc::clone(capture);
            let work = move || stretch_conclusions(&capture, &causes, key);
            let made = BackgroundAnswer::new("table of causes", Some(context), work);
            self.tabling = Some((key, made));
            status.why.is_tabling = true;
        }
    }

    /// Shows what was concluded of a stretch.
    fn take_stretch(
        &mut self,
        key: StretchKey,
        (path, table): StretchConclusions,
        why: &mut SceneConclusions,
    ) {
        why.path = Some(Arc::new(path));
        if let Some(table) = table {
            why.table = Some(Arc::new(table));
        }
        self.known = Some(key);
    }

    fn begin(
        &mut self,
        capture: &Arc<Capture>,
        status: &mut AppStatus,
        grows: bool,
        (now, context): (f64, &Context),
    ) {
        let size = capture.span_ids() + capture.dependency_count();
        let is_whole = !grows || size <= AT_ONCE;
        let wanted = (capture.revision(), is_whole);
        if capture.span_count() == 0 || self.revision == Some(wanted) {
            return;
        }
        if grows && self.revision.is_some() && now < self.ended + PAUSE {
            return context.request_repaint_after(Duration::from_secs_f64(PAUSE));
        }
        self.revision = Some(wanted);
        if size <= AT_ONCE {
            status.why.show(Conclusions::of(capture));
            self.ended = now;
        } else if grows {
            self.stage = ConclusionsStage::Reading(Box::default());
        } else {
            self.stage = start(capture, context);
        }
    }

    fn work(
        &mut self,
        stage: ConclusionsStage,
        capture: &Capture,
        why: &mut SceneConclusions,
        now: f64,
    ) -> ConclusionsStage {
        match stage {
            ConclusionsStage::Reading(mut job) => {
                if !job.step(capture, BUDGET) {
                    return ConclusionsStage::Reading(job);
                }
                self.ended = now;
                let causes = Arc::new(job.finish().unwrap_or_default());
                why.causes = Some(Arc::clone(&causes));
                if capture.span_ids() > MOST_LIVE {
                    return ConclusionsStage::Idle;
                }
                let job = AnalysisJob::new(Arc::clone(&causes));
                let made = Conclusions {
                    causes,
                    ..Conclusions::default()
                };
                ConclusionsStage::Asking(Box::new(made), Box::new(job))
            }
            ConclusionsStage::Asking(mut made, mut job) => {
                if !job.step(capture, BUDGET) {
                    return ConclusionsStage::Asking(made, job);
                }
                made.answers = job.finish();
                why.show(*made);
                self.ended = now;
                ConclusionsStage::Idle
            }
            ConclusionsStage::Thread(thread) => match thread.made.poll() {
                Poll::Pending => ConclusionsStage::Thread(thread),
                Poll::Ready(made) => {
                    // Without a thread nothing is concluded, and it is tried again once the capture changes.
                    if let Some(made) = made.flatten() {
                        why.show(made);
                    }
                    self.ended = now;
                    ConclusionsStage::Idle
                }
            },
            ConclusionsStage::Idle => ConclusionsStage::Idle,
        }
    }

    fn progress(&self, capture: &Capture) -> Option<f32> {
        match &self.stage {
            ConclusionsStage::Idle => None,
            ConclusionsStage::Reading(job) => Some(job.progress(capture)),
            ConclusionsStage::Asking(_, job) => Some(job.progress(capture)),
            ConclusionsStage::Thread(thread) => {
                Some(thread.done.load(Ordering::Relaxed) as f32 / 1_000.0)
            }
        }
    }
}

/// What a stretch of the capture's time comes to.
fn stretch_conclusions(capture: &Capture, causes: &Causes, key: StretchKey) -> StretchConclusions {
    let reader = causes.read(capture);
    let segments = reader.path_within(key.within);
    let table = || CausesTable::new(&reader, key.within, &segments).with_others(&reader);
    let table = key.is_tabled.then(table);
    let path = StretchPath {
        within: key.within,
        segments,
    };
    (path, table)
}

/// Has a thread conclude from a capture that rests.
fn start(capture: &Arc<Capture>, context: &Context) -> ConclusionsStage {
    let (cancelled, done) = (
        Arc::new(AtomicBool::new(false)),
        Arc::new(AtomicU32::new(0)),
    );
    let (capture, asked, told) = (
        Arc::clone(capture),
        Arc::clone(&cancelled),
        Arc::clone(&done),
    );
    let work = move || {
        let tell = |share: f32| told.store((share * 1_000.0) as u32, Ordering::Relaxed);
        Conclusions::build(&capture, &asked, tell)
    };
    let made = BackgroundAnswer::new("conclusions", Some(context), work);
    ConclusionsStage::Thread(ConclusionsThread {
        made,
        cancelled,
        done,
    })
}
