//! The program's own process: started, told to end, and always waited for.
#![cfg_attr(
    unix,
    expect(unsafe_code, reason = "signals are sent by a function of C")
)]

use std::ffi::OsString;
use std::io;
use std::path::Path;
use std::process::{Child, Command, ExitStatus};
use std::time::{Duration, Instant};

/// What the driver of CUDA and NVTX's header read the library's path from.
const INJECTIONS: [&str; 2] = ["CUDA_INJECTION64_PATH", "NVTX_INJECTION64_PATH"];
/// How long it has to end after each signal.
const GRACE: Duration = Duration::from_secs(1);

/// Ways to end a process, from the mildest to the last, by the system's numbers: those of a terminal, of a shutdown, and
/// that which cannot be ignored.
const SIGNALS: [i32; 3] = [2, 15, 9];

/// The process; dropped, it is ended and waited for.
pub struct ProgramProcess {
    handle: Child,
    status: Option<ExitStatus>,
    /// How often it was told to end.
    told: usize,
    at: Instant,
}

impl ProgramProcess {
    /// Starts a program whose processes load `library` and write into a folder, for a capture that begins at an instant. Its standard streams are this process's.
    ///
    /// # Errors
    /// It cannot be started, or another tool would be loaded in the library's place.
    pub fn start(
        command: &[OsString],
        library: &Path,
        (folder, origin): (&Path, u64),
    ) -> Result<Self, String> {
        let (program, arguments) = command
            .split_first()
            .ok_or("there is no program to record; name one after --")?;
        for injection in INJECTIONS {
            if let Some(other) = std::env::var_os(injection).filter(|it| !it.is_empty()) {
                return Err(format!(
                    "{injection} is set to {} already, so another tool would record; unset it",
                    other.to_string_lossy()
                ));
            }
        }
        let started = Command::new(program)
            .args(arguments)
            .envs(INJECTIONS.map(|it| (it, library)))
            .env(cuda_recorder::FOLDER, folder)
            .env(cuda_recorder::ORIGIN, origin.to_string())
            .spawn();
        let handle = started.map_err(|error| not_started(program, &error))?;
        Ok(Self {
            handle,
            status: None,
            told: 0,
            at: Instant::now(),
        })
    }

    /// Its number.
    pub fn number(&self) -> u32 {
        self.handle.id()
    }

    /// How it ended; nothing while it runs.
    pub fn ended(&mut self) -> Option<ExitStatus> {
        if self.status.is_none() {
            self.status = self.handle.try_wait().ok().flatten();
        }
        self.status
    }

    /// Tells it to end, as Ctrl-C does; each time more firmly.
    pub fn interrupt(&mut self) {
        if self.ended().is_some() {
            return;
        }
        let signal = SIGNALS.get(self.told).or(SIGNALS.last());
        if let Some(signal) = signal.copied() {
            send(&mut self.handle, signal);
        }
        self.told += 1;
        self.at = Instant::now();
    }

    /// Ends it, more firmly every time that it took its time; to be called until it has ended.
    pub fn end(&mut self) {
        if self.told == 0 || self.at.elapsed() > GRACE {
            self.interrupt();
        }
    }
}

impl Drop for ProgramProcess {
    fn drop(&mut self) {
        if self.ended().is_none() {
            // One that ended meanwhile cannot be killed, and need not be.
            let _ = self.handle.kill();
            let _ = self.handle.wait();
        }
    }
}

/// Whether a program is a path, or a file of that name is where programs are looked for. A folder there that may not be
/// looked into is no reason to think that it is.
fn may_exist(program: &OsString) -> bool {
    if Path::new(program).components().count() > 1 {
        return true;
    }
    let folders = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&folders).any(|folder| folder.join(program).exists())
}

/// `ENOEXEC`: the system knows no way to run a file.
const NO_PROGRAM: i32 = 8;

fn not_started(program: &OsString, error: &io::Error) -> String {
    let is_absent = !may_exist(program);
    let program = program.to_string_lossy();
    match error.kind() {
        kind if is_absent || kind == io::ErrorKind::NotFound => {
            format!("there is no program “{program}”; check its name, or give its path")
        }
        io::ErrorKind::PermissionDenied => {
            format!("“{program}” may not be executed by you; check its permissions")
        }
        _ if error.raw_os_error() == Some(NO_PROGRAM) => format!(
            "“{program}” is no program for this system; where it is a script, name what runs it, such as `sh {program}`"
        ),
        _ => format!("“{program}” cannot be started: {error}"),
    }
}

#[cfg(unix)]
fn send(handle: &mut Child, signal: i32) {
    let process = handle.id() as libc::pid_t;
    // SAFETY: the process was started here and has not been waited for, so its number is its own.
    unsafe { libc::kill(process, signal) };
}

