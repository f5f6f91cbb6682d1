//! The files of a new lesson: one that is whole and can be judged, to be changed piece by piece.

use super::course::{Course, DOCUMENT};

/// A file that a new lesson begins with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewFile {
    /// Its path from the course's folder, with `/` between the parts.
    pub name: String,
    /// What stands in it.
    pub text: String,
}

/// The file of a new course.
const COURSE: &str = include_str!("../../../assets/lesson-skeleton/course.kdl");
/// The file of a new lesson, with words to replace.
const LESSON: &str = include_str!("../../../assets/lesson-skeleton/lesson.kdl");
/// The other files of a new lesson.
const OTHERS: [(&str, &str); 5] = [
    (
        "text.en.md",
        include_str!("../../../assets/lesson-skeleton/text.en.md"),
    ),
    (
        "start.kdl",
        include_str!("../../../assets/lesson-skeleton/start.kdl"),
    ),
    (
        "solution.kdl",
        include_str!("../../../assets/lesson-skeleton/solution.kdl"),
    ),
    (
        "wrong-1.kdl",
        include_str!("../../../assets/lesson-skeleton/wrong-1.kdl"),
    ),
    (
        "wrong-2.kdl",
        include_str!("../../../assets/lesson-skeleton/wrong-2.kdl"),
    ),
];

/// The id of the lesson in a folder: its name without the number before it.
fn lesson_id(folder: &str) -> Result<&str, String> {
    let id = folder.trim_start_matches(|c: char| c.is_ascii_digit() || c == '-');
    let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    if id.is_empty() || !folder.chars().all(is_plain) {
        return Err(format!(
            "a lesson cannot be called “{folder}”: use small letters, digits and hyphens, such as 06-my-lesson"
        ));
    }
    Ok(id)
}

/// The files of a new lesson in the folder `folder` of a course, such as `06-mine`, which is called as the folder is without its
/// number; and the course's own where there is no course yet. It is in the last chapter, behind every other lesson.
///
/// # Errors
/// Why no lesson can be called so.
pub fn new_lesson(course: Option<&Course>, folder: &str) -> Result<Vec<NewFile>, String> {
    let id = lesson_id(folder)?;
    let lessons = course.map_or(&[][..], |it| &it.lessons);
    if let Some(other) = lessons.iter().find(|it| it.id == id) {
        return Err(format!(
            "the lesson in {} is called “{id}” already: choose another name",
            other.folder
        ));
    }
    let chapter = course.and_then(|it| it.chapters.last());
    let chapter = chapter.map_or("first", |it| &it.id);
    let order = lessons.iter().map(|it| it.order).max().unwrap_or(0);
    let order = order.saturating_add(1).to_string();
    let file = |name: &str, text: &str| NewFile {
        name: name.to_owned(),
        text: text.to_owned(),
    };
    let lesson = LESSON
        .replacen("ID", id, 1)
        .replacen("CHAPTER", chapter, 1)
        .replacen("ORDER", &order, 1);
    let mut files = Vec::new();
    if course.is_none() {
        files.push(file(DOCUMENT, COURSE));
    }
    files.push(file(&format!("{folder}/lesson.kdl"), &lesson));
    let others = OTHERS.iter();
    files.extend(others.map(|(name, text)| file(&format!("{folder}/{name}"), text)));
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_lessons_are_plain() {
        for name in ["06", "", "../up", "a b", "ä", "Ab", "06-"] {
            assert!(new_lesson(None, name).is_err(), "{name}");
        }
        let files = new_lesson(None, "06-mine").unwrap();
        assert_eq!(files[0].name, "course.kdl");
        assert!(
            files[1].text.starts_with("lesson \"mine\" "),
            "{}",
            files[1].text
        );
    }
}
