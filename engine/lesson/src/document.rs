//! A lesson as its folder describes it.

use std::collections::{BTreeMap, BTreeSet};

use workload::kdl::{self, KdlEntry, KdlNode};

use super::conditions::Condition;
use super::course::argument;
use super::error::LessonError;
use super::files::LessonFiles;
use super::texts::LocalizedText;

/// What a learner does in a lesson.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LessonKind {
    /// A workload is changed.
    Edit,
    /// A span is clicked in the picture of a run.
    Click,
}

/// What is asked before the run.
#[derive(Clone, Debug)]
pub struct Prediction {
    /// The question.
    pub ask: LocalizedText,
    /// The answers to choose from.
    pub options: Vec<PredictionOption>,
    /// The id of the right one.
    pub answer: String,
    /// What the run shows of it: the sentence, and the forms that have to hold.
    pub shown: Option<Condition>,
    /// Whether it is the run of the solution that shows it, and not that of the start text.
    pub is_of_solution: bool,
}

/// An answer to choose.
#[derive(Clone, Debug)]
pub struct PredictionOption {
    /// Its id.
    pub id: String,
    /// What it says.
    pub says: LocalizedText,
}

/// A text that is refused.
#[derive(Clone, Debug)]
pub struct RefusedText {
    /// The file's name, without `.kdl`.
    pub name: String,
    /// The workload.
    pub text: String,
    /// The id of the condition that refuses it.
    pub because: String,
    /// What is wrong with it, for authors.
    pub says: LocalizedText,
}

/// A lesson.
#[derive(Clone, Debug)]
pub struct Lesson {
    /// Its id.
    pub id: String,
    /// Its version: the higher, the later.
    pub version: u32,
    /// The name of its folder.
    pub folder: String,
    /// The id of its chapter.
    pub chapter: String,
    /// Its place in the course.
    pub order: u32,
    /// How many minutes it takes.
    pub minutes: u32,
    /// What a learner does.
    pub kind: LessonKind,
    /// Its name.
    pub title: LocalizedText,
    /// What one knows afterwards.
    pub goal: LocalizedText,
    /// What is to be done.
    pub task: LocalizedText,
    /// What one sees and what is asked, in some more words.
    pub text: LocalizedText,
    /// The ids of lessons that it builds on.
    pub after: Vec<String>,
    /// The beliefs that it cures, by their ids, and as a sentence.
    pub cures: (Vec<String>, LocalizedText),
    /// The nodes of a workload that may change; all others are locked.
    pub may_change: Vec<String>,
    /// What is asked before the run.
    pub prediction: Option<Prediction>,
    /// What has to hold, in this order.
    pub conditions: Vec<Condition>,
    /// The label of the span whose cause has to be clicked, and what is said otherwise.
    pub answer: Option<(String, LocalizedText)>,
    /// From a question to nearly the answer.
    pub hints: Vec<LocalizedText>,
    /// What to look at in the picture.
    pub look_at: LocalizedText,
    /// What was learned, in a sentence.
    pub learned: LocalizedText,
    /// A question to think about.
    pub question: LocalizedText,
    /// The calls of other systems, by the name of the system.
    pub words: Vec<(String, String)>,
    /// The solutions, the one that is shown first first.
    pub solutions: Vec<String>,
    /// Texts that are refused.
    pub refused: Vec<RefusedText>,
    /// Backends on which it cannot be judged, each with the reason.
    pub not_on: Vec<(String, String)>,
    start: String,
    /// The lines of its nodes, by what [`Lesson::line_of`] calls them.
    lines: BTreeMap<String, usize>,
}

/// What stands in a lesson.
const WORDS: [&str; 19] = [
    "title",
    "goal",
    "after",
    "cures",
    "kind",
    "may-change",
    "task",
    "predict",
    "check",
    "answer",
    "hint",
    "look-at",
    "learned",
    "question",
    "words",
    "refuse",
    "not-on",
    "run",
    "needs",
];

pub(crate) fn wrong(file: &str, line: usize, what: impl Into<String>) -> LessonError {
    LessonError::Document {
        file: file.to_owned(),
        line,
        what: what.into(),
    }
}

/// The nodes of a file of a course.
pub(crate) fn parsed(file: &str, text: &str) -> Result<Vec<KdlNode>, LessonError> {
    kdl::parse(text).map_err(|faults| {
        let Some(fault) = faults.first() else {
            return wrong(file, 1, "this is not KDL");
        };
        let what = format!("{}; {}", fault.message, fault.help);
        wrong(file, line_of(text, fault.range.start), what)
    })
}

/// The line of a place, counted from 1.
pub(crate) fn line_of(text: &str, at: usize) -> usize {
    1 + text.bytes().take(at).filter(|it| *it == b'\n').count()
}

