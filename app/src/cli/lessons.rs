//! Lessons on the command line: what there is, the text to begin with, hints, and the check of what is handed in.

mod author;
mod printed_sheet;

use std::fs;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use clap::{Args, Subcommand};
use engine::exporter::refuse_input;
use engine::lesson::{Course, Judgement, Lesson, LessonError, TextLanguage};
use engine::workload::Document;
use serde_json::json;

use super::arguments::OutputFormat;
use super::table::TextTable;
use super::{CUT, CliFailure, FAILED, FINE, OutputStreams};
pub(super) use author::{check as check_course, is_course};

/// What lessons there are, and how to list them.
#[derive(Debug, Args)]
pub struct LessonsOptions {
    /// A course's folder; without it, the course that comes with the program
    folder: Option<PathBuf>,
    /// In which language: `en` or `zh`; without it, the system's
    #[arg(long, value_parser = language)]
    lang: Option<TextLanguage>,
    /// How to print
    #[arg(long, value_enum, default_value_t)]
    format: OutputFormat,
}

/// What is done with a lesson.
#[derive(Debug, Subcommand)]
pub enum LessonCommand {
    /// Print the goal, the task and the question of a lesson
    Show(LessonChoice),
    /// Write the text that a lesson begins with
    Start {
        #[command(flatten)]
        lesson: LessonChoice,
        /// The file to write; without it, standard output
        #[arg(short, long, value_name = "FILE.kdl")]
        output: Option<PathBuf>,
    },
    /// Print a hint of a lesson
    Hint {
        #[command(flatten)]
        lesson: LessonChoice,
        /// Which one, counted from 1
        #[arg(long, default_value_t = 1)]
        number: usize,
    },
    /// Print the lesson after one
    Next(LessonChoice),
    /// Print a lesson as a page of HTML for paper: task, question, text, and an empty timeline to draw into
    Sheet {
        #[command(flatten)]
        lesson: LessonChoice,
        /// With the right answer, the solution and its picture, in place of the empty timeline
        #[arg(long)]
        answers: bool,
        /// The file to write; without it, standard output
        #[arg(short, long, value_name = "FILE.html")]
        output: Option<PathBuf>,
    },
    /// Write the files of a new lesson, which can be judged as it is; `syncline check COURSE` says what a course lacks
    New {
        /// The lesson's folder in that of the course, such as my-course/06-my-lesson
        folder: PathBuf,
    },
    /// Judge what was written for a lesson: exit code 0 passed, 1 refused, 2 wrong input, 3 it could not be judged here
    Check(CheckOptions),
    /// Judge a text at once and whenever it is saved, until it has passed
    Watch(CheckOptions),
    /// Judge a folder of hand-ins, and write a line for each of them
    Grade(GradeOptions),
}

/// A lesson of a course.
#[derive(Debug, Args)]
pub struct LessonChoice {
    /// The lesson's id; `syncline lessons` lists them
    id: String,
    #[command(flatten)]
    course: CourseChoice,
}

/// A course, and the language of what is printed.
#[derive(Debug, Args)]
pub struct CourseChoice {
    /// A course's folder; without it, the course that comes with the program
    #[arg(long, value_name = "FOLDER")]
    course: Option<PathBuf>,
    /// In which language: `en` or `zh`; without it, the system's
    #[arg(long, value_parser = language)]
    lang: Option<TextLanguage>,
}

/// What to judge.
#[derive(Debug, Args)]
pub struct CheckOptions {
    /// The text
    file: PathBuf,
    /// The lesson's id; without it, the one that the text names with lesson "ID"
    #[arg(long, value_name = "ID")]
    lesson: Option<String>,
    #[command(flatten)]
    course: CourseChoice,
    /// What runs it
    #[arg(long, default_value = "mock")]
    backend: String,
    /// How often; it passes where every run does
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1_000))]
    runs: u32,
    /// How to print
    #[arg(long, value_enum, default_value_t)]
    format: OutputFormat,
}

/// What to grade.
#[derive(Debug, Args)]
pub struct GradeOptions {
    /// The hand-ins; the name of each is the student's
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// The lesson's id, of those that name none
    #[arg(long, value_name = "ID")]
    lesson: Option<String>,
    #[command(flatten)]
    course: CourseChoice,
    /// The file to write; without it, standard output
    #[arg(short, long, value_name = "FILE.csv")]
    output: Option<PathBuf>,
}

