//! Seeds draw lengths in virtual time: another order, the same for one seed, and never other numbers or other races.

use std::collections::BTreeSet;

use engine::capture::{Capture, text};
use engine::lesson::{Course, TextLanguage, new_lesson};
use engine::record::{Record, RunOutcome, SpanKind};
use engine::runner::{RunRequest, run};
use engine::workload::{bundled, kdl};

/// What is expected of numbers and of what is enforced, whatever the times are.
const TIMELESS: [&str; 7] = [
    "each",
    "sum",
    "ordered",
    "apart",
    "host-knows",
    "settles",
    "on",
];

fn records(name: &str, source: &str, seed: Option<u64>) -> Vec<Record> {
    let request = RunRequest {
        name: name.to_owned(),
        source: source.to_owned(),
        backend: "mock".to_owned(),
        seed,
        ..RunRequest::default()
    };
    let mut all = Vec::new();
    run(request, |batch| all.extend(batch)).unwrap();
    all
}

fn capture(records: Vec<Record>) -> Capture {
    let mut capture = Capture::new();
    capture.apply(records);
    capture
}

/// The pairs of lines that race in a run, whichever came first.
fn races(capture: &Capture) -> BTreeSet<Vec<u32>> {
    let found = capture.findings().iter().filter(|it| it.code == "race");
    let lines = found.map(|it| {
        let mut lines = it.lines.clone();
        lines.sort_unstable();
        lines
    });
    lines.collect()
}

/// Whether the calls of a workload are the same whatever its times are: no loss at a time, no query that is acted on, no limit
/// to a wait.
fn is_free_of_times(source: &str) -> bool {
    let words = [
        "try",
        "lose-device",
        "timeout",
        "settle-any",
        "elapsed",
        "acquire",
        "machine",
        "cancel",
    ];
    !words.iter().any(|it| source.contains(it))
}

#[test]
fn a_seed_gives_another_order_and_the_same_numbers() {
    let (mut compared, mut others) = (0, 0);
    for workload in bundled() {
        if workload.source.contains("placement") || !is_free_of_times(workload.source) {
            continue;
        }
        let plain = records(workload.name, workload.source, None);
        for seed in [1, 2, 77, u64::MAX] {
            let drawn = records(workload.name, workload.source, Some(seed));
            // Findings come whenever the engine has looked: what they are is compared, and not between which records.
            let again = records(workload.name, workload.source, Some(seed));
            let told = text(&capture(drawn.clone()));
            assert_eq!(
                told,
                text(&capture(again)),
                "{} with seed {seed} is not the same again",
                workload.name
            );
            others += usize::from(told != text(&capture(plain.clone())));
            compared += 1;
            let (first, second) = (capture(plain.clone()), capture(drawn));
            let verdicts = second.expectations().iter();
            let wrong: Vec<_> = verdicts
                .filter(|it| TIMELESS.iter().any(|word| it.text.starts_with(word)))
                .zip(
                    first
                        .expectations()
                        .iter()
                        .filter(|it| TIMELESS.iter().any(|word| it.text.starts_with(word))),
                )
                .filter(|(drawn, plain)| drawn.holds != plain.holds)
                .collect();
            assert!(
                wrong.is_empty(),
                "{} with seed {seed}: {wrong:#?}",
                workload.name
            );
            let ended = |it: &Capture| it.end().map(|it| it.outcome == RunOutcome::Finished);
            assert_eq!(ended(&first), ended(&second), "{}", workload.name);
            assert_eq!(
                races(&first),
                races(&second),
                "{} with seed {seed}",
                workload.name
            );
        }
    }
    assert!(
        compared > 80 && others * 10 > compared * 9,
        "{others} of {compared}"
    );
}

#[test]
fn seeds_draw_orders_in_which_either_of_two_kernels_ends_first() {
    let source = "stream \"a\"\nstream \"b\"\nhost \"main\" { launch \"spin\" on=\"a\" label=\"one\" { set \"micros\" 100 }; launch \"spin\" on=\"b\" label=\"two\" { set \"micros\" 100 }; synchronize-device }";
    assert!(kdl::parse(source).is_ok());
    let firsts: BTreeSet<u32> = (0..20)
        .map(|seed| {
            let capture = capture(records("two", source, Some(seed)));
            let kernels = capture
                .spans()
                .filter(|it| it.span.kind == SpanKind::Kernel);
            let first = kernels.min_by_key(|it| it.span.end).unwrap();
            first.span.lane.0
        })
        .collect();
    assert_eq!(firsts.len(), 2);
}

#[test]
fn a_seed_is_for_virtual_time_alone() {
    let request = RunRequest {
        source: bundled()[0].source.to_owned(),
        backend: "cpu".to_owned(),
        seed: Some(1),
        ..RunRequest::default()
    };
    let refused = run(request, |_| ()).unwrap_err();
    assert!(refused.contains("run on mock"), "{refused}");
}

/// A host thread that waits for the kernel, for so long, and does something else after that.
const PATIENT: &str = r#"
host "main" {
    fill "x" value=7 on="compute" label="kernel"
    record "written" on="compute"
    try { synchronize-event "written" timeout-micros=5 }
    catch "timed-out" { THEN }
    copy "x" "y" on="copies" label="copy"
    download "y" on="copies"
    synchronize-device
}
"#;

#[test]
fn a_text_that_is_right_in_the_likeliest_order_alone_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let files = new_lesson(None, "01-two").unwrap();
    let start = files.iter().find(|it| it.name.ends_with("start.kdl"));
    let declared = start.unwrap().text.split("host ").next().unwrap();
    let of = |then: &str| format!("{declared}{}", PATIENT.replace("THEN", then));
    let (lucky, right) = (of(""), of("wait \"written\" on=\"copies\""));
    for file in &files {
        let path = folder.path().join(&file.name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        let lesson = file
            .text
            .replace("host-waits at-most=1", "host-waits at-most=2");
        let text = match file.name.rsplit('/').next() {
            Some("start.kdl") => &lucky,
            Some("solution.kdl") => &right,
            _ => &lesson,
        };
        std::fs::write(path, text).unwrap();
    }
    let course = Course::open(folder.path()).unwrap();
    let lesson = course.lesson("two").unwrap();
    let judge = |text: &str| {
        let judged = lesson.judge(text, "mock").unwrap();
        let says = judged.says.get(TextLanguage::English).to_owned();
        (judged.refused_by, says)
    };
    let (refused, says) = judge(&lucky);
    assert!(says.contains("--seed"), "{refused:?}: {says}");
    assert!(refused.is_some_and(|it| ["race", "ordered", "numbers"].contains(&&*it)));
    let (refused, says) = judge(&right);
    assert_eq!(refused, None, "{says}");
}
