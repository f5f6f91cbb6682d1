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
