//! Faults of a CUDA device, each for real as far as the driver's interface goes, and each in a worker of its own: what is
//! lost, what is said, what is left in the file, and what a new worker does.

use serde_json::Value;

use super::{file, said, syncline_with};

/// Work that lasts, and a result that a run without a fault has.
const LONG: &str = include_str!("../../gpu-check/long.kdl");

/// The answer in JSON of a run of `source` on the stand-in.
fn run(source: &str, more: &[&str]) -> (Value, String) {
    let folder = tempfile::tempdir().unwrap();
    let path = file(&folder, source);
    let path = path.to_string_lossy().into_owned();
    let first = ["run", &path, "--backend", "cuda", "--format", "json"];
    let arguments: Vec<&str> = first.iter().chain(more).copied().collect();
    let output = syncline_with(&arguments, &[]);
    let answer = serde_json::from_slice(&output.stdout);
    (
        answer.unwrap_or_else(|error| panic!("{error}: {}", said(&output))),
        said(&output),
    )
}

#[test]
fn every_fault_is_a_loss_with_its_name_and_meaning() {
    let all = [
        ("trap", "CUDA_ERROR_LAUNCH_FAILED (719)"),
        ("address", "CUDA_ERROR_ILLEGAL_ADDRESS (700)"),
        ("assertion", "CUDA_ERROR_ASSERT (710)"),
        ("hang", "hung"),
    ];
    for (way, name) in all {
        let lose = format!("{way}@15ms");
        let (answer, said) = run(LONG, &["--lose", &lose]);
        let losses = answer["losses"].as_array().unwrap();
        assert_eq!(losses.len(), 1, "{way}: {said}");
        assert_eq!(losses[0]["kind"], way, "{said}");
        let reason = losses[0]["reason"].as_str().unwrap();
        assert!(reason.contains(name), "{way}: {reason}");
        // What was pending comes to something: nothing is left open.
        assert_eq!(answer["running"], 0, "{way}: {said}");
        assert_eq!(answer["lost"], 0, "{way}: {said}");
        assert!(
            losses[0]["operations"].as_u64().unwrap_or_default() > 0,
            "{way}: {said}"
        );
    }
}

#[test]
fn a_worker_that_is_ended_is_a_loss_of_its_device() {
    let (answer, said) = run(LONG, &["--lose", "kill@40ms"]);
    let losses = answer["losses"].as_array().unwrap();
    assert_eq!(losses.len(), 1, "{said}");
    assert_eq!(losses[0]["kind"], "process", "{said}");
    let reason = losses[0]["reason"].as_str().unwrap();
    assert!(reason.contains("SIGABRT"), "{reason}");
    assert_eq!(answer["running"], 0, "{said}");
    let spans = answer["spans"].as_u64().unwrap_or_default();
    assert!(spans > 10, "what it had sent is there: {said}");
    let (again, said) = run(LONG, &["--lose", "kill@40ms", "--recover", "replay"]);
    assert_eq!(again["outcome"], "finished", "{said}");
    assert_eq!(again["expectations"][0]["holds"], true, "{said}");
}

#[test]
fn a_kernel_of_a_workload_that_traps_is_a_loss_like_any_other() {
    let source = r#"
        stream "a"; stream "b"; buffer "x" f32=64
        host "main" {
            fill "x" value=1 on="b"
            synchronize-stream "b"
            launch "trap" on="a"
            fill "x" value=2 on="a"
            synchronize-device
        }"#;
    let (answer, said) = run(source, &[]);
    let reason = answer["losses"][0]["reason"].as_str().unwrap_or_default();
    assert!(reason.contains("719"), "{said}");
    assert_eq!(answer["running"], 0);
}

#[test]
fn a_new_worker_begins_again_and_says_how_long_its_first_result_took() {
    let folder = tempfile::tempdir().unwrap();
    let save = folder.path().join("run.pftrace");
    let save = save.to_string_lossy().into_owned();
    let (answer, said) = run(
        LONG,
        &[
            "--lose",
            "address@10ms",
            "--recover",
            "replay",
            "--save",
            &save,
        ],
    );
    assert_eq!(answer["outcome"], "finished", "{said}");
    assert_eq!(answer["losses"].as_array().unwrap().len(), 0, "{said}");
    assert_eq!(answer["expectations"][0]["holds"], true, "{said}");
    let earlier = answer["earlier_attempts"].as_array().unwrap();
    assert_eq!(earlier.len(), 1, "{said}");
    let reason = earlier[0]["losses"][0]["reason"].as_str().unwrap();
    assert!(reason.contains("ILLEGAL_ADDRESS"), "{said}");
    assert_eq!(earlier[0]["saved"].as_str(), Some(&*save), "{said}");
    // The first run is in its file to the last record, the second beside it.
    let info = |path: &str| {
        let output = syncline_with(&["info", path, "--format", "json"], &[]);
        serde_json::from_slice::<Value>(&output.stdout).unwrap_or_else(|error| {
            panic!("{error}: {}", super::said(&output));
        })
    };
    let spans = |info: &Value| info["capture"]["spans"].as_u64().unwrap_or_default();
    let first = info(&save);
    assert!(spans(&first) > 10, "{first}");
    assert!(first.to_string().contains("ILLEGAL_ADDRESS"), "{first}");
    let again = folder.path().join("run-again-1.pftrace");
    assert_eq!(answer["saved"].as_str(), again.to_str(), "{said}");
    let again = info(&again.to_string_lossy());
    assert!(spans(&again) > spans(&first), "{again}");
    let problems = again["capture"]["problems"].to_string();
    assert!(problems.contains("attempt 2"), "{problems}");
    assert!(problems.contains("ILLEGAL_ADDRESS"), "{problems}");
}

