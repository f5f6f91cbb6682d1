//! Captures whose findings about waiting are known: what each says that it would save is what the file was made by.

use std::io::Write as _;

use engine::analysis::causes::Causes;
use engine::analysis::{AnalysisResult, analyse};
use engine::time::Nanos;
use serde_json::{Value, json};

/// A file of Kineto's in the making: one host thread, times in microseconds.
#[derive(Default)]
struct TracedFile {
    events: Vec<Value>,
    launches: u64,
}

impl TracedFile {
    fn call(&mut self, cat: &str, name: &str, at: u64, length: u64, number: Option<u64>) {
        let arguments = number.map_or_else(|| json!({}), |it| json!({"correlation": it}));
        self.events.push(json!({
            "ph": "X", "cat": cat, "name": name, "pid": 77, "tid": 4001, "ts": at, "dur": length, "args": arguments,
        }));
    }

    /// An operation that a call launches.
    fn operation(
        &mut self,
        (cat, name): (&str, &str),
        (device, stream): (u64, u64),
        call: u64,
        [start, end]: [u64; 2],
    ) {
        self.launches += 1;
        let number = self.launches;
        self.call("cuda_runtime", "cudaLaunchKernel", call, 1, Some(number));
        self.events.push(json!({
            "ph": "X", "cat": cat, "name": name, "pid": device, "tid": stream, "ts": start, "dur": end - start,
            "args": {"device": device, "stream": stream, "correlation": number},
        }));
    }

    fn answers(&self) -> Vec<AnalysisResult> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("findings.json");
        let mut file = std::fs::File::create(&path).unwrap();
        write!(file, "{}", json!({"traceEvents": self.events})).unwrap();
        let (capture, _) = crate::formats::real::open(&[path]);
        analyse(&capture, Causes::build(&capture).into())
    }

    /// What a command prints for people.
    fn printed(&self, command: &[&str]) -> String {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("printed.json");
        std::fs::write(&path, json!({"traceEvents": self.events}).to_string()).unwrap();
        let mut arguments = vec!["syncline", command[0], path.to_str().unwrap()];
        arguments.extend(&command[1..]);
        let arguments: Vec<String> = arguments.into_iter().map(str::to_owned).collect();
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let code = app::cli::run(&arguments, &mut out, &mut err);
        assert_eq!(code, 0, "{}", String::from_utf8_lossy(&err));
        String::from_utf8(out).unwrap()
    }

    /// What is found of a code, each with what it would save at most.
    fn found(&self, code: &str) -> Vec<(String, Nanos)> {
        let answers = self.answers();
        let answered = answers.into_iter().find(|it| it.code == code).unwrap();
        let texts = answered.answer.findings.into_iter().map(|it| it.text);
        texts.zip(answered.savings).collect()
    }
}

const KERNEL: (&str, &str) = ("kernel", "gemm");

#[test]
fn a_device_that_waits_for_the_host_alone_says_how_long_and_what_the_host_did() {
    let mut made = TracedFile::default();
    for step in 0..10 {
        let begin = step * 1_000;
        made.call("cpu_op", "prepare", begin, 500, None);
        made.operation(KERNEL, (0, 7), begin + 500, [begin + 510, begin + 610]);
    }
    // From the end of each kernel to the call that launches the next: 890 µs, nine times.
    let found = made.found("host-bound");
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].0.contains("8.01 ms in all"), "{found:?}");
    assert!(found[0].0.contains("9 times"), "{found:?}");
    // Were the host quicker, ten kernels of 100 µs would still take their time, one after the other, of the 9.1 ms between the
    // start of the first and the end of the last.
    assert_eq!(found[0].1, Nanos(9_100_000 - 1_000_000));
    assert!(
        found[0].0.contains("% of that time in prepare"),
        "{found:?}"
    );
    assert_eq!(made.found("launch-bound"), []);
}

