//! Why operations began when they did: answers about programs of which a machine of our own knows the causes, and sums that
//! must come out whatever is asked.

mod answers;
mod branches;
mod cut_off;
mod deep;
mod findings;
mod iterations;
mod latest;
mod operations;
mod reference;
mod scope;
mod sentences;
mod sums;
mod threads;
mod waits;
mod workloads;

use std::path::{Path, PathBuf};

use serde_json::Value;

/// Captures of other tools, of every kind that tells of streams.
pub const CAPTURES: &[&str] = &[
    "kineto/hta_cp_event_sync_multi_stream.json.gz",
    "kineto/hta_cp_alexnet.json.gz",
    "kineto/param_dlrm8/worker0_step_12.1694128201545.pt.trace.json.gz",
    "kineto/tl_sglang_qwen3_decode.json.gz",
    "kineto/hta_mtia_inference_rank_0.json.gz",
    "nsys/nsysai_mfu_2gpu_before.sqlite",
    "nsys/nsightful_power_iteration.sqlite",
    "rocm/rocsys_rocpd-3638851.db",
    "rocm/rpd_matmul_result.json",
    "perfetto/rocsys_perfetto-3638851.proto",
];

/// The lines that a command prints about files, as programs read them.
pub fn lines(command: &str, files: &[PathBuf], more: &[&str]) -> Vec<Value> {
    let mut arguments = vec!["syncline".to_owned(), command.to_owned()];
    arguments.extend(files.iter().map(|it| it.display().to_string()));
    arguments.extend(more.iter().map(|it| (*it).to_owned()));
    arguments.extend(["--format".to_owned(), "json".to_owned()]);
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let code = app::cli::run(&arguments, &mut out, &mut err);
    assert_eq!(code, 0, "{arguments:?}: {}", String::from_utf8_lossy(&err));
    let out = String::from_utf8(out).unwrap();
    out.lines()
        .map(|it| serde_json::from_str(it).unwrap())
        .collect()
}

/// The programs in a folder: what is true of each, and its files.
pub fn programs(folder: &Path) -> Vec<(Value, Vec<PathBuf>)> {
    let entries = std::fs::read_dir(folder).unwrap();
    let paths = entries.map(|it| it.unwrap().path());
    let mut truths: Vec<PathBuf> = paths
        .filter(|it| it.to_string_lossy().ends_with(".truth.json"))
        .collect();
    truths.sort();
    let read = |path: &PathBuf| {
        let truth: Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
        let files = truth["files"].as_array().unwrap().iter();
        let files = files.map(|it| folder.join(it.as_str().unwrap())).collect();
        (truth, files)
    };
    truths.iter().map(read).collect()
}
