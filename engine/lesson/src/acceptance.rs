//! What a course lacks: sentences, names that lead nowhere, and texts that are judged otherwise than their lesson says.

use std::collections::{BTreeMap, BTreeSet};

use super::course::{Course, DOCUMENT};
use super::document::{Lesson, LessonKind};
use super::error::LessonError;
use super::judgement::Judgement;
use super::texts::{LocalizedText, TextLanguage};

/// What every check asks before the conditions of a lesson: a text may be refused because of these as well.
pub const IMPLIED_CONDITIONS: [&str; 6] = [
    "reads",
    "may-change",
    "may-add",
    "finishes",
    "keep-work",
    "labels",
];

/// Something that a course lacks, and where to write it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CourseFault {
    /// The file, from the course's folder.
    pub file: String,
    /// Its line, counted from 1.
    pub line: usize,
    /// What is wrong, and what to do.
    pub what: String,
}

/// Gathers what is wrong with one lesson.
struct LessonFaults<'a> {
    lesson: &'a Lesson,
    /// The languages that the course is written in.
    languages: &'a [TextLanguage],
    found: Vec<CourseFault>,
}

impl Course {
    /// What it lacks to be one that learners can be given, in the order of its files. Its texts are run on `backend`; a lesson that
    /// is not for it is not run.
    pub fn faults(&self, backend: &str) -> Vec<CourseFault> {
        let mut found = self.own_faults();
        let missing: Vec<TextLanguage> = self.title.missing().collect();
        let languages: Vec<TextLanguage> = (TextLanguage::ALL.into_iter())
            .filter(|it| *it == TextLanguage::English || !missing.contains(it))
            .collect();
        let mut known = BTreeMap::new();
        for lesson in &self.lessons {
            let mut faults = LessonFaults {
                lesson,
                languages: &languages,
                found: Vec::new(),
            };
            if let Some(other) = known.insert(&lesson.id, &lesson.folder) {
                let id = &lesson.id;
                let what = format!("the lesson in {other} is called “{id}” as well: rename one");
                faults.say("", what);
            }
            faults.names(self);
            faults.sentences();
            faults.prediction(backend);
            faults.conditions();
            faults.judgements(backend);
            found.append(&mut faults.found);
        }
        found
    }

    /// What its own file lacks.
    fn own_faults(&self) -> Vec<CourseFault> {
        let mut found = Vec::new();
        let mut say = |line: usize, what: String| {
            let file = DOCUMENT.to_owned();
            found.push(CourseFault { file, line, what });
        };
        if self.title.get(TextLanguage::English).is_empty() {
            let what = "the course has no title: write title { en \"…\" } in it";
            say(1, what.to_owned());
        }
        for chapter in &self.chapters {
            if chapter.title.get(TextLanguage::English).is_empty() {
                let what = "the chapter has no title: write title { en \"…\" } in it";
                say(chapter.line, what.to_owned());
            }
            if !self.lessons.iter().any(|it| it.chapter == chapter.id) {
                let id = &chapter.id;
                let what = format!("no lesson is in the chapter “{id}”: write one, or take it out");
                say(chapter.line, what);
            }
        }
        found
    }
}

