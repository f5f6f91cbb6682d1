//! CUPTI's records of a known order of kernels: every one there, no two of a stream at a time, every wait tied to the
//! record it is for and never broken, and its times against those of events.

use std::collections::HashMap;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use cuda_recorder::{
    ActivityKind, CuptiBatch, CuptiEvent, CuptiKernel, CuptiLibrary, CuptiListener, CuptiRecord,
    CuptiSync, SyncKind,
};

use crate::driver::{Driver, Handle, checked};
use crate::report::Report;
use crate::work::Bench;

/// Streams, rounds, and how long a kernel of each round is.
const STREAMS: usize = 3;
const ROUNDS: usize = 200;
const NANOS: u64 = 20_000;
/// A kernel that is measured by events as well.
const MEASURED: u64 = 3_000_000;

static RECORDS: Mutex<Vec<CuptiRecord>> = Mutex::new(Vec::new());

/// The library, for as long as the process lives.
///
/// # Errors
/// It is not there.
pub fn cupti() -> Result<&'static CuptiLibrary, String> {
    CuptiLibrary::find().map(|found| &*Box::leak(Box::new(found)))
}

/// Begins to keep what CUPTI tells of these kinds.
///
/// # Errors
/// CUPTI tells of none.
pub fn listen(kinds: &[ActivityKind]) -> Result<&'static CuptiListener, String> {
    let take = |batch: CuptiBatch| {
        if let Ok(mut records) = RECORDS.lock() {
            records.extend(batch.records);
        }
    };
    CuptiListener::start(cupti()?, kinds, Box::new(take))
}

/// What was told until now, once everything that ended is.
pub fn told(listening: &CuptiListener) -> Vec<CuptiRecord> {
    listening.flush(true);
    RECORDS
        .lock()
        .map(|mut it| std::mem::take(&mut *it))
        .unwrap_or_default()
}

/// Each round, each stream runs a kernel, records an event, and the next stream waits for it.
fn rounds(bench: &Bench, streams: &[Handle]) -> Result<(), String> {
    let events: Vec<_> = streams
        .iter()
        .map(|_| bench.event(false))
        .collect::<Result<_, _>>()?;
    let next = streams.iter().cycle().skip(1);
    for _ in 0..ROUNDS {
        for ((stream, next), event) in streams.iter().zip(next.clone()).zip(&events) {
            bench.spin(*stream, NANOS)?;
            bench.record(*event, *stream)?;
            bench.wait(*next, *event)?;
        }
    }
    bench.synchronize_all()
}

/// The rounds on streams of the program's own. The length of a kernel of [`MEASURED`] by events, in nanoseconds.
fn scenario() -> Result<f64, String> {
    let bench = Bench::new(STREAMS)?;
    rounds(&bench, &bench.streams)?;
    let (from, to) = (bench.event(true)?, bench.event(true)?);
    bench.record(from, bench.stream(0))?;
    bench.spin(bench.stream(0), MEASURED)?;
    bench.record(to, bench.stream(0))?;
    bench.synchronize(bench.stream(0))?;
    Ok(f64::from(bench.elapsed(from, to)?) * 1e6)
}

fn kernels(records: &[CuptiRecord]) -> Vec<&CuptiKernel> {
    let mut kernels: Vec<&CuptiKernel> = records
        .iter()
        .filter_map(|record| match record {
            CuptiRecord::Kernel(kernel) => Some(&**kernel),
            _ => None,
        })
        .collect();
    kernels.sort_by_key(|kernel| kernel.times.start);
    kernels
}

/// How many kernels began before the one before them on their stream had ended.
fn overlaps(kernels: &[&CuptiKernel]) -> usize {
    let mut ends: HashMap<u32, u64> = HashMap::new();
    let overlaps = kernels.iter().filter(|kernel| {
        let end = ends.insert(kernel.place.stream, kernel.times.end);
        end.is_some_and(|end| kernel.times.start < end)
    });
    overlaps.count()
}

/// Of the waits that tell which record they are for: how many there are, how many of those records were told, and how
/// many were broken by the first kernel after them.
fn waits(records: &[CuptiRecord], kernels: &[&CuptiKernel]) -> (usize, usize, usize) {
    let events: HashMap<u64, &CuptiEvent> = records
        .iter()
        .filter_map(|record| match record {
            CuptiRecord::Event(event) => Some((event.sync?, event)),
            _ => None,
        })
        .collect();
    let waits: Vec<&CuptiSync> = records
        .iter()
        .filter_map(|record| match record {
            CuptiRecord::Sync(sync) if sync.kind == SyncKind::StreamWaitEvent => Some(sync),
            _ => None,
        })
        .collect();
    let tied = waits
        .iter()
        .filter_map(|wait| Some((*wait, *events.get(&wait.sync?)?)));
    let tied: Vec<_> = tied.collect();
    let broken = tied.iter().filter(|(wait, event)| {
        // Calls are numbered in their order: the last kernel before the record, the first after the wait.
        let of = |stream| {
            kernels
                .iter()
                .filter(move |it| Some(it.place.stream) == stream)
        };
        let before = of(Some(event.stream)).filter(|it| it.correlation < event.correlation);
        let before = before.max_by_key(|it| it.correlation);
        let after = of(wait.stream).filter(|it| it.correlation > wait.correlation);
        let after = after.min_by_key(|it| it.correlation);
        before
            .zip(after)
            .is_some_and(|(cause, effect)| effect.times.start < cause.times.end)
    });
    (waits.len(), tied.len(), broken.count())
}