/// Where hand-ins are judged for marks: time plays no part in either.
const GRADED_ON: [&str; 2] = ["mock", "cpu"];

fn language(code: &str) -> Result<TextLanguage, String> {
    let found = TextLanguage::ALL.into_iter().find(|it| it.code() == code);
    found.ok_or_else(|| "lessons are written in en and zh".to_owned())
}

impl CourseChoice {
    fn open(&self) -> Result<Course, CliFailure> {
        Ok(open(self.course.as_deref())?)
    }

    fn language(&self) -> TextLanguage {
        chosen(self.lang)
    }
}

impl From<LessonError> for CliFailure {
    fn from(error: LessonError) -> Self {
        Self::Wrong(error.to_string())
    }
}

fn open(folder: Option<&Path>) -> Result<Course, LessonError> {
    folder.map_or_else(Course::bundled, Course::open)
}

/// The language that was asked for, or that of the system.
fn chosen(wanted: Option<TextLanguage>) -> TextLanguage {
    wanted.unwrap_or_else(TextLanguage::of_system)
}

/// Lists chapters and lessons. In JSON, an array with what [`listed`] gives of each.
pub(super) fn lessons(
    options: &LessonsOptions,
    streams: &mut OutputStreams<'_>,
) -> Result<u8, CliFailure> {
    let course = open(options.folder.as_deref())?;
    let language = chosen(options.lang);
    if options.format == OutputFormat::Json {
        let all: Vec<_> = course
            .lessons
            .iter()
            .map(|it| listed(it, language))
            .collect();
        return print_json(&json!(all), streams);
    }
    writeln!(streams.out, "{}", course.title.get(language))?;
    for chapter in &course.chapters {
        writeln!(streams.out)?;
        writeln!(streams.out, "{}", chapter.title.get(language))?;
        let mut table = TextTable::new(&["lesson", "minutes", "title"]);
        for lesson in course.lessons.iter().filter(|it| it.chapter == chapter.id) {
            let title = lesson.title.get(language).to_owned();
            table.row([lesson.id.clone(), lesson.minutes.to_string(), title]);
        }
        table.write(streams.out)?;
    }
    Ok(FINE)
}

/// A lesson in the list, for programs.
fn listed(lesson: &Lesson, language: TextLanguage) -> serde_json::Value {
    json!({
        "id": lesson.id,
        "chapter": lesson.chapter,
        "order": lesson.order,
        "minutes": lesson.minutes,
        "title": lesson.title.get(language),
        "goal": lesson.goal.get(language),
        "kind": format!("{:?}", lesson.kind).to_lowercase(),
        "after": lesson.after,
        "cures": lesson.cures.0,
        "not_on": lesson.not_on.iter().map(|it| &it.0).collect::<Vec<_>>(),
    })
}

/// Does what is asked for with a lesson.
pub(super) fn lesson(
    command: &LessonCommand,
    streams: &mut OutputStreams<'_>,
) -> Result<u8, CliFailure> {
    match command {
        LessonCommand::Show(choice) => {
            let course = choice.course.open()?;
            show(
                course.lesson(&choice.id)?,
                choice.course.language(),
                streams,
            )
        }
        LessonCommand::Start { lesson, output } => {
            let course = lesson.course.open()?;
            let lesson = course.lesson(&lesson.id)?;
            let text = format!("lesson \"{}\"\n{}", lesson.id, lesson.start());
            write_new(&text, output.as_deref(), streams)
        }
        LessonCommand::Hint { lesson, number } => {
            let course = lesson.course.open()?;
            let (language, lesson) = (lesson.course.language(), course.lesson(&lesson.id)?);
            let hint = number
                .checked_sub(1)
                .and_then(|place| lesson.hints.get(place));
            let count = lesson.hints.len();
            let hint = hint.ok_or_else(|| {
                CliFailure::Wrong(format!("{} has {count} hints, numbered from 1", lesson.id))
            })?;
            writeln!(streams.out, "{}", hint.get(language))?;
            Ok(FINE)
        }
        LessonCommand::Next(choice) => next(choice, streams),
        LessonCommand::Sheet {
            lesson,
            answers,
            output,
        } => {
            let course = lesson.course.open()?;
            let language = lesson.course.language();
            let page = printed_sheet::page(course.lesson(&lesson.id)?, language, *answers);
            write_new(&page, output.as_deref(), streams)
        }
        LessonCommand::New { folder } => author::new(folder, streams),
        LessonCommand::Check(options) => check(options, streams),
        LessonCommand::Watch(options) => watch(options, streams),
        LessonCommand::Grade(options) => grade(options, streams),
    }
}

