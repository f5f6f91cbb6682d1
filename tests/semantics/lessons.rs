//! The lessons: each is judged as it says of its own texts, on every backend that it is for, and lacks nothing. No test is
//! edited for a new lesson.

use std::collections::BTreeSet;
use std::thread;

use engine::lesson::{Course, IMPLIED_CONDITIONS, Lesson, LessonKind, LocalizedText, TextLanguage};

use crate::semantics::conformance::backends;

/// How often each text is judged on each backend, where another number than 1 is asked for.
const RUNS: &str = "SYNCLINE_LESSONS";

/// Words of a lesson's text, at most.
const MOST_WORDS: usize = 120;

fn edited() -> Vec<Lesson> {
    let course = Course::bundled().unwrap();
    let lessons = course.lessons.into_iter();
    lessons.filter(|it| it.kind == LessonKind::Edit).collect()
}

fn is_for(lesson: &Lesson, backend: &str) -> bool {
    lesson.not_on.iter().all(|(name, _)| name != backend)
}

/// What is wrong with how a text is judged, where it has to pass or to be refused by this.
fn complaint(
    lesson: &Lesson,
    (name, text): (&str, &str),
    because: Option<&str>,
    backend: &str,
) -> Option<String> {
    let judged = lesson.judge(text, backend).unwrap();
    let place = format!("{} {name} on {backend}", lesson.id);
    // A pace that was not kept leaves times unjudged, and no more.
    let found = judged.refused_by.as_deref();
    match (because, found) {
        (None, None) => None,
        (Some(because), Some(found)) if because == found || because.is_empty() => None,
        _ => {
            let says = judged.says.get(TextLanguage::English);
            Some(format!(
                "{place}: {found:?} in place of {because:?}: {says}"
            ))
        }
    }
}

/// Everything that is judged otherwise than a lesson says, on a backend.
fn complaints(lesson: &Lesson, backend: &str) -> Vec<String> {
    if !is_for(lesson, backend) {
        return Vec::new();
    }
    let start = ("start", lesson.start());
    let mut found: Vec<String> = complaint(lesson, start, Some(""), backend)
        .into_iter()
        .collect();
    for text in &lesson.solutions {
        found.extend(complaint(lesson, ("solution", text), None, backend));
    }
    for it in &lesson.refused {
        let text = (&*it.name, &*it.text);
        found.extend(complaint(lesson, text, Some(&it.because), backend));
    }
    found
}

