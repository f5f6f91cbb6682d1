//! Every sort of span that can wait says why it did, and no wait that took time is said to have passed at once.

use std::collections::BTreeMap;

use engine::analysis::SentencePiece;
use engine::analysis::causes::{CauseReader, Causes, TimeUse};
use engine::capture::Capture;
use engine::record::{
    CallId, Group, Lane, LaneId, NameId, Record, Role, RunOutcome, Span, SpanId, SpanKind, State,
};
use engine::runner::{RunRequest, run};
use engine::time::Nanos;
use engine::workload::bundled;

/// What may only be said where the capture shows it.
const CLAIMS: [&str; 4] = [
    "passed at once",
    "never recorded",
    "never been recorded",
    "passes at once",
];

/// Two clocks may differ by so much.
const SLACK: Nanos = Nanos(2_000);

fn on_mock(name: &str) -> Capture {
    crate::house::program::syncline();
    let workload = bundled().iter().find(|it| it.name == name);
    let workload = workload.unwrap_or_else(|| panic!("{name}"));
    ran(workload.name, workload.source)
}

fn ran(name: &str, source: &str) -> Capture {
    let mut capture = Capture::new();
    let request = RunRequest {
        name: name.to_owned(),
        source: source.to_owned(),
        backend: "mock".to_owned(),
        ..RunRequest::default()
    };
    let end = run(request, |records| capture.apply(records)).unwrap();
    assert_eq!(end.outcome, RunOutcome::Finished, "{name}");
    capture
}

fn words(pieces: &[SentencePiece]) -> String {
    let of = |piece: &SentencePiece| match piece {
        SentencePiece::Text(text) => text.clone(),
        SentencePiece::Time(time) => format!("{} ns", time.0),
        SentencePiece::Share(share) => format!("{share}"),
        SentencePiece::Span(_, name) => name.clone(),
    };
    pieces.iter().map(of).collect()
}

/// Spans that wait and took time, with what is said of each.
fn waits(reader: &CauseReader<'_>) -> Vec<(SpanId, String, String)> {
    let capture = reader.capture();
    let waiting = capture.spans().filter(|it| {
        let kind = it.span.kind;
        it.interval().length() > Nanos::ZERO
            && !matches!(it.span.state, State::Cancelled | State::Lost)
            && (kind.is_waiting() && reader.is_operation(it.span.id)
                || reader.is_blocking(it.span.id))
    });
    let said = waiting.map(|it| {
        let said = reader.sentence(it.span.id);
        let said = said.unwrap_or_else(|| panic!("nothing is said of {:?}", it.span));
        let name = capture.name(it.span.name).to_owned();
        (it.span.id, name, words(&said))
    });
    said.collect()
}

/// Whatever is said that the capture does not show, and waits whose parts are not in their sentence.
fn complaints(capture: &Capture) -> Vec<String> {
    let causes = Causes::build(capture);
    let reader = causes.read(capture);
    let mut found = Vec::new();
    for (span, name, said) in waits(&reader) {
        if CLAIMS.iter().any(|it| said.contains(it)) {
            found.push(format!("{name}: {said}"));
        }
        // By the capture's own dependencies: what was complete later was not complete before.
        let ties = capture.causes(span).filter_map(|id| capture.dependency(id));
        let ends = ties.filter_map(|it| Some(capture.span(it.cause)?.span.end));
        let begun = capture.span(span).map_or(Nanos::ZERO, |it| it.span.start);
        if said.contains("before it began") && ends.max().is_some_and(|it| it > begun + SLACK) {
            found.push(format!("{name}: {said}"));
        }
        for part in reader.inside(span) {
            let length = format!("{} ns", part.interval.length().0);
            if part.what != TimeUse::Call && !said.contains(&length) {
                found.push(format!("{name}: {part:?} is not in “{said}”"));
            }
        }
    }
    // Files that other tools wrote may begin after the record of an event.
    if capture.run().is_none_or(|run| run.source.is_empty()) {
        for placed in capture.spans() {
            let said = reader.sentence(placed.span.id).unwrap_or_default();
            let said = words(&said);
            if CLAIMS.iter().any(|it| said.contains(it)) {
                found.push(said);
            }
        }
        let notes = capture.notes().iter().map(ToString::to_string);
        let problems = capture.problems().iter().map(|it| it.text.clone());
        let told = notes.chain(problems);
        found.extend(told.filter(|it| CLAIMS.iter().any(|claim| it.contains(claim))));
    }
    found
}

#[test]
fn no_wait_that_took_time_is_said_to_have_passed_at_once_in_any_workload() {
    crate::house::program::syncline();
    let mut kinds: BTreeMap<String, usize> = BTreeMap::new();
    for workload in bundled() {
        let capture = ran(workload.name, workload.source);
        let found = complaints(&capture);
        assert!(found.is_empty(), "{}: {found:#?}", workload.name);
        let causes = Causes::build(&capture);
        for (_, name, _) in waits(&causes.read(&capture)) {
            *kinds.entry(name).or_default() += 1;
        }
    }
    assert!(kinds.len() > 10, "{kinds:?}");
}

