//! NVRTC, the compiler of CUDA C: found by its path, its functions by their names; absent is a reason.
#![expect(
    unsafe_code,
    reason = "loading a library runs its code, and its functions are C functions"
)]

use std::ffi::{CString, OsString, c_char, c_int, c_void};
use std::path::{Path, PathBuf};
use std::ptr;
use std::sync::OnceLock;

use libloading::Library;

use crate::{CompileError, ShaderMessage};
use record::Severity;

/// Names the folder of NVRTC where it is not found by itself.
const VARIABLE: &str = "SYNCLINE_NVRTC_DIR";
/// What the compiler answers about a program that is wrong.
const COMPILATION: c_int = 6;

type NvrtcProgram = *mut c_void;

/// The compiler. It stays loaded for as long as the process runs.
pub struct Nvrtc {
    /// Its version: major and minor.
    pub version: (i32, i32),
    create: unsafe extern "C" fn(
        *mut NvrtcProgram,
        *const c_char,
        *const c_char,
        c_int,
        *const *const c_char,
        *const *const c_char,
    ) -> c_int,
    compile: unsafe extern "C" fn(NvrtcProgram, c_int, *const *const c_char) -> c_int,
    destroy: unsafe extern "C" fn(*mut NvrtcProgram) -> c_int,
    log_size: unsafe extern "C" fn(NvrtcProgram, *mut usize) -> c_int,
    log: unsafe extern "C" fn(NvrtcProgram, *mut c_char) -> c_int,
    ptx_size: unsafe extern "C" fn(NvrtcProgram, *mut usize) -> c_int,
    ptx: unsafe extern "C" fn(NvrtcProgram, *mut c_char) -> c_int,
}

/// What came of a compile.
#[derive(Debug)]
pub struct NvrtcOutput {
    /// The code, in PTX.
    pub ptx: String,
    /// What the compiler said, at its lines.
    pub messages: Vec<ShaderMessage>,
}

/// The compiler of this machine.
///
/// # Errors
/// Why there is none, in words for the user.
pub fn nvrtc() -> Result<&'static Nvrtc, String> {
    static FOUND: OnceLock<Result<Nvrtc, String>> = OnceLock::new();
    let found = FOUND.get_or_init(|| {
        let folders = folders(&|name| std::env::var_os(name));
        first_that_opens(folders.iter().flat_map(|folder| libraries_in(folder)))
    });
    found.as_ref().map_err(Clone::clone)
}

/// Where it may lie, by what the variables of the environment are.
fn folders(variable: &dyn Fn(&str) -> Option<OsString>) -> Vec<PathBuf> {
    let mut folders: Vec<PathBuf> = variable(VARIABLE).map(PathBuf::from).into_iter().collect();
    let loader = variable("LD_LIBRARY_PATH").unwrap_or_default();
    folders.extend(std::env::split_paths(&loader));
    for home in ["CUDA_HOME", "CUDA_PATH"] {
        let home = variable(home);
        folders.extend(home.map(|home| PathBuf::from(home).join("lib64")));
    }
    folders.push("/usr/local/cuda/lib64".into());
    // Where the compiler comes with Python's packages.
    let pythons = variable("VIRTUAL_ENV").map(PathBuf::from);
    for root in pythons.into_iter().chain(["/usr/local".into()]) {
        for python in std::fs::read_dir(root.join("lib"))
            .into_iter()
            .flatten()
            .flatten()
        {
            for packages in ["site-packages", "dist-packages"] {
                let nvidia = python.path().join(packages).join("nvidia");
                folders.push(nvidia.join("cu13/lib"));
                folders.push(nvidia.join("cuda_nvrtc/lib"));
            }
        }
    }
    folders.push("/usr/lib/x86_64-linux-gnu".into());
    // A variable that is empty or names a folder from where the program was started is none: whoever can write there, such as
    // whoever gave somebody a folder of captures, would choose what is loaded.
    folders.retain(|it| it.is_absolute());
    folders
}

/// The first compiler that can be loaded.
///
/// # Errors
/// There is none, or why the first that was found cannot be loaded.
fn first_that_opens(paths: impl Iterator<Item = PathBuf>) -> Result<Nvrtc, String> {
    let mut reason = None;
    for path in paths {
        match Nvrtc::open(&path) {
            Ok(found) => return Ok(found),
            Err(why) => reason = reason.or(Some(why)),
        }
    }
    Err(reason.unwrap_or_else(|| {
        format!(
            "NVRTC is not installed, so kernels run from the PTX that Syncline carries: install the CUDA toolkit, or name \
             the folder of libnvrtc in {VARIABLE}"
        )
    }))
}

/// The compilers in `folder`, the newest first.
fn libraries_in(folder: &Path) -> Vec<PathBuf> {
    let names = ["libnvrtc.so.13", "libnvrtc.so.12", "nvrtc64_130_0.dll"];
    let found = names.map(|name| folder.join(name));
    found.into_iter().filter(|path| path.is_file()).collect()
}

