//! The built program: `cargo test` builds no binary of another package, so this asks for it. And the ends of processes,
//! which come by themselves or fail a test.

use std::io::Read;
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use super::root;

/// Names the folder that the program was built into, for tests that were built elsewhere.
const BUILT: &str = "SYNCLINE_BUILT";

/// The library in the place of NVIDIA's driver, which lies beside the program.
pub fn stand_in() -> PathBuf {
    library("syncline_stand_in")
}

/// The layer of Vulkan that loses devices, which lies beside the program.
pub fn losing_layer() -> PathBuf {
    library("syncline_losing_layer")
}

fn library(name: &str) -> PathBuf {
    let (before, after) = (std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX);
    let name = format!("{before}{name}{after}");
    let path = syncline().with_file_name(name);
    assert!(
        path.exists(),
        "{} is missing: cargo build --workspace --lib --bins --tests makes it",
        path.display()
    );
    path
}

/// The program that these tests were built with, in their own profile.
pub fn syncline() -> &'static PathBuf {
    static PROGRAM: LazyLock<PathBuf> = LazyLock::new(|| {
        if let Some(folder) = std::env::var_os(BUILT) {
            return PathBuf::from(folder)
                .join("syncline")
                .with_extension(std::env::consts::EXE_EXTENSION);
        }
        let tests = std::env::current_exe().expect("the tests run from a file");
        let profile = tests
            .ancestors()
            .nth(2)
            .expect("tests lie in PROFILE/deps")
            .to_owned();
        // With the tests of this package, as in `cargo test --workspace`: so no dependency is built again.
        let mut build = Command::new(env!("CARGO"));
        build
            .args(["build", "--workspace", "--lib", "--bins"])
            .args(["--test", "all"])
            .current_dir(root());
        if profile.ends_with("release") {
            build.arg("--release");
        }
        if let Some(target) = profile.parent() {
            build.arg("--target-dir").arg(target);
        }
        let output = build.output().expect("cargo starts");
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
        profile
            .join("syncline")
            .with_extension(std::env::consts::EXE_EXTENSION)
    });
    &PROGRAM
}

/// Waits for the end of a process, which comes by itself; one that takes longer than `patience` is killed and fails the
/// test.
pub fn wait_for_end(child: &mut Child, patience: Duration, what: &str) -> ExitStatus {
    let until = Instant::now() + patience;
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            return status;
        }
        if Instant::now() > until {
            let _ = child.kill();
            let _ = child.wait();
            panic!("{what}: it does not end within {patience:?}");
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// What a command came to, with all that it printed; it ends by itself within `patience`.
pub fn output_within(command: &mut Command, patience: Duration, what: &str) -> Output {
    let command = command.stdin(Stdio::null());
    let command = command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("it starts");
    // What is printed may be more than a pipe holds.
    let (mut out, mut err) = (child.stdout.take().unwrap(), child.stderr.take().unwrap());
    std::thread::scope(|scope| {
        let read = |stream: &mut dyn Read| {
            let mut bytes = Vec::new();
            stream.read_to_end(&mut bytes).map(|_| bytes)
        };
        let stdout = scope.spawn(move || read(&mut out).unwrap());
        let stderr = scope.spawn(move || read(&mut err).unwrap());
        let status = wait_for_end(&mut child, patience, what);
        Output {
            status,
            stdout: stdout.join().unwrap(),
            stderr: stderr.join().unwrap(),
        }
    })
}
