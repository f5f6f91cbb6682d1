//! The cases: what is done that must not be, and what is allowed although it looks as if it were not.

use std::ffi::CStr;
use std::ptr;

use engine::backend::CUDA_KERNELS;

use super::driver::Driver;

/// Something that is done to a driver, which answers a code.
pub struct Case {
    /// Its name.
    pub name: &'static str,
    /// What it is about.
    pub about: &'static str,
    /// Does it, in a context of its own, and answers the code of the last call.
    pub act: fn(&Driver) -> i32,
}

macro_rules! cases {
    ($($name:literal: $about:literal, $act:expr;)*) => {
        /// Every case.
        pub const CASES: &[Case] = &[$(Case { name: $name, about: $about, act: $act },)*];
    };
}

/// Exempt from the legacy default stream.
const NON_BLOCKING: u32 = 1;
/// Keeps no times.
const NO_TIMING: u32 = 2;
/// In a capture: a node that records whenever the graph runs.
const EXTERNAL: u32 = 1;
/// Captures by any thread.
const RELAXED: i32 = 2;
/// An address that is none of a device's.
const NOWHERE: u64 = 0x40;

cases! {
    "init-flags": "cuInit with a flag, of which there are none", |it| it.init(1);
    "device-beyond": "a device with a number that none has", |it| it.device(&mut 0, 99);
    "device-negative": "a device with a negative number", |it| it.device(&mut 0, -1);
    "context-device": "a context on a device that is none", |it| it.context_create(&mut 0, 0, 99);
    "no-context": "a stream where no context is current", |it| {
        it.context_set(0);
        it.stream_create(&mut 0, 0, 0)
    };
    "stream-flags": "a stream with flags that there are not", |it| it.stream_create(&mut 0, 0x80, 0);
    "stream-priority": "a stream with a priority out of range, which is clamped", |it| {
        it.stream_create(&mut 0, NON_BLOCKING, -99)
    };
    "event-flags": "an event with flags that there are not", |it| it.event_create(&mut 0, 0x80);
    "elapsed-untimed": "the time between events one of which keeps none", |it| {
        let (timed, untimed, stream) = (event(it, 0), event(it, NO_TIMING), stream(it));
        it.event_record(timed, stream, 0);
        it.event_record(untimed, stream, 0);
        it.stream_synchronize(stream);
        it.event_elapsed(&mut 0.0, timed, untimed)
    };
    "elapsed-never": "the time between events one of which was never recorded", |it| {
        let (recorded, never, stream) = (event(it, 0), event(it, 0), stream(it));
        it.event_record(recorded, stream, 0);
        it.stream_synchronize(stream);
        it.event_elapsed(&mut 0.0, recorded, never)
    };
    "elapsed-early": "the time between events the second of which is not reached", |it| {
        let (first, second, stream) = (event(it, 0), event(it, 0), stream(it));
        it.event_record(first, stream, 0);
        busy(it, stream);
        it.event_record(second, stream, 0);
        it.event_elapsed(&mut 0.0, first, second)
    };
    "query-never": "whether an event is reached that was never recorded", |it| it.event_query(event(it, 0));
    "synchronize-never": "waiting for an event that was never recorded", |it| it.event_synchronize(event(it, 0));
    "wait-never": "a stream's wait for an event that was never recorded", |it| {
        it.stream_wait(stream(it), event(it, 0), 0)
    };
    "query-busy": "whether a stream is idle that is not", |it| {
        let stream = stream(it);
        busy(it, stream);
        it.stream_query(stream)
    };
    "query-pending": "whether an event is reached that is not", |it| {
        let (stream, event) = (stream(it), event(it, 0));
        busy(it, stream);
        it.event_record(event, stream, 0);
        it.event_query(event)
    };
    "alloc-nothing": "memory of no bytes", |it| it.alloc(&mut 0, 0);
    "alloc-too-much": "more memory than any device has", |it| it.alloc(&mut 0, 1 << 50);
    "free-nowhere": "freeing an address that nothing was allocated at", |it| it.free(NOWHERE);
    "free-twice": "freeing the same memory twice", |it| {
        let pointer = memory(it);
        it.free(pointer);
        it.free(pointer)
    };
    "upload-nowhere": "a copy to an address that is none of a device's", |it| {
        it.upload(NOWHERE, [0_u32; 4].as_ptr().cast(), 16, stream(it))
    };
    "download-nowhere": "a copy from an address that is none of a device's", |it| {
        it.download([0_u32; 4].as_mut_ptr().cast(), NOWHERE, 16, stream(it))
    };
    "set-nowhere": "setting memory at an address that is none of a device's", |it| it.set(NOWHERE, 1, 4, stream(it));
    "register-twice": "registering the same memory twice", |it| {
        let mut pages = Pages([0; 8192]);
        let first = pages.0.as_mut_ptr().cast();
        it.register(first, 8192, 0);
        let code = it.register(first, 8192, 0);
        it.unregister(first);
        code
    };
    "unregister-none": "giving back memory that was never registered", |it| {
        it.unregister(Pages([0; 8192]).0.as_mut_ptr().cast())
    };
    "on-device-none": "where the device finds memory that was never registered", |it| {
        it.on_device(&mut 0, Pages([0; 8192]).0.as_mut_ptr().cast(), 0)
    };
    "image-garbage": "code that is none", |it| it.load(&mut 0, c"this is no code".as_ptr());
    "image-too-new": "PTX of a version that this driver does not know", |it| {
        let text = c".version 99.0\n.target sm_52\n.address_size 64\n.visible .entry k()\n{\n\tret;\n}\n";
        it.load(&mut 0, text.as_ptr())
    };
    "function-missing": "a function that its module has not", |it| {
        it.function(&mut 0, module(it), c"no_such_kernel".as_ptr())
    };
    "launch-no-threads": "a launch with no threads", |it| launch(it, stream(it), [1, 1, 1], [0, 1, 1]);
    "launch-many-threads": "a launch with more threads than a block can have", |it| {
        launch(it, stream(it), [1, 1, 1], [2048, 1, 1])
    };
    "launch-no-blocks": "a launch with no blocks", |it| launch(it, stream(it), [0, 1, 1], [1, 1, 1]);
    "launch-deep": "a launch with more blocks to a side than a grid can have", |it| {
        launch(it, stream(it), [1, 1, 70_000], [1, 1, 1])
    };
    "host-function-none": "calling a function of the host that is none", |it| it.call_host(stream(it), 0, 0);
    "capture-default": "capturing the legacy default stream", |it| it.begin_capture(0, RELAXED);
    "capture-twice": "capturing a stream that captures already", |it| it.begin_capture(capturing(it), RELAXED);
    "capture-mode": "capturing in a mode that there is not", |it| it.begin_capture(stream(it), 7);
    "end-none": "ending a capture that never began", |it| it.end_capture(stream(it), &mut 0);
    "end-elsewhere": "ending a capture on a stream that joined it later", |it| {
        let (_, other) = forked(it);
        it.end_capture(other, &mut 0)
    };
    "end-unjoined": "ending a capture while another stream was not joined", |it| {
        let (origin, other) = forked(it);
        it.set(memory(it), 1, 4, other);
        it.end_capture(origin, &mut 0)
    };
    "synchronize-capturing": "waiting for a stream that captures", |it| it.stream_synchronize(capturing(it));
    "query-capturing": "whether a stream is idle that captures", |it| it.stream_query(capturing(it));
    "wait-uncaptured": "a captured wait for a record that is not captured", |it| {
        let (event, outside) = (event(it, 0), stream(it));
        it.event_record(event, outside, 0);
        it.stream_wait(capturing(it), event, 0)
    };
    "query-captured": "whether an event is reached whose record is captured", |it| {
        it.event_query(captured_event(it))
    };
    "synchronize-captured": "waiting for an event whose record is captured", |it| {
        it.event_synchronize(captured_event(it))
    };
    "record-external": "an external record where nothing is captured", |it| {
        it.event_record(event(it, 0), stream(it), EXTERNAL)
    };
    "instantiate-flags": "making a graph ready with flags that there are not", |it| {
        it.instantiate(&mut 0, graph(it, 1), 1 << 40)
    };
    "update-other": "updating a graph to one with other nodes", |it| {
        let mut instance = 0;
        it.instantiate(&mut instance, graph(it, 1), 0);
        it.update(instance, graph(it, 2), [0_u64; 8].as_mut_ptr())
    };
}

