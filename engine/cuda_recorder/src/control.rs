//! A page of memory that the recorder shares with every process that it records: which stretches of time are wanted, and
//! how much a segment of a file holds.
//!
//! The page is a file of the recording's folder. Its words are numbers of 64 bits, which are written by the recorder alone:
//! an instant is there before the count that has it, so that whoever reads the count finds every instant before it.
#![cfg_attr(
    unix,
    expect(
        unsafe_code,
        reason = "memory that processes share is mapped by a function of C"
    )
)]

use std::fs::{File, TryLockError};
use std::io;
use std::path::Path;
#[cfg(unix)]
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU64, Ordering};

/// What the file is called in the folder.
pub const CONTROL: &str = "control";
/// What the page begins with, and with it the version of its layout.
const MAGIC: u64 = u64::from_le_bytes(*b"SYNCLIN2");
/// Instants at which a window opens or closes, at most.
pub const MOST_FLIPS: usize = 4096;
const WORDS: usize = word::FLIPS + MOST_FLIPS;

/// Where each number lies, in words.
mod word {
    pub const MAGIC: usize = 0;
    pub const PURPOSE: usize = 1;
    pub const SEGMENT_BYTES: usize = 2;
    pub const SEGMENT_NANOS: usize = 3;
    pub const SEGMENTS: usize = 4;
    pub const RECORDER: usize = 5;
    pub const PROGRAM: usize = 6;
    pub const ASKED: usize = 7;
    pub const DONE: usize = 8;
    pub const FAILED: usize = 9;
    pub const COUNT: usize = 10;
    pub const FLIPS: usize = 11;
}

/// What a recording keeps of what processes do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CapturePurpose {
    /// What they hand over: whoever reads it decides.
    #[default]
    Whole,
    /// What touches the windows between the instants of the page.
    Windows,
    /// The same, where the instants are those at which somebody starts and stops it.
    Switched,
    /// The last stretch of time.
    Last,
}

const PURPOSES: [CapturePurpose; 4] = [
    CapturePurpose::Whole,
    CapturePurpose::Windows,
    CapturePurpose::Switched,
    CapturePurpose::Last,
];

/// How much a segment of a file holds before the next begins, and how many there may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SegmentLimits {
    /// Bytes with which it is full.
    pub bytes: u64,
    /// Nanoseconds after which the next begins all the same; 0 for never.
    pub nanos: u64,
    /// Segments of one process that are there at once: a process waits a while before it begins one more. 0 for any number.
    pub count: u32,
}

impl Default for SegmentLimits {
    fn default() -> Self {
        Self {
            bytes: 16 << 20,
            nanos: 0,
            count: 0,
        }
    }
}

/// The page.
#[derive(Debug)]
pub struct ControlPage {
    /// Locked for as long as the recorder has it, and by it alone.
    lock: Option<File>,
    #[cfg(unix)]
    words: NonNull<AtomicU64>,
    #[cfg(not(unix))]
    words: Box<[AtomicU64]>,
}

#[cfg(unix)]
// SAFETY: the words are atomic, and the mapping is not moved while the page lives.
unsafe impl Send for ControlPage {}
#[cfg(unix)]
// SAFETY: the same.
unsafe impl Sync for ControlPage {}

impl ControlPage {
    /// Makes the page of a recording's folder.
    ///
    /// # Errors
    /// The system refuses.
    pub fn create(
        folder: &Path,
        purpose: CapturePurpose,
        limits: SegmentLimits,
    ) -> io::Result<Self> {
        let file = std::fs::OpenOptions::new()
            .read(true)
            .write(true)
            .create_new(true)
            .open(folder.join(CONTROL))?;
        file.set_len((WORDS * 8) as u64)?;
        let mut page = Self::map(&file)?;
        file.lock()?;
        page.lock = Some(file);
        page.set(word::PURPOSE, purpose as u64);
        page.set(word::SEGMENT_BYTES, limits.bytes);
        page.set(word::SEGMENT_NANOS, limits.nanos);
        page.set(word::SEGMENTS, u64::from(limits.count));
        page.set(word::RECORDER, u64::from(std::process::id()));
        page.set(word::MAGIC, MAGIC);
        Ok(page)
    }

    /// The page of a recording's folder.
    ///
    /// # Errors
    /// There is none that this version knows.
    pub fn open(folder: &Path) -> io::Result<Self> {
        let file = std::fs::OpenOptions::new()
            .read(true)
            .write(true)
            .open(folder.join(CONTROL))?;
        // What lies behind the end of a file must not be read.
        if file.metadata()?.len() < (WORDS * 8) as u64 {
            return Err(io::ErrorKind::InvalidData.into());
        }
        let page = Self::map(&file)?;
        if page.word(word::MAGIC) != MAGIC {
            return Err(io::ErrorKind::InvalidData.into());
        }
        Ok(page)
    }

    /// Whether the recorder that made the page of a folder is there still.
    pub fn is_held(folder: &Path) -> bool {
        let file = File::open(folder.join(CONTROL));
        file.is_ok_and(|it| matches!(it.try_lock(), Err(TryLockError::WouldBlock)))
    }

    /// Whether the recorder that made the page of a folder is gone. Where the file system has no locks, nobody can tell.
    pub fn is_abandoned(folder: &Path) -> bool {
        let file = File::open(folder.join(CONTROL));
        file.is_ok_and(|it| it.try_lock().is_ok())
    }