#[test]
fn short_operations_that_were_only_just_submitted_are_bound_by_launches() {
    let mut made = TracedFile::default();
    for place in 0..40 {
        // One of them comes 7 µs later than the others.
        let late = if place == 30 { 7 } else { 0 };
        let (call, name) = (place * 20 + late, if late > 0 { "late" } else { KERNEL.1 });
        made.operation((KERNEL.0, name), (0, 7), call, [call + 4, call + 9]);
    }
    let found = made.found("launch-bound");
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0].1, Nanos(39 * 15_000));
    let said = "its longest gap, 22.0 µs, was before late on stream 7, which cudaLaunchKernel on ";
    assert!(found[0].0.contains(said), "{found:?}");
    assert_eq!(made.found("host-bound"), []);
}

#[test]
fn a_copy_between_kernels_of_its_stream_could_overlap_unless_another_kernel_runs_meanwhile() {
    let mut made = TracedFile::default();
    made.operation(KERNEL, (0, 7), 0, [10, 1_010]);
    made.operation(
        ("gpu_memcpy", "Memcpy HtoD (Pinned -> Device)"),
        (0, 7),
        2,
        [1_012, 1_512],
    );
    made.operation(KERNEL, (0, 7), 4, [1_514, 2_514]);
    let found = made.found("exposed-copies");
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0].1, Nanos(500_000));
    assert!(
        found[0].0.contains("has to be looked at first"),
        "{found:?}"
    );
    made.operation(KERNEL, (0, 8), 6, [1_000, 1_600]);
    assert_eq!(made.found("exposed-copies"), []);
}

#[test]
fn of_two_devices_in_one_file_the_one_that_comes_last_is_named() {
    let mut made = TracedFile::default();
    for round in 0..5 {
        let begin = 10_000 * round;
        let part = ("kernel", "ncclDevKernel_AllReduce_Sum_f32_RING_LL");
        made.operation(part, (0, 7), begin, [begin + 100, begin + 900]);
        made.operation(part, (1, 7), begin + 2, [begin + 300, begin + 900]);
    }
    let found = made.found("straggler");
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0].1, Nanos(5 * 200_000));
    assert!(found[0].0.contains("came last to 5 of 5"), "{found:?}");
    assert!(
        !found[0].0.to_lowercase().starts_with("stream 7"),
        "{found:?}"
    );
}

#[test]
fn the_host_of_a_late_submission_is_said_to_be_where_it_was() {
    let mut made = TracedFile::default();
    made.operation(KERNEL, (0, 7), 0, [5, 10]);
    // An operator around it all, in which three short calls end long before the next submission.
    made.call("cpu_op", "aten::outer", 12, 1_090, None);
    for at in [20, 130, 240] {
        made.call("cpu_op", "aten::inner", at, 100, None);
    }
    made.operation(KERNEL, (0, 7), 1_100, [1_105, 1_110]);
    let found = made.found("host-bound");
    assert_eq!(found.len(), 1, "{found:?}");
    // Of the 1.09 ms 300 µs were in the inner calls.
    let said = "spent 72 % of that time in aten::outer and 28 % in aten::inner";
    assert!(found[0].0.contains(said), "{found:?}");
}

#[test]
fn a_host_wait_that_is_longer_than_any_of_a_stream_is_told_where_work_came_after_it() {
    let mut made = TracedFile::default();
    let synchronize = |made: &mut TracedFile, at: u64, length: u64| {
        made.launches += 1;
        let number = made.launches;
        made.call(
            "cuda_runtime",
            "cudaDeviceSynchronize",
            at,
            length,
            Some(number),
        );
        made.events.push(json!({
            "ph": "X", "cat": "cuda_sync", "name": "Context Sync", "pid": 0, "tid": 7, "ts": at, "dur": length,
            "args": {"device": 0, "stream": 7, "correlation": number},
        }));
    };
    made.operation(KERNEL, (0, 7), 0, [5, 905]);
    synchronize(&mut made, 10, 900);
    made.operation(KERNEL, (0, 7), 920, [925, 5_925]);
    // The last one only waits for the end.
    synchronize(&mut made, 930, 5_000);
    let found = made.found("costliest-wait");
    assert_eq!(found.len(), 1, "{found:?}");
    // The stream runs for 5.9 of 5.93 ms, whoever waits for it.
    assert_eq!(found[0].1, Nanos(30_000), "{found:?}");
}