/// Memory of the host, in pages of its own.
#[repr(align(4096))]
struct Pages([u8; 8192]);

fn stream(it: &Driver) -> usize {
    let mut stream = 0;
    assert_eq!(it.stream_create(&mut stream, NON_BLOCKING, 0), 0);
    stream
}

fn event(it: &Driver, flags: u32) -> usize {
    let mut event = 0;
    assert_eq!(it.event_create(&mut event, flags), 0);
    event
}

fn memory(it: &Driver) -> u64 {
    let mut pointer = 0;
    assert_eq!(it.alloc(&mut pointer, 4096), 0);
    pointer
}

/// A module with the kernel that spins.
fn module(it: &Driver) -> usize {
    let spin = CUDA_KERNELS
        .iter()
        .find(|kernel| kernel.name == "spin")
        .unwrap();
    let text = format!("{}\0", spin.ptx);
    let text = CStr::from_bytes_with_nul(text.as_bytes()).unwrap();
    let mut module = 0;
    assert_eq!(it.load(&mut module, text.as_ptr()), 0);
    module
}

/// Launches the kernel that spins for 20 ms.
fn launch(it: &Driver, stream: usize, grid: [u32; 3], block: [u32; 3]) -> i32 {
    let mut function = 0;
    assert_eq!(it.function(&mut function, module(it), c"spin".as_ptr()), 0);
    // Its words: how many elements, none, the nanoseconds in two halves; then the word that makes it end.
    let mut words = [0, 0, 0, 0, 20_000_000_u32, 0, 0, 0, 0, 0, 0, 0];
    let mut stop = memory(it);
    let mut arguments = [words.as_mut_ptr().cast(), (&raw mut stop).cast()];
    let ([x, y, z], [tx, ty, tz]) = (grid, block);
    it.launch(
        function,
        x,
        y,
        z,
        tx,
        ty,
        tz,
        0,
        stream,
        arguments.as_mut_ptr(),
        ptr::null_mut(),
    )
}

