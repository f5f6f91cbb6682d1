//! The paced device: what it takes time for, what it says of that, and that nothing else about it is its own.

mod parameters;

use std::path::Path;
use std::process::Command;
use std::thread;

use engine::analysis::SentencePiece;
use engine::analysis::causes::Causes;
use engine::analysis::pace::{PacedShare, law, report};
use engine::capture::Capture;
use engine::record::{DependencyKind, PACE_NOT_KEPT, PaceLaw, PaceSetting, RunOutcome, SpanKind};
use engine::runner::{RunRequest, run};
use engine::time::Nanos;
use engine::workload::bundled;

use crate::house::program::syncline;
use crate::house::root;
use crate::semantics::conformance::BRISK;

fn ran(source: &str, backend: &str, paced: PaceSetting) -> Capture {
    let request = RunRequest {
        name: "paced.kdl".to_owned(),
        source: source.to_owned(),
        backend: backend.to_owned(),
        paced,
        ..RunRequest::default()
    };
    let mut capture = Capture::new();
    let end = run(request, |records| capture.apply(records)).unwrap();
    assert_eq!(end.outcome, RunOutcome::Finished, "{source}");
    capture
}

/// What was concluded while a workload ran: codes, lines and counts.
fn concluded(capture: &Capture) -> Vec<(String, Vec<u32>, u64)> {
    let findings = capture.findings().iter();
    let mut all: Vec<_> = findings
        .map(|it| (it.code.clone(), it.lines.clone(), it.count))
        .collect();
    all.sort();
    all
}

#[test]
fn every_bundled_workload_has_the_same_findings_as_on_the_processor() {
    // Ranks are processes of the program.
    syncline();
    let compared = bundled().iter().map(|workload| {
        let [paced, cpu] = ["paced", "cpu"].map(|backend| ran_whatever(workload.source, backend));
        assert_eq!(law(&cpu), None);
        assert!(law(&paced).is_some(), "{}", workload.name);
        let [paced, cpu] = [concluded(&paced), concluded(&cpu)];
        (workload.name, paced, cpu)
    });
    let others: Vec<_> = compared.filter(|(_, paced, cpu)| paced != cpu).collect();
    assert!(others.is_empty(), "{others:#?}");
}

fn ran_whatever(source: &str, backend: &str) -> Capture {
    let request = RunRequest {
        name: "paced.kdl".to_owned(),
        source: source.to_owned(),
        backend: backend.to_owned(),
        paced: BRISK,
        ..RunRequest::default()
    };
    let mut capture = Capture::new();
    run(request, |records| capture.apply(records)).unwrap();
    capture
}

/// Three kernels of 4 milliseconds on three streams, two slots: the third has to wait for one of the others.
const THREE: &str = r#"
pace stretch=2
stream "s" count=3
buffer "x" f32=262144 init="k"
host "main" {
    repeat 3 index="i" { launch "spin" on="s[i]" label="kernel" { set "micros" 4000 } }
    upload "x" on="s[0]"
    synchronize-device
}
"#;

#[test]
fn who_finds_no_engine_waits_for_the_one_before_and_says_so() {
    let capture = ran(THREE, "paced", PaceSetting::default());
    let expected = PaceLaw {
        stretch: 2.0,
        ..PaceLaw::default()
    };
    assert_eq!(law(&capture), Some(expected));
    let kernels = capture
        .spans()
        .filter(|it| it.span.kind == SpanKind::Kernel);
    let kernels: Vec<_> = kernels.collect();
    assert_eq!(kernels.len(), 3);
    let mut waited = Vec::new();
    for placed in &kernels {
        let share = PacedShare::of(&capture, placed).unwrap();
        let times = share.ran.unwrap();
        assert!(share.engine.starts_with("compute slot "), "{share:?}");
        assert_eq!(times.worked + times.held, placed.interval().length());
        assert_eq!(
            placed.interval().length() - times.late,
            Nanos::from_millis(8)
        );
        let mut causes = capture.causes(placed.span.id);
        let tie = causes.find_map(|id| {
            let tie = capture.dependency(id)?;
            (tie.kind == DependencyKind::Engine).then_some(tie)
        });
        assert_eq!(tie.is_some(), share.waited > Nanos::ZERO);
        if let Some(tie) = tie {
            let before = capture.span(tie.cause).unwrap();
            assert!(before.span.end <= placed.span.start);
            let engine = PacedShare::of(&capture, &before).unwrap().engine;
            assert_eq!(engine, share.engine);
            waited.push((placed.span.id, share.engine));
        }
    }
    let [(span, engine)] = &waited[..] else {
        panic!("one of three waits: {waited:?}");
    };
    let causes = Causes::build(&capture);
    let sentence = causes.read(&capture).sentence(*span).unwrap();
    let words = sentence.iter().filter_map(|piece| match piece {
        SentencePiece::Text(text) => Some(text.as_str()),
        _ => None,
    });
    let sentence: String = words.collect();
    let words = format!(", which had {engine} (it waited ");
    assert!(sentence.contains(&words), "{sentence}");
}