/// Makes the check.
pub fn check(report: &mut Report) -> Result<(), String> {
    let listening = listen(ActivityKind::ALL)?;
    report.fact("cupti", listening.cupti().version());
    for (kind, code) in listening.kinds().iter().filter(|(_, code)| *code != 0) {
        report.fact(&format!("kind-{}", kind.number()), code);
    }
    let by_events = scenario()?;
    let records = told(listening);
    let kernels = kernels(&records);
    let others = records
        .iter()
        .filter(|it| matches!(it, CuptiRecord::Other(_)))
        .count();
    let (waits, tied, broken) = waits(&records, &kernels);
    let overlaps = overlaps(&kernels);
    let longest = kernels.iter().map(|it| it.times.end - it.times.start).max();
    report.fact("records", records.len());
    report.fact("unread-kinds", others);
    report.fact("dropped", listening.dropped());
    report.fact("kernels", kernels.len());
    report.fact("overlaps", overlaps);
    report.fact("waits", waits);
    report.fact("waits-tied", tied);
    report.fact("waits-broken", broken);
    report.fact("kernel-by-cupti-ns", longest.unwrap_or(0));
    report.fact("kernel-by-events-ns", by_events.round());
    report.fact("kernel-asked-ns", MEASURED);
    let lines: Vec<String> = records
        .iter()
        .filter_map(|record| serde_json::to_string(record).ok())
        .collect();
    report.file("cupti.jsonl", lines.join("\n").as_bytes())?;
    let wanted = STREAMS * ROUNDS + 1;
    if kernels.len() != wanted {
        return Err(format!(
            "{wanted} kernels were launched, and {} told of",
            kernels.len()
        ));
    }
    if overlaps + broken > 0 || tied != waits || waits != STREAMS * ROUNDS {
        return Err("the records break the order of the calls, or do not tell it".to_owned());
    }
    Ok(())
}

/// The rounds on the legacy default stream, the thread's own and another: whether their records and waits are paired too.
pub fn default_streams(report: &mut Report) -> Result<(), String> {
    let listening = listen(ActivityKind::ALL)?;
    let bench = Bench::new(1)?;
    let default = [1_usize, 2].map(|number| number as Handle);
    rounds(&bench, &[default[0], default[1], bench.stream(0)])?;
    let records = told(listening);
    let kernels = kernels(&records);
    let (waits, tied, broken) = waits(&records, &kernels);
    let mut streams: Vec<u32> = kernels.iter().map(|it| it.place.stream).collect();
    streams.sort_unstable();
    streams.dedup();
    report.fact("kernels", kernels.len());
    report.fact("streams", format!("{streams:?}"));
    report.fact("overlaps", overlaps(&kernels));
    report.fact("waits", waits);
    report.fact("waits-tied", tied);
    report.fact("waits-broken", broken);
    Ok(())
}

/// Launches a kernel on a stream of another thread's, in this context.
fn spin_there(context: usize, nanos: u64) -> Result<(), String> {
    std::thread::scope(|scope| {
        let thread = scope.spawn(|| spin_here(context, nanos));
        thread.join().map_err(|_panic| "the other thread panicked")
    })?
}

/// Launches a kernel on a stream of its own, in this context.
#[expect(unsafe_code, reason = "the driver's functions are C functions")]
fn spin_here(context: usize, nanos: u64) -> Result<(), String> {
    let driver = Driver::load()?;
    let set = driver.set_current().ok_or("cuCtxSetCurrent is missing")?;
    // SAFETY: the context lives as long as the process.
    checked(unsafe { set(context as Handle) })?;
    let bench = Bench::within(driver, context as Handle, 1)?;
    bench.spin(bench.stream(0), nanos)
}

/// How long a kernel's record stays away while a kernel of a second runs behind it on its stream, on another of the same
/// thread, and on one of another thread.
pub fn held_back(report: &mut Report) -> Result<(), String> {
    let listening = listen(&[ActivityKind::Kernel])?;
    let bench = Bench::new(2)?;
    let long = 1_000_000_000;
    for (name, place) in [
        ("same-stream", Some(0)),
        ("other-stream", Some(1)),
        ("other-thread", None),
    ] {
        bench.spin(bench.stream(0), 1_000_000)?;
        match place {
            Some(place) => bench.spin(bench.stream(place), long)?,
            None => spin_there(bench.context as usize, long)?,
        }
        let begun = Instant::now();
        let mut first = None;
        while first.is_none() && begun.elapsed() < Duration::from_secs(3) {
            std::thread::sleep(Duration::from_millis(3));
            listening.flush(false);
            let is_there = RECORDS.lock().is_ok_and(|it| !it.is_empty());
            first = is_there.then(|| begun.elapsed().as_millis());
        }
        report.fact(&format!("{name}-ms"), first.unwrap_or_default());
        bench.synchronize_all()?;
        report.fact(&format!("{name}-records"), told(listening).len());
    }
    Ok(())
}
