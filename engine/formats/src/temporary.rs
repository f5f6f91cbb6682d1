//! What is said of temporary files that cannot be made.

use std::io;

/// What the system said, without the name of a temporary file, which tells nobody anything.
pub fn plain(error: &io::Error) -> String {
    let inner = error.get_ref().and_then(|it| it.source());
    inner.map_or_else(|| error.to_string(), ToString::to_string)
}
