//! Lessons on the command line: exit codes, marks, and files that are never written over.

use std::io::BufRead as _;
use std::path::Path;

use app::cli::{CUT, FAILED, FINE, WRONG};
use engine::lesson::Course;

use super::{json, syncline};

/// A folder with the start text and the solution of a lesson, as `lesson start` would write them.
fn hand_ins(lesson: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let course = Course::bundled().unwrap();
    let lesson = course.lesson(lesson).unwrap();
    let texts = [("start", lesson.start()), ("right", &lesson.solutions[0])];
    for (name, text) in texts {
        let text = format!("lesson \"{}\"\n{text}", lesson.id);
        std::fs::write(folder.path().join(format!("{name}.kdl")), text).unwrap();
    }
    folder
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

#[test]
fn a_check_ends_as_the_guide_says() {
    let folder = hand_ins("first-wait");
    let (start, right) = (
        folder.path().join("start.kdl"),
        folder.path().join("right.kdl"),
    );
    let check = |more: &[&str]| syncline(&[&["lesson", "check"], more].concat());
    let (code, told, _) = check(&[text(&start)]);
    assert_eq!(code, FAILED);
    assert!(told.contains("refused (race)"), "{told}");
    let (code, told, _) = check(&[text(&right), "--runs", "2", "--lang", "zh"]);
    assert_eq!(code, FINE, "{told}");
    assert!(told.contains("缺少的等待: passed"), "{told}");
    // A lesson that is not judged there, and what is wrong.
    let course = Course::bundled().unwrap();
    let absent = course
        .lessons
        .iter()
        .find(|it| it.not_on.iter().any(|it| it.0 == "mock"));
    if let Some(lesson) = absent.filter(|it| !it.solutions.is_empty()) {
        assert_eq!(check(&[text(&right), "--lesson", &lesson.id]).0, CUT);
    }
    assert_eq!(check(&[text(&right), "--lesson", "first-weight"]).0, WRONG);
    assert_eq!(check(&[text(&folder.path().join("absent.kdl"))]).0, WRONG);
    let told = json(&["lesson", "check", text(&start), "--format", "json"]);
    assert_eq!(told["passed"], false);
    assert_eq!(told["refused_by"], "race");
    assert!(told["conditions"].as_array().unwrap().len() > 3, "{told}");
}

#[test]
fn a_start_text_is_written_once_and_is_a_workload() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("my.kdl");
    let start = ["lesson", "start", "own-lane", "-o", text(&file)];
    assert_eq!(syncline(&start).0, FINE);
    let first = std::fs::read_to_string(&file).unwrap();
    let (code, _, said) = syncline(&start);
    assert_eq!(code, WRONG);
    assert!(said.contains("not there yet"), "{said}");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), first);
    assert_eq!(syncline(&["check", text(&file)]).0, FINE);
    assert_eq!(syncline(&["run", text(&file), "--backend", "mock"]).0, FINE);
}

#[test]
fn marks_are_the_same_twice() {
    let folder = hand_ins("way-back");
    let files = ["start.kdl", "right.kdl"].map(|it| folder.path().join(it));
    let grade = |name: &str| {
        let marks = folder.path().join(name);
        let to = [
            "lesson",
            "grade",
            text(&files[0]),
            text(&files[1]),
            "-o",
            text(&marks),
        ];
        assert_eq!(syncline(&to).0, FINE);
        std::fs::read_to_string(&marks).unwrap()
    };
    let (first, second) = (grade("first.csv"), grade("second.csv"));
    assert_eq!(first, second);
    let rows: Vec<&str> = first.lines().collect();
    assert_eq!(rows.len(), 3, "{first}");
    assert!(
        rows[1].starts_with("\"start\",\"way-back\",\"1\",\"no\",\"race\","),
        "{first}"
    );
    assert_eq!(rows[2], "\"right\",\"way-back\",\"1\",\"yes\",\"\",\"\"");
}

#[test]
fn lessons_are_listed_by_chapter_in_either_language() {
    let (code, told, _) = syncline(&["lessons", "--lang", "en"]);
    assert_eq!(code, FINE);
    assert!(
        told.contains("First steps") && told.contains("first-wait"),
        "{told}"
    );
    assert!(!told.contains("\\u"), "{told}");
    assert!(syncline(&["lessons", "--lang", "zh"]).1.contains("流同步"));
    assert_eq!(
        json(&["lessons", "--format", "json"])
            .as_array()
            .unwrap()
            .len(),
        24
    );
    // What is no course is told as that, and is not searched for one.
    let folder = tempfile::tempdir().unwrap();
    let (code, _, said) = syncline(&["lessons", text(folder.path())]);
    assert_eq!(code, WRONG);
    assert!(said.contains("course.kdl"), "{said}");
}

