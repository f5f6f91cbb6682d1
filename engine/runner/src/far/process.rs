//! The process at whose standard streams a worker is: this program itself, or `ssh`.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::io::{self, IsTerminal as _, Read as _};
use std::path::PathBuf;
use std::process::{Child, ChildStderr, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use super::lifetime;
use backend::{CUDA_STAND_IN, stand_in_path};
use device::lock;
use workload::{RemoteAddress, UnclearAddress};

/// Last lines of a process's complaints that are kept.
const LINES: usize = 8;
/// Bytes that are kept of one of them; the rest is read and forgotten.
const LONGEST: usize = 1000;
/// How long a process has to end by itself.
const GRACE: Duration = Duration::from_secs(1);
/// How long the last complaints of a process that runs on may take to be heard.
const STILL_RUNNING: Duration = Duration::from_millis(20);
/// How long whatever was started has for a worker's first words, and for the first answer after them.
const GREETING: Duration = Duration::from_millis(if cfg!(test) { 700 } else { 30_000 });
/// How long a worker that greeted may say nothing, though it is asked twice a second how far it is: one whose process was
/// stopped never answers. A link that broke is noticed earlier, by `ssh`.
const SILENCE: Duration = Duration::from_secs(30);
/// The same as for its first words where `ssh` may ask somebody for a password.
const ASKING: Duration = Duration::from_mins(2);

/// Where an engine is to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkerTarget {
    /// What it is called on screen.
    pub name: String,
    /// The program that ties us to the worker, and its arguments up to the worker's own.
    pub command: Vec<OsString>,
    /// Whether the link can drop while the worker lives on.
    pub can_drop: bool,
    /// For how long it may say nothing before it is taken to be gone.
    pub silence: Duration,
    /// Whether its clock is certainly this process's own, and need not be compared.
    pub shares_clock: bool,
}

impl WorkerTarget {
    /// What `place` names: `.` is a process on this machine; anything else is a machine as `ssh` knows it, after which
    /// a colon and the program's path may follow.
    ///
    /// # Errors
    /// It names no machine, or no program.
    pub fn parse(place: &str) -> Result<Self, UnclearAddress> {
        if place == "." {
            return Ok(Self {
                name: "this machine".to_owned(),
                command: vec![program().into_os_string(), "worker".into()],
                can_drop: false,
                silence: SILENCE,
                shares_clock: false,
            });
        }
        Ok(Self::remote(&place.parse()?))
    }

    /// How long it has for its first words.
    pub fn greeting(&self) -> Duration {
        if self.can_drop && std::io::stdin().is_terminal() {
            ASKING
        } else {
            GREETING
        }
    }

    /// The machine at an address.
    pub fn remote(address: &RemoteAddress) -> Self {
        let mut command: Vec<OsString> = vec!["ssh".into()];
        // Whoever has no terminal cannot be asked for a password: ssh is to say so and not to wait.
        if !std::io::stdin().is_terminal() {
            command.extend(["-o".into(), "BatchMode=yes".into()]);
        }
        let alive = ["-o", "ServerAliveInterval=5", "-o", "ServerAliveCountMax=3"];
        command.extend(alive.map(OsString::from));
        let (host, program) = (address.host(), address.program());
        command.extend([host.into(), program.into(), "worker".into()]);
        Self {
            name: host.to_owned(),
            command,
            can_drop: true,
            silence: SILENCE,
            shares_clock: false,
        }
    }
}

/// The program that a worker on this machine is started with: this one, or where the engine is part of another program
/// one that lies beside it, or beside the folder that it lies in.
fn program() -> PathBuf {
    let name = PathBuf::from("syncline").with_extension(std::env::consts::EXE_EXTENSION);
    let Ok(own) = std::env::current_exe() else {
        return name;
    };
    if own.file_stem().is_some_and(|stem| stem == "syncline") {
        return own;
    }
    let folders = own.ancestors().skip(1).take(2);
    let beside = folders
        .map(|folder| folder.join(&name))
        .find(|it| it.is_file());
    beside.unwrap_or(name)
}

