//! The bundled questions: what they say of themselves, and the SQL that every engine understands.

use std::collections::BTreeSet;
use std::path::Path;

use super::{rows_within, source};
use crate::schema::{CAPTURE_ONLY, TABLES};
use crate::{BundledQuestion, SqlLimits, SqlTokenKind, questions, tokens};

/// Words of the language that all engines understand alike.
const WORDS: &[&str] = &[
    "and",
    "as",
    "between",
    "by",
    "case",
    "count",
    "current",
    "desc",
    "distinct",
    "else",
    "end",
    "filter",
    "from",
    "group",
    "having",
    "in",
    "is",
    "join",
    "left",
    "like",
    "limit",
    "not",
    "null",
    "on",
    "or",
    "order",
    "over",
    "partition",
    "preceding",
    "row",
    "rows",
    "select",
    "then",
    "unbounded",
    "union",
    "all",
    "when",
    "where",
    "with",
];
/// Functions that they answer alike.
const FUNCTIONS: &[&str] = &[
    "abs",
    "coalesce",
    "count",
    "instr",
    "lag",
    "lead",
    "length",
    "lower",
    "max",
    "min",
    "nullif",
    "replace",
    "row_number",
    "substr",
    "sum",
];

fn words(question: &BundledQuestion) -> Vec<String> {
    let all = tokens(question.sql).into_iter();
    let words = all.filter(|it| it.kind == SqlTokenKind::Word);
    words.map(|it| it.text(question.sql).to_owned()).collect()
}

#[test]
fn the_list_is_the_folder() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../assets/queries");
    let files: BTreeSet<String> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    let listed: BTreeSet<String> = questions()
        .iter()
        .map(|it| format!("{}.sql", it.name))
        .collect();
    assert_eq!(files, listed);
    assert_eq!(listed.len(), questions().len(), "a name is listed twice");
    assert!(questions().len() >= 24);
}

#[test]
fn each_says_what_it_asks_needs_and_answers_with() {
    let source = source(40);
    let mut sentences = BTreeSet::new();
    for question in questions() {
        let name = question.name;
        assert!(sentences.insert(question.sentence()), "{name}");
        let sentence = question.sentence();
        assert!(
            sentence.ends_with(['?', '.']) && sentence.len() > 20,
            "{name}: {sentence}"
        );
        assert!(!question.needs().is_empty(), "{name}");
        for table in question.needs() {
            assert!(TABLES.iter().any(|it| it.name == table), "{name}: {table}");
            // A step is a column of other tables as well.
            let column = table.trim_end_matches('s');
            let is_named = |it: &String| it == table || it == column;
            assert!(words(question).iter().any(is_named), "{name}: {table}");
        }
        let answer = rows_within(&source, question.sql, SqlLimits::default());
        let (summary, _) = answer.unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(summary.columns, question.columns(), "{name}");
        assert_eq!(summary.cut, None, "{name}");
    }
}

#[test]
fn each_is_of_the_subset_that_engines_answer_alike() {
    for question in questions() {
        let (name, sql) = (question.name, question.sql);
        let all = tokens(sql);
        let code: Vec<&str> = all
            .iter()
            .filter(|it| it.kind != SqlTokenKind::Comment)
            .map(|it| it.text(sql))
            .collect();
        assert!(
            all.iter().all(|it| it.kind != SqlTokenKind::Quoted),
            "{name}: a quoted name"
        );
        assert!(!code.contains(&";") && !code.contains(&"?"), "{name}");
        for (at, word) in code.iter().enumerate() {
            let called = code.get(at + 1) == Some(&"(");
            let lower = word.to_lowercase();
            if word.chars().all(|it| it.is_ascii_uppercase() || it == '_') && word.len() > 1 {
                assert!(WORDS.contains(&lower.as_str()), "{name}: {word}");
            } else if called && word.chars().all(|it| it.is_ascii_lowercase() || it == '_') {
                // A list behind a name's alias is a common table's own.
                assert!(
                    FUNCTIONS.contains(word) || code.get(at + 2) == Some(&"SELECT"),
                    "{name}: {word}"
                );
            }
            // Engines differ in what a whole number through another is.
            if *word == "/" {
                let before = code[..at].join(" ");
                assert!(
                    before.contains("1e2") || before.contains("1e0"),
                    "{name}: a division of whole numbers"
                );
            }
        }
        assert!(
            code.windows(2).any(|it| it == ["ORDER", "BY"]),
            "{name}: no order"
        );
        for table in CAPTURE_ONLY {
            assert!(
                !words(question).iter().any(|it| it == table),
                "{name}: {table} is in captures alone"
            );
        }
        assert!(!words(question).iter().any(|it| it == "name_id"), "{name}");
        assert!(
            !sql.contains("4294967296"),
            "{name}: ids are not taken apart"
        );
        let own = question.columns();
        let distinct: BTreeSet<&&str> = own.iter().collect();
        assert_eq!(distinct.len(), own.len(), "{name}: a column twice");
        // What leads back to the capture has the names that the window knows.
        assert!(
            own.iter().all(|it| *it != "id" && *it != "lane_ids"),
            "{name}"
        );
    }
}
