//! A course: chapters, and the lessons in them.

use std::path::Path;

use workload::kdl::KdlNode;

use super::document::{Lesson, line_of, parsed, wrong};
use super::error::LessonError;
use super::files::LessonFiles;
use super::texts::LocalizedText;

/// A course.
#[derive(Clone, Debug)]
pub struct Course {
    /// Its id.
    pub id: String,
    /// Its version: a hand-in is marked by the one that it was written for.
    pub version: u32,
    /// Its name for people.
    pub title: LocalizedText,
    /// Its chapters, in their order.
    pub chapters: Vec<CourseChapter>,
    /// Its lessons, in the order in which they are best read.
    pub lessons: Vec<Lesson>,
}

/// A chapter.
#[derive(Clone, Debug)]
pub struct CourseChapter {
    /// The line of the course's file at which it begins.
    pub line: usize,
    /// Its id.
    pub id: String,
    /// Its name for people.
    pub title: LocalizedText,
}

/// The file that describes a course.
pub(crate) const DOCUMENT: &str = "course.kdl";

impl Course {
    /// The course that comes with the program.
    ///
    /// # Errors
    /// One of its files is wrong, which a test finds.
    pub fn bundled() -> Result<Self, LessonError> {
        Self::of(&LessonFiles::bundled())
    }

    /// The course in a folder.
    ///
    /// # Errors
    /// A file cannot be read, or is wrong, which is said with its line.
    pub fn open(folder: &Path) -> Result<Self, LessonError> {
        Self::of(&LessonFiles::of_folder(folder)?)
    }

    /// The course of these files.
    ///
    /// # Errors
    /// One of them is missing or wrong, which is said with its line.
    pub fn of(files: &LessonFiles) -> Result<Self, LessonError> {
        let text = files.get(DOCUMENT).ok_or_else(|| {
            let what =
                "there is none; write course \"my-course\" version=1 with its title and chapters";
            wrong(DOCUMENT, 1, what)
        })?;
        let document = parsed(DOCUMENT, text)?;
        let course = document.iter().find(|it| it.name == "course");
        let course = course.ok_or_else(|| {
            let what =
                "there is no node `course`; begin it with course \"my-course\" version=1 { … }";
            wrong(DOCUMENT, 1, what)
        })?;
        let mut chapters = Vec::new();
        let inside = course.inside();
        for node in inside.iter().filter(|it| it.name == "chapter") {
            let title = node.inside().iter().find(|it| it.name == "title");
            chapters.push(CourseChapter {
                line: line_of(text, node.range.start),
                id: argument(node).unwrap_or_default().to_owned(),
                title: title.map(LocalizedText::of).unwrap_or_default(),
            });
        }
        let title = inside.iter().find(|it| it.name == "title");
        let mut lessons = Vec::new();
        for folder in files.lessons() {
            lessons.push(Lesson::read(files, folder)?);
        }
        lessons.sort_by_key(|it| it.order);
        for lesson in &lessons {
            if !chapters.iter().any(|it| it.id == lesson.chapter) {
                let file = format!("{}/lesson.kdl", lesson.folder);
                let known: Vec<&str> = chapters.iter().map(|it| &*it.id).collect();
                let what = format!(
                    "the course has no chapter “{}”; name one of those in {DOCUMENT} ({}), or add it there",
                    lesson.chapter,
                    known.join(", ")
                );
                return Err(wrong(&file, lesson.line_of(""), what));
            }
        }
        let version = course
            .property("version")
            .and_then(|it| it.value.as_integer());
        Ok(Self {
            id: argument(course).unwrap_or_default().to_owned(),
            version: version.and_then(|it| u32::try_from(it).ok()).unwrap_or(1),
            title: title.map(LocalizedText::of).unwrap_or_default(),
            chapters,
            lessons,
        })
    }

    /// The lesson of an id.
    ///
    /// # Errors
    /// There is none; the nearest is named.
    pub fn lesson(&self, id: &str) -> Result<&Lesson, LessonError> {
        let found = self.lessons.iter().find(|it| it.id == id);
        found.ok_or_else(|| {
            let near = self
                .lessons
                .iter()
                .map(|it| (strsim::jaro(&it.id, id), &it.id));
            let near = near
                .filter(|it| it.0 > 0.75)
                .max_by(|a, b| a.0.total_cmp(&b.0));
            let near = near.map(|it| format!("{id} (do you mean {}?)", it.1));
            LessonError::Unknown(near.unwrap_or_else(|| id.to_owned()))
        })
    }
}

/// The first argument of a node, where it is a text.
pub(crate) fn argument(node: &KdlNode) -> Option<&str> {
    node.argument(0)?.value.as_text()
}
