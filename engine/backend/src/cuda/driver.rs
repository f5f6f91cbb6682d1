//! The installed driver: found by its path, looked at symbol by symbol, and only then initialised.
#![expect(
    unsafe_code,
    reason = "loading a library runs its code, and its functions are C functions"
)]

use std::ffi::{CStr, OsStr, c_char};
use std::path::{Path, PathBuf};
use std::ptr;
use std::sync::OnceLock;

use libloading::Library;

use super::code::DriverErrorCode;
use super::functions::DriverFunctions;
use super::stand_in;

/// The oldest driver that has all that is used: CUDA 12.0.
const OLDEST: i32 = 12_000;

/// Where drivers are installed, besides where the system's loader looks.
#[cfg(unix)]
const FOLDERS: &[&str] = &[
    "/usr/lib/x86_64-linux-gnu",
    "/usr/lib/aarch64-linux-gnu",
    "/usr/lib64",
    "/usr/lib/wsl/lib",
    "/usr/local/nvidia/lib64",
    "/usr/lib",
];
#[cfg(windows)]
const FOLDERS: &[&str] = &["C:\\Windows\\System32"];
#[cfg(unix)]
const NAME: &str = "libcuda.so.1";
#[cfg(windows)]
const NAME: &str = "nvcuda.dll";

/// An initialised driver. It stays loaded for as long as the process runs.
pub struct Driver {
    /// Its functions.
    pub functions: DriverFunctions,
    /// Its version as it counts them: 13000 for CUDA 13.0.
    pub version: i32,
    /// Whether it is the tests' stand-in.
    pub is_stand_in: bool,
}

/// The driver of this machine.
///
/// # Errors
/// Why there is none that can be used, in words for the user.
pub fn driver() -> Result<&'static Driver, String> {
    static INSTALLED: OnceLock<Result<Driver, String>> = OnceLock::new();
    static STAND_IN: OnceLock<Result<Driver, String>> = OnceLock::new();
    let found = match stand_in::path() {
        Some(path) => STAND_IN.get_or_init(|| open(&path, true)),
        None => INSTALLED.get_or_init(|| open(&installed()?, false)),
    };
    found.as_ref().map_err(Clone::clone)
}

/// Where the installed driver is.
fn installed() -> Result<PathBuf, String> {
    let variable = std::env::var_os("LD_LIBRARY_PATH").unwrap_or_default();
    search(&variable, FOLDERS).ok_or_else(|| {
        format!(
            "the NVIDIA driver is not installed: there is no {NAME} in {}; install the driver of your system, or use \
             another backend",
            FOLDERS.join(", ")
        )
    })
}

/// Whether a driver is there at all.
///
/// # Errors
/// It is not, in words for the user.
pub fn is_installed() -> Result<(), String> {
    match stand_in::path() {
        Some(_) => Ok(()),
        None => installed().map(drop),
    }
}

fn search(variable: &OsStr, folders: &[&str]) -> Option<PathBuf> {
    let named = std::env::split_paths(variable);
    let folders = named.chain(folders.iter().map(PathBuf::from));
    // A toolkit's stub can be linked against, and run nothing.
    let real = folders.filter(|folder| folder.is_absolute() && !folder.ends_with("stubs"));
    real.map(|folder| folder.join(NAME)).find(|it| it.exists())
}

fn open(path: &Path, is_stand_in: bool) -> Result<Driver, String> {
    let place = path.display();
    // SAFETY: the path is that of the system's driver, whose initialisers are made to be run by any program.
    let library = unsafe { Library::new(path) };
    let library = library.map_err(|error| {
        format!("{place} cannot be loaded: {error}; install the driver again, for this kind of processor")
    })?;
    let functions = DriverFunctions::find(&library).map_err(|missing| {
        format!(
            "the driver at {place} lacks {}: it is too old, install one for CUDA 12.0 or newer",
            missing.join(", ")
        )
    })?;
    // Nobody unloads a driver: its threads may still run.
    std::mem::forget(library);
    let mut version = 0;
    // SAFETY: it writes one number, and may be called before the driver is initialised.
    unsafe { (functions.driver_version)(&raw mut version) };
    if version < OLDEST {
        return Err(format!(
            "the driver is for CUDA {}, and 12.0 or newer is needed: install a newer driver",
            in_words(version)
        ));
    }
    // SAFETY: no flags are defined; it is called once, before anything else.
    let initialised = unsafe { (functions.init)(0) };
    let driver = Driver {
        functions,
        version,
        is_stand_in,
    };
    driver.check(initialised).map_err(|code| {
        format!("the driver at {place} finds no device: {code}; see what nvidia-smi says of it")
    })?;
    Ok(driver)
}

/// A version such as 13.0.
pub fn in_words(version: i32) -> String {
    format!("{}.{}", version / 1000, version % 1000 / 10)
}

impl Driver {
    /// What a result means.
    ///
    /// # Errors
    /// It is none of success.
    pub fn check(&self, number: i32) -> Result<(), DriverErrorCode> {
        if number == 0 {
            return Ok(());
        }
        let said = |function: unsafe extern "system" fn(i32, *mut *const c_char) -> i32| {
            let mut text = ptr::null();
            // SAFETY: it writes one pointer, to a text of the driver's that stays.
            let found = unsafe { function(number, &raw mut text) };
            if found != 0 || text.is_null() {
                return String::new();
            }
            // SAFETY: the driver's texts end in a zero, and are never freed.
            let text = unsafe { CStr::from_ptr(text) };
            text.to_string_lossy().into_owned()
        };
        let name = said(self.functions.error_name);
        Err(DriverErrorCode::new(
            number,
            name,
            said(self.functions.error_text),
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_is_a_reason() {
        let folder = tempfile::tempdir().unwrap();
        let text = std::fs::write(folder.path().join(NAME), "no library");
        assert!(text.is_ok());
        let found = search(folder.path().as_os_str(), &[]);
        let reason = open(&found.unwrap(), false).err().unwrap();
        assert!(reason.contains("cannot be loaded"), "{reason}");
        assert_eq!(search(OsStr::new("relative/path"), &["/nowhere"]), None);
        let stubs = folder.path().join("stubs");
        std::fs::create_dir(&stubs).unwrap();
        std::fs::write(stubs.join(NAME), "stub").unwrap();
        assert_eq!(search(stubs.as_os_str(), &[]), None);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_library_without_the_symbols_is_too_old() {
        let other = ["/lib/x86_64-linux-gnu/libm.so.6", "/lib64/libm.so.6"];
        let other = other.iter().map(Path::new).find(|it| it.exists());
        let Some(other) = other else {
            eprintln!("skipped: there is no other library to take for a driver");
            return;
        };
        let reason = open(other, false).err().unwrap();
        assert!(
            reason.contains("lacks cuInit") && reason.contains("too old"),
            "{reason}"
        );
    }
}