#[test]
fn a_text_that_is_watched_is_judged_at_each_save() {
    let folder = hand_ins("first-wait");
    let file = folder.path().join("start.kdl");
    let mut watch = std::process::Command::new(crate::house::program::syncline())
        .args(["lesson", "watch", text(&file), "--lang", "en"])
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = std::io::BufReader::new(watch.stdout.take().unwrap()).lines();
    let mut until = |words: &str| {
        let found = lines.by_ref().any(|line| line.unwrap().contains(words));
        assert!(found, "{words}");
    };
    until("refused (race)");
    // What is no workload in between ends nothing.
    std::fs::write(&file, "lesson \"first-wait\"\nhost {").unwrap();
    until("refused (reads)");
    std::fs::copy(folder.path().join("right.kdl"), &file).unwrap();
    until("passed");
    assert!(watch.wait().unwrap().success());
}

/// A new course with one lesson, and the folder that both lie in.
fn new_course() -> (tempfile::TempDir, std::path::PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let course = folder.path().join("my-course");
    let (code, told, said) = syncline(&["lesson", "new", text(&course.join("01-mine"))]);
    assert_eq!(code, FINE, "{said}");
    assert!(told.contains("01-mine/solution.kdl"), "{told}");
    (folder, course)
}

#[test]
fn a_new_lesson_lacks_nothing_and_is_never_written_over() {
    let (_folder, course) = new_course();
    let check = || syncline(&["check", text(&course)]);
    let (code, told, said) = check();
    assert_eq!(code, FINE, "{said}");
    assert!(told.contains("1 lesson, judged on mock"), "{told}");
    let kept = std::fs::read_to_string(course.join("01-mine/lesson.kdl")).unwrap();
    for taken in ["01-mine", "02-mine", "Two words"] {
        let (code, _, said) = syncline(&["lesson", "new", text(&course.join(taken))]);
        assert_eq!(code, WRONG, "{taken}: {said}");
    }
    let again = std::fs::read_to_string(course.join("01-mine/lesson.kdl")).unwrap();
    assert_eq!(kept, again);
    // A second one stands behind it, and can be taken as any other.
    let second = course.join("02-second");
    assert_eq!(syncline(&["lesson", "new", text(&second)]).0, FINE);
    assert_eq!(check().0, FINE);
    let (code, told, _) = syncline(&["lesson", "next", "mine", "--course", text(&course)]);
    assert_eq!(code, FINE);
    assert!(told.starts_with("second\n"), "{told}");
    let (code, _, said) = syncline(&["lesson", "next", "second", "--course", text(&course)]);
    assert_eq!(code, WRONG);
    assert!(said.contains("the last lesson"), "{said}");
}

/// A file of a lesson, a part of it, what is put there instead, and what is said of that, at the line of the part where none is named.
type FaultyChange = (
    &'static str,
    &'static str,
    &'static str,
    Option<usize>,
    &'static str,
);

const CHANGES: [FaultyChange; 16] = [
    (
        "lesson.kdl",
        "    task {",
        "    goal {",
        Some(1),
        "`task` has no text",
    ),
    (
        "lesson.kdl",
        "hint { en",
        "hint { zh",
        None,
        "the hint has no text",
    ),
    (
        "lesson.kdl",
        "answer \"either\"",
        "answer \"none\"",
        Some(8),
        "is none of the options",
    ),
    (
        "lesson.kdl",
        "race at-most=0",
        "rase at-most=0",
        None,
        "no condition of a workload",
    ),
    (
        "lesson.kdl",
        "ordered \"kernel\" \"copy\" id",
        "ordered \"kernel\" \"other\" id",
        None,
        "other",
    ),
    (
        "lesson.kdl",
        "\"wrong-1\" because=\"race\"",
        "\"wrong-1\" because=\"rase\"",
        None,
        "no condition “rase”",
    ),
    (
        "lesson.kdl",
        "    kind \"edit\"",
        "    after \"nothing\"",
        None,
        "no lesson “nothing”",
    ),
    (
        "lesson.kdl",
        "    kind \"edit\"",
        "    kinds \"edit\"",
        None,
        "do you mean `kind`",
    ),
    (
        "lesson.kdl",
        "chapter=\"first\"",
        "chapter=\"nix\"",
        None,
        "no chapter “nix”",
    ),
    (
        "lesson.kdl",
        "race \"x\" at-least=1",
        "race \"x\" at-most=0",
        Some(8),
        "does not show",
    ),
    (
        "start.kdl",
        "    fill",
        "    synchronize-device\n    fil",
        Some(9),
        "fil",
    ),
    (
        "solution.kdl",
        "    wait \"written\" on=\"copies\"\n",
        "",
        Some(1),
        "a solution is refused (race)",
    ),
    (
        "wrong-1.kdl",
        "wait \"written\" on=\"compute\"",
        "wait \"written\" on=\"copies\"",
        Some(1),
        "it passes",
    ),
    (
        "wrong-2.kdl",
        "    synchronize-stream \"compute\"\n",
        "",
        Some(1),
        "because of “race” and not of “host-waits”",
    ),
    (
        "../course.kdl",
        "    title { en \"My course\" }\n",
        "",
        Some(1),
        "the course has no title",
    ),
    (
        "../course.kdl",
        "chapter \"first\"",
        "chapter \"extra\"\n chapter \"first\"",
        None,
        "no lesson is in the chapter",
    ),
];

