//! Files and functions stay small, open with a sentence, and fail by answering.

use crate::house::source::Source;
use crate::house::source_place::{ident, next_word, parts, words};
use crate::house::{report, sources};

/// Files over 600 lines, each with its reason.
const LONG_FILES: &[(&str, &str)] = &[];

/// Files that may say `unsafe`, each with its reason.
const UNSAFE_FILES: &[(&str, &str)] = &[
    (
        "engine/backend/src/wgpu/loss_hook.rs",
        "only Vulkan's own functions can make a device whose driver reports a loss",
    ),
    (
        "engine/backend/src/wgpu/wayland.rs",
        "the client library of Wayland is told by a C function of its own who hears its complaints",
    ),
    (
        "engine/cuda_recorder/src/switches/perf_ring.rs",
        "the kernel tells of context switches in memory that it shares, by calls of the system",
    ),
    (
        "engine/backend/src/paced/timer.rs",
        "how late a thread's timers may be is set by a C function of the system",
    ),
    ("engine/backend/src/cuda/context.rs", CUDA),
    ("engine/backend/src/cuda/devices.rs", CUDA),
    ("engine/backend/src/cuda/driver.rs", CUDA),
    ("engine/backend/src/cuda/event.rs", CUDA),
    ("engine/backend/src/cuda/functions.rs", CUDA),
    ("engine/backend/src/cuda/graph.rs", CUDA),
    ("engine/backend/src/cuda/graph/capture.rs", CUDA),
    ("engine/backend/src/cuda/host.rs", CUDA),
    ("engine/backend/src/cuda/memory.rs", CUDA),
    ("engine/backend/src/cuda/module.rs", CUDA),
    ("engine/backend/src/cuda/nvrtc.rs", CUDA),
    ("engine/backend/src/cuda/stream.rs", CUDA),
    ("engine/cuda_recorder/src/buffers.rs", CUPTI),
    (
        "engine/cuda_recorder/src/file/fact_file.rs",
        "a test closes files by their numbers, as programs do that close all",
    ),
    (
        "engine/runner/src/allocator.rs",
        "how memory is handed out is told by a C function of the system",
    ),
    (
        "engine/cuda_recorder/src/clock.rs",
        "the clock that never jumps is read by a C function of the system",
    ),
    ("engine/cuda_recorder/src/functions.rs", CUPTI),
    ("engine/cuda_recorder/src/library.rs", CUPTI),
    ("engine/cuda_recorder/src/listening.rs", CUPTI),
    ("engine/cuda_recorder/src/nodes.rs", CUPTI),
    ("engine/cuda_recorder/src/nvtx/append_list.rs", NVTX),
    ("engine/cuda_recorder/src/nvtx/attributes.rs", NVTX),
    ("engine/cuda_recorder/src/nvtx/calls.rs", NVTX),
    ("engine/cuda_recorder/src/nvtx/counters.rs", NVTX),
    ("engine/cuda_recorder/src/nvtx/names.rs", NVTX),
    ("engine/cuda_recorder/src/nvtx/payload.rs", NVTX),
    ("engine/cuda_recorder/src/nvtx/payload_reader.rs", NVTX),
    ("engine/cuda_recorder/src/nvtx/schema.rs", NVTX),
    ("engine/cuda_recorder/src/nvtx/tables.rs", NVTX),
    ("engine/cuda_recorder/src/nvtx/text.rs", NVTX),
    ("engine/cuda_recorder/src/quiet.rs", CUPTI),
    ("engine/cuda_recorder/src/strides.rs", CUPTI),
    ("engine/cuda_recorder/src/texts.rs", CUPTI),
    (
        "engine/cuda_recorder/src/entry.rs",
        "the driver of CUDA looks for the function by its name in C's manner",
    ),
    (
        "engine/cuda_recorder/src/control.rs",
        "memory that processes share is mapped by a function of C",
    ),
    (
        "engine/cuda_recorder/src/entry/process.rs",
        "ends and forks of a process are told by functions of C",
    ),
    (
        "engine/query/src/vtab.rs",
        "a virtual table of SQLite is a structure of C that begins with SQLite's own",
    ),
    (
        "engine/runner/src/far/lifetime.rs",
        "that a process is ended with its parent, or goes on, is said by functions of C",
    ),
    (
        "engine/runner/src/program/child.rs",
        "a signal is sent by a function of C; the standard library can only kill",
    ),
    (
        "tests/program/driver.rs",
        "a program of the tests that calls the driver as any other program does",
    ),
    (
        "tests/semantics/cuda/misuse/driver.rs",
        "what the driver answers to misuse is asked of its own C functions",
    ),
];

