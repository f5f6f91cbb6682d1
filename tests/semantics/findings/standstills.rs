//! What host threads do in no order is told in every run, whether it goes well or stands still.

use engine::capture::Capture;
use engine::record::{RunOutcome, State};
use engine::runner::{RunRequest, run};

/// Of a run on the virtual device: whether it went to its end, and the lines of each pair of calls in no order.
fn told(source: &str, parameters: &[(&str, f64)]) -> (bool, Vec<Vec<u32>>, Capture) {
    let mut capture = Capture::new();
    let parameters = parameters.iter().map(|it| (it.0.to_owned(), it.1));
    let request = RunRequest {
        name: "w".to_owned(),
        source: source.to_owned(),
        backend: "mock".to_owned(),
        parameters: parameters.collect(),
        ..RunRequest::default()
    };
    run(request, |records| capture.apply(records)).unwrap();
    let findings = capture.findings().iter();
    let pairs = findings.filter(|it| it.code == "unordered-hosts");
    let mut lines: Vec<Vec<u32>> = pairs.map(|it| it.lines.clone()).collect();
    lines.sort_unstable();
    let stands_still = capture.problems().iter().any(|it| it.code == "deadlock");
    (!stands_still, lines, capture)
}

#[test]
fn a_standstill_by_chance_is_told_in_runs_that_go_well_too() {
    let head = r#"param "late" 0 max=10000; stream "s"; signal "g"; signal "r"; signal "x"; promise "p"
stream "d" kind="legacy"; stream "b" blocking=#true; event "e"; buffer "m" f32=64
"#;
    let hold = "host \"two\" { work micros=\"3000 - late\"\n hold \"g\" on=\"s\" }\n";
    let on_legacy = hold.replace("on=\"s\"", "on=\"d\"");
    let cases = [
        // Two raise the signal, each behind a wait of its own.
        format!(
            "host \"one\" {{ work micros=\"late\"\n synchronize-device\n signal \"g\" }}\n{hold}\
             host \"three\" {{ work micros=\"late\"\n synchronize-device\n signal \"g\" }}"
        ),
        // One that waits as well, and that nothing of it comes after.
        format!(
            "host \"one\" {{ work micros=\"late\"\n synchronize-device\n signal \"g\" }}\n{hold}\
             host \"three\" {{ work micros=\"late\"\n synchronize-device }}"
        ),
        // The signal comes by way of a third host thread.
        format!(
            "host \"one\" {{ work micros=\"late\"\n synchronize-device\n signal \"r\" }}\n{hold}\
             host \"three\" {{ await \"r\"\n signal \"g\" }}"
        ),
        // A promise waits for what was submitted.
        format!(
            "host \"one\" {{ work micros=\"late\"\n work-done promise=\"p\"\n settle \"p\"\n signal \"g\" }}\n{hold}"
        ),
        // Operations wait for the legacy stream, and host threads for them.
        format!(
            "host \"one\" {{ work micros=\"late\"\n fill \"m\" value=1 on=\"b\"\n synchronize-stream \"b\"\n signal \"g\" }}\n\
             {on_legacy}"
        ),
        format!(
            "host \"one\" {{ work micros=\"late\"\n record \"e\" on=\"b\"\n synchronize-event \"e\"\n signal \"g\" }}\n\
             {on_legacy}"
        ),
    ];
    for calls in cases {
        let source = format!("{head}{calls}");
        let well = told(&source, &[("late", 0.0)]);
        let still = told(&source, &[("late", 3000.0)]);
        assert!(well.0 && !still.0, "{calls}");
        assert_eq!(well.1, still.1, "{calls}");
        assert!(!well.1.is_empty(), "{calls}");
    }
    // An event that was recorded anew, on a stream that has nothing to do with the one that is held.
    let anew = format!(
        "{head}stream \"n\"\nhost \"one\" {{ work micros=\"late\"\n record \"e\" on=\"b\"\n record \"e\" on=\"n\"\n \
         synchronize-event \"e\"\n signal \"g\" }}\n{on_legacy}"
    );
    let (goes_on, lines, _) = told(&anew, &[("late", 3000.0)]);
    assert!(goes_on && lines.is_empty(), "{lines:?}");
    // What drops the hold and waits for nothing of it.
    let dropped = format!(
        "{head}host \"one\" {{ work micros=\"late\"\n synchronize-device\n signal \"g\" }}\n{hold}\
         host \"three\" {{ await \"x\"\n abort-stream \"s\" }}\nhost \"four\" {{ work micros=5000\n signal \"x\" }}"
    );
    let (goes_on, lines, _) = told(&dropped, &[("late", 3000.0)]);
    assert!(goes_on);
    assert_eq!(
        lines.len(),
        1,
        "the hold and the abort use one stream: {lines:?}"
    );
}

#[test]
fn uses_of_two_host_threads_are_told_where_waits_are_inserted() {
    for mode in ["automatic", "least", "compared"] {
        let source = |signal: &str, wait: &str| {
            format!(
                "stream \"s\"; stream \"t\"; buffer \"x\" f32=64; buffer \"y\" f32=64; signal \"g\"\n\
                 param \"a\" 0 max=100000; param \"b\" 0 max=100000; synchronization \"{mode}\"\n\
                 host \"one\" {{ work micros=\"a\"\n fill \"x\" value=1 on=\"s\"\n {signal} }}\n\
                 host \"two\" {{ {wait} work micros=\"b\"\n copy \"x\" \"y\" on=\"t\" }}"
            )
        };
        let unordered = source("", "");
        for parameters in [[("a", 3000.0)], [("b", 3000.0)]] {
            let lines = told(&unordered, &parameters).1;
            assert_eq!(lines, [[4, 7]], "{mode}, {parameters:?}");
        }
        let ordered = source("signal \"g\"", "await \"g\"\n");
        assert_eq!(told(&ordered, &[]).1, Vec::<Vec<u32>>::new(), "{mode}");
    }
}