/// The numbers behind `.so.` in a file's name, such as 13 and 0.
fn version_of(path: &Path) -> Vec<u32> {
    let name = path.file_name().and_then(|name| name.to_str());
    let numbers = name.and_then(|name| name.split_once(".so."));
    let numbers = numbers.map_or("", |(_, numbers)| numbers).split('.');
    numbers.map_while(|number| number.parse().ok()).collect()
}

/// What the compiler opens by its bare name beside itself: of those that lie there, the one of its own version. One of
/// another is none.
fn builtins_beside(path: &Path) -> Option<PathBuf> {
    // A link names the major version alone, and what it leads to all of it.
    let version = version_of(&path.canonicalize().ok()?);
    let beside = std::fs::read_dir(path.parent()?).ok()?;
    let paths = beside.flatten().map(|entry| entry.path());
    let is_part = |path: &PathBuf| {
        let name = path.file_name().and_then(|name| name.to_str());
        name.is_some_and(|name| name.starts_with("libnvrtc-builtins.so.")) && path.is_file()
    };
    let common = |path: &PathBuf| {
        let own = version_of(path);
        own.iter().zip(&version).take_while(|(a, b)| a == b).count()
    };
    let of_its_major = paths.filter(is_part).filter(|path| common(path) > 0);
    of_its_major.max_by_key(common)
}

impl Nvrtc {
    /// Loads the compiler at `path`.
    ///
    /// # Errors
    /// It cannot be loaded, or is none.
    pub fn open(path: &Path) -> Result<Self, String> {
        let place = path.display();
        if let Some(builtins) = builtins_beside(path) {
            // SAFETY: it is a part of the compiler, and holds data. Once it is there the compiler finds it by its name.
            let loaded = unsafe { Library::new(builtins) };
            loaded.into_iter().for_each(std::mem::forget);
        }
        // SAFETY: the path is that of the compiler, whose initialisers are made to be run by any program.
        let library = unsafe { Library::new(path) };
        let library = library.map_err(|error| format!("{place} cannot be loaded: {error}"))?;
        macro_rules! find {
            ($name:literal) => {
                // SAFETY: the type is the one that the compiler's documentation gives for this name.
                *unsafe { library.get(concat!($name, "\0").as_bytes()) }
                    .map_err(|_absent| format!("{place} lacks {}: it is no NVRTC", $name))?
            };
        }
        let version: unsafe extern "C" fn(*mut c_int, *mut c_int) -> c_int = find!("nvrtcVersion");
        let (mut major, mut minor) = (0, 0);
        // SAFETY: it writes two numbers.
        unsafe { version(&raw mut major, &raw mut minor) };
        let found = Self {
            version: (major, minor),
            create: find!("nvrtcCreateProgram"),
            compile: find!("nvrtcCompileProgram"),
            destroy: find!("nvrtcDestroyProgram"),
            log_size: find!("nvrtcGetProgramLogSize"),
            log: find!("nvrtcGetProgramLog"),
            ptx_size: find!("nvrtcGetPTXSize"),
            ptx: find!("nvrtcGetPTX"),
        };
        std::mem::forget(library);
        Ok(found)
    }

    /// Compiles `source`, which is called `name` in messages, for `architecture`.
    ///
    /// # Errors
    /// What is wrong with it, at its lines, or with the compiler.
    pub fn compile(
        &self,
        source: &str,
        name: &str,
        architecture: &str,
    ) -> Result<NvrtcOutput, CompileError> {
        let overall = |text: &str| CompileError::Validation {
            messages: vec![ShaderMessage::overall(text.to_owned())],
        };
        let zero = |_| overall("the text holds a zero");
        let code = CString::new(source).map_err(zero)?;
        let title = CString::new(name).map_err(zero)?;
        let architecture =
            CString::new(format!("--gpu-architecture={architecture}")).map_err(zero)?;
        let options = [architecture.as_ptr(), c"--std=c++17".as_ptr()];
        let mut program = ptr::null_mut();
        // SAFETY: the texts end in zeros, there are no headers, and it writes one handle.
        let made = unsafe {
            (self.create)(
                &raw mut program,
                code.as_ptr(),
                title.as_ptr(),
                0,
                ptr::null(),
                ptr::null(),
            )
        };
        if made != 0 {
            return Err(CompileError::Internal(format!(
                "NVRTC gave no program ({made})"
            )));
        }
        // SAFETY: the program was made, and there are two options, each of which ends in a zero.
        let compiled = unsafe { (self.compile)(program, 2, options.as_ptr()) };
        let log = text(program, self.log_size, self.log);
        let ptx = text(program, self.ptx_size, self.ptx);
        // SAFETY: it is given back once.
        unsafe { (self.destroy)(&raw mut program) };
        let messages = messages(&log, name);
        match compiled {
            0 => Ok(NvrtcOutput { ptx, messages }),
            COMPILATION if !messages.is_empty() => Err(CompileError::Validation { messages }),
            code => Err(CompileError::Internal(format!(
                "NVRTC answers {code}: {log}"
            ))),
        }
    }
}

