//! Losses that the driver itself reports, by a layer of Vulkan between it and the program: they are told and recovered from
//! like those that are injected, and nothing panics.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use engine::backend::BACKENDS;
use serde_json::Value;

use crate::house::program::{losing_layer, syncline};

/// The layer's name in its manifest.
const LAYER: &str = "VK_LAYER_SYNCLINE_losing";

/// Many submissions, and results that tell whether all of them were made.
const MAP: &str = r#"
stream "a"
buffer "z" f32=1024
promise "p"
host "main" {
    launch "spin" on="a" { set "micros" 100 }
    synchronize-device
    map-async "z" promise="p" mode="read"
    settle "p"
    unmap "z"
}
"#;
const WORK: &str = r#"
stream "a"
buffer "x" f32=1024 init="k"
buffer "y" f32=1024
host "main" {
    fill "y" value=0 on="a"
    repeat 40 {
        upload "x" on="a"
        launch "saxpy" on="a" { read "x"; write "y"; set "a" 1 }
        synchronize-stream "a"
    }
    download "y" on="a"
    synchronize-device
}
expect { each "y" equals="40 * k" }
"#;

/// A folder with the layer's manifest, the workload, and what the layer notes.
struct LayerFolder(tempfile::TempDir);

/// Says what is not tested here. Where a window is required there is a driver of Vulkan, if only the software one, and with it
/// the layer has to work.
fn skipped(reason: &str) -> Option<LayerFolder> {
    let wgpu = BACKENDS.iter().find(|it| it.name() == "wgpu");
    let has_driver = wgpu.is_some_and(|it| it.probe().is_ok());
    let is_required = std::env::var_os("REQUIRE_WINDOW").is_some();
    assert!(
        !(has_driver && is_required),
        "losses that a driver of Vulkan reports have to be tested where there is one: {reason}"
    );
    eprintln!("skipped: losses that a driver of Vulkan reports: {reason}");
    None
}

impl LayerFolder {
    /// Nothing where there is no loader, no layers, or no driver of Vulkan: that is said.
    fn new() -> Option<Self> {
        let folder = tempfile::tempdir().unwrap();
        let manifest = serde_json::json!({
            "file_format_version": "1.2.0",
            "layer": {
                "name": LAYER, "type": "GLOBAL", "library_path": losing_layer(),
                "api_version": "1.3.0", "implementation_version": "1", "description": "loses devices",
            },
        });
        std::fs::write(folder.path().join("layer.json"), manifest.to_string()).unwrap();
        std::fs::write(folder.path().join("work.kdl"), WORK).unwrap();
        let folder = Self(folder);
        if !cfg!(target_os = "linux") {
            return skipped("the layer is loaded on Linux alone");
        }
        let (output, notes) = folder.run("", &[]);
        if !notes.contains("loaded") {
            let said = String::from_utf8_lossy(&output.stderr);
            return skipped(&format!("no loader of Vulkan loaded the layer: {said}"));
        }
        if !notes.contains("submissions") {
            return skipped("there is no driver of Vulkan that wgpu takes");
        }
        Some(folder)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Runs the workload with this fault, and gives what the layer noted.
    fn run(&self, fault: &str, more: &[&str]) -> (Output, String) {
        let notes = self.path("notes");
        // There is none before the first run.
        let _ = std::fs::remove_file(&notes);
        let output = Command::new(syncline())
            .args(["run", "--backend", "wgpu", "--format", "json"])
            .arg(self.path("work.kdl"))
            .args(more)
            .env("VK_LAYER_PATH", self.0.path())
            .env("VK_INSTANCE_LAYERS", LAYER)
            .env("WGPU_BACKEND", "vulkan")
            .env("SYNCLINE_LOSING_LAYER", fault)
            .env("SYNCLINE_LOSING_LAYER_NOTES", &notes)
            .output()
            .unwrap();
        (output, read(&notes))
    }

    /// Submissions of a run that nothing went wrong in.
    fn submissions(&self) -> u64 {
        let (output, notes) = self.run("", &[]);
        assert!(output.status.success(), "{output:?}");
        let counts = notes
            .lines()
            .filter_map(|line| line.strip_suffix(" submissions"));
        counts.map(|it| it.parse().unwrap()).max().unwrap()
    }
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_default()
}

fn answer(output: &Output) -> Value {
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(!said.contains("panicked"), "{said}");
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}"))
}

