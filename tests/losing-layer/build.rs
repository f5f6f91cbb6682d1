//! Keeps the layer in memory once it is loaded: loaders unload it with each instance, and what it counted would be gone.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let is_linux = std::env::var("CARGO_CFG_TARGET_OS").is_ok_and(|it| it == "linux");
    if is_linux {
        println!("cargo:rustc-cdylib-link-arg=-Wl,-z,nodelete");
    }
}
