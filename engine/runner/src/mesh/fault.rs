//! What is done to a rank on purpose.

use std::process::Command;
use std::sync::atomic::Ordering;

use super::Mesh;
use device::lock;
use workload::{FaultKind, FaultMoment, RankFault};

/// The code of the problem that a fault was wanted and did not happen.
pub const FAULT_UNMET: &str = "fault-unmet";

/// What is told of a fault that did not happen.
pub fn unmet_fault(fault: &RankFault) -> String {
    format!(
        "nothing was done to rank {} by {fault}: the run was over before that moment came; name one that comes",
        fault.rank
    )
}

impl Mesh {
    /// Suffers what is due: at once, or in the middle of the operation that was begun as number `begun`.
    pub(super) fn look_for_faults(&self, begun: u64) {
        let is_due = |fault: &mut RankFault| match fault.at {
            FaultMoment::Now => true,
            FaultMoment::Collective(number) => number == begun,
            FaultMoment::Time(_) => false,
        };
        let due: Vec<RankFault> = lock(&self.faults).extract_if(.., is_due).collect();
        for fault in due {
            match fault.kind {
                FaultKind::Slow => self.is_slow.store(true, Ordering::Relaxed),
                FaultKind::Stop => {
                    // Where it cannot be stopped it runs on, which everybody sees.
                    let _ = signal(std::process::id(), "-STOP");
                }
                FaultKind::Kill => {
                    if signal(std::process::id(), "-KILL").is_err() {
                        std::process::abort();
                    }
                }
            }
        }
    }
}

/// Sends a signal to a process.
///
/// # Errors
/// The system has no such signals, or the process is gone.
fn signal(process: u32, signal: &str) -> std::io::Result<()> {
    let sent = Command::new("kill")
        .args([signal, &process.to_string()])
        .stderr(std::process::Stdio::null())
        .status()?;
    if sent.success() {
        Ok(())
    } else {
        Err(std::io::ErrorKind::NotFound.into())
    }
}
