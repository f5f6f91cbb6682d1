//! Where CUPTI is looked for.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// Names CUPTI where it is not found by itself: a file, the folder that it is in, or [`OFF`].
pub const VARIABLE: &str = "SYNCLINE_CUPTI";
/// In [`VARIABLE`]: CUPTI is not used.
pub const OFF: &str = "off";
/// Names the tests' stand-in for the driver, which is one for CUPTI too. Tests alone set it.
const STAND_IN: &str = "SYNCLINE_TEST_CUDA_STAND_IN";

/// Its names, the newest first.
#[cfg(not(windows))]
const NAMES: &[&str] = &["libcupti.so.13", "libcupti.so.12", "libcupti.so"];
#[cfg(windows)]
const NAMES: &[&str] = &[
    "cupti64_2025.3.1.dll",
    "cupti64_2025.3.0.dll",
    "cupti64.dll",
];

/// Folders below that of a toolkit.
const BELOW: &[&str] = &[
    "extras/CUPTI/lib64",
    "lib64",
    "targets/x86_64-linux/lib",
    "lib",
];

/// The library that a variable names.
///
/// # Errors
/// CUPTI is switched off, or what is named is not there.
pub fn named() -> Result<Option<PathBuf>, String> {
    let read = |name| std::env::var_os(name).filter(|it| !it.is_empty());
    let asked = read(VARIABLE);
    if asked.as_deref() == Some(OsStr::new(OFF)) {
        return Err(format!("CUPTI is switched off by {VARIABLE}={OFF}"));
    }
    if let Some(stand_in) = read(STAND_IN) {
        return Ok(Some(stand_in.into()));
    }
    let Some(path) = asked.map(PathBuf::from) else {
        return Ok(None);
    };
    let found = if path.is_dir() {
        library_in(&path)
    } else {
        Some(path.clone()).filter(|it| it.exists())
    };
    let missing = || format!("{VARIABLE} names {}, where no CUPTI is", path.display());
    found.ok_or_else(missing).map(Some)
}

/// The library that this process has mapped: a second copy of another version in one process is trouble.
pub fn mapped() -> Option<PathBuf> {
    let maps = std::fs::read_to_string("/proc/self/maps").ok()?;
    mapped_in(&maps)
}

fn mapped_in(maps: &str) -> Option<PathBuf> {
    let paths = maps
        .lines()
        .filter_map(|line| line.find('/').and_then(|at| line.get(at..)));
    let is_it = |path: &&Path| {
        let name = path.file_name().and_then(OsStr::to_str);
        name.is_some_and(|name| name.starts_with("libcupti.so"))
    };
    paths.map(Path::new).find(is_it).map(Path::to_owned)
}

/// The first library that is installed.
///
/// # Errors
/// There is none, and where it was looked for.
pub fn installed() -> Result<PathBuf, String> {
    let folders = folders(&|name| std::env::var_os(name));
    let found = folders.iter().find_map(|folder| library_in(folder));
    found.ok_or_else(|| {
        format!(
            "CUPTI is not installed: there is no {} in LD_LIBRARY_PATH, CUDA_HOME, /usr/local/cuda or Python's packages; \
             install it with the CUDA toolkit or as nvidia-cuda-cupti from PyPI, or name its folder in {VARIABLE}",
            NAMES.first().copied().unwrap_or_default()
        )
    })
}

fn library_in(folder: &Path) -> Option<PathBuf> {
    let mut paths = NAMES.iter().map(|name| folder.join(name));
    paths.find(|path| path.exists())
}

/// Where it may lie, by what the variables of the environment are.
fn folders(variable: &dyn Fn(&str) -> Option<OsString>) -> Vec<PathBuf> {
    let read = |name| variable(name).filter(|it| !it.is_empty());
    let loader = read("LD_LIBRARY_PATH").unwrap_or_default();
    let named = std::env::split_paths(&loader).filter(|it| it.is_absolute());
    // A toolkit's stub can be linked against, and tells nothing.
    let mut folders: Vec<PathBuf> = named.filter(|it| !it.ends_with("stubs")).collect();
    let homes = ["CUDA_HOME", "CUDA_PATH"].map(read).into_iter().flatten();
    let mut toolkits: Vec<PathBuf> = homes.map(PathBuf::from).collect();
    toolkits.push("/usr/local/cuda".into());
    let mut others = entries(Path::new("/usr/local"));
    others.retain(|it| {
        it.file_name()
            .and_then(OsStr::to_str)
            .is_some_and(|it| it.starts_with("cuda-"))
    });
    // The newest first.
    others.sort_unstable_by(|one, other| other.cmp(one));
    toolkits.append(&mut others);
    for toolkit in toolkits {
        folders.extend(BELOW.iter().map(|folder| toolkit.join(folder)));
    }
    folders.extend(of_python(variable));
    folders.extend(
        [
            "/usr/lib/x86_64-linux-gnu",
            "/usr/lib/aarch64-linux-gnu",
            "/usr/lib64",
        ]
        .map(PathBuf::from),
    );
    // One that is named from where the program was started is whatever lies there.
    folders.retain(|it| it.is_absolute());
    folders
}

/// The folders that Python's packages put it in.
fn of_python(variable: &dyn Fn(&str) -> Option<OsString>) -> Vec<PathBuf> {
    let environments = ["VIRTUAL_ENV", "CONDA_PREFIX"].map(variable);
    let environments = environments.into_iter().flatten().map(PathBuf::from);
    let home = variable("HOME").map(|home| PathBuf::from(home).join(".local"));
    let roots = environments
        .chain(home)
        .chain(["/usr/local".into(), "/usr".into()]);
    let mut folders = Vec::new();
    for root in roots {
        for python in entries(&root.join("lib")) {
            for packages in ["site-packages", "dist-packages"] {
                let nvidia = python.join(packages).join("nvidia");
                folders.push(nvidia.join("cu13/lib"));
                folders.push(nvidia.join("cuda_cupti/lib"));
            }
        }
    }
    folders
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let found = std::fs::read_dir(folder).into_iter().flatten().flatten();
    found.map(|entry| entry.path()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_mapped_is_found_by_its_file() {
        let maps = "7f00-7f01 r-xp 0000 08:01 12  /usr/lib/libc.so.6\n\
                    7f02-7f03 r--p 0000 00:00 0 \n\
                    7f04-7f05 r--p 0000 08:01 13  /opt/a b/nvidia/cu13/lib/libcupti.so.13\n";
        let found = mapped_in(maps).unwrap();
        assert_eq!(found, Path::new("/opt/a b/nvidia/cu13/lib/libcupti.so.13"));
        assert_eq!(
            mapped_in("7f00-7f01 r-xp 0000 08:01 12  /usr/lib/libcuda.so.1\n"),
            None
        );
    }

    #[test]
    fn every_place_is_a_folder_of_its_own() {
        for value in [None, Some(""), Some("."), Some("../cuda")] {
            let folders = folders(&|_| value.map(OsString::from));
            let mut all = folders.iter();
            assert!(all.all(|folder| folder.is_absolute()), "{folders:?}");
        }
        let folders = folders(&|name| std::env::var_os(name));
        assert!(folders.contains(&"/usr/local/cuda/extras/CUPTI/lib64".into()));
    }
}
