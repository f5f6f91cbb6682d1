//! `syncline record` of programs that know nothing of Syncline.

use serde_json::Value;

use super::product::{beside, last, syncline};
use crate::report::Report;

/// Records `command` to `name`; what `syncline info` says of the file.
fn recorded(report: &mut Report, name: &str, command: &[&str]) -> Result<Value, String> {
    let place = report.place(name);
    let place = place.to_string_lossy();
    let first = ["record", "-o", &place, "--headless", "--"];
    let output = syncline(&[&first, command].concat())?;
    let log = [output.stdout.as_slice(), &output.stderr].concat();
    report.file(&format!("{name}.log"), &log)?;
    report.fact("exit", output.status.code().unwrap_or(-1));
    let info = syncline(&["info", &place, "--format", "json"])?;
    serde_json::from_slice(&info.stdout).map_err(|_broken| last(&output))
}

fn number(info: &Value, name: &str) -> u64 {
    let found = info.pointer(&format!("/capture/{name}"));
    found.and_then(Value::as_u64).unwrap_or_default()
}

/// A program of a known number of rounds, each of two kernels and two copies.
pub fn program(report: &mut Report) -> Result<(), String> {
    let program = beside("cuda-program");
    let info = recorded(
        report,
        "program.pftrace",
        &[&program.to_string_lossy(), "work", "100"],
    )?;
    let (spans, dependencies) = (number(&info, "spans"), number(&info, "dependencies"));
    report.fact("spans", spans);
    report.fact("dependencies", dependencies);
    let least = 100 * 4;
    (spans >= least && dependencies >= least)
        .then_some(())
        .ok_or_else(|| format!("{least} operations ran at least, and as many launches made them"))
}

/// A program that ends without telling anybody.
pub fn abrupt(report: &mut Report) -> Result<(), String> {
    let program = beside("cuda-program");
    let info = recorded(
        report,
        "abrupt.pftrace",
        &[&program.to_string_lossy(), "abrupt", "100"],
    )?;
    let spans = number(&info, "spans");
    report.fact("spans", spans);
    (spans >= 400)
        .then_some(())
        .ok_or_else(|| "what ran before the end is not all there".to_owned())
}

/// A small program of PyTorch's, recorded here, by its own profiler, and by both at once.
pub fn torch(report: &mut Report) -> Result<(), String> {
    let script = report.place("small_torch.py");
    report.file("small_torch.py", include_bytes!("../small_torch.py"))?;
    let script = script.to_string_lossy();
    let own = report.place("kineto.json");
    let own = own.to_string_lossy();
    let python = |arguments: &[&str]| {
        let output = std::process::Command::new("python3")
            .args(arguments)
            .output();
        output.is_ok_and(|it| it.status.success())
    };
    if !python(&["-c", "import torch; assert torch.cuda.is_available()"]) {
        report.fact("skipped", "\"there is no PyTorch with a device\"");
        return Ok(());
    }
    let info = recorded(report, "torch.pftrace", &["python3", &script])?;
    report.fact("spans", number(&info, "spans"));
    report.fact("dependencies", number(&info, "dependencies"));
    report.fact("profiled", python(&[&script, &own]));
    let both = report.place("both.json");
    let info = recorded(
        report,
        "both.pftrace",
        &["python3", &script, &both.to_string_lossy()],
    )?;
    report.fact("spans-of-both", number(&info, "spans"));
    Ok(())
}
