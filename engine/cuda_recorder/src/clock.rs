//! The clock that CUPTI's records are put on: the one that never jumps, and that Rust's `Instant` reads too.
#![cfg_attr(
    target_os = "linux",
    expect(unsafe_code, reason = "the system's clock is read by a C function")
)]

/// The moment, in nanoseconds of the clock that records are on: since the machine was started, on Linux.
pub fn now() -> u64 {
    read()
}

/// What CUPTI calls whenever it needs the time (`CUpti_TimestampCallbackFunc`).
pub extern "C" fn read_for_cupti() -> u64 {
    read()
}

#[cfg(target_os = "linux")]
fn read() -> u64 {
    use std::ffi::{c_int, c_long};

    #[repr(C)]
    struct TimeSpec {
        seconds: c_long,
        nanos: c_long,
    }

    const MONOTONIC: c_int = 1;

    // SAFETY: the declaration is that of every C library on Linux.
    unsafe extern "C" {
        fn clock_gettime(clock: c_int, time: *mut TimeSpec) -> c_int;
    }

    let mut time = TimeSpec {
        seconds: 0,
        nanos: 0,
    };
    // SAFETY: it writes two numbers, and this clock is always there.
    unsafe { clock_gettime(MONOTONIC, &raw mut time) };
    time.seconds as u64 * 1_000_000_000 + time.nanos as u64
}

#[cfg(not(target_os = "linux"))]
fn read() -> u64 {
    use std::sync::LazyLock;
    use std::time::Instant;

    static BEGUN: LazyLock<Instant> = LazyLock::new(Instant::now);
    // Never 0, which CUPTI's records have where no time is known.
    BEGUN.elapsed().as_nanos() as u64 + 1
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;

    #[test]
    fn it_runs_as_instants_do() {
        let (instant, first) = (Instant::now(), now());
        std::thread::sleep(Duration::from_millis(5));
        let (passed, second) = (instant.elapsed(), now());
        let counted = Duration::from_nanos(second - first);
        assert!(counted >= Duration::from_millis(5));
        assert!(passed.abs_diff(counted) < Duration::from_millis(3));
        assert!(read_for_cupti() >= second);
    }
}