impl LessonFaults<'_> {
    /// Says something about the node at `place`.
    fn say(&mut self, place: &str, what: impl Into<String>) {
        self.found.push(CourseFault {
            file: format!("{}/lesson.kdl", self.lesson.folder),
            line: self.lesson.line_of(place),
            what: what.into(),
        });
    }

    /// Lessons that it builds on are there.
    fn names(&mut self, course: &Course) {
        for before in &self.lesson.after {
            if before != NOTHING && !course.lessons.iter().any(|it| it.id == *before) {
                let what = format!(
                    "there is no lesson “{before}” in the course to build on: name another, or none"
                );
                self.say("after", what);
            }
        }
    }

    fn sentence(&mut self, (name, place): (&str, &str), text: &LocalizedText) {
        for language in self.languages {
            let is_there = !text.missing().any(|it| it == *language);
            if !is_there || text.get(*language).trim().is_empty() {
                let code = language.code();
                self.say(
                    place,
                    format!("{name} has no text: write {code} \"…\" in it"),
                );
            }
        }
    }

    fn sentences(&mut self) {
        let lesson = self.lesson;
        let one = [
            ("title", &lesson.title),
            ("goal", &lesson.goal),
            ("task", &lesson.task),
            ("look-at", &lesson.look_at),
            ("learned", &lesson.learned),
            ("question", &lesson.question),
        ];
        for (name, text) in one {
            self.sentence((&format!("`{name}`"), name), text);
        }
        self.long_texts();
        self.further_sentences();
    }

    /// The text in a file of its own, in each language.
    fn long_texts(&mut self) {
        let lesson = self.lesson;
        for language in self.languages {
            if lesson.text.get(*language).trim().is_empty()
                || lesson.text.missing().any(|it| it == *language)
            {
                let file = format!("{}/text.{}.md", lesson.folder, language.code());
                let what =
                    "there is no text: write what is seen and what is asked, in some sentences"
                        .to_owned();
                self.found.push(CourseFault {
                    file,
                    line: 1,
                    what,
                });
            }
        }
    }

    /// Hints, and what is said where something is missed.
    fn further_sentences(&mut self) {
        let lesson = self.lesson;
        if lesson.hints.is_empty() {
            self.say(
                "",
                "there is no hint: write hint { en \"…\" }, the first one a question",
            );
        }
        for (nth, hint) in lesson.hints.iter().enumerate() {
            self.sentence(("the hint", &format!("hint {nth}")), hint);
        }
        for condition in &lesson.conditions {
            let name = format!("the condition “{}”", condition.id);
            self.sentence((&name, &format!("check {}", condition.id)), &condition.says);
        }
        if let Some((_, otherwise)) = &lesson.answer {
            self.sentence(("`answer`", "answer"), otherwise);
        }
    }

    /// Something is asked before the run, the right answer is among those to choose from, and the run shows it.
    fn prediction(&mut self, backend: &str) {
        let lesson = self.lesson;
        let Some(prediction) = &lesson.prediction else {
            return self.say("", "nothing is asked before the run: write predict { … }");
        };
        self.sentence(("`ask`", "predict"), &prediction.ask);
        for option in &prediction.options {
            let name = format!("the option “{}”", option.id);
            self.sentence((&name, "predict"), &option.says);
        }
        if prediction.options.len() < 2 {
            self.say(
                "predict",
                "there are no two options to choose from: write option \"a\" { en \"…\" }",
            );
        }
        if !prediction
            .options
            .iter()
            .any(|it| it.id == prediction.answer)
        {
            let what = format!(
                "the answer “{}” is none of the options: write the id of one",
                prediction.answer
            );
            self.say("predict", what);
        }
        self.shown(backend);
    }

    /// A run shows what is said of the prediction.
    fn shown(&mut self, backend: &str) {
        let lesson = self.lesson;
        if lesson.is_for(backend).is_ok()
            && let Ok(Some(shown)) = lesson.predicted(backend)
            && !shown.holds
        {
            let says = shown.says.get(TextLanguage::English);
            self.say(
                "predict",
                format!("a run on {backend} does not show what is said of it: {says}"),
            );
        }
    }

    /// What is asked for can be asked for, and refusals name what is asked for.
    fn conditions(&mut self) {
        let lesson = self.lesson;
        if lesson.kind == LessonKind::Click {
            if lesson.answer.is_none() {
                self.say("", "no span is asked for: write answer of=\"a label\" { en \"what is said otherwise\" }");
            }
            return;
        }
        if lesson.conditions.is_empty() {
            self.say(
                "",
                "nothing is checked: write check { … } with a condition, and its sentence",
            );
        }
        let mut ids = BTreeSet::from(IMPLIED_CONDITIONS);
        for condition in &lesson.conditions {
            let place = format!("check {}", condition.id);
            if !ids.insert(&condition.id) {
                self.say(
                    &place,
                    format!("there are two conditions “{}”: rename one", condition.id),
                );
            }
            if let Some(why) = lesson.condition_error(condition) {
                self.say(&place, format!("this is no condition of a workload: {why}"));
            }
        }
        self.refusals(&ids);
    }

    /// Refusals name what is asked for, by these ids.
    fn refusals(&mut self, ids: &BTreeSet<&str>) {
        let lesson = self.lesson;
        if lesson.refused.is_empty() {
            self.say("", "no wrong text is refused: write wrong-1.kdl, and refuse \"wrong-1\" because=\"ID\" { en \"…\" }");
        }
        for refused in &lesson.refused {
            if !ids.contains(&*refused.because) {
                let place = format!("refuse {}", refused.name);
                let known: Vec<&str> = lesson.conditions.iter().map(|it| &*it.id).collect();
                let what = format!(
                    "there is no condition “{}”: name one of {}",
                    refused.because,
                    known.join(", ")
                );
                self.say(&place, what);
            }
        }
    }

    /// The start text fails, solutions pass, and what is to be refused is, because of what it names.
    fn judgements(&mut self, backend: &str) {
        let lesson = self.lesson;
        // Where conditions are wrong nothing can be judged by them.
        if lesson.kind == LessonKind::Click
            || lesson.is_for(backend).is_err()
            || !self.found.is_empty()
        {
            return;
        }
        for (name, text, expected) in texts(lesson) {
            let file = format!("{}/{name}.kdl", lesson.folder);
            let (line, what) = match lesson.judge(text, backend) {
                Ok(judged) => (judged.line.unwrap_or(1), expected.complaint(&judged)),
                // One that is wrong as a workload names its own file.
                Err(LessonError::Document { file, line, what }) => {
                    return self.found.push(CourseFault { file, line, what });
                }
                Err(error) => (1, Some(error.to_string())),
            };
            if let Some(what) = what {
                self.found.push(CourseFault { file, line, what });
            }
        }
    }
}

