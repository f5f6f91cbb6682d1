//! The built program: `cargo test` builds no binary of another package, so this asks for it.

use std::path::PathBuf;
use std::process::Command;
use std::sync::LazyLock;

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