const CUPTI: &str =
    "CUPTI is a C library, found when the program runs, that writes into memory it is given";

const NVTX: &str =
    "NVTX's headers call C functions and hand over pointers to structs and texts of C";

const CUDA: &str =
    "the driver and the compiler of CUDA are C libraries, found when the program runs";

/// Programs whose other side is a driver: everything in them calls or is called by C's conventions.
const OF_DRIVERS: &[&str] = &["tests/stand-in/", "tests/losing-layer/", "tests/gpu-check/"];

/// Files whose type names are another project's.
const FOREIGN_NAMES: &[(&str, &str)] = &[(
    "engine/formats/src/perfetto/proto.rs",
    "the messages of Perfetto's format keep their names",
)];

/// Ends of type names that say nothing.
const EMPTY_ENDS: &[&str] = &[
    "manager", "helper", "util", "utils", "base", "common", "info", "data",
];

/// Calls that end the program where an answer was wanted.
const ABRUPT: &[&str] = &[
    ".unwrap()",
    ".expect(",
    "todo!(",
    "unimplemented!(",
    "dbg!(",
];

fn quantile(sorted: &[usize], part: f64) -> usize {
    sorted[((sorted.len() - 1) as f64 * part).round() as usize]
}

#[test]
fn files_are_short() {
    let mut lengths: Vec<usize> = sources()
        .iter()
        .map(|source| source.text.lines().count())
        .collect();
    lengths.sort_unstable();
    let (median, most) = (quantile(&lengths, 0.5), quantile(&lengths, 0.9));
    eprintln!("files: {} of median {median}, p90 {most}", lengths.len());
    assert!(
        median < 150,
        "the median file has {median} lines; split by responsibility"
    );
    assert!(
        most < 450,
        "a tenth of the files has over {most} lines; split by responsibility"
    );
    let long: Vec<String> = sources()
        .iter()
        .map(|source| (source, source.text.lines().count()))
        .filter(|(source, lines)| {
            *lines > 600 && LONG_FILES.iter().all(|(path, _)| *path != source.path)
        })
        .map(|(source, lines)| format!("{}: {lines} lines", source.path))
        .collect();
    report(
        "no file over 600 lines without a reason in tests/house/sizes.rs:",
        &long,
    );
}

#[test]
fn functions_are_short() {
    let mut lengths = Vec::new();
    let mut long = Vec::new();
    for source in sources() {
        for function in source.functions() {
            lengths.push(function.lines);
            if function.lines > 100 {
                let place = source.place(function.start);
                long.push(format!(
                    "{place}: `{}` has {} lines",
                    function.name, function.lines
                ));
            }
        }
    }
    report("no function over 100 lines:", &long);
    lengths.sort_unstable();
    let (median, most) = (quantile(&lengths, 0.5), quantile(&lengths, 0.9));
    eprintln!(
        "functions: {} of median {median}, p90 {most}",
        lengths.len()
    );
    assert!(most <= 30, "a tenth of the functions has over {most} lines");
}

#[test]
fn files_open_with_a_sentence() {
    let closed = |source: &&Source| {
        let first = source.text.lines().next().unwrap_or_default();
        first
            .strip_prefix("//! ")
            .is_none_or(|sentence| sentence.len() <= 10)
    };
    let complaints: Vec<String> = sources()
        .iter()
        .filter(closed)
        .map(|source| format!("{}:1", source.path))
        .collect();
    report(
        "every file opens with one `//!` sentence that says what it is for:",
        &complaints,
    );
}