#[test]
fn what_a_course_lacks_is_told_at_its_line() {
    for (file, part, instead, line, says) in CHANGES {
        let (_folder, course) = new_course();
        let path = course.join("01-mine").join(file);
        let whole = std::fs::read_to_string(&path).unwrap();
        let at = whole
            .find(part)
            .unwrap_or_else(|| panic!("{file} has no {part}"));
        std::fs::write(&path, whole.replacen(part, instead, 1)).unwrap();
        let (code, told, said) = syncline(&["check", text(&course)]);
        assert_eq!(code, WRONG, "{file}: {instead}: {told}");
        let own = 1 + whole[..at].matches('\n').count();
        let name = file.trim_start_matches("../");
        let place = format!("{name}:{}: ", line.unwrap_or(own));
        let is_told = said
            .lines()
            .any(|it| it.contains(&place) && it.contains(says));
        assert!(is_told, "{file}: {instead}: {place}{says}: {said}");
    }
    for file in ["wrong-1.kdl", "text.en.md", "start.kdl"] {
        let (_folder, course) = new_course();
        std::fs::remove_file(course.join("01-mine").join(file)).unwrap();
        let (code, _, said) = syncline(&["check", text(&course)]);
        assert_eq!(code, WRONG, "{file}");
        assert!(
            said.contains(&format!("{file}:1: there is no")),
            "{file}: {said}"
        );
    }
}

#[test]
fn a_sheet_has_a_lane_for_each_host_and_stream() {
    let course = Course::bundled().unwrap();
    for lesson in &course.lessons {
        let sheet = |more: &[&str]| {
            let (code, page, said) = syncline(&[&["lesson", "sheet", &lesson.id], more].concat());
            assert_eq!(code, FINE, "{}: {said}", lesson.id);
            page
        };
        let page = sheet(&["--lang", "en"]);
        let is_declared =
            |line: &&str| line.starts_with("stream \"") || line.starts_with("host \"");
        let declared = lesson.start().lines().filter(is_declared).count();
        assert!(declared >= 2, "{}: {declared}", lesson.id);
        let lanes = page.matches("<text ").count();
        assert!(lanes >= declared, "{}: {lanes} of {declared}", lesson.id);
        assert_eq!(page.matches("<svg ").count(), 1, "{}", lesson.id);
        assert!(!page.contains('☒') && page.contains('☐'), "{}", lesson.id);
        let chinese = sheet(&["--lang", "zh"]);
        assert!(
            chinese.contains("<h2>任务</h2>") && !chinese.contains("<h2>Task"),
            "{}",
            lesson.id
        );
    }
}

#[test]
fn a_sheet_shows_the_solution_only_where_asked() {
    let course = Course::bundled().unwrap();
    let lesson = course.lesson("first-wait").unwrap();
    let (_, page, _) = syncline(&["lesson", "sheet", "first-wait", "--lang", "en"]);
    let wait = "wait &quot;ready&quot; on=&quot;compute&quot;";
    assert!(!page.contains(wait) && lesson.solutions[0].contains("wait \"ready\" on=\"compute\""));
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("sheet.html");
    let to = [
        "lesson",
        "sheet",
        "first-wait",
        "--answers",
        "--lang",
        "en",
        "-o",
        text(&file),
    ];
    assert_eq!(syncline(&to).0, FINE);
    let page = std::fs::read_to_string(&file).unwrap();
    assert!(page.contains(wait) && page.matches('☒').count() == 1);
    // The picture is that of a run: the lanes and what was called on them.
    for shown in [">copy</text>", ">compute</text>", "kernel"] {
        assert!(page.contains(shown), "{shown}");
    }
    assert_eq!(syncline(&to).0, WRONG);
}
