//! The documents say what is true: keys, workloads, links and pictures are compared with the code.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Mutex;

use app::action::key_table_markdown;
use engine::lesson::{Course, TextLanguage};
use engine::query::{CAPTURE_ONLY, TABLES, questions};
use engine::workload::{Document, bundled, guides, language_guide};

use crate::house::{read, report, root};

/// How long the README may be: who wants more reads a guide.
const README_LINES: usize = 150;

/// The guide of this name, split into what is before, inside and after `<!-- NAME: … -->` and `<!-- end -->`.
fn section(name: &str) -> [String; 3] {
    let text = read(&format!("assets/guides/{name}.md"));
    let mark = text
        .find(&format!("<!-- {name}"))
        .expect("the section is marked");
    let start = mark + text[mark..].find("-->\n").expect("the mark ends") + 4;
    let end = start
        + text[start..]
            .find("<!-- end -->")
            .expect("the section ends");
    [&text[..start], &text[start..end], &text[end..]].map(str::to_owned)
}

/// Compares the section of a guide with what it is made from; `UPDATE_GUIDES=true` writes it instead.
fn same(name: &str, made: &str) {
    static ONE: Mutex<()> = Mutex::new(());
    let _one_at_a_time = ONE.lock();
    let [before, inside, after] = section(name);
    if inside != made && std::env::var_os("UPDATE_GUIDES").is_some() {
        let text = format!("{before}{made}{after}");
        let path = root().join(format!("assets/guides/{name}.md"));
        std::fs::write(path, text).expect("the guide can be written");
    } else {
        assert!(
            inside == made,
            "run with UPDATE_GUIDES=true, or make the {name} be:\n\n{made}"
        );
    }
}

#[test]
fn the_table_of_keys_is_the_table_of_actions() {
    same("keys", &key_table_markdown());
}

#[test]
fn the_reference_of_the_language_is_made_from_its_definitions() {
    same("language", &language_guide());
}

#[test]
fn the_list_of_workloads_is_what_is_bundled() {
    let mut table = vec![
        "| name | what it shows |".to_owned(),
        "| --- | --- |".to_owned(),
    ];
    for workload in bundled() {
        let document = Document::parse(workload.name, workload.source).expect("it parses");
        table.push(format!("| `{}` | {} |", workload.name, document.about()));
    }
    table.push(String::new());
    same("workloads", &table.join("\n"));
}

/// The lessons in which a system's calls are named, those in `only` where that says something.
fn lessons_of(system: &str, only: &str) -> String {
    let mut table =
        vec!["| lesson | what one knows afterwards | calls |\n| --- | --- | --- |".to_owned()];
    for lesson in &Course::bundled().expect("it can be read").lessons {
        let own = lesson.words.iter().find(|(name, _)| name == system);
        let Some((_, calls)) = own.filter(|(_, calls)| calls.contains(only)) else {
            continue;
        };
        let goal = lesson.goal.get(TextLanguage::English);
        table.push(format!("| `{}` | {goal} | {calls} |", lesson.id));
    }
    table.push(String::new());
    table.join("\n")
}

#[test]
fn guides_of_other_systems_lead_into_the_lessons_that_name_their_calls() {
    for guide in ["cuda", "warp", "webgpu", "oneflow", "ascendcl", "cuda-core"] {
        same(guide, &lessons_of(guide, ""));
    }
    same("cuda-graphs", &lessons_of("cuda", "Graph"));
}

/// A table of tables, and what is bundled, as the guide of SQL shows them.
fn sql_guide() -> String {
    let mut text = Vec::new();
    for table in TABLES {
        let alone = if CAPTURE_ONLY.contains(&table.name) {
            " Only in an open capture."
        } else {
            ""
        };
        text.push(format!("### {}\n\n{}{alone}\n", table.name, table.about));
        text.push("| column | type | what it says |\n| --- | --- | --- |".to_owned());
        for column in table.columns {
            let hidden = if column.is_hidden {
                "; left out of `*`"
            } else {
                ""
            };
            text.push(format!(
                "| `{}` | {} | {}{hidden} |",
                column.name,
                column.holds.label().to_lowercase(),
                column.about
            ));
        }
        text.push(String::new());
    }
    text.push("## Bundled questions\n".to_owned());
    text.push("| name | what it asks | needs |\n| --- | --- | --- |".to_owned());
    for question in questions() {
        let needs = question.needs().join(", ");
        text.push(format!(
            "| {} | {} | {needs} |",
            question.name,
            question.sentence()
        ));
    }
    text.push(String::new());
    text.join("\n")
}

#[test]
fn the_tables_of_sql_are_the_schema() {
    same("sql", &sql_guide());
}