/// Shows the lesson after one, its id first.
fn next(choice: &LessonChoice, streams: &mut OutputStreams<'_>) -> Result<u8, CliFailure> {
    let course = choice.course.open()?;
    let here = course.lesson(&choice.id)?;
    let mut after = course.lessons.iter().skip_while(|it| it.id != here.id);
    let next = after.nth(1).ok_or_else(|| {
        let title = course.title.get(choice.course.language());
        CliFailure::Wrong(format!("{} is the last lesson of “{title}”", here.id))
    })?;
    writeln!(streams.out, "{}", next.id)?;
    show(next, choice.course.language(), streams)
}

fn show(
    lesson: &Lesson,
    language: TextLanguage,
    streams: &mut OutputStreams<'_>,
) -> Result<u8, CliFailure> {
    let out = &mut *streams.out;
    for text in [&lesson.title, &lesson.goal, &lesson.text, &lesson.task] {
        say(text.get(language).trim(), out)?;
        writeln!(out)?;
    }
    if let Some(prediction) = &lesson.prediction {
        say(prediction.ask.get(language), out)?;
        for option in &prediction.options {
            writeln!(out, "  [ ] {}", option.says.get(language))?;
        }
    }
    Ok(FINE)
}

/// Writes each line of a text.
fn say(text: &str, out: &mut dyn io::Write) -> io::Result<()> {
    for line in text.lines() {
        writeln!(out, "{line}")?;
    }
    Ok(())
}

/// Writes a text, never over a file that is there; without a file, to standard output.
fn write_new(
    text: &str,
    output: Option<&Path>,
    streams: &mut OutputStreams<'_>,
) -> Result<u8, CliFailure> {
    let Some(path) = output else {
        streams.out.write_all(text.as_bytes())?;
        return Ok(FINE);
    };
    let written = fs::File::create_new(path);
    let written = written.and_then(|mut file| io::Write::write_all(&mut file, text.as_bytes()));
    written.map_err(|error| {
        let name = path.display();
        CliFailure::Wrong(format!(
            "{name} was not written: {error}; choose a name that is not there yet, in a folder that you may write to"
        ))
    })?;
    Ok(FINE)
}

/// Bytes of a hand-in, at most: a workload has no more.
const MOST_BYTES: u64 = 1 << 20;

fn read(file: &Path) -> io::Result<String> {
    let found = fs::metadata(file)?;
    if !found.is_file() || found.len() > MOST_BYTES {
        let text = format!("it is no file of {MOST_BYTES} bytes at most");
        return Err(io::Error::new(io::ErrorKind::InvalidInput, text));
    }
    let mut text = String::new();
    fs::File::open(file)?
        .take(MOST_BYTES + 1)
        .read_to_string(&mut text)?;
    Ok(text)
}

/// The lesson that the first line of a text names, as `lesson start` writes it.
fn named_in_first_line(text: &str) -> Option<&str> {
    let rest = text.trim_start().strip_prefix("lesson \"")?;
    rest.split_once('"').map(|(id, _)| id)
}

/// A hand-in, and the lesson that it is for.
fn handed_in<'a>(
    course: &'a Course,
    file: &Path,
    wanted: Option<&str>,
) -> Result<(String, &'a Lesson), CliFailure> {
    let name = file.display();
    let text = read(file).map_err(|error| {
        CliFailure::Wrong(format!(
            "{name} cannot be read: {error}; name a text file that is there"
        ))
    })?;
    let read = Document::parse(&name.to_string(), &text).ok();
    let named = read.map(|it| it.lesson().to_owned());
    // One that is no workload may name it all the same.
    let named = named.or_else(|| named_in_first_line(&text).map(str::to_owned));
    let named = named.filter(|it| !it.is_empty());
    let id = wanted.map(str::to_owned).or(named).ok_or_else(|| {
        CliFailure::Wrong(format!(
            "{name} names no lesson: write lesson \"ID\" in its first line, or say --lesson ID"
        ))
    })?;
    Ok((text, course.lesson(&id)?))
}

