//! One word, one meaning: the words that are not ours, in names that we give and in what users read.

use std::collections::BTreeMap;

use crate::house::source::Source;
use crate::house::source_place::{ident, parts, words};
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
    "tests/formats/captures/foreign",
];

/// What comes before a name that is given here.
const GIVING: &[&str] = &[
    "fn", "struct", "enum", "trait", "type", "const", "static", "mod", "let", "mut",
];

/// Words of a private dialect, which no type's name has in it: the field has others for all of them.
const DIALECT: &[(&str, &str)] = &[
    ("tie", "dependency"),
    ("ties", "dependencies"),
    ("tied", "dependent"),
    ("held", "blocked or queued"),
    ("stood", "blocked"),
    ("hold", "wait"),
    ("settled", "resolved, rejected or completed"),
    ("settlement", "outcome"),
    ("told", "reported"),
    ("forsaken", "rejected"),
    ("give", "submit"),
    ("given", "submitted"),
    ("flying", "in flight"),
    ("aloft", "in flight"),
    ("made", "compiled, created or captured"),
    ("hurt", "fault"),
    ("suffer", "fault"),
    ("mishap", "failure"),
    ("downfall", "loss"),
    ("mend", "recovery"),
    ("mended", "repaired"),
    ("trace", "capture"),
    ("profile", "capture"),
    ("session", "capture"),
    ("packed", "encoded"),
    ("sealed", "compressed"),
    ("even", "run-length"),
    ("natural", "sorted"),
    ("deed", "action or step"),
    ("desk", "state"),
    ("door", "connection"),
    ("seat", "assignment"),
    ("pledge", "promise"),
    ("want", "request"),
    ("wanted", "requested"),
    ("news", "message"),
    ("gathering", "joined"),
];

/// Words that are no name of a type while they stand alone: they do not say what it is.
const ALONE: &[&str] = &[
    "Asked",
    "Built",
    "Cached",
    "Captured",
    "Caught",
    "Chosen",
    "Closed",
    "Compiled",
    "Counted",
    "Described",
    "Done",
    "Drawn",
    "Ended",
    "Executed",
    "Flat",
    "Found",
    "Growing",
    "Half",
    "Hooked",
    "Inserted",
    "Interned",
    "Judged",
    "Kept",
    "Known",
    "Landed",
    "Landing",
    "Last",
    "Late",
    "Later",
    "Launched",
    "Lazy",
    "Lent",
    "Looked",
    "Marked",
    "Measured",
    "Merged",
    "Missing",
    "Near",
    "Next",
    "Noted",
    "Numbered",
    "Odd",
    "Open",
    "Opened",
    "Opening",
    "Own",
    "Owned",
    "Parked",
    "Parsed",
    "Part",
    "Pending",
    "Piece",
    "Pinned",
    "Place",
    "Placed",
    "Plain",
    "Popped",
    "Prepared",
    "Raised",
    "Ran",
    "Raw",
    "Reached",
    "Reading",
    "Recorded",
    "Refused",
    "Released",
    "Reported",
    "Running",
    "Scanned",
    "Serving",
    "Shown",
    "Staged",
    "Stepped",
    "Taken",
    "Taking",
    "Telling",
    "Unread",
    "Unwritten",
    "Used",
    "Waited",
    "Waiting",
    "Watched",
    "What",
    "When",
    "Whole",
    "Wide",
    "Written",
];

/// Images and helpers' words that say nothing as the name of a file: what is in it has a name in the field.
const VAGUE_FILES: &[&str] = &[
    "ahead", "apart", "asked", "beside", "body", "crew", "deeds", "door", "fate", "feed", "fit",
    "give", "grave", "growing", "halves", "handover", "hook", "job", "judge", "kept", "late",
    "ledger", "made", "mend", "misc", "nature", "near", "obey", "odd", "others", "outreach", "own",
    "piece", "pin", "quick", "refused", "sealed", "sense", "several", "sheet", "stage", "stood",
    "stitch", "storm", "stretch", "strip", "tell", "told", "trouble", "util", "utils", "waited",
];

/// Files whose names are words of theirs: natural sorting is what the order of names with numbers in them is called, and
/// a count in a sentence is a function of that name.
const NAMED_SO: &[&str] = &["natural_sort", "counted"];

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

