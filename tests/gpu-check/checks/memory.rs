//! Stream-ordered memory: whether what one stream freed is given to another, and what stays with the pool.
#![expect(unsafe_code, reason = "the driver's functions are C functions")]

use crate::driver::checked;
use crate::report::Report;
use crate::work::Bench;

const BYTES: usize = 64 << 20;

/// Makes the check.
pub fn check(report: &mut Report) -> Result<(), String> {
    let bench = Bench::new(2)?;
    let functions = &bench.driver.functions;
    let free = || {
        let (mut free, mut total) = (0, 0);
        // SAFETY: places for both numbers are given.
        checked(unsafe { (functions.free_memory)(&raw mut free, &raw mut total) })?;
        Ok::<usize, String>(free)
    };
    let before = free()?;
    let (mut first, mut same, mut other) = (0, 0, 0);
    // SAFETY: each address is freed once, on the stream that it was allocated on, and nothing uses it.
    unsafe {
        let (a, b) = (bench.stream(0), bench.stream(1));
        checked((functions.alloc_async)(&raw mut first, BYTES, a))?;
        checked((functions.free_async)(first, a))?;
        checked((functions.alloc_async)(&raw mut same, BYTES, a))?;
        checked((functions.free_async)(same, a))?;
        checked((functions.alloc_async)(&raw mut other, BYTES, b))?;
        checked((functions.free_async)(other, b))?;
    }
    bench.synchronize_all()?;
    report.fact("reused-on-its-stream", first == same);
    report.fact("reused-on-another", first == other);
    report.fact("kept-by-the-pool", before.saturating_sub(free()?));
    Ok(())
}