fn check(options: &CheckOptions, streams: &mut OutputStreams<'_>) -> Result<u8, CliFailure> {
    let course = options.course.open()?;
    let language = options.course.language();
    let (text, lesson) = handed_in(&course, &options.file, options.lesson.as_deref())?;
    let judged = match judged(lesson, &text, options) {
        Ok(judged) => judged,
        Err(LessonError::NotHere(why)) => {
            writeln!(streams.err, "syncline: {why}")?;
            return Ok(CUT);
        }
        Err(error) => return Err(error.into()),
    };
    if options.format == OutputFormat::Json {
        print_json(&told(lesson, &judged, (options, language)), streams)?;
    } else {
        tell(lesson, &judged, language, streams)?;
    }
    Ok(match (judged.passed, judged.has_unjudged) {
        (true, false) => FINE,
        (true, true) => CUT,
        (false, _) => FAILED,
    })
}

/// How often it is looked whether a text was saved.
const LOOK: Duration = Duration::from_millis(200);

/// Judges a text whenever it is another one, until it passes.
fn watch(options: &CheckOptions, streams: &mut OutputStreams<'_>) -> Result<u8, CliFailure> {
    let mut last = None;
    loop {
        // An editor may take the file away for a moment while it saves.
        let now = read(&options.file).ok().filter(|it| !it.is_empty());
        if last.is_none() || now.is_some() && now != last {
            last = now.or(Some(String::new()));
            match check(options, streams) {
                Ok(FINE) => return Ok(FINE),
                // What cannot be read at the beginning will not be; later it is being written.
                Err(failure) if last.as_deref() == Some("") => return Err(failure),
                Err(CliFailure::Wrong(why)) => writeln!(streams.err, "syncline: {why}")?,
                Err(failure) => return Err(failure),
                Ok(_) => {}
            }
            writeln!(streams.out)?;
            streams.out.flush()?;
        }
        thread::sleep(LOOK);
    }
}

/// The last of so many judgements, or the first that refuses.
fn judged(lesson: &Lesson, text: &str, options: &CheckOptions) -> Result<Judgement, LessonError> {
    let mut judged = lesson.judge(text, &options.backend)?;
    for _ in 1..options.runs {
        if !judged.passed {
            break;
        }
        judged = lesson.judge(text, &options.backend)?;
    }
    Ok(judged)
}

fn tell(
    lesson: &Lesson,
    judged: &Judgement,
    language: TextLanguage,
    streams: &mut OutputStreams<'_>,
) -> Result<(), CliFailure> {
    let title = lesson.title.get(language);
    if !judged.conditions.is_empty() {
        verdicts(judged).write(streams.out)?;
    }
    let line = judged
        .line
        .map_or_else(String::new, |line| format!("line {line}: "));
    if let Some(id) = &judged.refused_by {
        writeln!(streams.out, "{title}: refused ({id})")?;
        say(&format!("{line}{}", judged.says.get(language)), streams.out)?;
    } else {
        writeln!(streams.out, "{title}: passed")?;
        for text in [&lesson.learned, &lesson.look_at, &lesson.question] {
            say(text.get(language), streams.out)?;
        }
    }
    Ok(())
}

/// What became of each condition.
fn verdicts(judged: &Judgement) -> TextTable {
    let mut table = TextTable::new(&["", "condition", "found"]);
    for it in &judged.conditions {
        let holds = match it.holds {
            Some(true) => "holds",
            Some(false) => "MISSED",
            None => "not judged",
        };
        table.row([holds.to_owned(), it.id.clone(), it.found.clone()]);
    }
    table
}

