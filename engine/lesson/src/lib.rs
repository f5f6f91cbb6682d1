//! Lessons on stream synchronisation: folders of texts and workloads, and the check of what a learner hands in.
//!
//! A lesson is data. It names no file outside of its folder and runs nothing but its workloads, which obey the limits of
//! every workload. A hand-in is judged by what its text enforces, and not by the times or the numbers that one run came to.
//!
//! ```
//! use lesson::Course;
//!
//! let course = Course::bundled().unwrap();
//! let lesson = course.lesson("first-wait").unwrap();
//! let judgement = lesson.judge(lesson.start(), "mock").unwrap();
//! assert_eq!(judgement.refused_by.as_deref(), Some("race"));
//! ```

mod acceptance;
mod conditions;
mod course;
mod document;
mod error;
mod files;
mod judgement;
mod operations;
mod other_orders;
mod skeleton;
mod static_check;
mod texts;

pub use acceptance::{CourseFault, IMPLIED_CONDITIONS};
pub use conditions::{Condition, ConditionResult};
pub use course::{Course, CourseChapter};
pub use document::{Lesson, LessonKind, Prediction, PredictionOption, RefusedText};
pub use error::LessonError;
pub use files::LessonFiles;
pub use judgement::{JudgedPrediction, Judgement};
pub use skeleton::{NewFile, new_lesson};
pub use texts::{LocalizedText, TextLanguage};