impl Lesson {
    /// The text that a learner begins with.
    pub fn start(&self) -> &str {
        &self.start
    }

    /// The line of its file at which a node begins: `title`, `hint 0`, `check ID`, `refuse NAME`, or the lesson itself for the empty
    /// name and for what is not there.
    pub(crate) fn line_of(&self, place: &str) -> usize {
        let own = || self.lines.get("").copied().unwrap_or(1);
        self.lines.get(place).copied().unwrap_or_else(own)
    }

    /// The lines of a text, counted from 1, that stay as they are: those of all nodes but the ones that may change. Nodes begin
    /// where lines do, as in every text of a lesson; the text need not be whole.
    pub fn locked_lines(&self, text: &str) -> BTreeSet<usize> {
        let mut is_locked = false;
        let lines = text.lines().zip(1..);
        let locked = lines.filter(|(line, _)| {
            let word = line.split([' ', '{', ';']).next().unwrap_or_default();
            if !line.starts_with([' ', '\t', '}']) && !word.is_empty() {
                let is_free = ["about", "expect", "lesson"].contains(&word);
                is_locked = !is_free && !self.may_change.iter().any(|it| it == word);
            }
            is_locked && !line.trim().is_empty()
        });
        locked.map(|(_, line)| line).collect()
    }

    /// Reads the lesson in a folder of a course.
    pub(crate) fn read(files: &LessonFiles, folder: &str) -> Result<Self, LessonError> {
        let file = format!("{folder}/lesson.kdl");
        let text = files.get(&file).unwrap_or_default();
        let document = parsed(&file, text)?;
        let node = document.iter().find(|it| it.name == "lesson");
        let node = node.ok_or_else(|| wrong(&file, 1, "there is no node `lesson`; begin the file with lesson \"my-lesson\" chapter=\"…\" { … }"))?;
        let reader = LessonReader {
            files,
            folder,
            file: &file,
            text,
            nodes: node.inside(),
        };
        reader.refuse_unknown()?;
        let number = |name: &str| {
            let value = node.property(name).and_then(|it| it.value.as_integer());
            value.and_then(|it| u32::try_from(it).ok()).unwrap_or(1)
        };
        let kind = match reader.one("kind").and_then(argument) {
            Some("click") => LessonKind::Click,
            _ => LessonKind::Edit,
        };
        let not_on = reader.several("not-on");
        Ok(Self {
            id: argument(node).unwrap_or_default().to_owned(),
            version: number("version"),
            folder: folder.to_owned(),
            chapter: property(node, "chapter"),
            order: number("order"),
            minutes: number("minutes"),
            kind,
            title: reader.text_of("title"),
            goal: reader.text_of("goal"),
            task: reader.text_of("task"),
            text: reader.in_words(),
            after: reader.arguments_of("after"),
            cures: (reader.arguments_of("cures"), reader.text_of("cures")),
            may_change: reader.arguments_of("may-change"),
            prediction: reader.one("predict").map(prediction),
            conditions: reader.conditions()?,
            answer: (reader.one("answer")).map(|it| (property(it, "of"), LocalizedText::of(it))),
            hints: reader.several("hint").map(LocalizedText::of).collect(),
            look_at: reader.text_of("look-at"),
            learned: reader.text_of("learned"),
            question: reader.text_of("question"),
            words: reader.words(),
            solutions: reader.solutions(kind)?,
            refused: reader.refused()?,
            not_on: not_on
                .map(|it| {
                    (
                        argument(it).unwrap_or_default().to_owned(),
                        property(it, "because"),
                    )
                })
                .collect(),
            start: reader.workload("start")?,
            lines: reader.lines(node),
        })
    }
}

/// The parts of a lesson's folder.
struct LessonReader<'a> {
    files: &'a LessonFiles,
    folder: &'a str,
    /// The file that describes it, and its text.
    file: &'a str,
    text: &'a str,
    nodes: &'a [KdlNode],
}

