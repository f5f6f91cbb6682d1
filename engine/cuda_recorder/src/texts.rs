//! Texts at addresses that CUPTI's records have: copied by the system, which refuses an address at which there is nothing,
//! where a read of our own would end the program that is recorded.
#![cfg_attr(
    unix,
    expect(unsafe_code, reason = "the system copies memory by functions of C")
)]

use std::sync::atomic::{AtomicBool, Ordering::SeqCst};

use imp::copy;

/// Bytes of a text, at most: names of kernels that are made from templates are long.
const LONGEST: usize = 64 << 10;
/// Bytes that are copied at once.
const PIECE: usize = 512;
/// Bytes of a page of memory, or a part of one: either all of it is there or nothing.
const PAGE: u64 = 4096;

/// Reads texts at addresses, until the first that is none: then the records are not laid out as they are taken to be, and
/// nothing that they say is believed any more.
pub struct AddressTexts {
    is_doubtful: AtomicBool,
    /// Whose they are: a forked child has no records of its own.
    process: u32,
}

impl AddressTexts {
    /// Nothing was read yet.
    pub fn new() -> Self {
        Self {
            is_doubtful: AtomicBool::new(false),
            process: std::process::id(),
        }
    }

    /// Whether an address was found at which there is no text.
    pub fn is_doubtful(&self) -> bool {
        self.is_doubtful.load(SeqCst)
    }

    /// The text at an address, which ends in a zero; empty for no address, and once there is a doubt.
    pub fn at(&self, address: u64) -> String {
        if address == 0 || self.is_doubtful() {
            return String::new();
        }
        self.copy(address).unwrap_or_else(|| {
            self.is_doubtful.store(true, SeqCst);
            String::new()
        })
    }

    fn copy(&self, address: u64) -> Option<String> {
        if std::process::id() != self.process {
            return None;
        }
        let mut bytes = Vec::new();
        let mut room = [0; PIECE];
        while bytes.len() < LONGEST {
            let from = address.checked_add(bytes.len() as u64)?;
            // The system copies nothing where only the first part is there, as at the end of what is mapped.
            let on_page = PAGE - from % PAGE;
            let room = room.get_mut(..PIECE.min(on_page as usize))?;
            let got = copy(from, room);
            let piece = room.get(..got).filter(|piece| !piece.is_empty())?;
            let end = piece.iter().position(|byte| *byte == 0);
            bytes.extend_from_slice(piece.get(..end.unwrap_or(got))?);
            if end.is_some() {
                let text = String::from_utf8(bytes).ok()?;
                return (!text.contains(char::is_control)).then_some(text);
            }
        }
        None
    }
}

#[cfg(target_os = "linux")]
mod imp {
    use std::fs::File;
    use std::io::{self, Read as _};
    use std::os::fd::{AsRawFd as _, FromRawFd as _};

    /// Copies what is at `address`, and says how many bytes are there. Nothing is kept open meanwhile that the program could
    /// close, and whose number could come to be that of a file of its own.
    pub fn copy(address: u64, room: &mut [u8]) -> usize {
        let from = libc::iovec {
            iov_base: std::ptr::with_exposed_provenance_mut(address as usize),
            iov_len: room.len(),
        };
        let into = libc::iovec {
            iov_base: room.as_mut_ptr().cast(),
            iov_len: room.len(),
        };
        // SAFETY: the system reads there itself, and answers with an error where it cannot; it writes as much as the room
        // holds.
        let count = unsafe {
            libc::process_vm_readv(libc::getpid(), &raw const into, 1, &raw const from, 1, 0)
        };
        let is_refused = || {
            let error = io::Error::last_os_error().raw_os_error();
            matches!(error, Some(libc::EPERM | libc::EACCES | libc::ENOSYS))
        };
        match usize::try_from(count) {
            Ok(count) => count,
            // As in a container that forbids the call for all processes.
            Err(_) if is_refused() => by_pipe(address, room).unwrap_or(0),
            Err(_) => 0,
        }
    }

    /// The same by a pipe that is made for it: what is written into it from an address, the system copies, or says that
    /// nothing is there. Nothing where the system gives none.
    pub(super) fn by_pipe(address: u64, room: &mut [u8]) -> Option<usize> {
        let mut ends = [0; 2];
        // SAFETY: two numbers are written.
        let made = unsafe { libc::pipe2(ends.as_mut_ptr(), libc::O_CLOEXEC) };
        if made != 0 {
            return None;
        }
        // SAFETY: they were just made, and each is made a file of once.
        let [mut out, into] = ends.map(|end| unsafe { File::from_raw_fd(end) });
        let from = std::ptr::with_exposed_provenance(address as usize);
        // SAFETY: the system reads there itself, and answers with an error where it cannot. The pipe is empty and takes as
        // much as the room holds.
        let count = unsafe { libc::write(into.as_raw_fd(), from, room.len()) };
        let count = usize::try_from(count).ok()?;
        out.read_exact(room.get_mut(..count)?).ok()?;
        Some(count)
    }
}

#[cfg(not(target_os = "linux"))]
mod imp {
    /// There is no way to copy what may not be there.
    pub fn copy(_: u64, _: &mut [u8]) -> usize {
        0
    }
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use super::*;

    fn address(bytes: &[u8]) -> u64 {
        bytes.as_ptr().expose_provenance() as u64
    }

