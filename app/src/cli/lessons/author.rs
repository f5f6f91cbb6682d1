//! For who writes a course: the files of a new lesson, and what a course lacks.

use std::fs;
use std::io::Write as _;
use std::path::Path;

use engine::lesson::{Course, LessonError, NewFile, new_lesson};

use crate::cli::{CliFailure, FINE, OutputStreams, WRONG};

/// The file that makes a folder one of a course.
const COURSE: &str = "course.kdl";

/// Writes a new lesson into the folder `path`, such as `my-course/06-mine`, and the course where there is none yet. What is there
/// stays as it is.
pub(super) fn new(path: &Path, streams: &mut OutputStreams<'_>) -> Result<u8, CliFailure> {
    let parent = path.parent().filter(|it| !it.as_os_str().is_empty());
    let root = parent.unwrap_or(Path::new("."));
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let has_course = root.join(COURSE).exists();
    let course = if has_course {
        Some(Course::open(root)?)
    } else {
        None
    };
    if path.exists() {
        let text = format!(
            "{} is there already: name a folder that is not",
            path.display()
        );
        return Err(CliFailure::Wrong(text));
    }
    let files = new_lesson(course.as_ref(), &name).map_err(CliFailure::Wrong)?;
    write(root, path, &files, streams)?;
    let root = root.display();
    writeln!(
        streams.out,
        "syncline check {root} says what a course lacks"
    )?;
    Ok(FINE)
}

/// Writes the files of a lesson whose folder is `path`, in the folder `root` of its course, none over one that is there.
fn write(
    root: &Path,
    path: &Path,
    files: &[NewFile],
    streams: &mut OutputStreams<'_>,
) -> Result<(), CliFailure> {
    let failed = |path: &Path, error: &std::io::Error| {
        let path = path.display();
        CliFailure::Wrong(format!(
            "{path} was not written: {error}; choose a folder that you may write to"
        ))
    };
    fs::create_dir_all(path).map_err(|error| failed(path, &error))?;
    for file in files {
        let to = root.join(&file.name);
        let made = fs::File::create_new(&to);
        let made = made.and_then(|mut it| it.write_all(file.text.as_bytes()));
        made.map_err(|error| failed(&to, &error))?;
        writeln!(streams.out, "{}", to.display())?;
    }
    Ok(())
}

/// Whether a folder is one of a course.
pub(in crate::cli) fn is_course(path: &Path) -> bool {
    path.is_dir() && path.join(COURSE).exists()
}

/// The backend on which a course's own texts are judged: it is everywhere the same.
const CHECKED_ON: &str = "mock";

/// Says what the course in a folder lacks, each fault at its line.
pub(in crate::cli) fn check(
    path: &Path,
    streams: &mut OutputStreams<'_>,
) -> Result<u8, CliFailure> {
    let course = match Course::open(path) {
        Ok(course) => course,
        Err(error) => {
            let text = match error {
                LessonError::Document { file, line, what } => {
                    format!("{}:{line}: {what}", path.join(file).display())
                }
                other => other.to_string(),
            };
            writeln!(streams.err, "{text}")?;
            return Ok(WRONG);
        }
    };
    let faults = course.faults(CHECKED_ON);
    for fault in &faults {
        let file = path.join(&fault.file);
        writeln!(
            streams.err,
            "{}:{}: {}",
            file.display(),
            fault.line,
            fault.what
        )?;
    }
    if !faults.is_empty() {
        return Ok(WRONG);
    }
    pass(&course, path, streams)?;
    Ok(FINE)
}

/// Says that a course lacks nothing, and which of its lessons could not be judged.
fn pass(course: &Course, path: &Path, streams: &mut OutputStreams<'_>) -> Result<(), CliFailure> {
    let count = course.lessons.len();
    let lessons = if count == 1 { "lesson" } else { "lessons" };
    writeln!(
        streams.out,
        "{}: nothing is wrong with it: {count} {lessons}, judged on {CHECKED_ON} as they say",
        path.display()
    )?;
    for lesson in &course.lessons {
        if let Some((_, why)) = lesson.not_on.iter().find(|it| it.0 == CHECKED_ON) {
            writeln!(
                streams.out,
                "{}: not judged on {CHECKED_ON}: {why}",
                lesson.folder
            )?;
        }
    }
    Ok(())
}
