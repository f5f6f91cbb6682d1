//! Workloads of a few lines that ask for more than there is: each is refused with the reason, and soon, or simply runs.

use engine::workload::{Document, WorkloadError};

use crate::semantics::conformance::view;

/// What is wrong with a text, be it read or planned.
fn errors(source: &str) -> Vec<WorkloadError> {
    match Document::parse("a.kdl", source) {
        Ok(document) => document.plan(&[]).err().unwrap_or_default(),
        Err(errors) => errors,
    }
}

fn told(source: &str) -> String {
    let errors = errors(source);
    let told = errors.first().map(ToString::to_string);
    told.unwrap_or_default()
}

const HOST: &str = "host \"m\" { work micros=1; }\n";

#[test]
fn loops_without_calls_are_not_gone_through() {
    let deep = |inner: &str| {
        format!(
            "host \"m\" {{ {}{inner}{} }}",
            "repeat 17 { ".repeat(15),
            "}".repeat(15)
        )
    };
    assert!(
        told(&deep("repeat 0 { work micros=1; }")).contains("more than 100000000 calls or rounds")
    );
    assert!(told(&deep("work micros=1;")).contains("more than 100000000 calls or rounds"));
    let wide = "repeat \"i*0+j*0\" { work micros=1; }\n".repeat(500);
    let source = format!(
        "host \"m\" {{ repeat 1400 index=\"i\" {{ repeat 1400 index=\"j\" {{\n{wide} }} }} }}"
    );
    assert!(told(&source).contains("calls or rounds"));
    // Where few change, each is counted.
    let source = "host \"m\" { repeat 1000 index=\"i\" { repeat \"i\" { work micros=1; } } }";
    let document = Document::parse("a.kdl", source).unwrap();
    assert_eq!(document.plan(&[]).unwrap().call_count, 499_500);
}

#[test]
fn arrays_have_a_bound_together() {
    for word in [
        "stream",
        "event",
        "signal",
        "promise",
        "graph",
        "buffer",
        "event-pool",
        "pipeline",
        "recorded",
    ] {
        let rest = match word {
            "buffer" => "f32=1",
            "pipeline" => "kernel=\"spin\"",
            _ => "",
        };
        let lines: Vec<String> = (0..5)
            .map(|it| format!("{word} \"s{it}\" count=131072 {rest}"))
            .collect();
        let lines = lines.join("\n");
        let told: Vec<String> = errors(&format!("{lines}\n{HOST}"))
            .iter()
            .map(ToString::to_string)
            .collect();
        let says = |what: &str| told.iter().any(|it| it.contains(what));
        // What has no arrays says so.
        let is_no_array = says("has no property “count”") || says("has nothing called");
        assert!(
            says("more than 524288 elements") || is_no_array,
            "{word}: {told:?}"
        );
        assert!(!is_no_array || !matches!(word, "stream" | "event" | "buffer" | "pipeline"));
    }
}

#[test]
fn long_names_and_formulas_count_for_each_element() {
    let long = "n".repeat(100_000);
    let text = format!("buffer \"{long}\" count=131072 f32=1\n{HOST}");
    assert!(told(&text).contains("more than 524288 elements"));
    let formula: Vec<String> = (0..100).map(|it| format!("k*{it}.5")).collect();
    let formula = formula.join("+");
    let text = format!("buffer \"x\" count=131072 f32=1 init=\"{formula}\"\n{HOST}");
    assert!(told(&text).contains("more than 524288 elements"));
    let streams = "overlap \"s\" \"s\" at-least=0\n".repeat(100);
    let text = format!("stream \"s\" count=16000\n{HOST}expect {{\n{streams}}}");
    assert!(told(&text).contains("more than 524288 elements"));
}

#[test]
fn pipelines_share_their_shader() {
    let shader = format!(
        "@compute @workgroup_size(1) fn main() {{ /* {} */ }}",
        "a".repeat(500_000)
    );
    let text =
        format!("shader \"a\" wgsl=\"{shader}\"\npipeline \"p\" shader=\"a\" count=131072\n{HOST}");
    let document = Document::parse("a.kdl", &text).unwrap();
    // A copy for each would be 65 GB.
    assert_eq!(document.plan(&[]).unwrap().pipelines.len(), 131_072);
}

#[test]
fn a_line_of_a_megabyte_is_told_in_a_few_words() {
    for text in [
        "x;".repeat(500_000),
        format!("stream {}", "p=1 ".repeat(250_000)),
    ] {
        let errors = errors(&text);
        assert_eq!(errors.len(), 100);
        let told: usize = errors.iter().map(|it| it.to_string().len()).sum();
        assert!(told < 200_000, "{told}");
    }
}

#[test]
fn of_more_pairs_than_are_compared_that_is_said() {
    let source = r#"
stream "a"
stream "b"
host "m" {
    repeat 5100 {
        launch "spin" on="a" label="p" { set "micros" 1 }
        launch "spin" on="b" label="q" { set "micros" 1 }
    }
}
expect { ordered "p" "q"; apart "p" "q"; ordered "p" "q" by="turn" }
"#;
    let view = view(source, "mock");
    let found = view.capture.expectations();
    for it in &found[..2] {
        assert!(it.found.contains("26010000 pairs are more than"), "{it:?}");
        assert_eq!(it.holds, Some(false));
    }
    assert_eq!(found[2].found, "0 of 5100 pairs are ordered");
}