/// Kernels of C++ templates whose names differ only in the middle.
fn long_names() -> [String; 2] {
    ["float", "double"].map(|it| {
        let many = "Tile<4>, ".repeat(30);
        format!("void gemm<{many}{it}, {many}>(int)")
    })
}

/// What a command prints for people about a file with two such kernels.
fn printed(command: &[&str]) -> String {
    let mut made = TracedFile::default();
    let [first, second] = &long_names();
    made.operation(("kernel", first), (0, 7), 0, [10, 110]);
    made.operation(("kernel", second), (0, 7), 20, [112, 172]);
    made.operation(("kernel", first), (0, 7), 30, [174, 184]);
    made.printed(command)
}
#[test]
fn names_of_pages_are_printed_without_their_middle() {
    for command in [
        &["info", "--findings"][..],
        &["explain", "--all"],
        &["explain", "--span", "1"],
        &["idle"],
        &["critical-path"],
    ] {
        let said = printed(command);
        assert!(said.contains("gemm<Tile<4>, "), "{command:?}: {said}");
        for name in long_names() {
            assert!(!said.contains(&name), "{command:?}: {said}");
        }
    }
}

#[test]
fn operations_of_the_path_are_counted_by_their_whole_names() {
    let said = printed(&["critical-path"]);
    let rows = said.lines().filter(|it| it.starts_with("gemm<"));
    let rows: Vec<&str> = rows.collect();
    assert_eq!(rows.len(), 2, "{said}");
    assert!(
        rows[0].contains("(2)") && rows[0].contains("110 µs"),
        "{said}"
    );
    assert!(
        rows[1].contains("(1)") && rows[1].contains("60.0 µs"),
        "{said}"
    );
}

/// Copies of two streams, each free to start while one of the other stream runs.
fn copies(ways: [&str; 2]) -> TracedFile {
    let mut made = TracedFile::default();
    for round in 0..4 {
        let at = round * 200;
        for (place, way) in (0..).zip(ways) {
            let (stream, begin) = (7 + place * 13, at + 10 + place * 100);
            made.operation(
                ("gpu_memcpy", way),
                (0, stream),
                at + place,
                [begin, begin + 100],
            );
        }
    }
    made
}

#[test]
fn copies_in_one_direction_are_not_said_to_have_had_room_beside_each_other() {
    let (to, from) = (
        "Memcpy HtoD (Pinned -> Device)",
        "Memcpy DtoH (Device -> Pinned)",
    );
    assert_eq!(copies([to, from]).found("never-together").len(), 1);
    for one in [to, from] {
        assert_eq!(copies([one, one]).found("never-together"), []);
    }
}

#[test]
fn a_file_of_host_threads_says_that_it_has_no_stream_and_what_nothing_is_known_before() {
    let mut made = TracedFile::default();
    made.call("cpu_op", "first", 0, 10, None);
    made.call("cpu_op", "other", 400, 600, None);
    made.events[1]["tid"] = json!(4002);
    let said = made.printed(&["info"]);
    assert!(
        said.contains("the capture holds no stream of a device"),
        "{said}"
    );
    let unknown = "40 % of the critical path: the longest of it is before other";
    assert!(said.contains(unknown), "{said}");
    assert!(
        said.contains("nothing tells what that came after"),
        "{said}"
    );
}

/// The stream that is waited for waits for the other by an event: what runs next on it would have waited as long.
#[test]
fn a_synchronisation_of_a_stream_that_waits_for_another_is_not_called_too_much() {
    let path = crate::house::root().join("tests/data/causes/sync_of_a_wait.json");
    let (capture, _) = crate::formats::real::open(&[path]);
    let results = analyse(&capture, Causes::build(&capture).into());
    let found = results.iter().find(|it| it.code == "over-synchronised");
    let found = found.expect("it is looked for");
    assert!(
        found.answer.findings.is_empty(),
        "{:?}",
        found.answer.findings
    );
}
