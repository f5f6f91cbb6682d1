//! Reports: figures are those of the commands, names are never markup, and nothing is loaded.

use std::path::{Path, PathBuf};
use std::process::Command;

use app::cli::{FINE, WRONG};

use super::questions::{answer, syncline};
use super::real::path;
use crate::house::root;

fn text(path: &Path) -> String {
    path.display().to_string()
}

fn small() -> PathBuf {
    root().join("tests/data/captures/torch-steps.json.gz")
}

/// Runs the script that reads a page as a browser does.
fn judge(arguments: &[&str]) {
    let mut script = Command::new("python3");
    script.arg(root().join("tests/oracle/report.py"));
    let Ok(judged) = script.args(arguments).output() else {
        eprintln!("skipped: there is no python3");
        return;
    };
    let words = String::from_utf8_lossy(&judged.stderr);
    assert!(judged.status.success(), "{arguments:?}: {words}");
}

#[test]
fn figures_of_a_report_are_those_of_the_commands() {
    let names = [
        "kineto/hta_cp_alexnet.json.gz",
        "nsys/nsysai_mfu_2gpu_before.sqlite",
    ];
    let mut paths: Vec<PathBuf> = names.iter().filter_map(|it| path(it)).collect();
    paths.push(small());
    for path in paths {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| text(&folder.path().join(name));
        let (page, file) = (at("report.html"), text(&path));
        answer(&["report", &file, "-o", &page]);
        for command in ["idle", "critical-path", "statistics"] {
            let lines = answer(&[command, &file, "--format", "json"]);
            std::fs::write(at(&format!("{command}.jsonl")), lines).unwrap();
        }
        judge(&["figures", &page, &text(folder.path())]);
    }
}

#[test]
fn a_name_is_no_markup() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| text(&folder.path().join(name));
    // Longer ones are shortened.
    let name = "<script>alert(1)</script><img> | *b*";
    let events = serde_json::json!([
        {"ph": "X", "cat": "cuda_runtime", "pid": 1, "tid": 1, "ts": 1, "dur": 5, "name": "cudaLaunchKernel", "args": {"correlation": 7}},
        {"ph": "X", "cat": "kernel", "pid": 0, "tid": 7, "ts": 9000, "dur": 5000, "name": name, "args": {"stream": 7, "device": 0, "correlation": 7}},
        {"ph": "M", "name": "thread_name", "pid": 1, "tid": 1, "args": {"name": name}},
    ]);
    std::fs::write(at("odd.json"), events.to_string()).unwrap();
    answer(&["report", &at("odd.json"), "-o", &at("odd.html")]);
    judge(&["markup", &at("odd.html"), name]);
    let markdown = answer(&["report", &at("odd.json"), "--format", "markdown"]);
    assert!(
        markdown.starts_with("# ") && markdown.contains("## Idle time by cause"),
        "{markdown}"
    );
    assert!(
        !markdown.contains("<script") && !markdown.contains("<img"),
        "{markdown}"
    );
    assert!(!markdown.contains("data:image"));
}

#[test]
fn a_snapshot_has_sections_of_memory_and_no_empty_ones() {
    let file = text(&root().join("tests/data/captures/torch-snapshot.pickle"));
    let markdown = answer(&["report", &file, "--format", "markdown"]);
    let heads: Vec<&str> = markdown
        .lines()
        .filter(|it| it.starts_with("## "))
        .collect();
    let expected = [
        "## What and where",
        "## Memory at the peak",
        "## Peaks of memory",
        "## Receipt",
    ];
    assert_eq!(heads, expected, "{markdown}");
    // As `memory` groups and writes them.
    assert!(
        markdown.contains("| CUDA 1 | step (/src/train.py:7) | 31 | 276 KiB |"),
        "{markdown}"
    );
    assert!(
        markdown.contains("842 KiB allocated at 21.6 ms"),
        "{markdown}"
    );
    assert!(!markdown.contains("0 ns"), "{markdown}");
}

#[test]
fn causes_are_explained_on_the_page() {
    let file = text(&root().join("tests/data/captures/torch-h100.json.gz"));
    let page = answer(&["report", &file, "--format", "markdown"]);
    for words in [
        "- **after**: The stream had nothing more to do.",
        "- **host late**: The stream was empty",
        "- **latency**: ",
        "- **return**: ",
    ] {
        assert!(page.contains(words), "{words}: {page}");
    }
}

#[test]
fn kernels_on_the_path_are_told_apart() {
    let Some(file) = path("kineto/param_dlrm8/worker3_step_12.1694128201557.pt.trace.json.gz")
    else {
        return;
    };
    let page = answer(&["report", &text(&file), "--format", "markdown"]);
    let rows = page
        .lines()
        .skip_while(|it| !it.starts_with("| operation on it"));
    let rows = rows.take_while(|it| !it.is_empty()).skip(2);
    let names: Vec<&str> = rows.filter_map(|it| it.split(" | ").next()).collect();
    let mut once = names.clone();
    once.sort_unstable();
    once.dedup();
    assert!(!names.is_empty());
    assert_eq!(once.len(), names.len(), "{names:?}");
    let words = ", which took 19.3 ms.";
    assert!(page.contains(words), "one iteration has a length: {page}");
}

#[test]
fn a_report_is_no_other_sort_of_file() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| text(&folder.path().join(name));
    let (code, _, err) = syncline(&["report", &text(&small()), "-o", &at("x.pdf")]);
    assert_eq!(code, WRONG, "{err}");
    assert!(err.contains("x.pdf cannot be written"), "{err}");
    assert!(!folder.path().join("x.pdf").exists());
    for name in ["x.HTM", "x.md", "x"] {
        let (code, _, err) = syncline(&["report", &text(&small()), "-o", &at(name)]);
        assert_eq!(code, FINE, "{name}: {err}");
    }
}

#[test]
fn a_report_of_nothing_is_a_sentence() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| text(&folder.path().join(name));
    std::fs::write(at("empty.json"), r#"{"traceEvents": []}"#).unwrap();
    let (code, out, err) = syncline(&["report", &at("empty.json"), "--format", "markdown"]);
    assert!(code == FINE || code == WRONG, "{err}");
    let said = format!("{out}{err}");
    assert!(
        said.contains("Nothing ran in this capture") || said.contains("empty.json"),
        "{said}"
    );
    let (code, _, err) = syncline(&["report", &at("none.json")]);
    assert!(code == WRONG && err.contains("none.json"), "{err}");
}