/// One of the texts that the compiler keeps with a program.
fn text(
    program: NvrtcProgram,
    size: unsafe extern "C" fn(NvrtcProgram, *mut usize) -> c_int,
    read: unsafe extern "C" fn(NvrtcProgram, *mut c_char) -> c_int,
) -> String {
    let mut len = 0;
    // SAFETY: the program was made and not given back, and one number is written.
    let known = unsafe { size(program, &raw mut len) };
    if known != 0 || len == 0 {
        return String::new();
    }
    let mut bytes = vec![0_u8; len];
    // SAFETY: as many bytes are written as it said.
    unsafe { read(program, bytes.as_mut_ptr().cast()) };
    let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(len);
    bytes.truncate(end);
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The messages in what the compiler said of the file called `name`: `NAME(LINE): error: what is wrong`.
pub fn messages(log: &str, name: &str) -> Vec<ShaderMessage> {
    let mut found: Vec<ShaderMessage> = Vec::new();
    for line in log.lines() {
        let place = line.strip_prefix(name).and_then(|rest| {
            let (number, text) = rest.strip_prefix('(')?.split_once("): ")?;
            Some((number.parse().ok()?, text))
        });
        if let Some((line, text)) = place {
            let is_error = text.starts_with("error") || text.starts_with("catastrophic");
            found.push(ShaderMessage {
                line,
                column: 0,
                length: 0,
                text: text.to_owned(),
                severity: if is_error {
                    Severity::Error
                } else {
                    Severity::Warning
                },
            });
        } else if let Some(last) = found.last_mut()
            && let Some(column) = line.find('^').filter(|_| line.trim() == "^")
            && last.column == 0
        {
            // The text of a line is shown moved to the right by two.
            last.column = column.saturating_sub(1) as u32;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_at_their_lines() {
        let log = "bad.cu(2): error: identifier \"undefined_name\" is undefined\n      y[0] = undefined_name;\n             ^\n\n\
                   bad.cu(5): warning #177-D: variable \"k\" was declared but never referenced\n      int k;\n          ^\n\n\
                   1 error detected in the compilation of \"bad.cu\".\n";
        let found = messages(log, "bad.cu");
        let places: Vec<(u32, u32)> = found.iter().map(|it| (it.line, it.column)).collect();
        assert_eq!(places, [(2, 12), (5, 9)], "{found:?}");
        assert_eq!(found[0].severity, Severity::Error);
        assert_eq!(found[1].severity, Severity::Warning);
        assert!(found[0].text.contains("undefined_name"));
        assert!(messages("nvrtc: error: invalid value", "bad.cu").is_empty());
    }

    #[test]
    fn nothing_is_loaded_from_where_the_program_was_started() {
        for value in ["", ".", "cuda", "../venv"] {
            let folders = folders(&|_| Some(value.into()));
            assert!(folders.iter().all(|it| it.is_absolute()), "{folders:?}");
            assert!(!folders.is_empty());
        }
        let named = folders(&|name| (name == VARIABLE).then(|| "/opt/nvrtc".into()));
        assert_eq!(named.first().unwrap(), Path::new("/opt/nvrtc"));
    }

    #[test]
    fn what_is_no_compiler_is_said() {
        let nothing = Nvrtc::open(Path::new("/no/such/library.so"));
        assert!(nothing.err().unwrap().contains("cannot be loaded"));
        assert!(libraries_in(Path::new("/no/such/folder")).is_empty());
    }

    #[cfg(unix)]
    #[test]
    fn the_builtins_are_those_of_the_compilers_own_version() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        for name in [
            "libnvrtc.so.13.0.48",
            "libnvrtc-builtins.so.12.9",
            "libnvrtc-builtins.so.13.1",
            "libnvrtc-builtins.so.13.0.48",
            "libnvrtc-builtins.so.alt",
        ] {
            std::fs::write(path(name), "").unwrap();
        }
        std::os::unix::fs::symlink(path("libnvrtc.so.13.0.48"), path("libnvrtc.so.13")).unwrap();
        let found = builtins_beside(&path("libnvrtc.so.13")).unwrap();
        assert_eq!(found, path("libnvrtc-builtins.so.13.0.48"));
        std::fs::write(path("libnvrtc.so.12"), "").unwrap();
        let found = builtins_beside(&path("libnvrtc.so.12")).unwrap();
        assert_eq!(found, path("libnvrtc-builtins.so.12.9"));
        std::fs::remove_file(found).unwrap();
        assert_eq!(builtins_beside(&path("libnvrtc.so.12")), None);
    }

    #[test]
    fn a_file_of_the_name_that_is_no_compiler_is_passed_over_and_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("libnvrtc.so.13");
        std::fs::write(&path, "no library").unwrap();
        std::fs::create_dir(folder.path().join("libnvrtc.so.12")).unwrap();
        let paths = libraries_in(folder.path());
        assert_eq!(paths, [path]);
        let why = first_that_opens(paths.into_iter()).err().unwrap();
        assert!(why.contains("cannot be loaded"), "{why}");
        let none = first_that_opens(std::iter::empty()).err().unwrap();
        assert!(none.contains("is not installed"), "{none}");
    }
}
