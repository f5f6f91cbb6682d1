//! A stream whose queue is thousands deep: each operation waited for all those in front of it.

use std::fmt::Write as _;

use serde_json::Value;

/// Kernels that are launched one after the other, long before they run.
const KERNELS: usize = 1_600;

/// What a profiler writes, in microseconds: launches of 1 µs, kernels of 100 µs without a gap.
fn capture() -> String {
    let mut text = String::from("[");
    for place in 0..KERNELS {
        let (called, ran) = (place, 5_000 + place * 100);
        let _ = write!(
            text,
            r#"{{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":{called},"dur":1,"args":{{"correlation":{place}}}}},
{{"ph":"X","cat":"kernel","name":"k{place}","pid":0,"tid":7,"ts":{ran},"dur":100,"args":{{"correlation":{place},"stream":7,"device":0}}}},
"#
        );
    }
    text.truncate(text.trim_end().len() - 1);
    text + "]"
}

fn explain(file: &str, arguments: &[&str]) -> (Vec<Value>, String) {
    let arguments = [
        &["syncline", "explain", file, "--format", "json"],
        arguments,
    ]
    .concat();
    let (mut out, mut err) = (Vec::new(), Vec::new());
    assert_eq!(app::cli::run(&arguments, &mut out, &mut err), 0);
    let out = String::from_utf8(out).unwrap();
    let rows = out.lines().map(|it| serde_json::from_str(it).unwrap());
    (rows.collect(), String::from_utf8(err).unwrap())
}

#[test]
fn chains_that_would_fill_a_disk_are_left_out_with_a_word_and_shown_one_by_one() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("deep.json");
    std::fs::write(&path, capture()).unwrap();
    let file = path.display().to_string();
    let (rows, said) = explain(&file, &["--all"]);
    let kernels: Vec<_> = rows.iter().filter(|it| it["type"] == "op").collect();
    assert_eq!(kernels.len(), KERNELS);
    assert!(kernels.iter().all(|it| it["chain"].is_null()));
    assert!(said.contains("chain is left out"), "{said}");

    let name = format!("k{}", KERNELS - 1);
    let last = kernels.iter().find(|it| it["name"] == *name).unwrap();
    let (rows, said) = explain(&file, &["--span", &last["span"].to_string()]);
    // From its launch on: every kernel in front of it ran, and nothing lay between them but the way to the first.
    let ran = rows[0]["chain"].as_array().unwrap().iter();
    let ran = ran.filter(|it| it["what"] == "run").count();
    assert_eq!((ran, said.as_str()), (KERNELS - 1, ""));

    let (rows, said) = explain(&file, &["--all", "--range", "0us..20ms"]);
    assert!(rows.iter().any(|it| !it["chain"].is_null()), "{said}");
}
