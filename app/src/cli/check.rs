//! Reads workloads and says what is wrong with them.

use std::path::{Path, PathBuf};

use engine::workload::Document;

use super::{FINE, Stop, Streams, WRONG};

/// How much is said of one file at most.
const MOST: usize = 12;

/// Checks every file; one that is wrong does not keep the others from being checked.
pub(super) fn check(files: &[PathBuf], streams: &mut Streams<'_>) -> Result<u8, Stop> {
    let mut code = FINE;
    for path in files {
        let name = path.display().to_string();
        let errors: Vec<String> = match read(path) {
            Ok(source) => Document::check(&name, &source)
                .iter()
                .map(ToString::to_string)
                .collect(),
            Err(reason) => vec![reason],
        };
        if errors.is_empty() {
            writeln!(streams.out, "{name}: nothing is wrong with it")?;
        } else {
            code = WRONG;
        }
        for error in errors.iter().take(MOST) {
            writeln!(streams.err, "{error}")?;
        }
        if errors.len() > MOST {
            writeln!(streams.err, "{name}: and {} more", errors.len() - MOST)?;
        }
    }
    Ok(code)
}

/// The text of a workload. Fails with why it cannot be read, and what to do.
pub(super) fn read(path: &Path) -> Result<String, String> {
    let name = path.display();
    if path.is_dir() {
        return Err(format!("{name} is a directory; name a file in it"));
    }
    let bytes = std::fs::read(path).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => format!("there is no file {name}; check the path"),
        std::io::ErrorKind::PermissionDenied => {
            format!("{name} may not be read by you; change its permissions or use a copy")
        }
        _ => format!("{name} cannot be read: {error}"),
    })?;
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        format!("{name} is not a text: byte {at} is no UTF-8; a workload is written in KDL")
    })
}
