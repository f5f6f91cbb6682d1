//! Relaunch of a recorded launch against building the call, and replay of a graph against its calls one by one.

use std::fmt::Write as _;
use std::time::Instant;

use engine::backend::BACKENDS;
use engine::record::{Record, RunOutcome};
use engine::runner::{RunRequest, run};

/// Calls of a run.
const CALLS: u32 = 4_000;
/// Nodes of the graph.
const NODES: u32 = 16;
const ROUNDS: usize = 5;

/// Nanoseconds of the host thread for each call of this verb, and of the whole run for each launch; infinite where it
/// could not be made.
fn measure(source: &str, backend: &str, verb: &str, launches: u32) -> (f64, f64) {
    let mut name = None;
    let mut names = Vec::new();
    let (mut first, mut last, mut calls) = (i64::MAX, 0, 0_u32);
    let request = RunRequest {
        name: "launches".to_owned(),
        source: source.to_owned(),
        backend: backend.to_owned(),
        ..RunRequest::default()
    };
    let start = Instant::now();
    let end = run(request, |batch| {
        for record in batch {
            match record {
                Record::Name(id, text) if text.starts_with(verb) => names.push(id),
                Record::Span(span) if names.contains(&span.name) && span.lane.0 == 0 => {
                    name = Some(span.name);
                    first = first.min(span.start.0);
                    last = last.max(span.end.0);
                    calls += 1;
                }
                _ => {}
            }
        }
    });
    let whole = start.elapsed().as_secs_f64() * 1e9;
    match end {
        Ok(end) if end.outcome == RunOutcome::Finished && name.is_some() => {
            let host = (last - first) as f64 / f64::from(calls.max(1));
            (host, whole / f64::from(launches))
        }
        _ => (f64::INFINITY, f64::INFINITY),
    }
}

/// The least of some rounds: the one that the machine left alone.
fn least(mut round: impl FnMut() -> (f64, f64)) -> (f64, f64) {
    let nothing = (f64::INFINITY, f64::INFINITY);
    (0..ROUNDS)
        .map(|_| round())
        .fold(nothing, |best, it| (best.0.min(it.0), best.1.min(it.1)))
}

const RESOURCES: &str =
    "stream \"a\"; buffer \"x\" f32=64; buffer \"y\" f32=64; recorded \"r\"; graph \"g\"\n";
const LAUNCH: &str = "launch \"saxpy\" on=\"a\" { read \"x\"; write \"y\"; set \"a\" 0.5 }";
const RECORD: &str = "record-launch \"r\" \"saxpy\" { read \"x\"; write \"y\"; set \"a\" 0.5 }";

fn host(body: &str) -> String {
    let mut source = RESOURCES.to_owned();
    let _ = writeln!(source, "host \"main\" {{\n{body}\n}}");
    source
}

#[expect(clippy::print_stdout, reason = "a bench prints its table")]
fn main() {
    let names = BACKENDS.iter().map(|backend| backend.name());
    for backend in names {
        if engine::backend::find_backend(backend).is_none_or(|it| it.probe().is_err()) {
            println!("{backend}: not here");
            continue;
        }
        let calls = if backend == "cpu" {
            4 * CALLS
        } else {
            CALLS / 4
        };
        let built = host(&format!("repeat {calls} {{ {LAUNCH} }}"));
        let again = host(&format!(
            "{RECORD}\nrepeat {calls} {{ relaunch \"r\" on=\"a\" }}"
        ));
        let built = least(|| measure(&built, backend, "launch", calls));
        let again = least(|| measure(&again, backend, "relaunch", calls));
        println!(
            "{backend}: a launch {:.0} ns of the host, {:.0} ns in all; a relaunch {:.0} and {:.0}: {:.2}x and {:.2}x as fast",
            built.0,
            built.1,
            again.0,
            again.1,
            built.0 / again.0,
            built.1 / again.1
        );
        let rounds = calls / NODES;
        let nodes = vec![LAUNCH; NODES as usize].join("\n");
        let single = host(&format!("repeat {rounds} {{ {nodes} }}"));
        let graph = host(&format!(
            "begin-capture \"a\"\n{nodes}\nend-capture \"a\" \"g\"\ninstantiate \"g\"\nrepeat {rounds} {{ replay \"g\" on=\"a\" }}"
        ));
        let single = least(|| measure(&single, backend, "launch", calls));
        let graph = least(|| measure(&graph, backend, "replay", calls));
        let node = graph.0 / f64::from(NODES);
        println!(
            "{backend}: {NODES} launches {:.0} ns of the host each, {:.0} in all; as one replay {node:.0} and {:.0}: \
             {:.2}x and {:.2}x as fast",
            single.0,
            single.1,
            graph.1,
            single.0 / node,
            single.1 / graph.1
        );
    }
}