#[test]
fn a_pace_that_is_too_quick_is_not_kept_and_overlap_is_not_judged() {
    let source = r#"
pace rate=1000 stretch=0.01
stream "a"
stream "b"
buffer "x" f32=1048576 init="k"
buffer "y" f32=1048576 init="k"
host "main" {
    upload "x" on="a"
    upload "y" on="b"
    synchronize-device
}
expect { overlap "a" "b" at-least=0.9 }
"#;
    let capture = ran(source, "paced", PaceSetting::default());
    let report = report(&capture).unwrap();
    assert!(!report.kept && report.overran == 2, "{report:?}");
    let mut problems = capture.problems().iter();
    let told = problems.find(|it| it.code == PACE_NOT_KEPT).unwrap();
    assert!(told.text.contains("stretch more"), "{}", told.text);
    // One engine takes one after the other, so that it could not have held.
    let [overlap] = capture.expectations() else {
        panic!("{:?}", capture.expectations());
    };
    assert!(overlap.found.starts_with("not judged"), "{overlap:?}");
}

/// Two workloads at the stretch that everybody sees, saved, converted, and judged by a script that shares nothing with the
/// engine; side by side, since they mostly wait.
#[test]
fn what_a_capture_says_of_its_engines_is_right_by_itself() {
    let folder = tempfile::tempdir().unwrap();
    thread::scope(|scope| {
        for (name, more) in [
            ("double-buffer", &["copy", "compute", "8"][..]),
            ("fork-join", &[]),
            ("graph-fork-join", &[]),
        ] {
            let folder = folder.path();
            scope.spawn(move || judge(folder, name, more));
        }
    });
}

fn judge(folder: &Path, name: &str, more: &[&str]) {
    let (saved, converted) = (
        folder.join(format!("{name}.pftrace")),
        folder.join(format!("{name}.json")),
    );
    let ran = Command::new(syncline())
        .args([
            "run",
            name,
            "--backend",
            "paced",
            "--format",
            "json",
            "--save",
        ])
        .arg(&saved)
        .output()
        .unwrap();
    let told: serde_json::Value = serde_json::from_slice(&ran.stdout).unwrap();
    assert_eq!(told["paced"]["stretch"], 10.0, "{told}");
    let done = Command::new(syncline())
        .arg("convert")
        .args([&saved, &converted])
        .status();
    assert!(done.unwrap().success());
    let kept = told["paced"]["kept"] == true;
    let mut script = Command::new("python3");
    script
        .arg(root().join("tests/oracle/paced.py"))
        .arg(&converted);
    // Where this machine was too busy for the pace, the run says so, and its overlap is nobody's to judge.
    if kept {
        script.args(more);
    }
    let judged = script.output().unwrap();
    let words = String::from_utf8_lossy(&judged.stderr);
    assert!(judged.status.success(), "{name}: {words}");
    let counted: serde_json::Value = serde_json::from_slice(&judged.stdout).unwrap();
    assert_eq!(
        counted["operations"], told["paced"]["operations"],
        "{name}: {counted} {told}"
    );
    eprintln!("{name}: kept {kept}, {counted}");
}
