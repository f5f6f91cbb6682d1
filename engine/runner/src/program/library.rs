//! The library that the driver loads into programs that are recorded: where it lies.

use std::env::consts::{DLL_PREFIX, DLL_SUFFIX};
use std::path::{Path, PathBuf};

/// Names the library, where it lies elsewhere.
const VARIABLE: &str = "SYNCLINE_INJECT";

/// Where the library lies: where the variable says, or else beside this program, in the `deps` folder beside it, where
/// cargo puts it, or in the `lib` folder beside the folder of programs.
///
/// # Errors
/// It is nowhere there.
pub fn find() -> Result<PathBuf, String> {
    if let Some(named) = std::env::var_os(VARIABLE).filter(|it| !it.is_empty()) {
        let path = PathBuf::from(named);
        return whole(&path).ok_or_else(|| {
            format!(
                "{VARIABLE} names {}, where there is no file",
                path.display()
            )
        });
    }
    let program = std::env::current_exe().map_err(|error| {
        format!(
            "where this program lies is not known: {error}; set {VARIABLE} to the library's path"
        )
    })?;
    let folder = program.parent().unwrap_or(Path::new("."));
    let name = format!("{DLL_PREFIX}cuda_recorder{DLL_SUFFIX}");
    let places = ["", "deps", "../lib", "../lib/syncline"];
    let found = places
        .iter()
        .find_map(|place| whole(&folder.join(place).join(&name)));
    found.ok_or_else(|| {
        format!(
            "{name}, which the driver loads into the program, is not beside {} or in the lib folder next to its folder; \
             `cargo build --release --workspace` makes it in target/release, and cargo install leaves it out: copy it \
             beside syncline, or set {VARIABLE} to its path",
            program.display()
        )
    })
}

/// The whole path of a file, where there is one: the driver takes no other.
fn whole(path: &Path) -> Option<PathBuf> {
    let path = path.canonicalize().ok()?;
    path.is_file().then_some(path)
}
