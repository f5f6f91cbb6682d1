//! Where devices end: dropping one waits for all that it still runs, which nobody else should.

use std::time::Duration;

use crossbeam_channel::bounded;

use super::panic_guard::guarded;

/// How long whoever drops a device waits for its end: a device that is idle ends within this.
const PATIENCE: Duration = Duration::from_millis(500);

/// Drops `device` on a thread of its own, and waits for that as long as an idle device takes.
pub fn bury<T: Send + 'static>(device: T) {
    let (done, ended) = bounded(1);
    let dig = move || {
        // wgpu's own clean-up may find a device that answers nothing any more.
        let _ = guarded(|| drop(device));
        let _ = done.send(());
    };
    let thread = std::thread::Builder::new().name("device end".to_owned());
    if thread.spawn(dig).is_ok() {
        let _ = ended.recv_timeout(PATIENCE);
    }
}