#[test]
fn no_wait_that_took_time_is_said_to_have_passed_at_once_in_any_capture() {
    let mut folders = vec![crate::house::root().join("tests/data/captures")];
    folders.push(crate::house::root().join("tests/data/causes"));
    let mut seen = 0;
    for folder in folders {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.to_string_lossy().into_owned();
            let is_text = path.extension().is_some_and(|it| it == "md");
            if is_text || name.ends_with(".truth.json") {
                continue;
            }
            let (capture, parts) = crate::formats::real::open(std::slice::from_ref(&path));
            let notes = parts.iter().flat_map(|it| &it.receipt.notes);
            let mut found = complaints(&capture);
            found.extend(
                notes
                    .filter(|it| CLAIMS.iter().any(|claim| it.contains(claim)))
                    .cloned(),
            );
            assert!(found.is_empty(), "{name}: {found:#?}");
            seen += 1;
        }
    }
    for name in super::CAPTURES {
        let Some(path) = crate::formats::real::path(name) else {
            continue;
        };
        let (capture, _) = crate::formats::real::open(&[path]);
        let found = complaints(&capture);
        assert!(found.is_empty(), "{name}: {found:#?}");
        seen += 1;
    }
    assert!(seen > 20, "{seen}");
}

/// What is said of the spans of one name, all of which took time.
fn said_of(capture: &Capture, name: &str) -> Vec<String> {
    let causes = Causes::build(capture);
    let found = waits(&causes.read(capture)).into_iter();
    let found = found.filter(|it| it.1.contains(name));
    found.map(|it| it.2).collect()
}

#[test]
fn waits_for_a_slot_for_a_signal_and_for_a_pipeline_say_what_they_were_blocked_by() {
    let slots = said_of(&on_mock("event-kinds"), "waiting for event slot");
    assert!(!slots.is_empty());
    for said in &slots {
        assert!(
            said.contains(" event slots of the device were taken"),
            "{said}"
        );
    }
    let awaits = said_of(&on_mock("two-hosts"), "await");
    assert!(!awaits.is_empty());
    for said in &awaits {
        assert!(said.contains("signal"), "{said}");
    }
    assert!(
        awaits.iter().any(|it| it.contains(" until signal")),
        "{awaits:#?}"
    );
    // A pipeline that is made without a callback blocks its call until it is compiled.
    let pipelines = said_of(&on_mock("pipeline-stutter"), "createComputePipeline ");
    assert!(!pipelines.is_empty());
    for said in &pipelines {
        assert!(said.starts_with("It was blocked for "), "{said}");
    }
}

#[test]
fn a_wait_whose_cause_is_not_in_the_capture_is_unknown() {
    let lane = Lane {
        id: LaneId(0),
        group: Group::Streams,
        device: None,
        role: Role::None,
        name: "stream".to_owned(),
        order: 0,
        process: "".into(),
        thread: "".into(),
    };
    let span = |id: u32, kind, [start, end]: [i64; 2]| {
        Record::Span(Span {
            id: SpanId(id),
            lane: LaneId(0),
            name: NameId(0),
            call: CallId::NONE,
            kind,
            state: State::Done,
            enqueued: Nanos(start),
            start: Nanos(start),
            end: Nanos(end),
        })
    };
    let mut capture = Capture::new();
    capture.apply([
        Record::Name(NameId(0), "wait".into()),
        Record::Lane(Box::new(lane)),
        span(0, SpanKind::EventWait, [0, 5_000_000]),
        span(1, SpanKind::Kernel, [5_000_000, 5_010_000]),
    ]);
    let said = said_of(&capture, "wait");
    assert_eq!(said.len(), 1);
    assert!(said[0].contains("unknown"), "{}", said[0]);
    assert_eq!(complaints(&capture), Vec::<String>::new());
}

/// The host was blocked before it handed over what its call makes: that begins when the host goes on, and nothing is unknown.
#[test]
fn what_a_blocked_call_submits_waits_for_the_call() {
    let capture = on_mock("back-pressure");
    let causes = Causes::build(&capture);
    let reader = causes.read(&capture);
    let mut held = 0;
    for placed in capture.spans() {
        let id = placed.span.id;
        let Some(cause) = reader.of(id) else { continue };
        let lane = capture.lane(placed.span.lane).unwrap();
        if lane.group == Group::Streams {
            assert!(
                !cause.is_unknown,
                "{}",
                words(&reader.sentence(id).unwrap())
            );
        }
        let by = cause.binding.and_then(|it| capture.span(it.span()));
        let is_held = by.is_some_and(|it| capture.name(it.span.name) == "back-pressure");
        held += usize::from(is_held && lane.group == Group::Streams);
    }
    let blocked = capture.spans();
    let blocked = blocked.filter(|it| capture.name(it.span.name) == "back-pressure");
    let blocked = blocked.count();
    assert!(blocked > 0 && held >= blocked, "{held} of {blocked}");
}

/// A promise is settled within the call that waits for it, once its pipeline is decided.
#[test]
fn a_call_that_waits_for_a_promise_is_blocked_until_that_is_decided() {
    let said = said_of(&on_mock("loss-and-recovery"), "settle built");
    assert!(!said.is_empty());
    for said in said {
        assert!(said.starts_with("It was blocked for "), "{said}");
        assert!(said.contains("completion decided"), "{said}");
    }
}