fn told(
    lesson: &Lesson,
    judged: &Judgement,
    (options, language): (&CheckOptions, TextLanguage),
) -> serde_json::Value {
    let conditions = judged
        .conditions
        .iter()
        .map(|it| json!({ "id": it.id, "holds": it.holds, "found": it.found }));
    json!({
        "lesson": lesson.id,
        "version": lesson.version,
        "backend": options.backend,
        "runs": options.runs,
        "passed": judged.passed,
        "refused_by": judged.refused_by,
        "says": judged.refused_by.as_ref().map(|_| judged.says.get(language)),
        "says_lang": language.code(),
        "line": judged.line,
        "conditions": conditions.collect::<Vec<_>>(),
    })
}

/// Judges each hand-in on every backend for marks, and writes student, lesson, version, passed, refused by, and why.
fn grade(options: &GradeOptions, streams: &mut OutputStreams<'_>) -> Result<u8, CliFailure> {
    let course = options.course.open()?;
    let language = options.course.language();
    if let Some(output) = &options.output {
        refuse_read(options, output)?;
    }
    let mut rows = vec!["student,lesson,version,passed,refused_by,says".to_owned()];
    for file in &options.files {
        let student = file.file_stem().unwrap_or_default().to_string_lossy();
        let marks = match handed_in(&course, file, options.lesson.as_deref()) {
            Ok((text, lesson)) => marks(lesson, &text, language),
            Err(CliFailure::Wrong(why)) => ["", "", "no", "reads", &why].map(cell),
            Err(other) => return Err(other),
        };
        rows.push(format!("{},{}", cell(&student), marks.join(",")));
    }
    let text = rows.join("\n") + "\n";
    match &options.output {
        Some(path) => fs::write(path, text).map_err(|error| {
            CliFailure::Unsaved(format!("{} was not written: {error}", path.display()))
        })?,
        None => streams.out.write_all(text.as_bytes())?,
    }
    Ok(FINE)
}

/// Marks are written over no hand-in, and into no course.
fn refuse_read(options: &GradeOptions, output: &Path) -> Result<(), CliFailure> {
    let inputs = options.files.iter().map(PathBuf::as_path);
    refuse_input(output, inputs).map_err(CliFailure::Wrong)?;
    let folder = options.course.course.as_deref();
    if folder.is_some_and(|it| is_within(output, it)) {
        let text = "marks are not written into the course that is read; name another file";
        return Err(CliFailure::Wrong(text.to_owned()));
    }
    Ok(())
}

/// Whether a file lies, or would lie, in a folder.
fn is_within(file: &Path, folder: &Path) -> bool {
    let parent = file.canonicalize().ok().or_else(|| {
        let parent = file.parent().filter(|it| !it.as_os_str().is_empty());
        parent.unwrap_or(Path::new(".")).canonicalize().ok()
    });
    let folder = folder.canonicalize().ok();
    parent
        .zip(folder)
        .is_some_and(|(file, folder)| file.starts_with(folder))
}

/// The lesson of a hand-in, its version, whether it passed, what refused it, and why.
fn marks(lesson: &Lesson, text: &str, language: TextLanguage) -> [String; 5] {
    let version = lesson.version.to_string();
    let (mut judged_on, mut why_not) = (0, String::new());
    for backend in GRADED_ON {
        let judged = match lesson.judge(text, backend) {
            Ok(judged) => judged,
            Err(error) => {
                why_not = error.to_string();
                continue;
            }
        };
        judged_on += 1;
        if let Some(id) = judged.refused_by {
            let says = judged.says.get(language);
            return [&*lesson.id, &version, "no", &id, says].map(cell);
        }
    }
    if judged_on == 0 {
        return [&*lesson.id, &version, "not judged", "", &why_not].map(cell);
    }
    [&*lesson.id, &version, "yes", "", ""].map(cell)
}

/// A cell of a table that spreadsheets open: quoted, and never a formula.
fn cell(text: &str) -> String {
    let is_formula = text.starts_with(['=', '+', '-', '@', '\t', '\r']);
    let guard = if is_formula { "'" } else { "" };
    format!(
        "\"{guard}{}\"",
        text.replace('"', "\"\"").replace('\n', " ")
    )
}

fn print_json(
    value: &serde_json::Value,
    streams: &mut OutputStreams<'_>,
) -> Result<u8, CliFailure> {
    serde_json::to_writer_pretty(&mut *streams.out, value).map_err(io::Error::from)?;
    writeln!(streams.out)?;
    Ok(FINE)
}
