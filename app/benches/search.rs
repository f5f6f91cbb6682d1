//! How long the search field takes for a keystroke: ten million spans with ten million names.
#![expect(clippy::print_stdout, reason = "a bench prints its figures")]

use std::time::{Duration, Instant};

use app::panel::NameSearch;
use engine::capture::Capture;
use engine::record::{CallId, LaneId, NameId, Record, Span, SpanId, SpanKind, State};
use engine::time::Nanos;

const SPANS: u32 = 10_000_000;
const LANES: u32 = 100;
const ROUNDS: usize = 3;
/// What is typed, letter by letter.
const TYPED: &[&str] = &["gemm_128x64", "memcpy htod 77", "nothing of that name"];

fn main() {
    // `cargo test --all-targets` starts every bench as well, without this.
    if !std::env::args().any(|arg| arg == "--bench") {
        return;
    }
    let capture = capture();
    let mut worst = Duration::ZERO;
    let mut all = Vec::new();
    for typed in TYPED {
        let ends = typed
            .char_indices()
            .map(|(at, letter)| at + letter.len_utf8());
        let mut best = vec![Duration::MAX; typed.len()];
        for _ in 0..ROUNDS {
            let mut search = NameSearch::default();
            for (keystroke, end) in ends.clone().enumerate() {
                let wanted = typed.get(..end).unwrap_or_default();
                let start = Instant::now();
                search.advance(&capture, wanted, Duration::MAX);
                if let Some(best) = best.get_mut(keystroke) {
                    *best = start.elapsed().min(*best);
                }
            }
        }
        let first = best.first().copied().unwrap_or_default();
        let rest = best.iter().skip(1).max().copied().unwrap_or_default();
        println!("“{typed}”: first letter {first:.1?}, the slowest of the others {rest:.1?}");
        worst = worst.max(first).max(rest);
        all.extend(best);
    }
    all.sort_unstable();
    let median = all.get(all.len() / 2).copied().unwrap_or_default();
    let naive = naive(&capture);
    println!(
        "a keystroke in {SPANS} names: {median:.1?} at the median, {worst:.1?} at most, target 100 ms; {:.1} x as quick \
         as looking at every name and span in turn ({naive:.1?})",
        naive.as_secs_f64() / median.as_secs_f64()
    );
}

/// The time to look at every name, and then at every span, on one core.
fn naive(capture: &Capture) -> Duration {
    let start = Instant::now();
    let holds = |at: usize| {
        let name = capture.name(NameId(at as u32));
        name.to_lowercase().contains("gemm")
    };
    let names: Vec<bool> = (0..capture.name_count()).map(holds).collect();
    let wanted = |id: &u32| {
        let span = capture.span(SpanId(*id));
        span.is_some_and(|it| names.get(it.span.name.index()) == Some(&true))
    };
    let count = (0..SPANS).filter(wanted).count();
    assert!(count > 0);
    start.elapsed()
}

fn capture() -> Capture {
    const WORDS: [&str; 6] = [
        "ampere_sgemm_128x64_nn",
        "Memcpy HtoD",
        "vectorized_elementwise_kernel",
        "cudaLaunchKernel",
        "ncclDevKernel_AllReduce",
        "softmax_warp_forward",
    ];
    let mut capture = Capture::new();
    let mut batch = Vec::new();
    for id in 0..SPANS {
        let word = WORDS.get(id as usize % WORDS.len()).unwrap_or(&"");
        batch.push(Record::Name(NameId(id), format!("{word} {id}").into()));
        let start = Nanos(i64::from(id / LANES) * 1_000);
        batch.push(Record::Span(Span {
            id: SpanId(id),
            lane: LaneId(id % LANES),
            name: NameId(id),
            call: CallId::NONE,
            kind: SpanKind::Kernel,
            state: State::Done,
            enqueued: start,
            start,
            end: start + Nanos(900),
        }));
        if batch.len() >= 1 << 16 {
            capture.apply(batch.drain(..));
        }
    }
    capture.apply(batch);
    capture
}