/// Gives a stream something to do for a while.
fn busy(it: &Driver, stream: usize) {
    assert_eq!(launch(it, stream, [1; 3], [1; 3]), 0);
}

/// A stream that captures.
fn capturing(it: &Driver) -> usize {
    let stream = stream(it);
    assert_eq!(it.begin_capture(stream, RELAXED), 0);
    stream
}

/// An event that a capture has recorded.
fn captured_event(it: &Driver) -> usize {
    let (event, stream) = (event(it, 0), capturing(it));
    assert_eq!(it.event_record(event, stream, 0), 0);
    event
}

/// A stream that captures, and another that takes part in that.
fn forked(it: &Driver) -> (usize, usize) {
    let (origin, other, fork) = (capturing(it), stream(it), event(it, 0));
    assert_eq!(it.event_record(fork, origin, 0), 0);
    assert_eq!(it.stream_wait(other, fork, 0), 0);
    (origin, other)
}

/// A graph of so many nodes.
fn graph(it: &Driver, nodes: usize) -> usize {
    let pointer = memory(it);
    let (stream, mut graph) = (capturing(it), 0);
    for _ in 0..nodes {
        assert_eq!(it.set(pointer, 1, 4, stream), 0);
    }
    assert_eq!(it.end_capture(stream, &mut graph), 0);
    graph
}
