//! How a near end finds its worker again after the link dropped: a socket in a folder that only its user can enter.

use std::io;
use std::path::PathBuf;

use crossbeam_channel::Sender;

use super::packet::Hello;
use super::reliable_sender::FrameOutput;
use super::wire::WireError;
use super::worker::{FrameInput, WorkerMessage, greet};

/// The door of a worker.
pub struct WorkerSocket {
    token: String,
}

impl WorkerSocket {
    /// A door that is closed, with a token that nobody can guess.
    pub fn new() -> Self {
        use std::hash::{BuildHasher as _, Hasher as _, RandomState};
        // Keys of the standard library's hash tables come from the system's randomness.
        let part = || RandomState::new().build_hasher().finish();
        Self {
            token: format!("{:016x}{:016x}", part(), part()),
        }
    }

    /// By what the worker is found.
    pub fn token(&self) -> &str {
        &self.token
    }

    /// Lets near ends in until what this gives is dropped. Where the system has no such sockets, or refuses, nobody
    /// comes.
    pub fn open(&self, news: Sender<WorkerMessage>) -> Option<OpenSocket> {
        imp::open(&self.token, news)
    }
}

/// A door that is open; dropped, it is closed.
pub struct OpenSocket(PathBuf);

impl Drop for OpenSocket {
    fn drop(&mut self) {
        // One that is gone already is closed as well.
        let _ = std::fs::remove_file(&self.0);
    }
}

/// Ties `input` and `output` to the worker that has this token, until either ends. Where it is gone, the near end is
/// told so.
///
/// # Errors
/// The link broke.
pub fn attach(
    token: &str,
    mut input: FrameInput,
    mut output: FrameOutput,
) -> Result<(), WireError> {
    match imp::find(token) {
        Ok(door) => Ok(imp::copy_both_ways(door, input, output)?),
        // Without a token of its own there is nobody to come back to.
        Err(_) => greet(&mut input, &mut output, &Hello::ours()).map(|_| ()),
    }
}

/// Greets whoever came in.
#[cfg_attr(not(unix), expect(dead_code, reason = "there are no doors here"))]
fn welcome(mut input: FrameInput, mut output: FrameOutput, token: &str) -> Option<WorkerMessage> {
    let ours = Hello {
        token: token.to_owned(),
        ..Hello::ours()
    };
    let near = greet(&mut input, &mut output, &ours).ok()?;
    let fits = near.mismatch().is_none() && near.token == token;
    fits.then_some(WorkerMessage::Link(input, output, near.received))
}