    #[test]
    fn texts_are_read_whole_and_zero_is_none() {
        let texts = AddressTexts::new();
        let long = [vec![b'x'; 3 * PIECE + 7], vec![0]].concat();
        assert_eq!(texts.at(address(b"saxpy\0more\0")), "saxpy");
        assert_eq!(texts.at(address(&long)).len(), 3 * PIECE + 7);
        assert_eq!(texts.at(0), "");
        assert!(!texts.is_doubtful());
    }

    /// The numbers of files that this process has open.
    fn open_files() -> Vec<String> {
        let entries = std::fs::read_dir("/proc/self/fd").unwrap();
        let names = entries.map(|it| it.unwrap().file_name().display().to_string());
        names.collect()
    }

    /// In a process of its own, whose files nobody else opens.
    #[test]
    fn no_file_stays_open_that_the_program_might_close() {
        const ALONE: &str = "SYNCLINE_TEXTS_ALONE";
        if std::env::var_os(ALONE).is_none() {
            let mut again = std::process::Command::new(std::env::current_exe().unwrap());
            let name = "texts::tests::no_file_stays_open_that_the_program_might_close";
            let again = again.args(["--exact", name, "--nocapture"]).env(ALONE, "1");
            let output = again.output().unwrap();
            assert!(
                output.status.success()
                    && String::from_utf8_lossy(&output.stdout).contains("1 passed"),
                "{output:?}"
            );
            return;
        }
        let before = open_files();
        let texts = AddressTexts::new();
        assert_eq!(texts.at(address(b"saxpy\0")), "saxpy");
        assert_eq!(open_files(), before);
        let mut room = [0; 6];
        assert_eq!(imp::by_pipe(address(b"saxpy\0"), &mut room), Some(6));
        assert_eq!((&room, imp::by_pipe(1, &mut [0])), (b"saxpy\0", None));
        assert_eq!(open_files(), before);
    }

    #[test]
    fn a_forked_child_reads_nothing_and_its_parent_goes_on() {
        let (texts, known) = (AddressTexts::new(), address(b"saxpy\0"));
        // SAFETY: the child reads a text, and ends without a word of its own.
        let child = unsafe {
            let child = libc::fork();
            if child == 0 {
                libc::_exit(i32::from(!texts.at(known).is_empty()));
            }
            child
        };
        let mut status = -1;
        // SAFETY: it was started here, and one number is written.
        assert_eq!(unsafe { libc::waitpid(child, &raw mut status, 0) }, child);
        assert_eq!(status, 0);
        assert_eq!(texts.at(known), "saxpy", "the parent reads on");
    }

    /// Two pages of which only the first can be read.
    struct MappedEdge(*mut libc::c_void);

    /// Bytes of a page of this machine's.
    fn page() -> usize {
        // SAFETY: it takes a number, and knows this one everywhere.
        unsafe { libc::sysconf(libc::_SC_PAGESIZE) as usize }
    }

    impl MappedEdge {
        fn new() -> Self {
            let (bytes, page) = (2 * page(), page());
            let (rights, kind) = (
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_PRIVATE | libc::MAP_ANON,
            );
            // SAFETY: the system chooses where, and nobody else knows of it.
            let first = unsafe { libc::mmap(std::ptr::null_mut(), bytes, rights, kind, -1, 0) };
            assert_ne!(first, libc::MAP_FAILED);
            // SAFETY: it is the second page of what was just mapped.
            let closed = unsafe { libc::mprotect(first.byte_add(page), page, libc::PROT_NONE) };
            assert_eq!(closed, 0);
            Self(first)
        }

        /// Puts a text at the end of what can be read, and says where it begins.
        fn put(&self, text: &[u8]) -> u64 {
            // SAFETY: it is in the first page, which can be written to.
            unsafe {
                let at = self.0.cast::<u8>().add(page() - text.len());
                at.copy_from_nonoverlapping(text.as_ptr(), text.len());
                at.expose_provenance() as u64
            }
        }
    }

    impl Drop for MappedEdge {
        fn drop(&mut self) {
            // SAFETY: it was mapped so, and nothing of it is used any more.
            unsafe { libc::munmap(self.0, 2 * page()) };
        }
    }

    #[test]
    fn a_text_that_ends_where_memory_ends_is_read() {
        let (texts, edge) = (AddressTexts::new(), MappedEdge::new());
        for text in ["a", "saxpy", &"x".repeat(PIECE + 3)] {
            let address = edge.put(format!("{text}\0").as_bytes());
            assert_eq!(texts.at(address), text);
        }
        assert!(!texts.is_doubtful());
        // One that goes on where nothing is.
        assert_eq!(texts.at(edge.put(b"saxpy")), "");
        assert!(texts.is_doubtful());
    }

    #[test]
    fn an_address_at_which_there_is_no_text_ends_nothing_but_the_reading() {
        let endless = vec![b'x'; 2 * LONGEST];
        let odd = [
            1,
            u64::MAX - 3,
            0xdead_beef_0000,
            address(&endless),
            address(b"a\x01\0"),
            address(b"\xff\xfe\0"),
        ];
        for address in odd {
            let texts = AddressTexts::new();
            assert_eq!(texts.at(address), "", "{address:x}");
            assert!(texts.is_doubtful(), "{address:x}");
            let known = b"saxpy\0";
            assert_eq!(texts.at(known.as_ptr().expose_provenance() as u64), "");
        }
    }
}
