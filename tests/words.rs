//! One word, one meaning: the words that are not ours, in names that we give and in what users read.

use crate::house::place::{ident, parts, words};
use crate::house::source::Source;
use crate::house::{report, sources};

/// Words that mean something else elsewhere, and ours for it.
const WORDS: &[(&str, &str)] = &[
    ("trace", "capture"),
    ("traces", "captures"),
    ("track", "lane"),
    ("tracks", "lanes"),
    ("slice", "span"),
    ("slices", "spans"),
    ("session", "capture"),
    ("sessions", "captures"),
    ("recording", "capture"),
    ("recordings", "captures"),
];

/// Places where the words are those of the format that is read or written there.
const FOREIGN: &[&str] = &[
    "engine/formats/src/perfetto",
    "engine/formats/src/exporter/pftrace",
    "engine/formats/src/importer/pftrace",
    "tests/captures/foreign",
];

/// What comes before a name that is given here.
const GIVING: &[&str] = &[
    "fn", "struct", "enum", "trait", "type", "const", "static", "mod", "let", "mut",
];

fn foreign(word: &str) -> Option<&'static (&'static str, &'static str)> {
    WORDS.iter().find(|(foreign, _)| *foreign == word)
}

fn complaint(source: &Source, at: usize, text: &str) -> Option<String> {
    let (word, ours) = parts(text).iter().find_map(|word| foreign(word))?;
    Some(format!(
        "{}: “{text}” says {word}, where we say {ours}",
        source.place(at)
    ))
}

/// Names given in a file that are not in our words.
fn names(source: &Source) -> Vec<String> {
    if FOREIGN.iter().any(|path| source.path.starts_with(path)) {
        return Vec::new();
    }
    let given = GIVING.iter().flat_map(|keyword| {
        words(&source.code, keyword)
            .map(|at| (at, ident(source.code[at + keyword.len()..].trim_start())))
    });
    given
        .filter_map(|(at, name)| complaint(source, at, name))
        .collect()
}

/// Texts of the app that are not in our words, save where they name Perfetto's own.
fn texts(source: &Source) -> Vec<String> {
    let shown = source.path.starts_with("app/src/");
    let texts = source.strings.iter().filter(|(at, text)| {
        shown && !source.is_test(*at) && text.contains(' ') && !text.contains("Perfetto")
    });
    texts
        .filter_map(|(at, text)| complaint(source, *at, text))
        .collect()
}

#[test]
fn names_are_in_our_words() {
    let complaints: Vec<String> = sources().iter().flat_map(names).collect();
    report(
        "one meaning each; the words are those of the capture:",
        &complaints,
    );
}

#[test]
fn users_read_our_words() {
    let complaints: Vec<String> = sources().iter().flat_map(texts).collect();
    report("one meaning each, on screen too:", &complaints);
}

#[test]
fn a_planted_word_is_found() {
    let source = |text: &str| Source::new("app/src/panel/x.rs", text.to_owned());
    assert_eq!(
        names(&source(
            "fn open_trace() {}\nstruct TrackRow;\nlet a = as_slice();"
        ))
        .len(),
        2
    );
    assert_eq!(
        texts(&source(
            "f(\"Open a trace\"); g(\"Perfetto trace file\"); h(\"Retrace it\");"
        ))
        .len(),
        1
    );
}