#[cfg(unix)]
mod imp {
    use std::fs::DirBuilder;
    use std::io::{Read as _, Write as _};
    use std::net::Shutdown;
    use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _};
    use std::os::unix::net::{UnixListener, UnixStream};
    use std::path::{Path, PathBuf};
    use std::time::Duration;

    use super::{FrameInput, FrameOutput, OpenSocket, Sender, WorkerMessage, io, welcome};

    /// How long whoever comes in has to say who it is.
    const GREETING: Duration = Duration::from_secs(30);
    /// How a door is called, besides its token, until it is open.
    const MADE: &str = "made";
    /// For how long one of those may be under way.
    const NEW: Duration = Duration::from_secs(5);

    /// The folder of the doors: the first place that can be had for this user alone. A service may have neither a folder for
    /// sockets nor a home.
    fn folder() -> io::Result<PathBuf> {
        let runtime = std::env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from);
        let runtime = runtime.filter(|path| path.is_dir());
        let home = std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".cache"));
        let places = runtime.into_iter().chain(home);
        let places = places.map(|it| it.join("syncline-workers"));
        // Many users share the last place, so it bears the name of one: a folder there is of whoever came first.
        let own = std::fs::metadata("/proc/self").map_or(0, |it| it.uid());
        let shared = std::env::temp_dir().join(format!("syncline-workers-{own}"));
        let mut refused = io::Error::from(io::ErrorKind::NotFound);
        for place in places.chain([shared]) {
            match private_folder(&place) {
                Ok(()) => return Ok(place),
                Err(error) => refused = error,
            }
        }
        Err(refused)
    }

    /// Makes a folder that only this user may look into, or says why the one that is there is no such folder.
    fn private_folder(folder: &Path) -> io::Result<()> {
        DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(folder)?;
        // A link could lead to a folder that somebody else moves away later.
        let facts = std::fs::symlink_metadata(folder)?;
        // Whoever may write into a folder of that mode is its owner, or may do everything.
        let others_may = facts.mode() & 0o077;
        let is_private = facts.is_dir() && others_may == 0;
        let probe = folder.join(format!(".{}", std::process::id()));
        let is_ours = is_private && {
            let made = std::fs::File::create(&probe)?.metadata()?.uid();
            let _ = std::fs::remove_file(&probe);
            made == facts.uid()
        };
        if is_ours {
            Ok(())
        } else {
            Err(io::ErrorKind::PermissionDenied.into())
        }
    }

    fn path(token: &str) -> io::Result<PathBuf> {
        // Also where a token comes from elsewhere it names nothing but a door.
        if token.is_empty() || !token.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        Ok(folder()?.join(token))
    }

    pub fn open(token: &str, news: Sender<WorkerMessage>) -> Option<OpenSocket> {
        let path = path(token).ok()?;
        clean(path.parent()?);
        let (listener, open) = make(path).ok()?;
        let token = token.to_owned();
        std::thread::Builder::new()
            .name("door".to_owned())
            .spawn(move || {
                for stream in listener.incoming().flatten() {
                    let Ok(back) = stream.try_clone() else {
                        continue;
                    };
                    let Ok(limit) = stream.try_clone() else {
                        continue;
                    };
                    // Whoever comes in and says nothing does not keep others out.
                    let _ = limit.set_read_timeout(Some(GREETING));
                    let link = welcome(Box::new(stream), Box::new(back), &token);
                    let _ = limit.set_read_timeout(None);
                    if let Some(link) = link
                        && news.send(link).is_err()
                    {
                        return;
                    }
                }
            })
            .ok()?;
        Some(open)
    }

    /// Opens a door. It has its name once it is open, so that one that refuses is always one of a worker that is gone.
    fn make(path: PathBuf) -> io::Result<(UnixListener, OpenSocket)> {
        let made = OpenSocket(path.with_extension(MADE));
        let listener = UnixListener::bind(&made.0)?;
        std::fs::rename(&made.0, &path)?;
        Ok((listener, OpenSocket(path)))
    }

    /// Takes away the doors of workers that were killed: nobody listens there any more.
    fn clean(folder: &Path) {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            let is_young = || {
                let made = entry.metadata().and_then(|it| it.modified());
                made.is_ok_and(|made| made.elapsed().is_ok_and(|age| age <= NEW))
            };
            let is_being_made = path.extension().is_some_and(|it| it == MADE) && is_young();
            let refused = || {
                let tried = UnixStream::connect(&path);
                tried.is_err_and(|error| error.kind() == io::ErrorKind::ConnectionRefused)
            };
            if !is_being_made && refused() {
                // Another worker may have been faster.
                let _ = std::fs::remove_file(&path);
            }
        }
    }

    pub fn find(token: &str) -> io::Result<UnixStream> {
        UnixStream::connect(path(token)?)
    }

    /// Copies bytes both ways until either side ends.
    pub fn copy_both_ways(
        mut door: UnixStream,
        mut input: FrameInput,
        mut output: FrameOutput,
    ) -> io::Result<()> {
        let mut up = door.try_clone()?;
        // Not waited for: it may stand in a read that only the end of the process ends.
        std::thread::Builder::new().spawn(move || {
            // Whatever ends it, the link is over.
            let _ = io::copy(&mut input, &mut up);
            let _ = up.shutdown(Shutdown::Both);
        })?;
        let mut room = vec![0_u8; 64 << 10];
        loop {
            let count = door.read(&mut room)?;
            let Some(bytes @ [_, ..]) = room.get(..count) else {
                return Ok(());
            };
            output.write_all(bytes)?;
            output.flush()?;
        }
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn a_door_is_taken_away_as_soon_as_nobody_listens() {
            let folder = tempfile::tempdir().unwrap();
            let names = || {
                let entries = std::fs::read_dir(folder.path()).unwrap();
                let names = entries.map(|it| it.unwrap().file_name().into_string().unwrap());
                let mut names: Vec<String> = names.collect();
                names.sort();
                names
            };
            let (_listener, open) = make(folder.path().join("00aa")).unwrap();
            // Killed a moment ago, and killed or still at work before the door had its name.
            for left in ["00bb", "00cc.made"] {
                drop(UnixListener::bind(folder.path().join(left)).unwrap());
            }
            clean(folder.path());
            assert_eq!(names(), ["00aa", "00cc.made"]);
            assert!(UnixStream::connect(folder.path().join("00aa")).is_ok());
            drop(open);
            assert_eq!(names(), ["00cc.made"]);
        }
    }
}

#[cfg(not(unix))]
mod imp {
    use super::{FrameInput, FrameOutput, OpenSocket, Sender, WorkerMessage, io};

    pub fn open(_: &str, _: Sender<WorkerMessage>) -> Option<OpenSocket> {
        None
    }

    pub fn find(_: &str) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    pub fn copy_both_ways((): (), _: FrameInput, _: FrameOutput) -> io::Result<()> {
        Ok(())
    }
}
