//! The library that the driver loads into programs that are recorded: where it lies.

use std::env::consts::{DLL_PREFIX, DLL_SUFFIX};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// Names the library, where it lies elsewhere.
const VARIABLE: &str = "SYNCLINE_INJECT";

/// The library, in a program that carries it.
static CARRIED: OnceLock<&'static [u8]> = OnceLock::new();

/// Has this program carry the CUDA recorder's library, for where it is installed without it: a program to record is given a
/// copy then, which goes with what is recorded.
pub fn carry_recorder(library: &'static [u8]) {
    // A second one would be the same.
    CARRIED.get_or_init(|| library);
}

/// Where the library lies: where the variable says, or else beside this program, in the `deps` folder beside it, where
/// cargo puts it, or in the `lib` folder beside the folder of programs. Where it is nowhere there and this program carries
/// it, a copy is written into `folder`.
///
/// # Errors
/// It is nowhere, or cannot be written.
pub fn find(folder: &Path) -> Result<PathBuf, String> {
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
    let beside = program.parent().unwrap_or(Path::new("."));
    let name = format!("{DLL_PREFIX}cuda_recorder{DLL_SUFFIX}");
    let places = ["", "deps", "../lib", "../lib/syncline"];
    let found = places
        .iter()
        .find_map(|place| whole(&beside.join(place).join(&name)));
    if let (None, Some(carried)) = (&found, CARRIED.get()) {
        return unpack(carried, &folder.join(name));
    }
    found.ok_or_else(|| {
        format!(
            "{name}, which the driver loads into the program, is not beside {} or in the lib folder next to its folder; \
             `cargo build --release --workspace` makes it in target/release: copy it beside syncline, or set {VARIABLE} \
             to its path",
            program.display()
        )
    })
}

/// Writes a library that is carried to `path`.
fn unpack(library: &[u8], path: &Path) -> Result<PathBuf, String> {
    let written = std::fs::write(path, library).and_then(|()| path.canonicalize());
    written.map_err(|error| {
        format!(
            "{}, which the driver loads into the program, cannot be written: {error}; set TMPDIR to where there is room",
            path.display()
        )
    })
}

/// The whole path of a file, where there is one: the driver takes no other.
fn whole(path: &Path) -> Option<PathBuf> {
    let path = path.canonicalize().ok()?;
    path.is_file().then_some(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_library_that_is_carried_is_written_whole() {
        let folder = tempfile::tempdir().unwrap();
        let path = unpack(b"library", &folder.path().join("a.so")).unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"library");
        let text = unpack(b"library", &folder.path().join("none/a.so")).unwrap_err();
        assert!(
            text.contains("none/a.so") && text.contains("TMPDIR"),
            "{text}"
        );
    }
}
