//! What becomes of controls on their way to a worker.

use std::time::Instant;

use super::{LinkPhase, WorkerLink};
use crate::far::connection::WorkerLine;
use crate::far::packet::UpPacket;
use crate::save::SaveFile;
use crate::{Control, Message, RecoveryMode, RunRequest};

impl WorkerLink {
    /// Does what is asked for, or hands it to the worker.
    pub(super) fn apply_control(&mut self, control: Control) {
        match (control, &self.phase) {
            (Control::Run(request), _) => self.run(request),
            (Control::Recover(how), LinkPhase::Gone) => self.run_again(how),
            // The worker's standard streams are the link.
            (Control::Record(_), _) => self.outbox.post(Message::Refused(
                "programs are recorded on the machine of the window; run syncline record on the other one, and open its \
                 file here"
                    .to_owned(),
            )),
            // Whoever stops does not want to wait for a link that dropped.
            (Control::Stop, LinkPhase::Dropped(_)) => {
                self.dismiss();
                self.over_for_good("it was given up while the link was down");
            }
            (control @ Control::Pace(_), LinkPhase::Gone | LinkPhase::Connecting | LinkPhase::Dropped(_)) => {
                self.waiting.push(control);
            }
            (_, LinkPhase::Gone) => {}
            (control, LinkPhase::Connected) => {
                // One whose process is stopped would hear it when it is too late to answer.
                if let (Control::Stop, Some(line)) = (&control, &mut self.line) {
                    line.wake();
                }
                self.send(&UpPacket::Control(control));
            }
            (control, LinkPhase::Connecting | LinkPhase::Dropped(_)) => self.waiting.push(control),
        }
    }

    /// Tells a worker that nobody comes back for to end, on a thread of its own: whoever gives up does not wait.
    fn dismiss(&self) {
        let (target, token) = (self.target.clone(), self.token.clone());
        // Without a thread it ends by itself once it has waited for long enough.
        let _ = std::thread::Builder::new()
            .name("farewell".to_owned())
            .spawn(move || WorkerLine::farewell(&target, &token));
    }

    /// Has the worker run, a new one where there is none. The file is written here.
    pub(super) fn run(&mut self, mut request: Box<RunRequest>) {
        if self.phase == LinkPhase::Gone {
            self.connect();
            if self.phase == LinkPhase::Gone {
                return;
            }
        }
        self.saved.clone_from(&request.save);
        // The one before is over, and would hold its file.
        self.save = None;
        match SaveFile::of_request(request.save.take().as_deref()) {
            Ok(save) => self.save = save,
            Err(reason) => {
                self.own.is_over = true;
                return self.outbox.post(Message::Refused(reason));
            }
        }
        self.watch.request = Some(request.clone());
        request.reports_submissions = true;
        self.waiting.push(Control::Run(request));
        self.release();
    }

    /// The worker that ran it is gone: there is nothing to go on with, but it can be begun again.
    fn run_again(&mut self, how: RecoveryMode) {
        match (how, self.watch.request.clone()) {
            (RecoveryMode::Replay, Some(request)) => self.run(request),
            _ => self.outbox.post(Message::Refused(
                "the process that ran this is gone, and what it had in memory with it: there is nothing to go on \
                 with; “Recover and replay” begins again in a new one"
                    .to_owned(),
            )),
        }
    }

    /// Hands on what waited, once the worker answers and its clock is known.
    pub(super) fn release(&mut self) {
        if self.phase != LinkPhase::Connected || self.trips.best().is_none() {
            return;
        }
        for control in std::mem::take(&mut self.waiting) {
            if matches!(control, Control::Run(_)) {
                self.watch.asked = Some(Instant::now());
            }
            self.send(&UpPacket::Control(control));
        }
    }
}
