//! What the machine is.
#![expect(unsafe_code, reason = "the driver's functions are C functions")]

use std::ffi::CStr;
use std::process::Command;

use crate::driver::{Driver, checked};
use crate::report::Report;

/// The first line that a command says.
fn said(command: &str, arguments: &[&str]) -> String {
    let output = Command::new(command).args(arguments).output();
    let text = output.map(|it| String::from_utf8_lossy(&it.stdout).into_owned());
    let text = text.unwrap_or_default();
    let line = text.lines().next().unwrap_or("none").trim();
    format!("{line:?}")
}

/// The system, the driver, the device and the libraries.
pub fn facts(report: &mut Report) -> Result<(), String> {
    report.fact("kernel", said("uname", &["-r"]));
    let query = "--query-gpu=name,driver_version,memory.total,compute_cap,mig.mode.current";
    report.fact("smi", said("nvidia-smi", &[query, "--format=csv,noheader"]));
    report.fact("libc", said("ldd", &["--version"]));
    let is_shared = std::env::var_os("CUDA_MPS_PIPE_DIRECTORY").is_some();
    report.fact("mps", is_shared);
    match cuda_recorder::CuptiLibrary::find() {
        Ok(cupti) => {
            report.fact("cupti", cupti.version());
            report.fact("cupti-at", cupti.path().display());
        }
        Err(why) => report.fact("cupti", format!("{why:?}")),
    }
    let driver = Driver::load()?;
    let (mut version, mut device, mut name) = (0, 0, [0; 128]);
    // SAFETY: places for what they answer are given, and how long that for the name is.
    unsafe {
        checked((driver.functions.version)(&raw mut version))?;
        checked((driver.functions.device)(&raw mut device, 0))?;
        checked((driver.functions.device_name)(
            name.as_mut_ptr(),
            127,
            device,
        ))?;
    }
    report.fact("cuda", version);
    // SAFETY: the driver has written a text with a zero at its end, and the last byte is one in any case.
    let name = unsafe { CStr::from_ptr(name.as_ptr()) };
    report.fact("device", format!("{:?}", name.to_string_lossy()));
    Ok(())
}