/// The process; dropped, it is ended and waited for.
pub struct WorkerProcess {
    child: Child,
    complaints: Arc<Mutex<VecDeque<String>>>,
    /// Hears what it complains of.
    listener: Option<JoinHandle<()>>,
}

impl WorkerProcess {
    /// Starts the process that leads to `target`, with further arguments for the worker.
    ///
    /// # Errors
    /// It cannot be started.
    pub fn start(target: &WorkerTarget, arguments: &[&str]) -> Result<Self, String> {
        let (program, first) = target
            .command
            .split_first()
            .ok_or_else(|| "there is no program to start".to_owned())?;
        let mut command = Command::new(program);
        if let Some(stand_in) = stand_in_path() {
            command.env(CUDA_STAND_IN, stand_in);
        }
        // Ctrl-C in a terminal is for this process, which ends what it started in good order; `ssh` may have to ask there
        // for a password.
        #[cfg(unix)]
        if !(target.can_drop && std::io::stdin().is_terminal()) {
            std::os::unix::process::CommandExt::process_group(&mut command, 0);
        }
        lifetime::end_with_this_thread(&mut command);
        let mut child = command
            .args(first)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| {
                let instead = instead(error.kind());
                let program = program.to_string_lossy();
                format!("{program} cannot be started: {error}; {instead}")
            })?;
        let complaints = Arc::default();
        let listener = child.stderr.take();
        let listener = listener.and_then(|stderr| listen(stderr, Arc::clone(&complaints)));
        Ok(Self {
            child,
            complaints,
            listener,
        })
    }

    /// Its standard input and output; nothing where they were taken before.
    pub fn streams(&mut self) -> Option<(std::process::ChildStdin, std::process::ChildStdout)> {
        Some((self.child.stdin.take()?, self.child.stdout.take()?))
    }

    /// Its number, as the system counts processes.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Lets it go on, should it have been stopped.
    pub fn wake(&mut self) {
        if let Ok(None) = self.child.try_wait() {
            lifetime::wake(self.child.id());
        }
    }

    /// How it ended, waiting a little for that; nothing while it runs.
    pub fn ended(&mut self) -> Option<ExitStatus> {
        let until = Instant::now() + GRACE;
        loop {
            match self.child.try_wait() {
                Ok(None) if Instant::now() < until => std::thread::sleep(Duration::from_millis(5)),
                Ok(status) => return status,
                Err(_) => return None,
            }
        }
    }

    /// The last lines that it complained in, joined; empty where it said nothing. Of one that has ended these are all: what
    /// it said last is waited for, unless another process holds its standard error open.
    pub fn complaints(&mut self) -> String {
        let patience = match self.child.try_wait() {
            Ok(Some(_)) => GRACE,
            _ => STILL_RUNNING,
        };
        let until = Instant::now() + patience;
        let is_heard = |it: &JoinHandle<()>| it.is_finished();
        while !self.listener.as_ref().is_none_or(is_heard) && Instant::now() < until {
            std::thread::sleep(Duration::from_millis(1));
        }
        let lines: Vec<String> = lock(&self.complaints).iter().cloned().collect();
        lines.join(" / ")
    }
}

impl Drop for WorkerProcess {
    fn drop(&mut self) {
        self.wake();
        if self.ended().is_none() {
            // One that ended meanwhile cannot be killed, and need not be.
            let _ = self.child.kill();
        }
        let _ = self.child.wait();
    }
}

/// Keeps a line, where there is anything in it, and begins the next.
fn keep(complaints: &Mutex<VecDeque<String>>, line: &mut Vec<u8>) {
    let text = String::from_utf8_lossy(line).trim().to_owned();
    line.clear();
    let mut kept = lock(complaints);
    if !text.is_empty() {
        kept.push_back(text);
    }
    if kept.len() > LINES {
        kept.pop_front();
    }
}

/// What to do where a program cannot be started.
const fn instead(why: io::ErrorKind) -> &'static str {
    match why {
        io::ErrorKind::NotFound => "install it, or put it where programs are looked for",
        io::ErrorKind::PermissionDenied => "make it a program that you may run",
        io::ErrorKind::WouldBlock | io::ErrorKind::OutOfMemory => {
            "end other programs, or raise the limit of processes"
        }
        _ => "look whether it is a program for this machine",
    }
}