#[test]
fn what_is_missing_is_a_reason_and_never_a_panic() {
    let text = |variables: &[(&str, &str)]| {
        let output = syncline_with(&["backends"], variables);
        assert!(output.status.success(), "{}", said(&output));
        said(&output)
    };
    let absent = text(&[("SYNCLINE_TEST_CUDA_STAND_IN", "/no/such/library.so")]);
    assert!(absent.contains("cannot be loaded"), "{absent}");
    let none = text(&[("SYNCLINE_STAND_IN_INIT", "100")]);
    assert!(none.contains("CUDA_ERROR_NO_DEVICE (100)"), "{none}");
    let there = text(&[]);
    assert!(there.contains("stand-in for tests (no GPU)"), "{there}");
}

#[test]
fn memory_that_does_not_suffice_is_an_error_that_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let path = file(
        &folder,
        "stream \"a\"; buffer \"x\" f32=4096\nhost \"main\" { upload \"x\" on=\"a\" }",
    );
    let path = path.to_string_lossy().into_owned();
    let output = syncline_with(
        &["run", &path, "--backend", "cuda"],
        &[("SYNCLINE_STAND_IN_MEMORY", "1000")],
    );
    assert!(!output.status.success());
    assert!(
        said(&output).contains("no memory left"),
        "{}",
        said(&output)
    );
}

/// The code is one of an earlier call, so nobody may conclude from it that the driver never calls the function. Memory
/// that was given back holds garbage here: a function that was dropped too early cannot work.
#[test]
fn host_function_outlives_a_launch_that_answers_the_error_of_an_earlier_call() {
    let folder = tempfile::tempdir().unwrap();
    let source = r#"
        stream "a"
        host "main" {
            host-function "early" micros=1 on="a"
            synchronize-device
        }"#;
    let path = file(&folder, source).to_string_lossy().into_owned();
    let called = folder.path().join("called.txt");
    let variables = [
        ("SYNCLINE_STAND_IN_EARLIER", "1"),
        ("SYNCLINE_STAND_IN_CALLED", called.to_str().unwrap()),
        ("MALLOC_PERTURB_", "165"),
    ];
    let arguments = ["run", &path, "--backend", "cuda", "--format", "json"];
    let output = syncline_with(&arguments, &variables);
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(answer["outcome"], "failed", "{answer}");
    assert_eq!(answer["losses"].as_array().unwrap().len(), 0, "{answer}");
    let reason = answer["reason"].as_str().unwrap();
    assert!(reason.contains("CUDA_ERROR_INVALID_VALUE (1)"), "{reason}");
    assert_eq!(std::fs::read_to_string(&called).unwrap(), "called\n");
}

/// What the device cannot find is registered all the same: given back only to the host, it would be written to later.
#[test]
fn memory_that_the_device_does_not_find_is_given_back_to_the_driver() {
    let folder = tempfile::tempdir().unwrap();
    let source = r#"stream "a"; buffer "x" f32=4096
        host "main" { upload "x" on="a" }"#;
    let path = file(&folder, source).to_string_lossy().into_owned();
    let file_of_notes = folder.path().join("registered.txt");
    let variables = [
        ("SYNCLINE_STAND_IN_UNMAPPED", "1"),
        (
            "SYNCLINE_STAND_IN_REGISTERED",
            file_of_notes.to_str().unwrap(),
        ),
    ];
    let output = syncline_with(&["run", &path, "--backend", "cuda"], &variables);
    assert!(!output.status.success(), "{}", said(&output));
    let noted = std::fs::read_to_string(&file_of_notes).unwrap();
    let count = |line: &str| noted.lines().filter(|it| *it == line).count();
    assert!(count("registered") > 0, "{noted}");
    assert_eq!(count("registered"), count("given back"), "{noted}");
}
