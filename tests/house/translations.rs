//! What the window says in several languages: each sentence has all of them, and no file has one that nothing says.

use std::collections::BTreeSet;

use app::text::{tr, translated};
use engine::lesson::TextLanguage;

use crate::house::source::Source;
use crate::house::{report, sources};

/// A literal as the compiler reads it: without the ends of lines that a backslash takes away.
fn plain(literal: &str) -> String {
    let mut lines = literal.split("\\\n");
    let first = lines.next().unwrap_or_default().to_owned();
    let joined = lines.fold(first, |text, line| text + line.trim_start());
    joined.replace("\\\"", "\"")
}

/// Whether a literal that starts here is what `tr` is asked for.
fn is_asked(source: &Source, start: usize) -> bool {
    let before = source.code.get(..start).unwrap_or_default();
    let asks = before.trim_end().strip_suffix("tr(");
    // Other functions end so as well.
    asks.is_some_and(|it| !it.ends_with(|last: char| last.is_alphanumeric() || last == '_'))
}

#[test]
fn every_sentence_has_each_language_and_is_said() {
    let ours = || sources().iter().filter(|it| it.path.starts_with("app/src"));
    let mut complaints = Vec::new();
    let mut said = BTreeSet::new();
    for source in ours() {
        for (start, literal) in &source.strings {
            let sentence = plain(literal);
            if is_asked(source, *start) {
                let leaked: &'static str = Box::leak(sentence.clone().into_boxed_str());
                if tr(TextLanguage::Chinese, leaked) == leaked {
                    complaints.push(format!("{}: no Chinese for {sentence:?}", source.path));
                }
            }
            said.insert(sentence);
        }
    }
    assert!(said.contains("Run and check"), "literals are found");
    for sentence in translated(TextLanguage::Chinese) {
        if !said.contains(sentence) {
            complaints.push(format!(
                "assets/languages/zh.json: nothing says {sentence:?}"
            ));
        }
    }
    report(
        "each sentence that tr is asked for has a line in every file of assets/languages",
        &complaints,
    );
}

/// A sentence without a translation would be found.
#[test]
fn what_is_asked_for_is_found() {
    let text = "fn a() { b(scene.tr(\n    \"one \\\n     two\"), \"three\") }";
    let source = Source::new("app/src/a.rs", text.to_owned());
    let asked = source
        .strings
        .iter()
        .filter(|(start, _)| is_asked(&source, *start));
    let asked: Vec<String> = asked.map(|(_, literal)| plain(literal)).collect();
    assert_eq!(asked, ["one two"]);
}
