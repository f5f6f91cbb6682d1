//! What must add up, whatever a capture holds: splits to the wait, idle time and the critical path to the time asked about.

use engine::analysis::causes::Causes;
use engine::capture::Capture;
use engine::record::RunOutcome;
use engine::runner::{RunRequest, run};
use engine::time::{Interval, Nanos};
use engine::workload::bundled;

fn total(intervals: impl Iterator<Item = Interval>) -> Nanos {
    intervals.fold(Nanos::ZERO, |sum, it| sum + it.length())
}

/// Whatever does not add up.
fn complaints(capture: &Capture) -> Vec<String> {
    let causes = Causes::build(capture);
    let reader = causes.read(capture);
    let mut found = Vec::new();
    let mut same = |what: &str, sum: Nanos, whole: Nanos| {
        if sum != whole {
            found.push(format!("{what}: {sum} of {whole}"));
        }
    };
    let all = causes.extent();
    let third = Nanos(all.length().0 / 3);
    for within in [all, Interval::new(all.start + third, all.end - third)] {
        let path = reader.path_within(within);
        same(
            "path",
            total(path.iter().map(|it| it.interval)),
            within.length(),
        );
        let joins = path
            .windows(2)
            .filter(|it| it[0].interval.end != it[1].interval.start);
        same("gaps of the path", Nanos(joins.count() as i64), Nanos::ZERO);
        for lane in reader.streams() {
            same("idle", reader.idle(lane, within).total(), within.length());
        }
    }
    for placed in capture.spans() {
        let (id, name) = (placed.span.id, capture.name(placed.span.name));
        if let Some(enqueued) = reader.enqueued(id) {
            let queued = (placed.span.start - enqueued).max(Nanos::ZERO);
            let split = reader.split(id);
            same(
                &format!("split of {name}"),
                total(split.iter().map(|it| it.interval)),
                queued,
            );
            let chain = reader.chain(id);
            same(
                &format!("chain of {name}"),
                total(chain.iter().map(|it| it.interval)),
                queued,
            );
        }
        let inside = reader.inside(id);
        if !inside.is_empty() {
            let whole = placed.interval().length();
            same(
                &format!("inside of {name}"),
                total(inside.iter().map(|it| it.interval)),
                whole,
            );
        }
        if let Some(slack) = reader.slack(id) {
            same(&format!("slack of {name}"), slack.max(Nanos::ZERO), slack);
        }
    }
    found
}

#[test]
fn all_parts_of_every_bundled_workload_add_up() {
    crate::house::program::syncline();
    for workload in bundled() {
        let mut capture = Capture::new();
        let request = RunRequest {
            name: workload.name.to_owned(),
            source: workload.source.to_owned(),
            backend: "mock".to_owned(),
            ..RunRequest::default()
        };
        let end = run(request, |records| capture.apply(records)).unwrap();
        assert_eq!(end.outcome, RunOutcome::Finished, "{}", workload.name);
        let found = complaints(&capture);
        assert!(found.is_empty(), "{}: {found:#?}", workload.name);
    }
}

#[test]
fn all_parts_of_captures_of_other_tools_add_up() {
    for name in crate::semantics::causes::CAPTURES {
        let Some(path) = crate::formats::real::path(name) else {
            continue;
        };
        let (capture, _) = crate::formats::real::open(&[path]);
        let found = complaints(&capture);
        assert!(found.is_empty(), "{name}: {found:#?}");
    }
}