/// Types that a file of the program or of a crate defines: where, and what each is called.
fn types(source: &Source) -> Vec<(usize, &str)> {
    if !source.path.starts_with("app/") && !source.path.starts_with("engine/") {
        return Vec::new();
    }
    let keywords = ["struct", "enum", "trait", "union"].iter();
    keywords
        .flat_map(|keyword| {
            words(&source.code, keyword)
                .map(|at| (at, ident(source.code[at + keyword.len()..].trim_start())))
        })
        .filter(|(_, name)| name.starts_with(char::is_uppercase))
        .collect()
}

/// Names that several types have, with every place but the first.
fn repeated(sources: &[Source]) -> Vec<String> {
    let mut met = BTreeMap::new();
    let all = sources
        .iter()
        .flat_map(|source| types(source).into_iter().map(move |it| (source, it)));
    all.filter_map(|(source, (at, name))| {
        let place = source.place(at);
        let first = met.insert(name, place.clone())?;
        Some(format!("{place}: “{name}” is also a type at {first}"))
    })
    .collect()
}

/// Types of a file whose names are of the private dialect, or say nothing alone.
fn dialect(source: &Source) -> Vec<String> {
    let is_foreign = FOREIGN.iter().any(|path| source.path.starts_with(path));
    let named = types(source).into_iter().filter(|_| !is_foreign);
    named
        .filter_map(|(at, name)| {
            let place = source.place(at);
            if ALONE.contains(&name) {
                return Some(format!("{place}: “{name}” says nothing alone"));
            }
            let parts = parts(name);
            let (word, better) = DIALECT
                .iter()
                .find(|(word, _)| parts.iter().any(|part| part == word))?;
            Some(format!("{place}: “{name}” says {word}; say {better}"))
        })
        .collect()
}

/// What is wrong with the name of a file or of a folder of files.
fn file_name(path: &str) -> Option<String> {
    let stem = path.strip_suffix(".rs")?.rsplit('/').next()?;
    if NAMED_SO.contains(&stem) || FOREIGN.iter().any(|foreign| path.starts_with(foreign)) {
        return None;
    }
    let alone = ALONE.iter().any(|word| word.to_lowercase() == stem);
    if alone || VAGUE_FILES.contains(&stem) {
        return Some(format!("{path}: “{stem}” does not say what is in it"));
    }
    let parts: Vec<&str> = stem.split('_').collect();
    let (word, better) = DIALECT.iter().find(|(word, _)| parts.contains(word))?;
    Some(format!("{path}: “{stem}” says {word}; say {better}"))
}

#[test]
fn files_are_named_for_the_concept_in_them() {
    let complaints: Vec<String> = sources()
        .iter()
        .filter_map(|source| file_name(&source.path))
        .collect();
    report("a file has the name of the one concept in it:", &complaints);
}

#[test]
fn a_planted_file_name_is_found() {
    let wrong = [
        "engine/capture/src/near.rs",
        "app/src/told.rs",
        "tests/held_calls.rs",
        "app/src/landed.rs",
    ];
    for path in wrong {
        assert!(file_name(path).is_some(), "{path}");
    }
    for path in ["engine/capture/src/chunk_summary.rs", "app/src/app/link.rs"] {
        assert_eq!(file_name(path), None);
    }
}

#[test]
fn no_two_types_have_one_name() {
    report(
        "one name, one type, so that a search finds it:",
        &repeated(sources()),
    );
}

#[test]
fn types_are_named_in_words_of_the_field() {
    let complaints: Vec<String> = sources().iter().flat_map(dialect).collect();
    report("a type is a noun of the field:", &complaints);
}

#[test]
fn a_planted_type_is_found() {
    let source = |path: &str, text: &str| Source::new(path, text.to_owned());
    let twice = [
        source(
            "app/src/a.rs",
            "struct Span;\nimpl Span {}\n// struct Span\n",
        ),
        source("engine/x/src/b.rs", "pub(super) enum Span {}"),
        source("tests/c.rs", "struct Span;"),
    ];
    assert_eq!(
        repeated(&twice),
        ["engine/x/src/b.rs:1: “Span” is also a type at app/src/a.rs:1"]
    );
    let named =
        "struct HeldCall; struct Made; trait Threshold {} enum DoorState {} struct Kept<T>(T);";
    assert_eq!(dialect(&source("engine/x/src/d.rs", named)).len(), 4);
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
