//! Names the CUDA recorder's library, which the program carries where it is installed without it.
//!
//! Cargo makes the library beside the engine, as the second form of a package that the engine needs, and before the program
//! is linked; `cargo install` copies the program alone. Other builds find the library where cargo leaves it.

use std::path::Path;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rustc-check-cfg=cfg(carries_recorder)");
    let variable = |name: &str| std::env::var(name).unwrap_or_default();
    let is_linux = variable("CARGO_CFG_TARGET_OS") == "linux";
    if !is_linux || variable("PROFILE") != "release" {
        return;
    }
    // PROFILE/build/PACKAGE/out, and the libraries of the profile are in PROFILE/deps.
    let out = variable("OUT_DIR");
    if let Some(profile) = Path::new(&out).ancestors().nth(3) {
        let library = profile.join("deps/libcuda_recorder.so");
        // What is only checked is never linked, and has to find a file all the same; linking puts the library in its place.
        drop(std::fs::File::create_new(&library));
        println!("cargo:rustc-cfg=carries_recorder");
        println!("cargo:rustc-env=SYNCLINE_RECORDER={}", library.display());
    }
}
