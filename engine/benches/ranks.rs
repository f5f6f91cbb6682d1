//! Engines in other processes: records through a pipe, and what ranks compute together.
#![expect(clippy::print_stdout, reason = "a bench prints its figures")]

use std::path::PathBuf;
use std::time::{Duration, Instant};

use engine::capture::Capture;
use engine::record::{Record, RunOutcome, SpanKind};
use engine::runner::far::WorkerTarget;
use engine::runner::{Control, Engine, Message, RunRequest, run};
use engine::time::Nanos;

/// Calls that are made as fast as they can be.
const CALLS: u32 = 150_000;
/// Rounds of each measurement, of which the best counts.
const ROUNDS: usize = 3;

/// The program, which has to be built before.
fn program() -> Option<PathBuf> {
    let own = std::env::current_exe().ok()?;
    let folder = own.ancestors().nth(2)?;
    let program = folder.join("syncline");
    program.is_file().then_some(program)
}

/// Records a second that arrive from an engine, from its first batch to its last.
fn records(engine: &Engine) -> Result<f64, String> {
    let source = format!(
        "about \"x\"\nstream \"s\"\nbuffer \"x\" f32=1\nhost \"main\" {{ repeat {CALLS} {{ fill \"x\" value=1 on=\"s\" }}; \
         synchronize-stream \"s\" }}\n"
    );
    let request = RunRequest {
        name: "pipe".to_owned(),
        source,
        backend: "cpu".to_owned(),
        ..RunRequest::default()
    };
    engine.send(Control::Run(Box::new(request)));
    let (mut start, mut count) = (Instant::now(), 0);
    loop {
        match engine.messages().recv_timeout(Duration::from_mins(1)) {
            Ok(Message::Started { .. }) => (start, count) = (Instant::now(), 0),
            Ok(Message::Batch(records)) => count += records.len(),
            Ok(Message::Finished { .. }) => break,
            Ok(Message::Refused(why)) => return Err(why),
            Ok(_) => {}
            Err(error) => return Err(error.to_string()),
        }
    }
    Ok(count as f64 / start.elapsed().as_secs_f64())
}

fn best(engine: &Engine) -> Result<f64, String> {
    let mut best = 0.0_f64;
    for _ in 0..ROUNDS {
        best = best.max(records(engine)?);
    }
    Ok(best)
}

fn pipe(program: PathBuf) -> Result<(), String> {
    let near = best(&Engine::start(Box::new(|| ())))?;
    let target = WorkerTarget {
        name: "bench".to_owned(),
        command: vec![program.into_os_string(), "worker".into()],
        can_drop: false,
        silence: Duration::from_secs(30),
        shares_clock: false,
    };
    let far = best(&Engine::connect(target, Box::new(|| ())))?;
    println!(
        "records of a run: {:.2} million a second in this process, {:.2} through a worker's pipe: {:.2} ×",
        near / 1e6,
        far / 1e6,
        far / near
    );
    Ok(())
}

/// The median length of the parts of all-reduces of so many floats, and of copies of as many within a device.
fn all_reduce(ranks: u32, floats: usize) -> Result<(Nanos, Nanos), String> {
    let source = format!(
        "about \"x\"\nplacement ranks={ranks}\nstream \"s\"\nbuffer \"x\" f32={floats}\nbuffer \"y\" f32={floats}\n\
         host \"main\" {{ repeat 20 {{ copy \"x\" \"y\" on=\"s\"; rank-barrier on=\"s\"; all-reduce \"x\" on=\"s\" }}; \
         synchronize-stream \"s\" }}\n"
    );
    let mut capture = Capture::new();
    let request = RunRequest {
        name: "cost".to_owned(),
        source,
        backend: "cpu".to_owned(),
        ..RunRequest::default()
    };
    let end = run(request, |records| capture.apply(records))?;
    if end.outcome != RunOutcome::Finished {
        return Err(format!("{:?}", end.outcome));
    }
    let median = |kind: SpanKind, name: &str| {
        let spans = capture.spans().filter(|it| it.span.kind == kind);
        let spans = spans.filter(|it| capture.name(it.span.name).starts_with(name));
        let mut lengths: Vec<Nanos> = spans.map(|it| it.interval().length()).collect();
        lengths.sort_unstable();
        lengths.get(lengths.len() / 2).copied().unwrap_or_default()
    };
    Ok((
        median(SpanKind::Collective, "all-reduce"),
        median(SpanKind::Copy, "copy"),
    ))
}

fn cost() -> Result<(), String> {
    for floats in [256, 16_384, 262_144, 4_194_304] {
        let (exchange, copy) = all_reduce(4, floats)?;
        let bytes = floats as f64 * 4.0;
        println!(
            "all-reduce of {:>8.0} KiB on 4 ranks: {:>10.1} µs, {:>6.2} GB/s; {:.1} × a copy of as many bytes",
            bytes / 1024.0,
            exchange.0 as f64 / 1e3,
            bytes / exchange.0.max(1) as f64,
            exchange.0 as f64 / copy.0.max(1) as f64
        );
    }
    Ok(())
}

/// Sixty-four ranks on this machine, from the request to the first record and to the end.
fn many() -> Result<(), String> {
    let source = engine::workload::bundled()
        .iter()
        .find(|it| it.name == "data-parallel");
    let request = RunRequest {
        name: "data-parallel".to_owned(),
        source: source.map_or("", |it| it.source).to_owned(),
        parameters: [
            ("ranks", 64.0),
            ("n", 4096.0),
            ("layers", 2.0),
            ("work", 0.0),
        ]
        .map(|(name, value)| (name.to_owned(), value))
        .into(),
        backend: "cpu".to_owned(),
        ..RunRequest::default()
    };
    let mut capture = Capture::new();
    let start = Instant::now();
    let mut first = None;
    let end = run(request, |records: Vec<Record>| {
        first.get_or_insert_with(|| start.elapsed());
        capture.apply(records);
    })?;
    println!(
        "64 ranks: {:?}, first record after {:.0?}, over after {:.0?}, {} spans on {} lanes",
        end.outcome,
        first.unwrap_or_default(),
        start.elapsed(),
        capture.span_count(),
        capture.lanes().len()
    );
    Ok(())
}

fn main() {
    // `cargo test --all-targets` starts every bench as well, without this.
    if !std::env::args().any(|arg| arg == "--bench") {
        return;
    }
    let Some(program) = program() else {
        println!("skipped: build the program first, with `cargo build --release`");
        return;
    };
    for done in [pipe(program), cost(), many()] {
        if let Err(why) = done {
            println!("failed: {why}");
        }
    }
}