/// The texts of a lesson, each with its name and what has to become of it.
fn texts(lesson: &Lesson) -> Vec<(String, &str, Expected<'_>)> {
    let mut texts = vec![("start".to_owned(), lesson.start(), Expected::Fails)];
    for (nth, text) in lesson.solutions.iter().enumerate() {
        let number = match nth {
            0 => String::new(),
            _ => format!("-{}", nth + 1),
        };
        texts.push((format!("solution{number}"), text, Expected::Passes));
    }
    let refused = lesson.refused.iter();
    texts.extend(refused.map(|it| (it.name.clone(), &*it.text, Expected::Refused(&it.because))));
    texts
}

/// What a lesson says in place of lessons that it builds on, where it builds on none.
const NOTHING: &str = "–";

/// What has to become of a text.
#[derive(Clone, Copy)]
enum Expected<'a> {
    Fails,
    Passes,
    Refused(&'a str),
}

impl Expected<'_> {
    /// What is said where something else became of it.
    fn complaint(self, judged: &Judgement) -> Option<String> {
        let says = judged.says.get(TextLanguage::English);
        Some(match (self, judged.refused_by.as_deref()) {
            (Self::Fails, None) => {
                "the text to begin with passes already: take out what the learner is to find"
                    .to_owned()
            }
            (Self::Passes, Some(by)) => format!("a solution is refused ({by}): {says}"),
            (Self::Refused(because), None) => format!(
                "it passes, and is to be refused because of “{because}”: make it wrong, or the check stricter"
            ),
            (Self::Refused(because), Some(by)) if because != by => format!(
                "it is refused because of “{by}” and not of “{because}”, as the lesson says: {says}"
            ),
            _ => return None,
        })
    }
}
