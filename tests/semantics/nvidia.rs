//! NVIDIA's own compiler and assembler, which need no GPU: every kernel in CUDA C compiles, what is carried of them is
//! taken, and the compiler's messages are where they belong.
//!
//! `make test` downloads both; where they are not there, these tests say that they are skipped.

use std::path::PathBuf;
use std::process::Command;

use engine::backend::{CUDA_KERNELS, CompileError, CudaCompiler};

use crate::house::root;
use crate::semantics::cuda::{said, syncline_with};

/// The architectures that everything has to assemble for: the oldest that is still made for, and the newest at hand.
const ARCHITECTURES: &[&str] = &["75", "90"];

/// The folder that `make test` downloads to, where it is there. `REQUIRE_NVIDIA` makes its absence a failure.
pub fn downloaded() -> Option<PathBuf> {
    let named = std::env::var_os("SYNCLINE_NVIDIA_DIR").map(PathBuf::from);
    let folder = named.unwrap_or_else(|| root().join("target/nvidia"));
    let tools = folder.join("nvidia/cu13");
    if tools.join("bin/ptxas").exists() {
        return Some(tools);
    }
    let reason = format!(
        "no compiler of CUDA is in {}: .ci/nvidia {} downloads it",
        folder.display(),
        folder.display()
    );
    assert!(std::env::var_os("REQUIRE_NVIDIA").is_none(), "{reason}");
    eprintln!("skipped: {reason}");
    None
}

/// Assembles `ptx` as the driver of a device of this architecture would.
fn assemble(tools: &std::path::Path, architecture: &str, name: &str, ptx: &str) {
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join(format!("{name}.ptx"));
    std::fs::write(&source, ptx).unwrap();
    let output = Command::new(tools.join("bin/ptxas"))
        .arg(format!("-arch=sm_{architecture}"))
        .args(["-o", "made.cubin"])
        .arg(&source)
        .current_dir(folder.path())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        output.status.success(),
        "{name} for sm_{architecture}: {said}"
    );
    assert!(folder.path().join("made.cubin").exists());
}

#[test]
fn every_kernel_compiles_and_what_is_carried_assembles() {
    let Some(tools) = downloaded() else { return };
    let compiler = CudaCompiler::open(&tools.join("lib/libnvrtc.so.13")).unwrap();
    assert_eq!(compiler.version, (13, 0));
    for kernel in CUDA_KERNELS {
        for architecture in ARCHITECTURES {
            assemble(&tools, architecture, kernel.name, kernel.ptx);
            let target = format!("compute_{architecture}");
            let made = compiler.compile(kernel.cuda, &format!("{}.cu", kernel.name), &target);
            let made = made.unwrap();
            assert_eq!(made.messages, [], "{} says something", kernel.name);
            assert!(
                made.ptx
                    .contains(&format!(".visible .entry {}(", kernel.name))
            );
            assemble(&tools, architecture, kernel.name, &made.ptx);
        }
    }
}

#[test]
fn messages_of_the_compiler_are_at_their_lines() {
    let Some(tools) = downloaded() else { return };
    let compiler = CudaCompiler::open(&tools.join("lib/libnvrtc.so.13")).unwrap();
    let bad = "extern \"C\" __global__ void bad(float *y) {\n    y[0] = undefined_name;\n    y[1] = 1\n}\n";
    let Err(CompileError::Validation { messages }) = compiler.compile(bad, "bad.cu", "compute_90")
    else {
        panic!("it compiled");
    };
    let places: Vec<(u32, u32)> = messages.iter().map(|it| (it.line, it.column)).collect();
    assert_eq!(places, [(2, 12), (4, 1)], "{messages:?}");
    assert!(messages[0].text.contains("undefined_name"));
    let odd = compiler.compile("", "empty.cu", "compute_1");
    let Err(CompileError::Internal(text)) = odd else {
        panic!("{odd:?}");
    };
    assert!(text.contains("gpu-architecture"), "{text}");
}

#[test]
fn the_assembler_notices_what_is_wrong() {
    let Some(tools) = downloaded() else { return };
    let broken = CUDA_KERNELS[0].ptx.replace("ld.param", "ld.nothing");
    let failed = std::panic::catch_unwind(|| assemble(&tools, "90", "broken", &broken));
    assert!(failed.is_err());
}

#[test]
fn the_backend_runs_what_the_compiler_made() {
    let Some(tools) = downloaded() else { return };
    let library = tools.join("lib").to_string_lossy().into_owned();
    let variables = [("SYNCLINE_NVRTC_DIR", library.as_str())];
    let backends = said(&syncline_with(&["backends"], &variables));
    assert!(
        backends.contains("NVRTC 13.0 compiles kernels"),
        "{backends}"
    );
    for workload in ["histogram", "n-body", "heat"] {
        let run = ["run", workload, "--backend", "cuda", "--format", "json"];
        let output = syncline_with(&run, &variables);
        let answer: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(answer["outcome"], "finished", "{workload}");
        let expectations = answer["expectations"].as_array().unwrap();
        let is_number = |text: &str| text.starts_with("each") || text.starts_with("sum");
        let numbers = expectations
            .iter()
            .filter(|it| is_number(it["text"].as_str().unwrap()));
        let mut numbers = numbers.peekable();
        assert!(numbers.peek().is_some(), "{workload} expects no numbers");
        assert!(numbers.all(|it| it["holds"] == true), "{answer}");
    }
}