#[test]
fn a_loss_that_the_driver_reports_is_told_and_recovered_from_like_an_injected_one() {
    let Some(folder) = LayerFolder::new() else {
        return;
    };
    // The last 80 submissions are those of the workload's operations; before them the device is opened and measured.
    let count = folder.submissions();
    // In the middle, and with the last operation, which reads the result back.
    let faults = [
        ("lost@submit", 40),
        ("lost@wait", 40),
        ("memory@submit", 40),
        ("lost@submit", 0),
    ];
    for (fault, before) in faults {
        let fault = format!("{fault}:{}", count - before);
        for (recover, code, attempts) in [("no", 1, 1), ("resume", 1, 1), ("replay", 0, 2)] {
            let (output, notes) = folder.run(&fault, &["--recover", recover]);
            let context = format!("{fault} {recover}: {notes}");
            assert!(notes.contains("answered"), "{context}");
            let report = answer(&output);
            let [loss] = report["losses"].as_array().unwrap().as_slice() else {
                panic!("{context}: {report}");
            };
            assert_eq!(loss["kind"], "unknown", "{context}");
            assert!(
                !loss["reason"].as_str().unwrap().contains("injected"),
                "{context}: {loss}"
            );
            assert!(loss["operations"].as_u64() > Some(0), "{context}: {loss}");
            assert_eq!(output.status.code(), Some(code), "{context}: {report}");
            assert_eq!(
                loss["recovered_after_ns"].is_u64(),
                recover != "no",
                "{context}: {loss}"
            );
            let problems = report["problems"].as_array().unwrap();
            let wrong = problems.iter().filter(|it| it["code"] == "stale-result");
            let wrong: Vec<&str> = wrong.map(|it| it["text"].as_str().unwrap()).collect();
            if recover == "resume" {
                assert!(
                    wrong.iter().any(|it| it.contains(" of y ")),
                    "{context}: {report}"
                );
            } else {
                assert!(wrong.is_empty(), "{context}: {wrong:?}");
            }
            let outcome = if recover == "no" {
                "failed"
            } else {
                "finished"
            };
            assert_eq!(report["outcome"], outcome, "{context}: {report}");
            let found = report["expectations"][0]["found"].as_str().unwrap();
            assert_eq!(
                found.contains("(attempt 2)"),
                attempts == 2,
                "{context}: {found}"
            );
        }
    }
}

/// What the implementation gives its driver for a map alone may be what loses the device.
#[test]
fn a_map_whose_own_submission_loses_the_device_is_rejected() {
    let Some(folder) = LayerFolder::new() else {
        return;
    };
    std::fs::write(folder.path("work.kdl"), MAP).unwrap();
    let count = folder.submissions();
    // The map's is the last submission of all.
    let (output, notes) = folder.run(&format!("lost@submit:{count}"), &[]);
    assert!(notes.contains("answered"), "{notes}");
    let report = answer(&output);
    let promises = report["promises"].as_array().unwrap();
    let map = promises.iter().find(|it| it["name"] == "p").unwrap();
    assert_eq!(map["outcome"], "rejected", "{report}");
    assert_eq!(map["value"], "AbortError", "{report}");
    assert_eq!(report["losses"].as_array().unwrap().len(), 1, "{report}");
}

#[test]
fn a_device_that_is_lost_while_it_is_opened_is_refused_in_words() {
    let Some(folder) = LayerFolder::new() else {
        return;
    };
    for fault in ["lost@submit:3", "lost@wait:5", "memory@submit:20"] {
        let (output, notes) = folder.run(fault, &[]);
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(notes.contains("answered"), "{fault}: {notes}");
        assert_eq!(output.status.code(), Some(2), "{fault}: {said}");
        assert!(!said.contains("panicked"), "{fault}: {said}");
        assert!(
            said.contains("it was lost while it was opened"),
            "{fault}: {said}"
        );
    }
}
