//! The README says what is true: its keys, workloads and pictures are compared with the code.

use std::sync::Mutex;

use app::action::key_table_markdown;
use engine::workload::{Document, bundled};

use crate::house::{read, report, root};

/// The README, split into what is before, inside and after `<!-- NAME: … -->` and `<!-- end -->`.
fn section(name: &str) -> [String; 3] {
    let text = read("README.md");
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

/// Compares a section with what it is made from; `UPDATE_README=true` writes it instead.
fn same(name: &str, made: &str) {
    static ONE: Mutex<()> = Mutex::new(());
    let _one_at_a_time = ONE.lock();
    let [before, inside, after] = section(name);
    if inside != made && std::env::var_os("UPDATE_README").is_some() {
        let text = format!("{before}{made}{after}");
        std::fs::write(root().join("README.md"), text).expect("the README can be written");
    } else {
        assert!(
            inside == made,
            "run with UPDATE_README=true, or make the {name} be:\n\n{made}"
        );
    }
}

#[test]
fn the_table_of_keys_is_the_table_of_actions() {
    same("keys", &key_table_markdown());
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

#[test]
fn what_it_points_at_exists() {
    let mut complaints = Vec::new();
    for file in ["README.md", "ARCHITECTURE.md", "CHANGELOG.md"] {
        let text = read(file);
        for link in text
            .split("](")
            .skip(1)
            .filter_map(|rest| rest.split(')').next())
        {
            if !link.contains("://") && !root().join(link).exists() {
                complaints.push(format!("{file}: {link}"));
            }
        }
        // `engine/record/src.rs` and the like.
        for path in text.split('`').skip(1).step_by(2) {
            let ours = ["app/", "engine/", "assets/", "tests/", "screenshots/"];
            if ours.iter().any(|folder| path.starts_with(folder)) && !root().join(path).exists() {
                complaints.push(format!("{file}: {path}"));
            }
        }
    }
    report("what the documents point at must exist:", &complaints);
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
