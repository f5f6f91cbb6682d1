//! Each question asked of a capture that has the answer, and of one that has not.

use super::causes::Causes;
use super::{ANALYSES, AnalysisResult};
use capture::Capture;
use record::time::Nanos;
use record::{
    Basis, CallId, Dependency, DependencyKind, Finding, FindingId, FindingSearch, Group, Lane,
    LaneId, NameId, Record, Role, Severity, Span, SpanId, SpanKind, State,
};

fn lane(id: u32, group: Group, name: &str) -> Record {
    Record::Lane(Box::new(Lane {
        id: LaneId(id),
        group,
        device: None,
        role: Role::None,
        name: name.to_owned(),
        order: id as i32,
        process: "".into(),
        thread: "".into(),
    }))
}

fn span(id: u32, lane: u32, kind: SpanKind, times: [i64; 3]) -> Record {
    let [enqueued, start, end] = times.map(Nanos);
    Record::Span(Span {
        id: SpanId(id),
        lane: LaneId(lane),
        name: NameId(id),
        call: CallId::NONE,
        kind,
        state: State::Done,
        enqueued,
        start,
        end,
    })
}

fn tie(cause: u32, effect: u32, kind: DependencyKind) -> Record {
    Record::Dependency(Dependency::new(
        SpanId(cause),
        SpanId(effect),
        kind,
        Basis::Enforced,
    ))
}

fn analyse(capture: &Capture) -> Vec<AnalysisResult> {
    super::analyse(capture, Causes::build(capture).into())
}

/// A host and two streams, with these besides.
fn capture(records: Vec<Record>) -> Capture {
    let mut capture = Capture::new();
    let names = (0..12).map(|id| Record::Name(NameId(id), format!("n{id}").into()));
    capture.apply(names);
    capture.apply([
        lane(0, Group::Host, "main"),
        lane(1, Group::Streams, "a"),
        lane(2, Group::Streams, "b"),
    ]);
    capture.apply(records);
    capture
}

fn answer(capture: &Capture, code: &str) -> AnalysisResult {
    let answers = analyse(capture).into_iter();
    let mut answers = answers.filter(|answered| answered.code == code);
    answers.next().unwrap()
}

#[test]
fn every_analysis_says_what_it_asks_and_what_it_looked_at() {
    let empty = Capture::new();
    let answers = analyse(&empty);
    assert_eq!(answers.len(), ANALYSES.len());
    for answered in answers {
        assert!(!answered.name.is_empty() && !answered.about.is_empty());
        assert!(answered.answer.findings.is_empty(), "{answered:?}");
        assert!(!answered.answer.looked.is_empty(), "{answered:?}");
    }
    let mut codes: Vec<_> = ANALYSES.iter().map(|make| make().code()).collect();
    codes.sort_unstable();
    codes.dedup();
    assert_eq!(codes.len(), ANALYSES.len());
}

#[test]
fn a_recorded_race_tells_what_happened_this_time() {
    let race = Record::Finding(Box::new(Finding {
        id: FindingId(0),
        code: "race".to_owned(),
        severity: Severity::Error,
        text: "nothing orders them".to_owned(),
        spans: vec![SpanId(1), SpanId(2)],
        lines: vec![3, 4],
        count: 1,
    }));
    let search = Record::Search(Box::new(FindingSearch {
        code: "race".to_owned(),
        calls: 2,
        left: 0,
        text: "unordered uses, 2 operations looked at".to_owned(),
    }));
    let found = capture(vec![
        span(1, 1, SpanKind::Upload, [0, 0, 2_000]),
        span(2, 2, SpanKind::Kernel, [0, 500, 900]),
        race,
        search,
    ]);
    let answered = answer(&found, "race");
    let text = &answered.answer.findings[0].text;
    assert!(
        text.ends_with("; this time n2 on b began 1.50 µs before n1 on a ended"),
        "{text}"
    );
    assert_eq!(
        answered.answer.looked,
        "unordered uses, 2 operations looked at"
    );
    let silent = capture(vec![span(1, 1, SpanKind::Upload, [0, 0, 10])]);
    assert!(
        answer(&silent, "race")
            .answer
            .looked
            .starts_with("not looked for")
    );
}