/// Half a million pairs of a thousand host threads are not all told, and those that are do not depend on which came first.
#[test]
fn of_very_many_host_threads_the_first_are_told() {
    let source = |last: u32| {
        let head = "stream \"s\"\nbuffer \"x\" f32=64\n".to_owned();
        (0..300).fold(head, |text, host| {
            let micros = if host < last { 500 } else { 0 };
            format!("{text}host \"h{host}\" {{ work micros={micros}; upload \"x\" on=\"s\" }}\n")
        })
    };
    let (_, lines, capture) = told(&source(0), &[]);
    assert_eq!(lines.len(), 1_000);
    let mut problems = capture.problems().iter();
    assert!(problems.any(|it| it.code == "too-many-findings"));
    assert_eq!(told(&source(150), &[]).1, lines);
}

/// A few host threads on many streams are all told, however many pairs that makes.
#[test]
fn of_few_host_threads_all_are_told() {
    let upload = |stream: u32| format!("upload \"x\" on=\"s{stream}\"\n");
    let calls: String = (0..30).map(upload).collect();
    let streams = (0..30).map(|stream| format!("stream \"s{stream}\"\n"));
    let hosts = (0..10).map(|host| format!("host \"h{host}\" {{ {calls} }}\n"));
    let head = ["buffer \"x\" f32=64\n".to_owned()];
    let source: String = head.into_iter().chain(streams).chain(hosts).collect();
    assert_eq!(told(&source, &[]).1.len(), 45 * 30);
}

/// A run that fails where another goes well is told the same of host threads.
#[test]
fn a_run_that_failed_is_told_what_one_that_went_well_is() {
    let head = r#"param "one" 0 max=10000; param "two" 0 max=10000; stream "a"; stream "k" blocking=#true; signal "s"
stream "l" kind="legacy"; event "e"; buffer "x" f32=64
"#;
    let cases = [
        // It gives up while the other waits behind its hold.
        (
            "hold \"s\" on=\"a\"; synchronize-device timeout-micros=100",
            "synchronize-device; signal \"s\"",
        ),
        // What is asked is not so yet, and the other has not called.
        (
            "launch \"spin\" on=\"k\" { set \"micros\" 300 }; fill \"x\" value=1 on=\"a\"",
            "query-stream \"l\" strict=#true; fill \"x\" value=1 on=\"a\"",
        ),
        (
            "record \"e\" on=\"k\"; launch \"spin\" on=\"a\" { set \"micros\" 300 }",
            "query-stream \"a\" strict=#true",
        ),
    ];
    for (one, two) in cases {
        let source = format!(
            "{head}host \"one\" {{ work micros=\"one\"\n {one} }}\nhost \"two\" {{ work micros=\"two\"\n {two} }}"
        );
        let first = told(&source, &[("two", 500.0)]);
        let second = told(&source, &[("one", 500.0), ("two", 1.0)]);
        let third = told(&source, &[("one", 1.0), ("two", 50.0)]);
        assert!(!first.1.is_empty(), "{one} beside {two}");
        assert_eq!(first.1, second.1, "{one} beside {two}");
        assert_eq!(first.1, third.1, "{one} beside {two}");
        let ends = [&first, &second, &third].map(|it| it.2.end().unwrap().outcome.clone());
        assert!(
            ends.iter().any(|it| matches!(it, RunOutcome::Failed(_))),
            "{one} beside {two}: {ends:?}"
        );
        assert!(
            ends.contains(&RunOutcome::Finished),
            "{one} beside {two}: {ends:?}"
        );
    }
}

/// Nothing was given to the stream, and so nobody who waits is concerned.
#[test]
fn an_abort_of_an_idle_stream_fails_nobody_who_waits() {
    let source = r#"stream "a"; stream "b"; buffer "x" f32=64
signal "go"
host "one" { launch "spin" on="a" { set "micros" 30000 }; fill "x" value=1 on="b"; synchronize-stream "b"
 signal "go"; synchronize-device }
host "two" { await "go"; work micros=1000; abort-stream "b" }"#;
    for backend in ["mock", "cpu"] {
        let capture = super::capture_of(source, backend);
        let states = capture.spans().map(|it| it.span.state);
        let failed = states.filter(|it| *it == State::Failed).count();
        assert_eq!(failed, 0, "{backend}: {:?}", capture.problems());
    }
}

/// Both wait for the promise that bears the name in the end, whichever host thread made it.
#[test]
fn a_promise_that_two_host_threads_make_ends_the_waits_of_both() {
    for call in ["map-async \"x\"", "work-done"] {
        for late in [0, 1, 2, 5] {
            let source = format!(
                "buffer \"x\" f32=64; buffer \"y\" f32=64; promise \"p\"\n\
                 host \"one\" {{ work micros=1\n {call} promise=\"p\"\n settle \"p\" }}\n\
                 host \"two\" {{ work micros={late}\n {} promise=\"p\"\n settle \"p\" }}",
                call.replace('x', "y")
            );
            let (goes_on, _, capture) = told(&source, &[]);
            assert!(goes_on, "{call}, {late}: {:?}", capture.problems());
        }
    }
}