fn listen(
    mut stderr: ChildStderr,
    complaints: Arc<Mutex<VecDeque<String>>>,
) -> Option<JoinHandle<()>> {
    // Without the thread nobody hears the complaints, and the pipe may fill: the process is told by its closing.
    let thread = std::thread::Builder::new()
        .name("complaints".to_owned())
        .spawn(move || {
            let mut line = Vec::new();
            let mut room = [0; 4096];
            while let Ok(count @ 1..) = stderr.read(&mut room) {
                for byte in room.iter().take(count) {
                    if *byte == b'\n' {
                        keep(&complaints, &mut line);
                    } else if line.len() < LONGEST {
                        line.push(*byte);
                    }
                }
            }
            keep(&complaints, &mut line);
        });
    thread.ok()
}

/// How a process ended, in words.
pub fn ending(status: ExitStatus) -> String {
    #[cfg(unix)]
    {
        use std::os::unix::process::ExitStatusExt as _;
        const SIGNALS: &[(i32, &str)] = &[
            (4, "SIGILL"),
            (6, "SIGABRT"),
            (7, "SIGBUS"),
            (8, "SIGFPE"),
            (9, "SIGKILL"),
            (11, "SIGSEGV"),
            (15, "SIGTERM"),
        ];
        if let Some(signal) = status.signal() {
            let known = SIGNALS.iter().find(|(number, _)| *number == signal);
            let name = known.map_or_else(String::new, |(_, name)| format!(" ({name})"));
            return format!("it was ended by signal {signal}{name}");
        }
    }
    match status.code() {
        Some(code) => format!("it ended with exit code {code}"),
        None => "it ended".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn complaints_without_an_end_take_no_room() {
        let script = "head -c 100000000 /dev/zero | tr '\\0' 'a' >&2; echo >&2; echo end >&2";
        let target = WorkerTarget {
            name: "test".to_owned(),
            command: ["sh", "-c", script].map(Into::into).into(),
            can_drop: false,
            silence: SILENCE,
            shares_clock: false,
        };
        let mut process = WorkerProcess::start(&target, &[]).unwrap();
        process.child.wait().unwrap();
        let mut said = process.complaints();
        while !said.ends_with("end") {
            said = process.complaints();
        }
        assert_eq!(said.len(), LONGEST + " / end".len());
    }

    #[test]
    fn places_are_this_machine_or_what_ssh_knows() {
        let words = |place| -> Vec<String> {
            let target = WorkerTarget::parse(place).unwrap();
            let words = target.command.iter();
            words
                .map(|word| word.to_string_lossy().into_owned())
                .collect()
        };
        assert!(!WorkerTarget::parse(".").unwrap().can_drop);
        let far = words("me@server");
        assert_eq!(far.first().unwrap(), "ssh");
        assert_eq!(far[far.len() - 3..], ["me@server", "syncline", "worker"]);
        let far = words("server:/opt/syncline");
        assert_eq!(far[far.len() - 3..], ["server", "/opt/syncline", "worker"]);
        let far = words("me@[fe80::1%eth0]:prog");
        assert_eq!(far[far.len() - 3..], ["me@fe80::1%eth0", "prog", "worker"]);
        assert!(WorkerTarget::parse("host:touch PWNED; syncline").is_err());
    }

    #[cfg(unix)]
    #[test]
    fn a_process_is_heard_and_waited_for() {
        let target = WorkerTarget {
            name: "test".to_owned(),
            command: ["sh", "-c", "echo one >&2; echo two >&2; exit 3"]
                .map(Into::into)
                .into(),
            can_drop: false,
            silence: SILENCE,
            shares_clock: false,
        };
        let mut process = WorkerProcess::start(&target, &[]).unwrap();
        let status = process.ended().unwrap();
        assert_eq!(ending(status), "it ended with exit code 3");
        assert_eq!(process.complaints(), "one / two");
        let absent = WorkerTarget {
            command: vec!["/no/such/program".into()],
            ..target
        };
        assert!(WorkerProcess::start(&absent, &[]).is_err());
    }
}