#[test]
fn the_costliest_wait_is_told_in_one_sentence() {
    let found = capture(vec![
        span(1, 1, SpanKind::Kernel, [0, 0, 5_000]),
        span(2, 1, SpanKind::EventRecord, [0, 5_000, 5_000]),
        span(3, 2, SpanKind::EventWait, [0, 1_000, 5_000]),
        span(4, 0, SpanKind::Synchronize, [0, 0, 9_000]),
        tie(2, 3, DependencyKind::Event),
        tie(3, 4, DependencyKind::Synchronization),
    ]);
    let answered = answer(&found, "costliest-wait");
    let finding = &answered.answer.findings[0];
    assert_eq!(finding.spans, [SpanId(3), SpanId(2)]);
    assert!(
        finding.text.contains("n3 on b: it was blocked for 4.00 µs until n2 on a was complete, behind n1 on a, which took 4.00 µs of that"),
        "{}",
        finding.text
    );
    assert!(
        answered.answer.looked.starts_with("2 waits"),
        "{answered:?}"
    );
}

#[test]
fn a_wait_for_what_was_waited_for_already_is_redundant() {
    let found = capture(vec![
        span(1, 1, SpanKind::EventRecord, [0, 10, 10]),
        span(2, 1, SpanKind::EventRecord, [0, 20, 20]),
        span(3, 2, SpanKind::EventWait, [0, 21, 22]),
        span(4, 2, SpanKind::EventWait, [0, 23, 24]),
        tie(2, 3, DependencyKind::Event),
        tie(1, 4, DependencyKind::Event),
    ]);
    let findings = answer(&found, "redundant-wait").answer.findings;
    assert_eq!(findings.len(), 1, "{findings:?}");
    assert_eq!(findings[0].spans, [SpanId(4), SpanId(1)]);
}

#[test]
fn a_wait_for_the_device_is_too_much_where_one_stream_would_do() {
    let records = |next: u32, kind: SpanKind| {
        vec![
            span(1, 1, SpanKind::Kernel, [0, 0, 10_000]),
            span(2, 2, kind, [0, 0, 90_000]),
            span(3, 0, SpanKind::Synchronize, [1_000, 1_000, 90_000]),
            span(4, 0, SpanKind::Call, [91_000, 91_000, 92_000]),
            span(5, next, SpanKind::Kernel, [92_000, 93_000, 94_000]),
            tie(1, 3, DependencyKind::Synchronization),
            tie(2, 3, DependencyKind::Synchronization),
            tie(4, 5, DependencyKind::Submission),
        ]
    };
    let findings = answer(&capture(records(1, SpanKind::Kernel)), "over-synchronised")
        .answer
        .findings;
    assert_eq!(findings.len(), 1, "{findings:?}");
    assert!(
        findings[0].text.contains("80.0 µs longer"),
        "{}",
        findings[0].text
    );
    // The host may read what was copied to it.
    let read = answer(
        &capture(records(1, SpanKind::Download)),
        "over-synchronised",
    )
    .answer;
    assert!(read.findings.is_empty(), "{read:?}");
    let needed = answer(&capture(records(2, SpanKind::Kernel)), "over-synchronised").answer;
    assert!(needed.findings.is_empty(), "{needed:?}");
    assert!(needed.looked.contains("1 wait"), "{needed:?}");
}

#[test]
fn streams_that_could_have_run_together_and_did_not_are_named() {
    let records = |called: i64, start: i64, event: bool| {
        let mut all = vec![
            span(1, 1, SpanKind::Kernel, [0, 0, 100_000]),
            span(2, 0, SpanKind::Call, [called, called, called + 10]),
            span(3, 2, SpanKind::Kernel, [called, start, start + 50_000]),
            tie(2, 3, DependencyKind::Submission),
        ];
        all.extend(event.then(|| tie(1, 3, DependencyKind::Event)));
        all
    };
    let found =
        |called, start, event| answer(&capture(records(called, start, event)), "never-together");
    let serial = found(10_000, 100_000, false);
    assert_eq!(serial.answer.findings.len(), 1, "{serial:?}");
    assert_eq!(serial.savings, [Nanos(90_000)]);
    assert!(
        serial.answer.findings[0]
            .text
            .contains("free to start for 90.0 µs"),
        "{serial:?}"
    );
    // It ran together, came later, took what a start takes, or an event held it.
    for (called, start, event) in [
        (10_000, 50_000, false),
        (100_000, 100_000, false),
        (90_000, 100_000, false),
        (10_000, 100_000, true),
    ] {
        let fine = found(called, start, event).answer;
        assert!(fine.findings.is_empty(), "{fine:?}");
    }
}
