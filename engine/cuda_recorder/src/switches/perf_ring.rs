//! The memory in which the kernel tells a process of context switches of its threads, by `perf_event_open(2)`.

#![expect(
    unsafe_code,
    reason = "the kernel is asked by a call of the system, and answers in memory that it shares"
)]

use std::fs::read_to_string;
use std::io::Error;
use std::os::fd::{AsRawFd as _, FromRawFd as _, OwnedFd, RawFd};
use std::ptr::{NonNull, null_mut};
use std::sync::atomic::{AtomicU64, Ordering};

/// Pages for records, the most that the kernel lets this user have.
const PAGES: [usize; 3] = [16, 4, 1];
/// Where in the first page the kernel says how far it wrote, and reads how far that was read.
const HEAD_AND_TAIL: [usize; 2] = [1024, 1032];

/// What is asked of the kernel: `struct perf_event_attr`, as far as it is used.
#[repr(C)]
#[derive(Default)]
struct PerfEventAttributes {
    sort: u32,
    size: u32,
    config: u64,
    sample_period: u64,
    sample_type: u64,
    read_format: u64,
    flags: u64,
    wakeup: u32,
    breakpoint_type: u32,
    config_more: [u64; 2],
    branches: u64,
    user_registers: u64,
    user_stack: u32,
    clock: i32,
}

/// `PERF_TYPE_SOFTWARE`, and of those `PERF_COUNT_SW_DUMMY`: it counts nothing.
const SOFTWARE_DUMMY: (u32, u64) = (1, 9);
/// `PERF_SAMPLE_TIME` and `PERF_SAMPLE_CPU`.
const TIME_AND_CORE: u64 = 1 << 2 | 1 << 7;
/// `exclude_kernel`, `exclude_hv`, `sample_id_all`, `use_clockid` and `context_switch`.
const FLAGS: u64 = 1 << 5 | 1 << 6 | 1 << 18 | 1 << 25 | 1 << 26;
/// `PERF_FLAG_FD_CLOEXEC`.
const CLOSE_ON_EXEC: libc::c_ulong = 8;

/// Records of the context switches of one thread, which whoever has this reads alone.
#[derive(Debug)]
pub(super) struct PerfRing {
    memory: NonNull<u8>,
    page: usize,
    pages: usize,
}

// SAFETY: the memory is this value's own, is not moved while it lives, and is read through `&mut` alone.
unsafe impl Send for PerfRing {}

impl PerfRing {
    /// Records of a thread of this process, from now on; of the calling one where no number is given.
    ///
    /// # Errors
    /// The kernel does not allow it, and why.
    pub fn new(thread: Option<u32>) -> Result<Self, String> {
        let thread = thread.unwrap_or_default();
        let thread =
            libc::pid_t::try_from(thread).map_err(|it| format!("thread {thread}: {it}"))?;
        let attributes = PerfEventAttributes {
            sort: SOFTWARE_DUMMY.0,
            size: size_of::<PerfEventAttributes>() as u32,
            config: SOFTWARE_DUMMY.1,
            sample_type: TIME_AND_CORE,
            flags: FLAGS,
            clock: libc::CLOCK_MONOTONIC,
            ..PerfEventAttributes::default()
        };
        // SAFETY: the kernel reads as many bytes of the attributes as they say they have, of the thread (0 is the calling one) on any core.
        let number = unsafe {
            let (any_core, no_group): (libc::c_int, libc::c_int) = (-1, -1);
            libc::syscall(
                libc::SYS_perf_event_open,
                &raw const attributes,
                thread,
                any_core,
                no_group,
                CLOSE_ON_EXEC,
            )
        };
        let number = RawFd::try_from(number).ok().filter(|it| *it >= 0);
        let number = number.ok_or_else(refused)?;
        // SAFETY: it was just opened, and nobody else has it.
        let event = unsafe { OwnedFd::from_raw_fd(number) };
        // SAFETY: it reads a number of the system.
        let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
        let page = usize::try_from(page).map_err(|error| format!("the size of a page: {error}"))?;
        let map = |pages: usize| {
            let length = page * (pages + 1);
            let access = libc::PROT_READ | libc::PROT_WRITE;
            // SAFETY: new memory is asked for, at no address in particular, of an event that is open.
            let memory = unsafe {
                libc::mmap(
                    null_mut(),
                    length,
                    access,
                    libc::MAP_SHARED,
                    event.as_raw_fd(),
                    0,
                )
            };
            let memory = Some(memory).filter(|it| *it != libc::MAP_FAILED);
            Some((NonNull::new(memory?.cast::<u8>())?, pages))
        };
        let (memory, pages) = PAGES.into_iter().find_map(map).ok_or_else(|| {
            let error = Error::last_os_error();
            format!("the kernel gives no memory for them: {error}; /proc/sys/kernel/perf_event_mlock_kb says how much there is")
        })?;
        // The event is there as long as the memory. A file left open would count among those that the program may have, and a
        // program that closes all files and opens others would have one of those closed in its place.
        drop(event);
        Ok(Self {
            memory,
            page,
            pages,
        })
    }

    /// What the kernel wrote since this was asked last, where it is so many bytes at least.
    pub fn take(&mut self, least: usize) -> Option<Vec<u8>> {
        let [head, tail] = HEAD_AND_TAIL.map(|at| {
            // SAFETY: both lie in the first page, aligned to eight bytes, and the kernel writes and reads them as a whole.
            unsafe { AtomicU64::from_ptr(self.memory.as_ptr().add(at).cast()) }
        });
        let (written, read) = (head.load(Ordering::Acquire), tail.load(Ordering::Relaxed));
        let room = self.page * self.pages;
        let length = usize::try_from(written.wrapping_sub(read)).ok()?;
        if length < least.max(1) || length > room {
            return None;
        }
        let from = usize::try_from(read % room as u64).ok()?;
        let first = length.min(room - from);
        let mut bytes = vec![0; length];
        let (before, behind) = bytes.split_at_mut(first);
        // SAFETY: records lie behind the first page. The kernel has written these bytes, which it said by `head`, and leaves them
        // alone until `tail` says that they were read.
        unsafe {
            let records = self.memory.as_ptr().add(self.page);
            records
                .add(from)
                .copy_to_nonoverlapping(before.as_mut_ptr(), before.len());
            records.copy_to_nonoverlapping(behind.as_mut_ptr(), behind.len());
        }
        tail.store(written, Ordering::Release);
        Some(bytes)
    }
}

impl Drop for PerfRing {
    fn drop(&mut self) {
        // SAFETY: it was mapped with this length, and nothing refers to it any more.
        unsafe {
            libc::munmap(self.memory.as_ptr().cast(), self.page * (self.pages + 1));
        }
    }
}

/// The core that the calling thread runs on.
pub(super) fn core() -> Option<u32> {
    // SAFETY: it takes nothing.
    let core = unsafe { libc::sched_getcpu() };
    u32::try_from(core).ok()
}

/// Why the kernel refused.
fn refused() -> String {
    let error = Error::last_os_error();
    let level = read_to_string("/proc/sys/kernel/perf_event_paranoid").unwrap_or_default();
    match (error.raw_os_error(), level.trim().parse::<i32>()) {
        (Some(libc::EACCES | libc::EPERM), Ok(level)) if level > 2 => format!(
            "the kernel does not allow it: /proc/sys/kernel/perf_event_paranoid is {level}, and 2 or less lets a program follow its own \
             threads"
        ),
        (Some(libc::EACCES | libc::EPERM), _) => {
            format!("the kernel, or the container, does not allow perf_event_open: {error}")
        }
        _ => format!("perf_event_open: {error}"),
    }
}
