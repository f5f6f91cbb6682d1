//! Answers of the analyses, read a slice a frame, and anew now and then while a capture grows.

use std::time::Duration;

use eframe::egui::Ui;
use engine::analysis::{AnalysisJob, Answered};

use crate::panel::Scene;

/// Time a frame may spend on analyses.
const BUDGET: Duration = Duration::from_millis(2);
/// Seconds between two readings of a capture that grows.
const PAUSE: f64 = 0.5;

/// What was answered last, and the answers in the making.
#[derive(Default)]
pub struct Reading {
    job: Option<(u64, AnalysisJob)>,
    shown: Option<(u64, Vec<Answered>)>,
    /// When the last reading ended, in seconds of the window's clock.
    ended: f64,
    /// Spans of the capture that was read last: another one begins with fewer.
    spans: usize,
}

impl Reading {
    /// The latest answers, where there are any.
    pub fn answers(&self) -> &[Answered] {
        self.shown.as_ref().map_or(&[], |(_, answers)| answers)
    }

    /// How far newer ones have come, from 0 to 1.
    pub fn progress(&self, scene: &Scene<'_>) -> Option<f32> {
        let job = self.job.as_ref();
        job.map(|(_, job)| job.progress(scene.capture))
    }

    /// Reads on for a slice of the frame.
    pub fn read_on(&mut self, ui: &Ui, scene: &Scene<'_>) {
        let now = ui.input(|input| input.time);
        let revision = scene.capture.revision();
        if scene.capture.span_count() < self.spans {
            *self = Self::default();
        }
        self.spans = scene.capture.span_count();
        let is_news = self
            .shown
            .as_ref()
            .is_none_or(|(read, _)| *read != revision);
        if self.job.is_none() && is_news {
            if self.shown.is_some() && now < self.ended + PAUSE {
                ui.ctx()
                    .request_repaint_after(Duration::from_secs_f64(PAUSE));
                return;
            }
            self.job = Some((revision, AnalysisJob::default()));
        }
        let Some((read, mut job)) = self.job.take() else {
            return;
        };
        if job.step(scene.capture, BUDGET) {
            self.shown = Some((read, job.finish()));
            self.ended = now;
        } else {
            self.job = Some((read, job));
            ui.ctx().request_repaint();
        }
    }
}
