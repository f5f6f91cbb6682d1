//! A display without a screen: an X server that draws into a file, and a user's hands on it.

use std::collections::BTreeSet;
use std::io::{BufRead as _, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;

/// How long a slow machine may take for one step.
const PATIENCE: Duration = Duration::from_mins(2);

/// An X server of one test, gone when dropped.
pub struct Display {
    server: Child,
    name: String,
    folder: TempDir,
}

/// What is on a display: its width in pixels, and every pixel as `0x00RRGGBB`.
#[derive(PartialEq)]
pub struct Picture {
    /// Pixels a row.
    pub width: usize,
    /// Row by row.
    pub pixels: Vec<u32>,
}

impl Display {
    /// Starts a server on a free display; `Err` says which program is absent.
    pub fn open(width: u32, height: u32) -> Result<Self, String> {
        for tool in ["Xvfb", "xdotool"] {
            let mut ask = Command::new(tool);
            ask.arg("-help").stdout(Stdio::null()).stderr(Stdio::null());
            ask.status().map_err(|error| format!("{tool}: {error}"))?;
        }
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        let mut server = Command::new("Xvfb")
            .args([
                "-displayfd",
                "1",
                "-nolisten",
                "tcp",
                "-noreset",
                "-screen",
                "0",
            ])
            .arg(format!("{width}x{height}x24"))
            .arg("-fbdir")
            .arg(folder.path())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| error.to_string())?;
        let mut number = String::new();
        let output = server.stdout.take().ok_or("Xvfb has no output")?;
        let read = BufReader::new(output).read_line(&mut number);
        let name = format!(":{}", number.trim());
        let display = Self {
            server,
            name,
            folder,
        };
        match read {
            Ok(length) if length > 1 => Ok(display),
            _ => Err("Xvfb named no display".to_owned()),
        }
    }

    /// A program that will open its windows here, and keep its files in a folder of this display.
    pub fn command(&self, program: &PathBuf) -> Command {
        let mut command = Command::new(program);
        command
            .env("DISPLAY", &self.name)
            .env_remove("WAYLAND_DISPLAY");
        command
            .env_remove("WAYLAND_SOCKET")
            .env_remove("DBUS_SESSION_BUS_ADDRESS");
        for place in ["HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME"] {
            command.env(place, self.folder.path());
        }
        command
    }

    /// What xdotool answers; empty where it fails.
    pub fn hand(&self, arguments: &[&str]) -> String {
        let mut command = Command::new("xdotool");
        let output = command.env("DISPLAY", &self.name).args(arguments).output();
        let output = output.expect("xdotool starts");
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    }

    /// What is on the screen now.
    pub fn picture(&self) -> Picture {
        let file = self.folder.path().join("Xvfb_screen0");
        let bytes = std::fs::read(file).expect("Xvfb draws into its file");
        let head = |at: usize| {
            let word: [u8; 4] = bytes[at * 4..at * 4 + 4].try_into().expect("four bytes");
            u32::from_be_bytes(word) as usize
        };
        // The fields of an X window dump: sizes, the bytes of a row, and the colours of its map.
        let (width, height, row) = (head(4), head(5), head(12));
        let start = head(0) + head(19) * 12;
        let big = head(7) == 1;
        let rows = bytes[start..].chunks(row).take(height);
        let pixels = rows
            .flat_map(|line| line[..width * 4].chunks(4))
            .map(|pixel| {
                let pixel = pixel.try_into().expect("four bytes");
                0x00ff_ffff
                    & if big {
                        u32::from_be_bytes(pixel)
                    } else {
                        u32::from_le_bytes(pixel)
                    }
            });
        Picture {
            width,
            pixels: pixels.collect(),
        }
    }

    /// What is on the screen once it rests: the same in three looks, a while apart.
    pub fn resting(&self) -> Picture {
        let mut last = self.picture();
        let mut same = 0;
        until("the window rests", || {
            std::thread::sleep(Duration::from_millis(400));
            let now = self.picture();
            same = if now == last { same + 1 } else { 0 };
            last = now;
            (same >= 2).then_some(())
        });
        last
    }
}

impl Drop for Display {
    fn drop(&mut self) {
        // Nothing is left to do where it has gone already.
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

impl Picture {
    /// How many colours it has.
    pub fn colours(&self) -> usize {
        self.pixels.iter().collect::<BTreeSet<_>>().len()
    }

    /// How many pixels differ from another picture's.
    pub fn difference(&self, other: &Self) -> usize {
        self.pixels
            .iter()
            .zip(&other.pixels)
            .filter(|(left, right)| left != right)
            .count()
    }
}

/// Asks again until there is an answer; fails with `what` after two minutes.
#[track_caller]
pub fn until<T>(what: &str, mut ask: impl FnMut() -> Option<T>) -> T {
    let start = Instant::now();
    loop {
        if let Some(answer) = ask() {
            return answer;
        }
        assert!(
            start.elapsed() < PATIENCE,
            "in {PATIENCE:?} it did not happen that {what}"
        );
        std::thread::sleep(Duration::from_millis(100));
    }
}
