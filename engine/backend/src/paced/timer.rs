//! Waits for an instant of the clock.

#![cfg_attr(
    target_os = "linux",
    expect(
        unsafe_code,
        reason = "how late a thread's timers may be is set by a call of the system"
    )
)]

use std::cell::Cell;
use std::time::{Duration, Instant};

/// How often whoever sleeps looks whether it is to give up.
const LOOK: Duration = Duration::from_millis(10);

/// Sleeps until `deadline`; no longer once `is_over`, and says whether it came to the deadline.
pub fn sleep_until(deadline: Instant, is_over: &dyn Fn() -> bool) -> bool {
    sharpen();
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return true;
        }
        if is_over() {
            return false;
        }
        std::thread::sleep(left.min(LOOK));
    }
}

/// Has timers of this thread ring when they are due: Linux lets them be late by 50 microseconds, to save power.
fn sharpen() {
    thread_local! {
        static IS_SHARP: Cell<bool> = const { Cell::new(false) };
    }
    if !IS_SHARP.replace(true) {
        #[cfg(target_os = "linux")]
        // SAFETY: it changes a number of this thread's that only its own timers read, and takes no pointer.
        unsafe {
            libc::prctl(libc::PR_SET_TIMERSLACK, 1 as libc::c_ulong);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_comes_to_its_deadline_or_gives_up() {
        let deadline = Instant::now() + Duration::from_millis(3);
        assert!(sleep_until(deadline, &|| false));
        assert!(Instant::now() >= deadline);
        assert!(sleep_until(deadline, &|| true), "it is past");
        let never = Instant::now() + Duration::from_hours(1);
        assert!(!sleep_until(never, &|| true));
    }
}