/// The documents, each with the folder that its links begin in.
fn documents() -> Vec<(String, PathBuf)> {
    let top = [
        "README.md",
        "ARCHITECTURE.md",
        "CHANGELOG.md",
        "CONTRIBUTING.md",
    ];
    let top = top.map(|it| (it.to_owned(), root().to_path_buf()));
    let guides = guides().iter().map(|it| {
        let folder = "assets/guides";
        (format!("{folder}/{}.md", it.name), root().join(folder))
    });
    top.into_iter().chain(guides).collect()
}

#[test]
fn what_they_point_at_exists() {
    let mut complaints = Vec::new();
    for (file, folder) in documents() {
        let text = read(&file);
        let links = text.split("](").skip(1);
        for link in links.filter_map(|rest| rest.split(')').next()) {
            if !link.contains("://") && !folder.join(link).exists() {
                complaints.push(format!("{file}: {link}"));
            }
        }
        // `engine/record/src.rs` and the like.
        for path in text.split('`').skip(1).step_by(2) {
            let ours = ["app/", "engine/", "assets/", "tests/", "screenshots/"];
            let is_ours = ours.iter().any(|folder| path.starts_with(folder));
            // A command goes on behind the path, and `NAME` stands for any.
            let is_path = !path.contains([' ', '*', '<']) && !path.contains("NAME");
            if is_ours && is_path && !root().join(path).exists() {
                complaints.push(format!("{file}: {path}"));
            }
        }
    }
    report("what the documents point at must exist:", &complaints);
}

#[test]
fn the_readme_is_read_at_once_and_leads_to_every_guide() {
    let text = read("README.md");
    assert!(text.lines().count() <= README_LINES);
    for guide in guides() {
        let link = format!("(assets/guides/{}.md)", guide.name);
        assert!(text.contains(&link), "{link}");
    }
}

#[test]
fn its_picture_is_one_that_the_tests_compare() {
    let text = read("README.md");
    let pictures: Vec<&str> = text.matches("](screenshots/").collect();
    assert!(
        !pictures.is_empty(),
        "the README shows a picture from screenshots/"
    );
}

#[test]
fn its_workload_parses() {
    let text = read("README.md");
    let (_, rest) = text
        .split_once("```kdl")
        .expect("an example of the language");
    let (example, _) = rest.split_once("```").expect("the example ends");
    let document = Document::parse("README.kdl", example);
    assert!(document.is_ok(), "{:?}", document.err());
}

#[test]
fn the_engine_opens_with_an_example() {
    let text = read("engine/src/lib.rs");
    let docs: String = text
        .lines()
        .take_while(|line| line.starts_with("//!"))
        .collect();
    assert!(
        docs.contains("```"),
        "engine/src/lib.rs opens with a complete example"
    );
    assert!(
        !docs.contains("```ignore") && !docs.contains("```no_run"),
        "the example must run"
    );
}

/// A rule's number, such as `A42`: a letter from A to G and what is no more than two digits.
fn rule_numbers(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|it: char| !it.is_ascii_alphanumeric());
    words.filter(|word| {
        let (letter, digits) = word.split_at_checked(1).unwrap_or_default();
        let is_number =
            (1..=2).contains(&digits.len()) && digits.bytes().all(|it| it.is_ascii_digit());
        is_number && !digits.starts_with('0') && ("A"..="G").contains(&letter)
    })
}

/// Whoever reads `rule A42` somewhere finds what it says.
#[test]
fn every_rule_that_is_cited_is_in_the_table_of_rules() {
    let table = read("assets/guides/semantics.md");
    let rows = table.lines().filter_map(|line| line.strip_prefix("| "));
    let known: BTreeSet<&str> = rows
        .filter_map(|row| row.split(" |").next())
        .filter(|cell| rule_numbers(cell).next() == Some(cell))
        .collect();
    assert!(known.len() > 100, "{known:?}");
    let mut complaints = Vec::new();
    let cited = |file: &str, line: usize, text: &str, complaints: &mut Vec<String>| {
        for number in rule_numbers(text).filter(|it| !known.contains(it)) {
            complaints.push(format!("{file}:{line}: {number}"));
        }
    };
    for guide in guides() {
        for (at, line) in guide.source.lines().enumerate() {
            // Rules are cited in brackets there; the rest may name a device.
            for inside in line
                .split('(')
                .skip(1)
                .filter_map(|it| it.split(')').next())
            {
                cited(guide.name, at + 1, inside, &mut complaints);
            }
        }
    }
    for file in ["engine/device/src/lib.rs", "engine/order/src/lib.rs"] {
        for (at, line) in read(file).lines().enumerate() {
            if let Some(comment) = line.trim().strip_prefix("//") {
                cited(file, at + 1, comment, &mut complaints);
            }
        }
    }
    report(
        "rules that are cited must be in assets/guides/semantics.md:",
        &complaints,
    );
}
