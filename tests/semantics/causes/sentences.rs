//! What the window and the command line say in a sentence about known programs: the binding cause of the machine that ran
//! them, and the numbers of its split.

use std::ops::ControlFlow;

use engine::analysis::SentencePiece;
use engine::analysis::causes::{CauseReader, Causes, DependencyRole, DependencyTimes};
use engine::capture::Capture;
use engine::importer;
use engine::record::{DependencyId, SpanId};
use engine::time::Nanos;
use serde_json::Value;

use super::programs;
use crate::house::root;

/// A known program, opened.
pub struct OpenedProgram {
    pub truth: Value,
    pub capture: Capture,
}

/// Every known program.
pub fn all() -> Vec<OpenedProgram> {
    let programs = programs(&root().join("tests/data/causes")).into_iter();
    let open = |(truth, files): (Value, Vec<std::path::PathBuf>)| {
        let mut capture = Capture::new();
        importer::open_all(&files, &mut |batch| {
            capture.apply(batch.records);
            ControlFlow::Continue(())
        })
        .unwrap();
        OpenedProgram { truth, capture }
    };
    programs.map(open).collect()
}

/// The span of a row of the truth.
fn span(reader: &CauseReader<'_>, row: &Value) -> SpanId {
    let capture = reader.capture();
    let zero = reader.causes().extent().start;
    let start = zero + Nanos(row["start_ns"].as_i64().unwrap());
    let number = |lane| capture.lane_origin(lane).and_then(|it| it.number);
    let mut found = capture.spans().filter(|it| {
        let is_lane = row["stream"].is_null() || number(it.span.lane) == row["stream"].as_i64();
        let name = capture.name(it.span.name).split("_v").next().unwrap();
        let is_it = reader.is_operation(it.span.id) || reader.is_blocking(it.span.id);
        let rank = u64::from(reader.rank(it.span.lane));
        it.span.start == start
            && is_it
            && is_lane
            && Some(rank) == row["rank"].as_u64()
            && Some(name) == row["name"].as_str()
    });
    found.next().unwrap_or_else(|| panic!("{row}")).span.id
}

/// What is blocked of a list of parts, and what is left.
fn lengths(parts: &Value) -> (Option<i64>, Vec<i64>) {
    let length = |it: &Value| it["to_ns"].as_i64().unwrap() - it["from_ns"].as_i64().unwrap();
    let parts = parts.as_array().unwrap();
    let blocked = parts.iter().find(|it| it["what"] == "blocked").map(length);
    (blocked, parts.iter().map(length).collect())
}

#[test]
fn sentences_name_the_binding_cause_with_the_numbers_of_its_split() {
    for program in all() {
        let causes = Causes::build(&program.capture);
        let reader = causes.read(&program.capture);
        let rows = |list: &str| program.truth[list].as_array().unwrap().clone();
        for (row, list) in rows("ops")
            .iter()
            .map(|it| (it, "split"))
            .chain(rows("calls").iter().map(|it| (it, "inside")))
        {
            let id = span(&reader, row);
            let said = reader.sentence(id).unwrap();
            let words = format!("{} {}: {said:?}", program.truth["case"], row["name"]);
            if row[list].is_null() || list == "split" && row["enqueued_ns"].is_null() {
                continue;
            }
            let (blocked, all) = lengths(&row[list]);
            let times: Vec<i64> = said
                .iter()
                .filter_map(|it| match it {
                    SentencePiece::Time(time) => Some(time.0),
                    _ => None,
                })
                .collect();
            for length in &all {
                assert!(times.contains(length), "{length} is not in {words}");
            }
            if blocked.is_some() {
                let cause = span(
                    &reader,
                    &row["cause"]
                        .get("last_known")
                        .unwrap_or(&row["cause"])
                        .clone(),
                );
                let named = |it: &SentencePiece| matches!(it, SentencePiece::Span(named, _) if *named == cause);
                assert!(said.iter().any(named), "{} is not in {words}", row["cause"]);
                // The way that the window's key goes is the same.
                assert_eq!(reader.cause_of(id), Some(cause), "{words}");
            }
            let is_unknown = row["cause"]["kind"] == "unknown";
            let says = said
                .iter()
                .any(|it| matches!(it, SentencePiece::Text(text) if text.contains("unknown")));
            assert_eq!(is_unknown, says, "{words}");
        }
    }
}

/// What a launch alone held is told with the call that submitted it, and a query of an event waits for nothing.
#[test]
fn sentences_about_launches_name_the_call_and_queries_have_none() {
    let mut launched = 0;
    for program in all() {
        let causes = Causes::build(&program.capture);
        let reader = causes.read(&program.capture);
        for row in program.truth["ops"].as_array().unwrap() {
            let is_queued = row["split"].as_array().is_some_and(|it| !it.is_empty());
            if row["cause"]["kind"] != "launch" || !is_queued {
                continue;
            }
            let id = span(&reader, row);
            let said = reader.sentence(id).unwrap();
            let call = reader.launch(id).unwrap();
            let names =
                |it: &SentencePiece| matches!(it, SentencePiece::Span(named, _) if *named == call);
            assert!(said.iter().any(names), "{said:?}");
            launched += 1;
        }
        for placed in program.capture.spans() {
            if program
                .capture
                .name(placed.span.name)
                .contains("EventQuery")
            {
                assert_eq!(reader.sentence(placed.span.id), None);
            }
        }
    }
    assert!(launched > 20, "{launched}");
}

#[test]
fn arrows_lead_forward_and_say_the_numbers_of_the_sentence() {
    let mut compared = 0;
    for program in all() {
        let capture = &program.capture;
        let causes = Causes::build(capture);
        let reader = causes.read(capture);
        for id in (0..capture.dependency_count() as u32).map(DependencyId) {
            let found = capture.dependency(id).unwrap();
            let Some(times) = DependencyTimes::of(capture, &found) else {
                continue;
            };
            let case = &program.truth["case"];
            assert!(
                times.complete <= times.reached,
                "{case}: {found:?} {times:?}"
            );
            let effect = capture.span(found.effect).unwrap().interval();
            assert!(
                effect.start <= times.reached && times.reached <= effect.end,
                "{case}: {found:?} {times:?}"
            );
            let is_wait = times.waited.filter(|it| *it > Nanos::ZERO);
            if let Some(waited) = is_wait
                && reader.role(&found) == DependencyRole::Binding
            {
                let said = reader.sentence(found.effect).unwrap();
                assert!(
                    said.contains(&SentencePiece::Time(waited)),
                    "{case}: {said:?}"
                );
                compared += 1;
            }
        }
    }
    assert!(compared > 5, "{compared}");
}
