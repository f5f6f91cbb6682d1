//! A library in the driver's place, for tests alone: it is taken only where a test says so.

use std::path::PathBuf;
use std::sync::OnceLock;

/// Names the library in the driver's place. Tests alone set it, for programs that they start.
pub const VARIABLE: &str = "SYNCLINE_TEST_CUDA_STAND_IN";

static PATH: OnceLock<PathBuf> = OnceLock::new();

/// For tests: the library at `path` takes the driver's place in this process and in workers that it starts. Without
/// effect once the driver was looked for.
#[doc(hidden)]
pub fn use_stand_in(path: PathBuf) {
    let _ = PATH.set(path);
}

/// The library in the driver's place, where a test wants one.
pub fn path() -> Option<PathBuf> {
    PATH.get().cloned().or_else(|| {
        let named = std::env::var_os(VARIABLE).filter(|it| !it.is_empty());
        named.map(PathBuf::from)
    })
}