    #[cfg(unix)]
    fn map(file: &File) -> io::Result<Self> {
        use std::os::fd::AsRawFd as _;
        // SAFETY: a new mapping takes nobody's memory, and the file is as long.
        let at = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                WORDS * 8,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_SHARED,
                file.as_raw_fd(),
                0,
            )
        };
        if at == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        let words = NonNull::new(at.cast()).ok_or(io::ErrorKind::OutOfMemory)?;
        Ok(Self { lock: None, words })
    }

    #[cfg(not(unix))]
    fn map(_: &File) -> io::Result<Self> {
        Ok(Self {
            lock: None,
            words: (0..WORDS).map(|_| AtomicU64::new(0)).collect(),
        })
    }

    #[cfg(unix)]
    const fn words(&self) -> &[AtomicU64] {
        // SAFETY: so many words are mapped for as long as the page lives, and are only used atomically.
        unsafe { std::slice::from_raw_parts(self.words.as_ptr(), WORDS) }
    }

    #[cfg(not(unix))]
    fn words(&self) -> &[AtomicU64] {
        &self.words
    }

    fn word(&self, place: usize) -> u64 {
        let word = self.words().get(place);
        word.map_or(0, |it| it.load(Ordering::Acquire))
    }

    fn set(&self, place: usize, value: u64) {
        if let Some(word) = self.words().get(place) {
            word.store(value, Ordering::Release);
        }
    }

    /// What is kept.
    pub fn purpose(&self) -> CapturePurpose {
        let purpose = PURPOSES.get(self.word(word::PURPOSE) as usize);
        purpose.copied().unwrap_or_default()
    }

    /// Whether processes write what touches a window alone.
    pub fn is_filtered(&self) -> bool {
        matches!(
            self.purpose(),
            CapturePurpose::Windows | CapturePurpose::Switched
        )
    }

    /// How much a segment of a file holds.
    pub fn limits(&self) -> SegmentLimits {
        SegmentLimits {
            bytes: self.word(word::SEGMENT_BYTES),
            nanos: self.word(word::SEGMENT_NANOS),
            count: self.word(word::SEGMENTS) as u32,
        }
    }

    /// The process that records.
    pub fn recorder(&self) -> u32 {
        self.word(word::RECORDER) as u32
    }

    /// The process that was started to be recorded; 0 before it was.
    pub fn program(&self) -> u32 {
        self.word(word::PROGRAM) as u32
    }

    /// Notes the process that was started.
    pub fn set_program(&self, process: u32) {
        self.set(word::PROGRAM, u64::from(process));
    }

    /// How often the recorder was asked to write what it keeps of the last stretch of time.
    pub fn asked(&self) -> u64 {
        self.word(word::ASKED)
    }

    /// Notes that it was asked once more.
    pub fn note_asked(&self) {
        self.set(word::ASKED, self.asked() + 1);
    }

    /// How many of these are done, in their order.
    pub fn done(&self) -> u64 {
        self.word(word::DONE)
    }

    /// Notes that one more is done: it was written, or could not be.
    pub fn note_done(&self, is_written: bool) {
        let number = self.done() + 1;
        let bit = 1 << (number % 64);
        let others = self.word(word::FAILED) & !bit;
        let failed = if is_written { others } else { others | bit };
        self.set(word::FAILED, failed);
        self.set(word::DONE, number);
    }

    /// Whether one that is done, and that fewer than 64 came after, could not be written; they count from 1 on.
    pub fn has_failed(&self, number: u64) -> bool {
        self.word(word::FAILED) & (1 << (number % 64)) != 0
    }

    /// Opens a window at an instant, or closes the one that is open. Answers whether there was room for it.
    pub fn flip(&self, at: u64) -> bool {
        let count = self.flips();
        if count >= MOST_FLIPS {
            return false;
        }
        self.set(word::FLIPS + count, at);
        self.set(word::COUNT, count as u64 + 1);
        true
    }

    /// How often a window was opened or closed.
    pub fn flips(&self) -> usize {
        (self.word(word::COUNT) as usize).min(MOST_FLIPS)
    }

    fn instant(&self, place: usize) -> u64 {
        self.word(word::FLIPS + place)
    }

    /// The instants at which windows open and close, in turn.
    pub fn instants(&self) -> Vec<u64> {
        (0..self.flips()).map(|it| self.instant(it)).collect()
    }

    /// How often a window had been opened or closed at an instant: an odd number where one is open then.
    pub fn flips_at(&self, at: u64) -> usize {
        let mut count = self.flips();
        while count > 0 && self.instant(count - 1) > at {
            count -= 1;
        }
        count
    }

    /// Whether something from `start` to `end` touches a window.
    pub fn touches(&self, start: u64, end: u64) -> bool {
        let count = self.flips_at(end);
        count % 2 == 1 || count > 0 && self.instant(count - 1) > start
    }
}

#[cfg(unix)]
impl Drop for ControlPage {
    fn drop(&mut self) {
        // SAFETY: it was mapped with so many bytes, and nobody has a reference into it any more.
        unsafe { libc::munmap(self.words.as_ptr().cast(), WORDS * 8) };
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests;