fn judge_all(backend: &'static str, at_once: usize) {
    if !backends().iter().any(|it| it.name() == backend) {
        eprintln!("skipped: {backend} does not open here");
        return;
    }
    let runs = std::env::var(RUNS)
        .ok()
        .and_then(|it| it.parse().ok())
        .unwrap_or(1);
    let lessons = edited();
    assert!(lessons.len() > 20, "{}", lessons.len());
    let mut found = Vec::new();
    for _ in 0..runs {
        for some in lessons.chunks(at_once) {
            thread::scope(|scope| {
                let threads = some
                    .iter()
                    .map(|it| scope.spawn(|| complaints(it, backend)));
                let threads: Vec<_> = threads.collect();
                found.extend(threads.into_iter().flat_map(|it| it.join().unwrap()));
            });
        }
    }
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn lessons_are_judged_as_they_say_on_mock() {
    judge_all("mock", 2);
}

#[test]
fn lessons_are_judged_as_they_say_on_cpu() {
    judge_all("cpu", 1);
}

#[test]
fn lessons_are_judged_as_they_say_on_wgpu() {
    judge_all("wgpu", 1);
}

#[test]
fn lessons_are_judged_as_they_say_on_the_paced_device() {
    judge_all("paced", 8);
}

#[test]
fn what_a_run_shows_of_a_prediction_is_so_on_every_backend_that_the_lesson_is_for() {
    for lesson in edited() {
        for backend in ["mock", "cpu"].into_iter().filter(|it| is_for(&lesson, it)) {
            let shown = lesson.predicted(backend).unwrap();
            let shown = shown.unwrap_or_else(|| panic!("{} asks for no prediction", lesson.id));
            let says = shown.says.get(TextLanguage::English);
            assert!(shown.holds, "{} on {backend}: {says}", lesson.id);
        }
    }
}

/// Each sentence of a lesson that a learner reads.
fn sentences(lesson: &Lesson) -> Vec<(String, &LocalizedText)> {
    let mut all = vec![
        ("title", &lesson.title),
        ("goal", &lesson.goal),
        ("task", &lesson.task),
        ("text", &lesson.text),
        ("cures", &lesson.cures.1),
        ("question", &lesson.question),
        ("look-at", &lesson.look_at),
        ("learned", &lesson.learned),
    ];
    all.extend(lesson.hints.iter().map(|it| ("hint", it)));
    all.extend(lesson.answer.iter().map(|it| ("answer", &it.1)));
    let mut all: Vec<_> = all
        .into_iter()
        .map(|(name, it)| (name.to_owned(), it))
        .collect();
    if let Some(prediction) = &lesson.prediction {
        all.push(("ask".to_owned(), &prediction.ask));
        all.extend(
            prediction
                .options
                .iter()
                .map(|it| (it.id.clone(), &it.says)),
        );
        all.extend(
            prediction
                .shown
                .iter()
                .map(|it| ("shown".to_owned(), &it.says)),
        );
    }
    all.extend(lesson.conditions.iter().map(|it| (it.id.clone(), &it.says)));
    all
}

#[test]
fn lessons_lack_no_sentence_in_either_language() {
    let course = Course::bundled().unwrap();
    assert_eq!(course.lessons.len(), 24);
    let ids: BTreeSet<&str> = course.lessons.iter().map(|it| it.id.as_str()).collect();
    assert_eq!(ids.len(), 24);
    for lesson in &course.lessons {
        for (name, text) in sentences(lesson) {
            let missing: Vec<_> = text.missing().collect();
            assert!(missing.is_empty(), "{} {name}: {missing:?}", lesson.id);
            for language in TextLanguage::ALL {
                assert!(
                    !text.get(language).trim().is_empty(),
                    "{} {name}",
                    lesson.id
                );
            }
        }
    }
}

/// The bundled course lacks nothing that `check` asks of anybody's.
#[test]
fn the_bundled_course_passes_its_own_acceptance() {
    let faults = Course::bundled().unwrap().faults("mock");
    assert!(faults.is_empty(), "{faults:#?}");
}

#[test]
fn lessons_are_short_and_name_what_is_there() {
    let course = Course::bundled().unwrap();
    let ids: BTreeSet<&str> = course.lessons.iter().map(|it| it.id.as_str()).collect();
    for lesson in &course.lessons {
        let words = lesson
            .text
            .get(TextLanguage::English)
            .split_whitespace()
            .count();
        assert!(words <= MOST_WORDS, "{}: {words} words", lesson.id);
        for before in &lesson.after {
            assert!(
                ids.contains(before.as_str()) || before == "–",
                "{} after {before}",
                lesson.id
            );
        }
        let prediction = lesson.prediction.as_ref().unwrap();
        let mut options = prediction.options.iter();
        assert!(
            options.any(|it| it.id == prediction.answer),
            "{}",
            lesson.id
        );
    }
}

#[test]
fn conditions_of_a_lesson_have_ids_and_sentences_of_their_own() {
    for lesson in edited() {
        let ids: BTreeSet<&str> = lesson.conditions.iter().map(|it| it.id.as_str()).collect();
        let says = lesson
            .conditions
            .iter()
            .map(|it| it.says.get(TextLanguage::English));
        let says: BTreeSet<&str> = says.collect();
        assert_eq!(ids.len(), lesson.conditions.len(), "{}", lesson.id);
        assert_eq!(says.len(), lesson.conditions.len(), "{}", lesson.id);
        assert!(lesson.refused.len() > 1, "{}", lesson.id);
        for refused in &lesson.refused {
            let because = refused.because.as_str();
            let is_known = ids.contains(because) || IMPLIED_CONDITIONS.contains(&because);
            assert!(is_known, "{} {}: {because}", lesson.id, refused.name);
        }
    }
}

/// What is tried, the parts of a text that are replaced, and what refuses it.
type TriedCheat = (
    &'static str,
    &'static [(&'static str, &'static str)],
    &'static str,
);

/// What is tried to pass a lesson without doing what it asks: the text that is changed, and what refuses it.
const CHEATS: [TriedCheat; 11] = [
    (
        "its own expectations",
        &[(
            "host \"main\" {",
            "expect { each \"y\" equals=\"0\" }\nhost \"main\" {",
        )],
        "race",
    ),
    (
        "a copy stream that is not busy",
        &[(
            "param \"slow\" 20000 min=5000",
            "param \"slow\" 5000 min=5000",
        )],
        "may-change",
    ),
    (
        "waits that are inserted",
        &[(
            "event \"ready\"\n",
            "event \"ready\"\nsynchronization \"automatic\"\n",
        )],
        "may-change",
    ),
    (
        "a legacy stream",
        &[(
            "stream \"compute\"\n",
            "stream \"compute\" kind=\"legacy\"\n",
        )],
        "may-change",
    ),
    (
        "both on one stream",
        &[("on=\"compute\"", "on=\"copy\"")],
        "kernel-place",
    ),
    (
        "a barrier",
        &[(
            "label=\"upload\"\n",
            "label=\"upload\"\n    barrier on=\"compute\"\n",
        )],
        "may-add",
    ),
    (
        "a delay before the kernel",
        &[(
            "label=\"upload\"\n",
            "label=\"upload\"\n    launch \"spin\" on=\"compute\" { set \"micros\" 60000 }\n",
        )],
        "keep-work",
    ),
    (
        "a host that sleeps",
        &[(
            "label=\"upload\"\n",
            "label=\"upload\"\n    work micros=60000\n",
        )],
        "keep-work",
    ),
    (
        "no kernel, but its numbers",
        &[(
            "launch \"scale\" on=\"compute\" label=\"kernel\" { read \"x\"; write \"y\"; set \"a\" 2 }",
            "fill \"y\" value=2 on=\"compute\" label=\"kernel\"",
        )],
        "keep-work",
    ),
    (
        "a signal of another host thread",
        &[
            ("host \"main\" {", "signal \"go\"\nhost \"main\" {"),
            (
                "label=\"upload\"\n",
                "label=\"upload\"\n    hold \"go\" on=\"compute\"\n    signal \"go\"\n",
            ),
        ],
        "may-change",
    ),
    (
        "a label that moved",
        &[(
            "label=\"upload\"\n",
            "\n    record \"ready\" on=\"copy\" label=\"upload\"\n",
        )],
        "labels",
    ),
];

#[test]
fn what_goes_around_a_lesson_is_refused() {
    let course = Course::bundled().unwrap();
    let lesson = course.lesson("first-wait").unwrap();
    for (what, changes, because) in CHEATS {
        let mut text = lesson.start().to_owned();
        for (old, new) in changes {
            assert!(text.contains(old), "{what}: {old}");
            text = text.replace(old, new);
        }
        let judged = lesson.judge(&text, "mock").unwrap();
        let says = judged.says.get(TextLanguage::English);
        assert_eq!(
            judged.refused_by.as_deref(),
            Some(because),
            "{what}: {says}"
        );
    }
}

#[test]
fn another_layout_of_what_is_locked_is_no_change() {
    let course = Course::bundled().unwrap();
    let lesson = course.lesson("first-wait").unwrap();
    let solution = &lesson.solutions[0];
    let text = solution.replace("stream \"compute\"", "  stream   \"compute\"  // the other");
    let text = format!(
        "lesson \"first-wait\"\n{}",
        text.replace("buffer \"y\" f32=\"n\"", "buffer \"y\" \\\n    f32=\"n\"")
    );
    let judged = lesson.judge(&text, "mock").unwrap();
    assert!(judged.passed, "{}", judged.says.get(TextLanguage::English));
}

/// Records that nothing is ordered by in their solutions: only the host reads how far the stream has come.
const OF_THE_HOST: &str = "no-stutter";

#[test]
fn a_solution_without_one_of_its_records_or_waits_is_none() {
    let (mut refused, mut passed) = (0, Vec::new());
    for lesson in edited() {
        for solution in &lesson.solutions {
            let lines: Vec<&str> = solution.lines().collect();
            for (place, line) in lines.iter().enumerate() {
                let call = line.trim_start();
                let is_of_order = ["record ", "wait ", "wait-stream "]
                    .iter()
                    .any(|it| call.starts_with(it));
                if !is_of_order {
                    continue;
                }
                let mut rest = lines.clone();
                rest.remove(place);
                if lesson.judge(&rest.join("\n"), "mock").unwrap().passed {
                    passed.push((lesson.id.clone(), call.to_owned()));
                } else {
                    refused += 1;
                }
            }
        }
    }
    passed.retain(|(id, call)| id != OF_THE_HOST || !call.starts_with("record "));
    assert!(passed.is_empty(), "{passed:?}");
    assert!(refused > 50, "{refused}");
}
