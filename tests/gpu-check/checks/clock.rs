//! CUPTI's times against the host's clock, idle and busy: whether the mapping between them is stable; and what becomes of
//! times by events, which are floats.

use std::time::{Duration, Instant};

use cuda_recorder::{ActivityKind, CuptiRecord, now};

use super::activity::{listen, told};
use crate::report::Report;
use crate::work::Bench;

/// How long is looked, and how long nothing is done between two bursts.
const WHOLE: Duration = Duration::from_secs(20);
const IDLE: Duration = Duration::from_millis(500);

/// Makes the check.
pub fn check(report: &mut Report) -> Result<(), String> {
    let listening = listen(&[ActivityKind::Kernel])?;
    let bench = Bench::new(1)?;
    let stream = bench.stream(0);
    let (zero, mark) = (bench.event(true)?, bench.event(true)?);
    bench.record(zero, stream)?;
    bench.synchronize(stream)?;
    let (begun, anchor) = (Instant::now(), now());
    let (mut outside, mut earliest, mut latest, mut count) = (0, i64::MAX, i64::MAX, 0);
    let mut offs = Vec::new();
    while begun.elapsed() < WHOLE {
        let mut burst = Vec::new();
        for _ in 0..20 {
            let from = now();
            bench.spin(stream, 50_000)?;
            bench.record(mark, stream)?;
            bench.synchronize(stream)?;
            let to = now();
            for record in told(listening) {
                let CuptiRecord::Kernel(kernel) = record else {
                    continue;
                };
                let since = kernel.times.start as i64 - from as i64;
                let until = to as i64 - kernel.times.end as i64;
                count += 1;
                outside += u32::from(since < 0 || until < 0);
                (earliest, latest) = (earliest.min(since), latest.min(until));
                let by_events = f64::from(bench.elapsed(zero, mark)?) * 1e6;
                let off = by_events - (kernel.times.end as f64 - anchor as f64);
                burst.push(off);
            }
        }
        burst.sort_by(f64::total_cmp);
        offs.push(burst);
        std::thread::sleep(IDLE);
    }
    report.fact("kernels", count);
    report.fact("outside-of-their-call", outside);
    report.fact("earliest-start-ns", earliest);
    report.fact("earliest-end-ns", latest);
    let each = offs.iter().map(|burst| {
        let at = |place: usize| burst.get(place).copied().unwrap_or(f64::NAN);
        let last = burst.len().saturating_sub(1);
        format!("{:.0}:{:.0}:{:.0}", at(0), at(last / 2), at(last))
    });
    let each: Vec<String> = each.collect();
    report.fact("events-against-cupti-ns", each.join(","));
    Ok(())
}
