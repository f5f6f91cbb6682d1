//! The built program: `cargo test` builds no binary of another package, so this asks for it.

use std::path::PathBuf;
use std::process::Command;
use std::sync::LazyLock;

use super::root;

/// The program that these tests were built with, in their own profile.
pub fn syncline() -> &'static PathBuf {
    static PROGRAM: LazyLock<PathBuf> = LazyLock::new(|| {
        let tests = std::env::current_exe().expect("the tests run from a file");
        let profile = tests
            .ancestors()
            .nth(2)
            .expect("tests lie in PROFILE/deps")
            .to_owned();
        // The same selection as `cargo test --workspace`, so that no dependency is built again.
        let mut build = Command::new(env!("CARGO"));
        build
            .args(["build", "--workspace", "--bins", "--tests"])
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