/// The signal that starts, stops or keeps: SIGUSR1.
#[cfg(unix)]
pub const TOGGLE: i32 = libc::SIGUSR1;
#[cfg(not(unix))]
pub const TOGGLE: i32 = 10;

/// Sends a signal to a process.
///
/// # Errors
/// The system refuses.
#[cfg(unix)]
pub fn signal(process: u32, signal: i32) -> io::Result<()> {
    // SAFETY: it takes two numbers; a recorder that was found by its folder's lock has this one.
    match unsafe { libc::kill(process as libc::pid_t, signal) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// The same where there are none.
#[cfg(not(unix))]
pub fn signal(_: u32, _: i32) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

#[cfg(not(unix))]
fn send(handle: &mut Child, _: i32) {
    let _ = handle.kill();
}

/// Whether a process runs, as the system lists it: one that has ended and was not waited for does not.
pub fn runs(process: u32) -> bool {
    let Ok(stat) = std::fs::read_to_string(format!("/proc/{process}/stat")) else {
        return false;
    };
    // The name may hold anything; behind its bracket comes the state.
    let state = stat
        .rsplit_once(") ")
        .and_then(|(_, rest)| rest.chars().next());
    !matches!(state, Some('Z' | 'X'))
}

/// All processes, as the system lists them.
pub fn processes() -> impl Iterator<Item = u32> {
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|it| it.file_name().to_str()?.parse().ok())
}

/// The processes that a process started and that are its own still, as the system lists them.
pub fn children(process: u32) -> Vec<u32> {
    let is_child = |number: &u32| {
        let stat = std::fs::read_to_string(format!("/proc/{number}/stat")).ok();
        // Behind the bracket of its name come its state and its parent.
        let parent = stat.as_deref().and_then(|it| {
            let (_, rest) = it.rsplit_once(") ")?;
            rest.split(' ').nth(1)?.parse().ok()
        });
        parent == Some(process)
    };
    processes().filter(is_child).collect()
}

/// What a shell calls the way in which a process ended: its exit code, or 128 and the signal.
pub fn code_of(status: Option<ExitStatus>) -> i32 {
    let Some(status) = status else {
        return -1;
    };
    #[cfg(unix)]
    {
        use std::os::unix::process::ExitStatusExt as _;
        if let Some(signal) = status.signal() {
            return 128 + signal;
        }
    }
    status.code().unwrap_or(-1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn start(words: &[&str]) -> Result<ProgramProcess, String> {
        let command: Vec<OsString> = words.iter().map(OsString::from).collect();
        ProgramProcess::start(&command, Path::new("/none.so"), (Path::new("/none"), 0))
    }

    /// Waits until what the system says of a process in one of its files is so.
    fn until(child: &ProgramProcess, file: &str, is_so: impl Fn(&str) -> bool) {
        let path = format!("/proc/{}/{file}", child.handle.id());
        while !is_so(&std::fs::read_to_string(&path).unwrap()) {
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    /// Whether a process ignores what Ctrl-C sends, by its status.
    fn ignores_interrupts(status: &str) -> bool {
        let ignored = status.lines().find_map(|it| it.strip_prefix("SigIgn:"));
        let ignored = ignored.and_then(|it| u64::from_str_radix(it.trim(), 16).ok());
        ignored.is_some_and(|it| it & 1 << (libc::SIGINT - 1) != 0)
    }

    fn ended(mut child: ProgramProcess) -> i32 {
        loop {
            child.end();
            if let Some(status) = child.ended() {
                return code_of(Some(status));
            }
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    #[test]
    fn what_cannot_be_started_is_a_reason() {
        let reason = |words: &[&str]| start(words).err().unwrap();
        assert!(reason(&[]).contains("no program"));
        assert!(reason(&["/no/such/program"]).contains("check its name"));
        assert!(reason(&["/etc/passwd"]).contains("may not be executed"));
        // A folder of `PATH` that may not be looked into makes the system say that a program may not be executed.
        let denied = io::Error::from(io::ErrorKind::PermissionDenied);
        let absent = not_started(&"no-such-program".into(), &denied);
        assert!(absent.contains("check its name"), "{absent}");
    }

    #[test]
    fn a_program_is_ended_by_what_it_does_not_ignore() {
        // A test that a shell started behind its back ignores what Ctrl-C sends, and what it starts would, too.
        let heeding = ["env", "--default-signal=INT", "sleep", "60"];
        let heeding = start(&heeding).unwrap();
        until(&heeding, "comm", |name| name.trim() == "sleep");
        assert_eq!(ended(heeding), 130);
        let stubborn = start(&["sh", "-c", "trap '' INT; sleep 60"]).unwrap();
        assert!(runs(stubborn.handle.id()));
        until(&stubborn, "status", ignores_interrupts);
        assert_eq!(ended(stubborn), 143);
    }
}