#[test]
fn code_answers_and_never_ends_the_program() {
    let mut complaints = Vec::new();
    for source in sources() {
        for call in ABRUPT {
            for (at, _) in source.code.match_indices(call) {
                let before = source.code[..at].trim_end();
                // A method of our own, such as a parser's, is no `Result::expect`.
                let ours = call.starts_with('.') && before.ends_with("self");
                let other = !call.starts_with('.') && next_word(before);
                if !source.is_test(at) && !ours && !other {
                    complaints.push(format!("{}: `{call}`", source.place(at)));
                }
            }
        }
    }
    report("outside of tests, an error is an answer:", &complaints);
}

#[test]
fn unsafe_stays_where_it_is_listed() {
    let mut complaints = Vec::new();
    for source in sources() {
        for at in words(&source.code, "unsafe") {
            if OF_DRIVERS.iter().any(|it| source.path.starts_with(it)) {
                continue;
            }
            // The type of a function that is unsafe to call: whoever calls it says why it may.
            let head = source.code.get(at..).and_then(|it| it.split('(').next());
            if head.is_some_and(|head| head.starts_with("unsafe extern") && head.ends_with("fn")) {
                continue;
            }
            let listed = UNSAFE_FILES.iter().any(|(path, _)| source.path == *path);
            let line = source.line(at);
            let above: Vec<&str> = source
                .text
                .lines()
                .skip(line.saturating_sub(6))
                .take(6)
                .collect();
            if !listed {
                complaints.push(format!(
                    "{}: not listed in tests/house/sizes.rs",
                    source.place(at)
                ));
            } else if !above
                .iter()
                .any(|text| text.contains("SAFETY:") || text.contains("# Safety"))
            {
                complaints.push(format!("{}: no `SAFETY:` line above", source.place(at)));
            }
        }
    }
    report(
        "`unsafe` only in listed files, each with its `SAFETY:` line:",
        &complaints,
    );
}

#[test]
fn types_are_nouns_that_say_something() {
    let mut complaints = Vec::new();
    let foreign = |path: &str| FOREIGN_NAMES.iter().any(|(listed, _)| *listed == path);
    for source in sources().iter().filter(|source| !foreign(&source.path)) {
        for keyword in ["struct", "enum", "trait", "type"] {
            for at in words(&source.code, keyword) {
                let name = ident(source.code[at + keyword.len()..].trim_start());
                let last = parts(name).pop().unwrap_or_default();
                if EMPTY_ENDS.contains(&last.as_str()) {
                    complaints.push(format!("{}: `{name}`", source.place(at)));
                }
            }
        }
    }
    report(
        "no type is a Manager, Helper, Util, Base, Common, Info or Data:",
        &complaints,
    );
}

#[test]
fn what_remains_to_do_has_a_name() {
    let mut complaints = Vec::new();
    for source in sources() {
        for (at, comment) in &source.comments {
            let unnamed = words(comment, "TODO").any(|todo| !comment[todo..].starts_with("TODO("));
            if unnamed
                || ["FIXME", "XXX", "HACK"]
                    .iter()
                    .any(|word| words(comment, word).next().is_some())
            {
                complaints.push(format!("{}: {comment}", source.place(*at)));
            }
        }
    }
    report("a remaining task is `TODO(name): …`:", &complaints);
}

#[test]
fn every_reason_is_still_needed() {
    let gone: Vec<String> = LONG_FILES
        .iter()
        .chain(UNSAFE_FILES)
        .chain(FOREIGN_NAMES)
        .filter(|(path, _)| sources().iter().all(|source| source.path != *path))
        .map(|(path, reason)| format!("{path}: {reason}"))
        .collect();
    report(
        "a listed file is gone; take it off the list in tests/house/sizes.rs:",
        &gone,
    );
}
