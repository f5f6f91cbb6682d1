//! The installed CUPTI: the one that a program has mapped already, or one of the places where it is installed.
#![expect(
    unsafe_code,
    reason = "loading a library runs its code, and its functions are C functions"
)]

use std::ffi::{CStr, c_char};
use std::path::{Path, PathBuf};
use std::ptr;

use libloading::Library;

use super::code;
use super::functions::CuptiFunctions;
use super::search_paths;
use super::strides::Strides;

/// CUPTI's domains of functions (`CUpti_CallbackDomain`).
const DRIVER: u32 = 1;
const RUNTIME: u32 = 2;

/// The loaded library. It stays loaded for as long as the process runs.
pub struct CuptiLibrary {
    /// Its functions.
    pub(crate) functions: CuptiFunctions,
    /// How long its records are.
    pub(crate) strides: Strides,
    version: u32,
    path: PathBuf,
}

/// What a version of CUPTI is called, such as `CUPTI of CUDA 13.0`: since CUDA 13 its number is that of CUDA.
pub fn version_name(version: u32) -> String {
    if version < 10_000 {
        return format!("CUPTI, version {version}");
    }
    format!(
        "CUPTI of CUDA {}.{}",
        version / 10_000,
        version % 10_000 / 100
    )
}

impl CuptiLibrary {
    /// The CUPTI of this process: the tests' stand-in where a test names it, the one that is mapped already, the one that
    /// `SYNCLINE_CUPTI` names (a file, a folder, or `off`), or the first that is installed.
    ///
    /// # Errors
    /// Why there is none that can be used, in words for the user.
    pub fn find() -> Result<Self, String> {
        match search_paths::named()? {
            Some(path) => Self::open(&path),
            None => match search_paths::mapped() {
                Some(path) => Self::take(&path),
                None => Self::open(&search_paths::installed()?),
            },
        }
    }

    /// Loads the library at `path`.
    ///
    /// # Errors
    /// It cannot be loaded, or lacks what every version of CUPTI since CUDA 11.7 has.
    pub fn open(path: &Path) -> Result<Self, String> {
        // SAFETY: the path is that of CUPTI, whose initialisers are made to be run by any program.
        let library = unsafe { Library::new(path) };
        let library = library.map_err(|error| {
            let place = path.display();
            format!(
                "{place} cannot be loaded: {error}; install CUPTI again, for this kind of processor"
            )
        })?;
        Self::of(library, path)
    }

    /// The library at `path`, which this process has mapped.
    #[cfg(unix)]
    fn take(path: &Path) -> Result<Self, String> {
        use libloading::os::unix;

        /// `RTLD_NOLOAD`: another copy is never loaded.
        const MAPPED: i32 = 4;
        // SAFETY: nothing is loaded, so nothing of it runs.
        let library = unsafe { unix::Library::open(Some(path), unix::RTLD_NOW | MAPPED) };
        library.map_or_else(|_replaced| Self::open(path), |it| Self::of(it.into(), path))
    }

    #[cfg(not(unix))]
    fn take(path: &Path) -> Result<Self, String> {
        Self::open(path)
    }

    fn of(library: Library, path: &Path) -> Result<Self, String> {
        let functions = CuptiFunctions::find(&library).map_err(|missing| {
            format!(
                "CUPTI at {} lacks {}: it is too old, install that of CUDA 12.0 or newer",
                path.display(),
                missing.join(", ")
            )
        })?;
        // Nobody unloads it: the driver calls it, and its threads may still run.
        std::mem::forget(library);
        let mut version = 0;
        // SAFETY: it writes one number, and may be called at any time.
        unsafe { (functions.version)(&raw mut version) };
        Ok(Self {
            strides: Strides::measure(functions.next_record),
            functions,
            version,
            path: path.to_owned(),
        })
    }

    /// Its version as it counts them: 130001 for CUDA 13.0, 18 to 28 for CUDA 12.
    pub const fn version(&self) -> u32 {
        self.version
    }

    /// Where it lies.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// How long its records are.
    pub const fn strides(&self) -> &Strides {
        &self.strides
    }

    /// Whether records of events can have the device's time: since CUDA 13.0.
    pub const fn times_events(&self) -> bool {
        self.functions.event_times.is_some()
    }

    /// Where records begin in `bytes`, with their kinds, as the library's own reader goes through them. It is what the
    /// strides were measured with; tests compare [`super::walk`] with it.
    pub fn walk(&self, bytes: &[u8]) -> Vec<(usize, u32)> {
        // Aligned to eight bytes, as the library's own buffers are.
        let mut buffer = vec![0_u64; bytes.len().div_ceil(8)];
        let first = buffer.as_mut_ptr().cast::<u8>();
        // SAFETY: there is room for all of them.
        unsafe { ptr::copy_nonoverlapping(bytes.as_ptr(), first, bytes.len()) };
        let (mut record, mut found) = (ptr::null_mut(), Vec::new());
        // SAFETY: the buffer has so many bytes, and the place before is nothing or in it.
        while unsafe { (self.functions.next_record)(first, bytes.len(), &raw mut record) } == 0 {
            let at = record.addr().wrapping_sub(first.addr());
            let kind = bytes.get(at..).and_then(<[u8]>::first_chunk);
            found.push((at, kind.map_or(0, |kind| u32::from_le_bytes(*kind))));
        }
        found
    }

    /// Its version in words, such as `CUPTI of CUDA 13.0`.
    pub fn name(&self) -> String {
        version_name(self.version)
    }

    /// What a result means.
    ///
    /// # Errors
    /// It is none of success: what it says, why, and what to do.
    pub(crate) fn check(&self, number: i32) -> Result<(), String> {
        if number == 0 {
            return Ok(());
        }
        let mut name = ptr::null();
        if let Some(said) = self.functions.result_name {
            // SAFETY: it writes one pointer, to a text that stays.
            unsafe { said(number, &raw mut name) };
        }
        Err(code::meaning(number, &text(name)))
    }

    /// The name of the function with CUPTI's number `number`, empty where CUPTI has none.
    pub(crate) fn function(&self, is_runtime: bool, number: u32) -> String {
        let Some(named) = self.functions.function_name else {
            return String::new();
        };
        let domain = if is_runtime { RUNTIME } else { DRIVER };
        let mut name = ptr::null();
        // SAFETY: it writes one pointer, to a text that stays.
        let found = unsafe { named(domain, number, &raw mut name) };
        if found == 0 {
            text(name)
        } else {
            String::new()
        }
    }
}

/// A text of CUPTI's, empty where there is none.
fn text(at: *const c_char) -> String {
    if at.is_null() {
        return String::new();
    }
    // SAFETY: CUPTI's texts end in a zero, and are there for as long as it is loaded.
    unsafe { CStr::from_ptr(at) }.to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_cupti_is_a_reason() {
        let reason = CuptiLibrary::open(Path::new("/no/such/libcupti.so"))
            .err()
            .unwrap();
        assert!(reason.contains("cannot be loaded"), "{reason}");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn another_library_is_too_old() {
        let other = ["/lib/x86_64-linux-gnu/libm.so.6", "/lib64/libm.so.6"];
        let Some(other) = other.iter().map(Path::new).find(|it| it.exists()) else {
            eprintln!("skipped: there is no other library to take for CUPTI");
            return;
        };
        let reason = CuptiLibrary::open(other).err().unwrap();
        assert!(reason.contains("lacks cuptiGetVersion"), "{reason}");
    }
}
