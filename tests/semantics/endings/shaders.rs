//! Shaders that are too deep for a compiler that follows them: the answer is a compile error, on every backend.

use engine::capture::Capture;
use engine::runner::{RunRequest, run};

use crate::semantics::conformance::BRISK;

use super::backends;

/// Bodies that are deep, each in its own way.
fn bodies() -> Vec<(&'static str, String)> {
    let nested = |open: &str, inner: &str, close: &str, count: usize| {
        format!("{}{inner}{}", open.repeat(count), close.repeat(count))
    };
    vec![
        ("sums", format!("y[0] = 1.0{};", "+1.0".repeat(5000))),
        (
            "branches",
            format!("if (true) {{}} {}", "else if(true){}".repeat(1900)),
        ),
        (
            "parentheses",
            format!("y[0] = {};", nested("(", "1.0", ")", 10_000)),
        ),
        ("blocks", nested("{", "", "}", 10_000)),
        ("loops", nested("loop { ", "break;", " break; }", 1500)),
        (
            "types",
            format!("var a: {};", nested("array<", "f32", ", 1>", 2000)),
        ),
        ("signs", format!("y[0] = {}1.0;", "-".repeat(25_000))),
        (
            "calls",
            format!("y[0] = {};", nested("max(1.0, ", "1.0", ")", 2000)),
        ),
        ("places", format!("y[0] = y{};", "[0]".repeat(8000))),
        ("swizzles", format!("y[0] = vec2f(){};", ".xy".repeat(8000))),
    ]
}

fn workload(body: &str) -> String {
    format!(
        r#"
        stream "s"
        shader "deep" wgsl="""
        @group(0) @binding(0) var<storage, read_write> y: array<f32>;
        @compute @workgroup_size(1) fn main() {{
        {body}
        }}
        """
        pipeline "p" shader="deep"
        promise "built"
        promise "scope"
        promise "info"
        host "main" {{
            compilation-info "p" promise="info"
            push-error-scope "validation"
            create-pipeline "p"
            pop-error-scope promise="scope"
            create-pipeline-async "p" promise="built"
            settle-all
        }}
        expect {{
            settles "scope" "resolved" value="validation"
            settles "built" "rejected"
            settles "info" "resolved"
        }}
        "#
    )
}

/// What is said of pipelines.
fn details(capture: &Capture) -> Vec<&str> {
    let steps = capture.pipelines().iter().flat_map(|it| &it.steps);
    steps.map(|step| step.detail.as_str()).collect()
}

#[test]
fn a_shader_that_is_too_deep_is_a_compile_error_on_every_backend() {
    for backend in backends() {
        for (what, body) in bodies() {
            let mut capture = Capture::new();
            let request = RunRequest {
                name: what.to_owned(),
                source: workload(&body),
                backend: backend.name().to_owned(),
                paced: BRISK,
                ..RunRequest::default()
            };
            let name = backend.name();
            let end = run(request, |records| capture.apply(records));
            if let Err(refused) = end {
                // Blocks inside each other are too deep for the workload already.
                assert!(refused.contains("deep here"), "{name}, {what}: {refused}");
                continue;
            }
            let texts = details(&capture);
            assert!(
                texts.iter().any(|text| text.contains("deep here")),
                "{name}, {what}: {texts:?}"
            );
        }
    }
}

/// Bodies that are short and come to more than any compiler has room for.
#[test]
fn a_shader_that_comes_to_too_much_is_a_compile_error_on_every_backend() {
    let calls = (1..26).fold("fn f0() -> f32 { return y[0]; }".to_owned(), |text, it| {
        let before = it - 1;
        format!("{text} fn f{it}() -> f32 {{ return f{before}() + f{before}(); }}")
    });
    let large = "array<f32, 100000000>";
    for (body, declared) in [
        ("y[0] = f25();".to_owned(), calls),
        (
            "y[0] = w[0];".to_owned(),
            format!("var<workgroup> w: {large};"),
        ),
        (
            "y[0] = w[0];".to_owned(),
            format!("var<private> w: {large};"),
        ),
        (format!("let w = {large}(); y[0] = w[0];"), String::new()),
    ] {
        for backend in backends() {
            let main = "@compute @workgroup_size(1) fn main";
            let source = workload(&body).replace(main, &format!("{declared} {main}"));
            let request = RunRequest {
                name: "large".to_owned(),
                source,
                backend: backend.name().to_owned(),
                paced: BRISK,
                ..RunRequest::default()
            };
            let mut capture = Capture::new();
            run(request, |records| capture.apply(records)).unwrap();
            let texts = details(&capture);
            let is_told = texts
                .iter()
                .any(|it| it.contains("operations once every call"));
            assert!(is_told, "{}, {body}: {texts:?}", backend.name());
        }
    }
}

#[test]
fn a_shader_that_is_just_not_too_deep_is_compiled() {
    let sum = format!("y[0] = 1.0{};", "+1.0".repeat(900));
    let blocks = format!("{}{}", "{".repeat(20), "}".repeat(20));
    for backend in backends() {
        for body in [&sum, &blocks] {
            let request = RunRequest {
                name: "deep".to_owned(),
                source: workload(body).replace("\"built\" \"rejected\"", "\"built\" \"resolved\""),
                backend: backend.name().to_owned(),
                paced: BRISK,
                ..RunRequest::default()
            };
            let mut capture = Capture::new();
            run(request, |records| capture.apply(records)).unwrap();
            let built = capture
                .expectations()
                .iter()
                .any(|it| it.text.contains("built") && it.holds == Some(true));
            assert!(built, "{}: {:?}", backend.name(), details(&capture));
        }
    }
}
