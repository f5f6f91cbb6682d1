//! What a launch costs the host: plain, between two timing events, and while CUPTI tells of more or less.

use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::time::{Duration, Instant};

use cuda_recorder::ActivityKind;

use super::activity::{listen, told};
use crate::report::Report;
use crate::work::Bench;

/// Launches that are counted, and how many go before a wait, so that no queue is ever full.
const LAUNCHES: usize = 20_000;
const AT_ONCE: usize = 500;

/// Microseconds of the host for a launch of a kernel that does next to nothing.
fn measure(report: &mut Report, has_events: bool) -> Result<(), String> {
    let bench = Bench::new(1)?;
    let stream = bench.stream(0);
    let events = (bench.event(true)?, bench.event(true)?);
    let round = || {
        for _ in 0..AT_ONCE {
            if has_events {
                bench.record(events.0, stream)?;
            }
            bench.spin(stream, 0)?;
            if has_events {
                bench.record(events.1, stream)?;
            }
        }
        Ok::<(), String>(())
    };
    round()?;
    bench.synchronize(stream)?;
    let (mut host, whole) = (0.0, Instant::now());
    for _ in 0..LAUNCHES / AT_ONCE {
        let begun = Instant::now();
        round()?;
        host += begun.elapsed().as_secs_f64();
        bench.synchronize(stream)?;
    }
    let micros = |seconds: f64| format!("{:.3}", seconds * 1e6 / LAUNCHES as f64);
    report.fact("host-us", micros(host));
    report.fact("end-to-end-us", micros(whole.elapsed().as_secs_f64()));
    Ok(())
}

fn listened(report: &mut Report, kinds: &[ActivityKind]) -> Result<(), String> {
    let listening = listen(kinds)?;
    measure(report, false)?;
    let records = told(listening);
    report.fact("records", records.len());
    report.fact("dropped", listening.dropped());
    Ok(())
}

/// Alone.
pub fn plain(report: &mut Report) -> Result<(), String> {
    measure(report, false)
}

/// Between two records of timing events.
pub fn timed(report: &mut Report) -> Result<(), String> {
    measure(report, true)
}

/// With CUPTI telling of kernels.
pub fn kernels(report: &mut Report) -> Result<(), String> {
    listened(report, &[ActivityKind::Kernel])
}

/// With CUPTI telling of all that is recorded.
pub fn all(report: &mut Report) -> Result<(), String> {
    let kinds: Vec<ActivityKind> = ActivityKind::ALL
        .iter()
        .copied()
        .filter(|kind| *kind != ActivityKind::Graph)
        .collect();
    listened(report, &kinds)
}

/// With CUPTI telling of kernels while another thread has it give back what is complete, every 3 ms.
pub fn flushed(report: &mut Report) -> Result<(), String> {
    let listening = listen(&[ActivityKind::Kernel])?;
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !is_over.load(SeqCst) {
                listening.flush(false);
                std::thread::sleep(Duration::from_millis(3));
            }
        });
        let measured = measure(report, false);
        is_over.store(true, SeqCst);
        measured
    })?;
    report.fact("records", told(listening).len());
    Ok(())
}
