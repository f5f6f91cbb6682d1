//! As much of PTX as is needed to know a kernel by its name and its arguments' sizes.

use crate::codes::{INVALID_IMAGE, INVALID_PTX, UNSUPPORTED_PTX_VERSION};

/// The newest version that is taken: that of CUDA 13.0.
const NEWEST: (u32, u32) = (9, 0);

/// A kernel of a module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its name.
    pub name: String,
    /// Bytes of each argument.
    pub arguments: Vec<usize>,
}

/// The kernels of a module.
///
/// # Errors
/// The code of what is wrong.
pub fn entries(text: &str) -> Result<Vec<Entry>, i32> {
    let version = text.lines().find_map(|line| line.strip_prefix(".version "));
    let version = version.and_then(|it| it.trim().split_once('.'));
    let (major, minor) = version.ok_or(INVALID_IMAGE)?;
    let number = |text: &str| text.parse::<u32>().map_err(|_odd| INVALID_PTX);
    if (number(major)?, number(minor)?) > NEWEST {
        return Err(UNSUPPORTED_PTX_VERSION);
    }
    let mut found = Vec::new();
    for part in text.split(".entry ").skip(1) {
        let (name, rest) = part.split_once('(').ok_or(INVALID_PTX)?;
        let (arguments, _) = rest.split_once(')').ok_or(INVALID_PTX)?;
        let sizes = arguments.split(',').filter(|it| it.contains(".param"));
        found.push(Entry {
            name: name.trim().to_owned(),
            arguments: sizes.map(size).collect::<Option<_>>().ok_or(INVALID_PTX)?,
        });
    }
    Ok(found)
}

fn size(parameter: &str) -> Option<usize> {
    if let Some((_, rest)) = parameter.split_once('[') {
        return rest.split_once(']')?.0.parse().ok();
    }
    let is = |kind: &str| parameter.contains(kind);
    match () {
        () if is("64 ") => Some(8),
        () if is("32 ") => Some(4),
        () if is("16 ") => Some(2),
        () => is("8 ").then_some(1),
    }
}
