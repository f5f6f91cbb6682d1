//! Captures of ranks that are made from a model of a few lines, which also says what is to be found in them.

use std::path::Path;

use serde_json::{Value, json};

/// Steps of each rank.
pub const STEPS: i64 = 5;
/// The rank that comes last to every collective operation but the first.
pub const LATE: u32 = 3;
/// By how much, in nanoseconds.
pub const LATENESS: i64 = 700_000;
/// The rank and the step that take much longer.
pub const OUTLIER: (u32, i64) = (5, 3);
/// When ranks began, in nanoseconds since 1970.
const ORIGIN: i64 = 1_790_000_000_000_000_000;
/// From step to step, and how long one takes, in nanoseconds.
const PERIOD: i64 = 12_000_000;
const STEP: i64 = 10_000_000;
/// When the host calls for the two operations of a step.
const CALLS: [i64; 2] = [200_000, 400_000];
/// The kernel of a step: when it begins, and how long it takes.
const KERNEL: (i64, i64) = (1_000_000, 4_000_000);
/// The collective operation of a step: when ranks come to it that are in time, and when it ends for all.
const COLLECTIVE: (i64, i64) = (6_000_000, 8_000_000);

/// When a step of a rank begins, on the clock that ranks share.
pub fn start(step: i64) -> i64 {
    ORIGIN + step * PERIOD
}

/// How long a step of a rank takes.
pub fn step_time(rank: u32, step: i64) -> i64 {
    let longer = if (rank, step) == OUTLIER {
        1_900_000
    } else {
        0
    };
    STEP + i64::from(rank) * 1_000 + longer
}

fn lateness(rank: u32, step: i64) -> i64 {
    if rank == LATE && step > 0 {
        LATENESS
    } else {
        0
    }
}

/// How long a rank waits for the late one in a step.
pub fn collective_wait(rank: u32, step: i64) -> i64 {
    lateness(LATE, step) - lateness(rank, step)
}

/// How long the two streams of a rank are idle within a step, together. What counts begins with the first call of the host
/// and ends with the last operation.
pub fn idle(rank: u32, step: i64) -> i64 {
    let collective = COLLECTIVE.1 - COLLECTIVE.0 - lateness(rank, step);
    let before = if step == 0 { CALLS[0] } else { 0 };
    let end = if step == STEPS - 1 {
        COLLECTIVE.1
    } else {
        step_time(rank, step)
    };
    2 * (end - before) - KERNEL.1 - collective
}

/// An event of the profiler of PyTorch, whose times are microseconds from its base time on.
fn event(
    (category, name): (&str, &str),
    thread: u32,
    (ts, dur): (i64, i64),
    arguments: &Value,
) -> Value {
    let micros = |nanos: i64| nanos as f64 / 1e3;
    json!({
        "ph": "X", "cat": category, "name": name, "pid": 0, "tid": thread,
        "ts": micros(ts), "dur": micros(dur), "args": arguments,
    })
}

fn events(rank: u32, step: i64) -> Vec<Value> {
    let at = |time: i64| step * PERIOD + time;
    let (first, second) = (step * 2 + 1, step * 2 + 2);
    let call = |place: i64| json!({ "correlation": place });
    let on = |stream: i64, place: i64| json!({ "correlation": place, "stream": stream, "device": 0, "Process Group Name": "default" });
    let late = lateness(rank, step);
    let launch = ("cuda_runtime", "cudaLaunchKernel");
    let collective = (at(COLLECTIVE.0 + late), COLLECTIVE.1 - COLLECTIVE.0 - late);
    let marked = format!("ProfilerStep#{step}");
    vec![
        event(
            ("user_annotation", &marked),
            100,
            (at(0), step_time(rank, step)),
            &json!({}),
        ),
        event(launch, 100, (at(CALLS[0]), 10_000), &call(first)),
        event(launch, 100, (at(CALLS[1]), 10_000), &call(second)),
        event(
            ("kernel", "gemm"),
            7,
            (at(KERNEL.0), KERNEL.1),
            &on(7, first),
        ),
        event(
            ("kernel", "ncclDevKernel_AllReduce_Sum_f32_RING_LL"),
            20,
            collective,
            &on(20, second),
        ),
    ]
}

/// Writes the captures of `ranks` ranks into a folder.
pub fn write(folder: &Path, ranks: u32) {
    for rank in 0..ranks {
        let all = (0..STEPS).flat_map(|step| events(rank, step));
        let capture = json!({
            "schemaVersion": 1,
            "baseTimeNanoseconds": ORIGIN,
            "displayTimeUnit": "ms",
            "distributedInfo": { "backend": "nccl", "rank": rank, "world_size": ranks },
            "deviceProperties": [{ "id": 0, "name": "GPU" }],
            "traceEvents": all.collect::<Vec<Value>>(),
        });
        let path = folder.join(format!("rank{rank}.json"));
        std::fs::write(path, capture.to_string()).unwrap();
    }
}
