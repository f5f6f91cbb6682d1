//! Every word of the workloads that come with the program is offered where it stands, as the parser finds it there.

use std::collections::HashSet;

use super::complete;
use crate::kdl::{KdlEntry, KdlNode, parse};

/// What is offered behind the first letter of what stands at `start`, or before it within quotation marks.
fn offered(text: &str, at: usize) -> Vec<String> {
    let words = complete(text, at).1.into_iter();
    words.map(|it| it.text).collect()
}

/// The names that a text declares, by the parser.
fn declared(nodes: &[KdlNode]) -> HashSet<String> {
    let words = [
        "stream", "event", "buffer", "signal", "pipeline", "promise", "graph", "recorded", "param",
    ];
    let nodes = nodes.iter().filter(|it| words.contains(&&*it.name));
    let names = nodes.filter_map(|it| it.argument(0)?.value.as_text().map(str::to_owned));
    names.collect()
}

fn check_value(text: &str, entry: &KdlEntry, names: &HashSet<String>, missed: &mut Vec<String>) {
    let is_new = entry
        .name()
        .is_some_and(|it| matches!(it, "label" | "about" | "index" | "value"));
    let Some(said) = entry
        .value
        .as_text()
        .filter(|it| names.contains(*it) && !is_new)
    else {
        return;
    };
    let at = entry.value_range.start + 1;
    if text.as_bytes()[entry.value_range.start] == b'"'
        && !offered(text, at).contains(&said.to_owned())
    {
        missed.push(format!(
            "{:?} of {}",
            said,
            &text[..at].lines().last().unwrap_or_default()
        ));
    }
}

fn check(text: &str, nodes: &[KdlNode], names: Option<&HashSet<String>>, missed: &mut Vec<String>) {
    for node in nodes {
        if !offered(text, node.name_range.start + 1).contains(&node.name) {
            missed.push(format!("the word {}", node.name));
        }
        for entry in &node.entries {
            if let Some((name, range)) = &entry.name
                && !offered(text, range.start + 1).contains(&format!("{name}="))
            {
                missed.push(format!("{name}= of {}", node.name));
            }
            // At the top names are given, and only below are they used.
            if let Some(names) = names {
                check_value(text, entry, names, missed);
            }
        }
        let known = declared(nodes);
        check(text, node.inside(), Some(names.unwrap_or(&known)), missed);
    }
}

#[test]
fn all_that_bundled_workloads_say_is_offered_where_they_say_it() {
    let mut missed = Vec::new();
    for workload in crate::bundled() {
        let nodes = parse(workload.source).unwrap();
        let before = missed.len();
        check(workload.source, &nodes, None, &mut missed);
        for text in &mut missed[before..] {
            *text = format!("{}: {text}", workload.name);
        }
    }
    assert!(missed.is_empty(), "{}", missed.join("\n"));
}

#[test]
fn what_is_offered_is_of_the_place_and_of_the_text() {
    let text = "param \"parts\" 8\nstream \"copy\" role=\"host-to-device\"\nstream \"compute\"\nbuffer \"x\" f32=4\nevent \"e\"\nhost \"main\" {\n";
    let of = |line: &str| offered(&format!("{text}{line}"), text.len() + line.len());
    assert_eq!(of("upload \"x\" on=\"co"), ["copy", "compute"]);
    assert_eq!(of("upload \""), ["x"]);
    assert_eq!(of("wait \"e\" on=\"copy\" ti"), ["timeout-micros="]);
    assert_eq!(of("repeat \"pa"), ["parts"]);
    assert_eq!(
        of("repeat \"parts\" index=\"i\" { upload \"x\" \"2 * i"),
        ["i"]
    );
    assert_eq!(of("launch \"sax"), ["saxpy"]);
    assert_eq!(of("launch \"saxpy\" on=\"compute\" { set \""), ["a"]);
    let calls = of("upload \"x\" on=\"copy\"; re");
    assert!(calls.contains(&"record".to_owned()) && calls.contains(&"repeat".to_owned()));
    assert!(calls.iter().all(|it| it.starts_with("re")), "{calls:?}");
    for nothing in [
        "",
        "// re",
        "/* re",
        "upload \"x\" on=\"copy\" ",
        "upload \"x\" label=\"",
        "spin",
        "cpu-work micros=4 lab\"",
    ] {
        assert!(
            of(nothing).iter().all(|it| it.starts_with("spin")),
            "{nothing}: {:?}",
            of(nothing)
        );
    }
    assert!(offered("stream \"", 8).is_empty());
    assert!(offered("stream \"s\" role=\"c", 18).contains(&"compute".to_owned()));
}

#[test]
fn no_text_and_no_place_makes_it_panic() {
    let mut texts: Vec<String> = crate::bundled()
        .iter()
        .map(|it| it.source.to_owned())
        .collect();
    texts.extend(
        [
            "\"", "#\"", "{{{", "}}}", "a=\"", "é \"ß", "\\", "/*/*", "\"\"\"\n",
        ]
        .map(str::to_owned),
    );
    for text in texts {
        for at in 0..=text.len() + 1 {
            let (start, _) = complete(&text, at);
            assert!(start <= text.len() && text.is_char_boundary(start));
        }
    }
}