impl<'a> LessonReader<'a> {
    fn one(&self, name: &str) -> Option<&'a KdlNode> {
        self.nodes.iter().find(|it| it.name == name)
    }

    fn several(&self, name: &'static str) -> impl Iterator<Item = &'a KdlNode> {
        self.nodes.iter().filter(move |it| it.name == name)
    }

    fn inside(&self, name: &str) -> &'a [KdlNode] {
        self.one(name).map(KdlNode::inside).unwrap_or_default()
    }

    fn text_of(&self, name: &str) -> LocalizedText {
        self.one(name).map(LocalizedText::of).unwrap_or_default()
    }

    fn arguments_of(&self, name: &str) -> Vec<String> {
        self.one(name).map(arguments).unwrap_or_default()
    }

    fn line(&self, node: &KdlNode) -> usize {
        line_of(self.text, node.range.start)
    }

    /// The lines of the lesson, of its nodes, of each hint, condition and refusal.
    fn lines(&self, lesson: &KdlNode) -> BTreeMap<String, usize> {
        let mut lines = BTreeMap::from([(String::new(), self.line(lesson))]);
        for node in self.nodes {
            let name = &node.name;
            lines.entry(name.clone()).or_insert(self.line(node));
        }
        for (nth, node) in self.several("hint").enumerate() {
            lines.insert(format!("hint {nth}"), self.line(node));
        }
        for node in self.inside("check") {
            let id = property(node, "id");
            lines.insert(format!("check {id}"), self.line(node));
        }
        for node in self.several("refuse") {
            let name = argument(node).unwrap_or_default();
            lines.insert(format!("refuse {name}"), self.line(node));
        }
        lines
    }

    /// Names what stands in no lesson.
    fn refuse_unknown(&self) -> Result<(), LessonError> {
        let unknown = self.nodes.iter().find(|it| !WORDS.contains(&&*it.name));
        let Some(node) = unknown else { return Ok(()) };
        let name = &*node.name;
        let near = WORDS.iter().map(|it| (strsim::jaro(it, name), it));
        let near = near
            .max_by(|a, b| a.0.total_cmp(&b.0))
            .map_or("", |it| it.1);
        let what = format!("a lesson has no `{name}`; do you mean `{near}`?");
        Err(wrong(self.file, self.line(node), what))
    }

    fn conditions(&self) -> Result<Vec<Condition>, LessonError> {
        let all = self.inside("check").iter().map(|node| {
            let condition = Condition::of(node);
            condition.map_err(|what| wrong(self.file, self.line(node), what))
        });
        all.collect()
    }

    fn in_words(&self) -> LocalizedText {
        let of = |code: &str| self.files.get(&format!("{}/text.{code}.md", self.folder));
        LocalizedText::of_each(|language| of(language.code()))
    }

    fn words(&self) -> Vec<(String, String)> {
        let all = self.inside("words").iter();
        let all = all.map(|it| (&it.name, argument(it).unwrap_or_default()));
        all.map(|(name, calls)| (name.clone(), calls.to_owned()))
            .collect()
    }

    fn workload(&self, name: &str) -> Result<String, LessonError> {
        let file = format!("{}/{name}.kdl", self.folder);
        let text = self.files.get(&file).map(str::to_owned);
        text.ok_or_else(|| wrong(&file, 1, "there is no such file, and the lesson needs it: write it, or take its name out of lesson.kdl"))
    }

    fn solutions(&self, kind: LessonKind) -> Result<Vec<String>, LessonError> {
        if kind == LessonKind::Click {
            return Ok(Vec::new());
        }
        let mut solutions = vec![self.workload("solution")?];
        solutions.extend((2..10).map_while(|it| self.workload(&format!("solution-{it}")).ok()));
        Ok(solutions)
    }

    fn refused(&self) -> Result<Vec<RefusedText>, LessonError> {
        let all = self.several("refuse").map(|node| {
            let name = argument(node).unwrap_or_default();
            Ok(RefusedText {
                name: name.to_owned(),
                text: self.workload(name)?,
                because: property(node, "because"),
                says: LocalizedText::of(node),
            })
        });
        all.collect()
    }
}

fn prediction(node: &KdlNode) -> Prediction {
    let inside = node.inside();
    let one = |name: &str| inside.iter().find(|it| it.name == name);
    let options = inside.iter().filter(|it| it.name == "option");
    let shown = one("shown");
    Prediction {
        ask: one("ask").map(LocalizedText::of).unwrap_or_default(),
        options: options
            .map(|it| PredictionOption {
                id: argument(it).unwrap_or_default().to_owned(),
                says: LocalizedText::of(it),
            })
            .collect(),
        answer: one("answer")
            .and_then(argument)
            .unwrap_or_default()
            .to_owned(),
        is_of_solution: shown.is_some_and(|it| property(it, "of") == "solution"),
        shown: shown.map(Condition::shown),
    }
}

fn property(node: &KdlNode, name: &str) -> String {
    let value = node.property(name).and_then(|it| it.value.as_text());
    value.unwrap_or_default().to_owned()
}

/// The arguments of a node that are texts.
fn arguments(node: &KdlNode) -> Vec<String> {
    let own = node
        .entries
        .iter()
        .filter(|it: &&KdlEntry| it.name.is_none());
    own.filter_map(|it| Some(it.value.as_text()?.to_owned()))
        .collect()
}
