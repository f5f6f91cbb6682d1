//! What a fault leaves: which code which call gives afterwards, and what of the process can still be used. Each in a
//! process that ends with it.
#![expect(unsafe_code, reason = "the driver's functions are C functions")]

use std::ptr;

use cuda_recorder::{ActivityKind, CuptiRecord};

use super::activity::{listen, told};
use crate::driver::Driver;
use crate::report::Report;
use crate::work::Bench;

/// Launches a kernel that faults, and tells what calls answer afterwards.
fn after(report: &mut Report, bench: &Bench, which: u32) -> Result<(), String> {
    let stream = bench.stream(0);
    let (first, second) = (bench.event(true)?, bench.event(true)?);
    bench.record(first, stream)?;
    report.fact("launch", bench.fault(stream, which));
    let functions = &bench.driver.functions;
    let (mut address, mut millis) = (0, 0.0);
    // SAFETY: the handles are of this context, and places for what is answered are given.
    unsafe {
        report.fact("synchronize", (functions.stream_synchronize)(stream));
        report.fact("alloc", (functions.alloc)(&raw mut address, 1024));
        report.fact("record", (functions.record)(second, stream, 0));
        report.fact(
            "elapsed",
            (functions.elapsed)(&raw mut millis, first, second),
        );
        report.fact("event", (functions.event_synchronize)(first));
        report.fact("context", (functions.synchronize)());
    }
    Ok(())
}

/// Whether a kernel runs in whatever is current.
fn runs(driver: Driver) -> String {
    let bench = Bench::within(driver, ptr::null_mut(), 1);
    let ran = bench.and_then(|bench| {
        bench.spin(bench.stream(0), 1_000)?;
        bench.synchronize(bench.stream(0))
    });
    format!("{:?}", ran.err().unwrap_or_else(|| "runs".to_owned()))
}

/// A trap: its code, and that of every call after it.
pub fn trap(report: &mut Report) -> Result<(), String> {
    after(report, &Bench::new(1)?, 0)
}

/// A trap in the primary context, which is then released and retained, and reset and retained.
pub fn reset(report: &mut Report) -> Result<(), String> {
    let driver = Driver::load()?;
    let (Some(retain), Some(set)) = (driver.retain(), driver.set_current()) else {
        report.fact("skipped", "\"this driver has no primary context\"");
        return Ok(());
    };
    let again = |report: &mut Report, what: &str| {
        let mut context = ptr::null_mut();
        // SAFETY: a place for the context is given.
        let answer = unsafe { retain(&raw mut context, 0) };
        report.fact(&format!("{what}-retain"), answer);
        // SAFETY: the context is what the driver has just answered.
        report.fact(&format!("{what}-set"), unsafe { set(context) });
    };
    again(report, "first");
    let bench = Bench::within(driver, ptr::null_mut(), 1)?;
    after(report, &bench, 0)?;
    for (what, symbol) in [
        ("release", "cuDevicePrimaryCtxRelease_v2"),
        ("reset", "cuDevicePrimaryCtxReset_v2"),
    ] {
        if let Some(function) = bench.driver.of_device(symbol) {
            // SAFETY: nothing of this context is used any more but to see what is answered.
            report.fact(what, unsafe { function(0) });
            again(report, what);
            report.fact(
                &format!("{what}-then"),
                Driver::load().map_or_else(|why| why, runs),
            );
        }
    }
    Ok(())
}

/// A trap in a context of its own beside another: the other, and one that is made after it was destroyed.
pub fn context(report: &mut Report) -> Result<(), String> {
    let other = Bench::new(1)?;
    let bench = Bench::new(1)?;
    after(report, &bench, 0)?;
    let set = other
        .driver
        .set_current()
        .ok_or("cuCtxSetCurrent is missing")?;
    // SAFETY: both contexts were made here, and the second is destroyed once.
    unsafe {
        report.fact(
            "destroy",
            (bench.driver.functions.context_destroy)(bench.context),
        );
        report.fact("other-set", set(other.context));
    }
    let spun = other
        .spin(other.stream(0), 1_000)
        .and_then(|()| other.synchronize(other.stream(0)));
    report.fact(
        "other",
        format!("{:?}", spun.err().unwrap_or_else(|| "runs".to_owned())),
    );
    let fresh = Bench::new(1).map(|bench| bench.spin(bench.stream(0), 1_000));
    let fresh = fresh
        .and_then(|spun| spun)
        .err()
        .unwrap_or_else(|| "runs".to_owned());
    report.fact("new", format!("{fresh:?}"));
    Ok(())
}

/// A write to address 0 while CUPTI listens: whether what ran before is told.
pub fn address(report: &mut Report) -> Result<(), String> {
    let listening = listen(&[ActivityKind::Kernel])?;
    let bench = Bench::new(1)?;
    for _ in 0..100 {
        bench.spin(bench.stream(0), 5_000)?;
    }
    bench.synchronize(bench.stream(0))?;
    after(report, &bench, 1)?;
    let records = told(listening);
    let kernels = records
        .iter()
        .filter(|it| matches!(it, CuptiRecord::Kernel(_)));
    report.fact("kernels-told", kernels.count());
    report.fact("dropped", listening.dropped());
    Ok(())
}

/// A new process, after all of these, computes.
pub fn afterwards(report: &mut Report) -> Result<(), String> {
    let bench = Bench::new(1)?;
    bench.spin(bench.stream(0), 1_000)?;
    bench.synchronize(bench.stream(0))?;
    report.fact("runs", true);
    Ok(())
}
