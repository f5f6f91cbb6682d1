//! The files of a course: those that come with the program, or those of a folder.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use super::error::LessonError;

/// The files of the bundled course.
const BUNDLED: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/lessons.rs"));
/// Bytes of a file, at most.
const MOST_BYTES: u64 = 64 << 10;
/// Files of a lesson, and lessons of a course, at most.
const MOST_FILES: usize = 200;

/// The files of a course by their paths from its folder, with `/` between the parts.
#[derive(Clone, Debug, Default)]
pub struct LessonFiles(BTreeMap<String, String>);

impl LessonFiles {
    /// Those of the course that comes with the program.
    pub fn bundled() -> Self {
        let all = BUNDLED.iter();
        Self(
            all.map(|(name, text)| ((*name).to_owned(), (*text).to_owned()))
                .collect(),
        )
    }

    /// Those of a course's folder, and of the folders in it; links are not followed.
    ///
    /// # Errors
    /// One cannot be read, is no text, or is too long; or there are too many.
    pub fn of_folder(folder: &Path) -> Result<Self, LessonError> {
        let document = folder.join("course.kdl");
        fs::symlink_metadata(&document).map_err(|error| LessonError::Io {
            path: document,
            error,
        })?;
        let mut files = BTreeMap::new();
        read_folder(folder, "", 2, &mut files)?;
        Ok(Self(files))
    }

    /// The text of a file.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }

    /// The names of the folders in which there is a lesson, in their order.
    pub fn lessons(&self) -> impl Iterator<Item = &str> {
        self.0
            .keys()
            .filter_map(|name| name.strip_suffix("/lesson.kdl"))
    }
}

fn read_folder(
    folder: &Path,
    prefix: &str,
    depth: u32,
    files: &mut BTreeMap<String, String>,
) -> Result<(), LessonError> {
    let failed = |path: &Path, error| LessonError::Io {
        path: path.to_owned(),
        error,
    };
    let (mut count, mut folders) = (0, 0);
    for entry in fs::read_dir(folder).map_err(|error| failed(folder, error))? {
        let entry = entry.map_err(|error| failed(folder, error))?;
        let (path, name) = (entry.path(), entry.file_name());
        let kind = entry.file_type().map_err(|error| failed(&path, error))?;
        let Some(name) = name.to_str() else { continue };
        let name = format!("{prefix}{name}");
        if kind.is_dir() && depth > 1 && !has_lesson(&path) {
            continue;
        }
        if kind.is_dir() && depth > 1 {
            folders += 1;
            if folders > MOST_FILES {
                let text = format!(
                    "{}: a course has at most {MOST_FILES} lessons; divide it",
                    folder.display()
                );
                return Err(LessonError::TooMuch(text));
            }
            read_folder(&path, &format!("{name}/"), depth - 1, files)?;
            continue;
        }
        let is_meant = path.extension().is_some_and(|it| it == "kdl" || it == "md");
        if !kind.is_file() || !is_meant {
            continue;
        }
        count += 1;
        if count > MOST_FILES {
            let text = format!(
                "{}: a lesson has at most {MOST_FILES} files; leave some out",
                folder.display()
            );
            return Err(LessonError::TooMuch(text));
        }
        let length = entry
            .metadata()
            .map_err(|error| failed(&path, error))?
            .len();
        if length > MOST_BYTES {
            let text = format!(
                "{}: it has {length} bytes, and a file of a lesson at most {MOST_BYTES}; shorten it",
                path.display()
            );
            return Err(LessonError::TooMuch(text));
        }
        let text = fs::read_to_string(&path).map_err(|error| failed(&path, error))?;
        files.insert(name, text);
    }
    Ok(())
}

/// Whether a folder is that of a lesson; others are not looked into.
fn has_lesson(folder: &Path) -> bool {
    fs::symlink_metadata(folder.join("lesson.kdl")).is_ok_and(|it| it.is_file())
}
