//! A generated workload as plain data, and the text that an engine is given for it.

use std::fmt::Write as _;

/// One of the two copies of a buffer: that of the device, or that of the host.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BufferCopy {
    /// Which buffer.
    pub buffer: usize,
    /// Whether it is the copy on the host.
    pub is_host: bool,
}

/// What an operation does to buffers of one float each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BufferWork {
    /// Writes a number.
    Fill(usize, u32),
    /// Copies the first into the second.
    Copy(usize, usize),
    /// The second becomes the first plus a number.
    Scale(usize, usize, u32),
    /// The second becomes the first plus itself.
    Add(usize, usize),
    /// The device's copy becomes the host's.
    Upload(usize),
    /// The host's copy becomes the device's.
    Download(usize),
}

/// A call of a generated workload. Numbers are places in its lists of resources.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GeneratedCall {
    /// Work on buffers, on a stream.
    Work(BufferWork, usize),
    /// A kernel that takes so many microseconds, on a stream.
    Spin(u32, usize),
    /// A function of the host that takes so many microseconds, on a stream.
    HostFunction(u32, usize),
    /// A function of the callback thread, on a stream that it serves: whether it blocks its stream, and whether it panics.
    Callback {
        /// How long it takes.
        micros: u32,
        /// Its stream.
        stream: usize,
        /// Whether its stream waits for it.
        blocks: bool,
        /// Whether it panics.
        panics: bool,
    },
    /// An event is recorded on a stream.
    Record(usize, usize),
    /// A stream waits for an event: (event, stream).
    Wait(usize, usize),
    /// The same for so many microseconds at most: (event, stream, microseconds).
    TimedWait(usize, usize, u32),
    /// A buffer gets memory in the order of a stream: (buffer, stream).
    Allocate(usize, usize),
    /// Its memory is given back in the order of a stream: (buffer, stream).
    Free(usize, usize),
    /// The second stream waits for the first.
    Join(usize, usize),
    /// A stream waits for a signal: (signal, stream).
    Hold(usize, usize),
    /// The host raises a signal.
    Signal(usize),
    /// The host waits for a signal.
    Await(usize),
    /// The host waits for an event.
    SynchronizeEvent(usize),
    /// The host waits for a stream.
    SynchronizeStream(usize),
    /// The host waits for everything.
    SynchronizeDevice,
    /// The host itself works for so many microseconds.
    HostWork(u32),
    /// A stream captures from here on.
    BeginCapture(usize),
    /// The capture ends as a graph, which is made ready: (stream, graph).
    EndCapture(usize, usize),
    /// A graph is replayed on a stream: (graph, stream).
    Replay(usize, usize),
    /// What a stream runs is killed, and what it holds dropped.
    Abort(usize),
    /// The host asks how far an event is, and goes on with the answer "complete" alone where it is strict.
    QueryEvent(usize, bool),
    /// The same of a stream.
    QueryStream(usize, bool),
    /// An event is as if it was never recorded, in the order of a stream: (event, stream).
    Reset(usize, usize),
    /// An event is destroyed.
    DestroyEvent(usize),
    /// A stream is destroyed.
    DestroyStream(usize),
    /// A kernel on a stream after which the device takes no more work.
    Trap(usize),
}

/// What sort of stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StreamSort {
    /// Orders itself alone.
    NonBlocking,
    /// Ordered with the legacy default stream.
    Blocking,
    /// The legacy default stream.
    Legacy,
}

/// Whether one of two streams is the legacy stream, and the other obeys it.
pub fn share_legacy(workload: &GeneratedWorkload, first: usize, second: usize) -> bool {
    matches!(
        (workload.streams[first], workload.streams[second]),
        (StreamSort::Legacy, StreamSort::Blocking) | (StreamSort::Blocking, StreamSort::Legacy)
    )
}

/// Who sees to it that buffers are not used on two streams at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SynchronizationMode {
    /// The workload.
    Manual,
    /// The engine, by the last stream of each buffer.
    Automatic,
    /// The engine, with the fewest waits.
    Least,
}

/// A generated workload.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GeneratedWorkload {
    /// Its streams.
    pub streams: Vec<StreamSort>,
    /// How many events, signals, buffers and graphs it has.
    pub counts: ResourceCounts,
    /// Whether a callback thread serves every stream, and streams go on after failures.
    pub has_callbacks: bool,
    /// Whether streams are aborted, go on after failures, and synchronisations may fail.
    pub has_aborts: bool,
    /// Whether any call may be refused, by chance for what another host thread did.
    pub refusals: CallRefusals,
    /// For each stream whether it goes on once a wait has timed out; empty where no wait has an end.
    pub goes_on: Vec<bool>,
    /// Who orders uses of buffers.
    pub mode: SynchronizationMode,
    /// The calls of each host thread. After those of the first, every buffer is downloaded.
    pub hosts: Vec<Vec<GeneratedCall>>,
}

/// Whether calls may be refused, and what follows then.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallRefusals {
    /// None is.
    Never,
    /// Each has a `try` of its own.
    Apart,
    /// Several share a `try`, so that what follows a refused one is not made.
    Shared,
}

/// How many of each resource there are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ResourceCounts {
    /// Events.
    pub events: usize,
    /// The last so many of them are recorded in captures.
    pub captured_events: usize,
    /// Signals that calls name; one more for each further host thread says that its calls are over.
    pub signals: usize,
    /// Buffers that always have memory.
    pub buffers: usize,
    /// Buffers after those that have memory from their allocation on.
    pub memories: usize,
    /// Graphs.
    pub graphs: usize,
}

/// A call with its place: its host thread and its line in the text, counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlacedCall {
    /// The call.
    pub call: GeneratedCall,
    /// The host thread that makes it.
    pub host: usize,
    /// Its line.
    pub line: u32,
}

impl BufferWork {
    /// The copies that it reads.
    pub fn reads(self) -> Vec<BufferCopy> {
        match self {
            Self::Fill(..) => vec![],
            Self::Copy(from, _) | Self::Scale(from, ..) => vec![device(from)],
            Self::Add(from, to) => vec![device(from), device(to)],
            Self::Upload(buffer) => vec![host(buffer)],
            Self::Download(buffer) => vec![device(buffer)],
        }
    }

    /// The copy that it writes.
    pub const fn writes(self) -> BufferCopy {
        match self {
            Self::Fill(to, _)
            | Self::Copy(_, to)
            | Self::Scale(_, to, _)
            | Self::Add(_, to)
            | Self::Upload(to) => device(to),
            Self::Download(buffer) => host(buffer),
        }
    }

    /// What it writes, by what it reads.
    pub fn compute(self, read: &[f64]) -> f64 {
        match self {
            Self::Fill(_, value) => f64::from(value),
            Self::Copy(..) | Self::Upload(_) | Self::Download(_) => read[0],
            Self::Scale(_, _, more) => read[0] + f64::from(more),
            Self::Add(..) => read[0] + read[1],
        }
    }
}

/// The device's copy of a buffer.
pub const fn device(buffer: usize) -> BufferCopy {
    BufferCopy {
        buffer,
        is_host: false,
    }
}

/// The host's copy of a buffer.
pub const fn host(buffer: usize) -> BufferCopy {
    BufferCopy {
        buffer,
        is_host: true,
    }
}

/// What the host's copy of a buffer holds at first.
pub fn initial(copy: BufferCopy) -> f64 {
    if copy.is_host {
        100.0 + copy.buffer as f64
    } else {
        0.0
    }
}

impl GeneratedCall {
    /// The stream that it is submitted to.
    pub const fn stream(self) -> Option<usize> {
        match self {
            Self::Work(_, stream)
            | Self::Spin(_, stream)
            | Self::HostFunction(_, stream)
            | Self::Callback { stream, .. }
            | Self::Record(_, stream)
            | Self::Wait(_, stream)
            | Self::TimedWait(_, stream, _)
            | Self::Allocate(_, stream)
            | Self::Free(_, stream)
            | Self::Join(_, stream)
            | Self::Hold(_, stream)
            | Self::Reset(_, stream)
            | Self::Trap(stream)
            | Self::Replay(_, stream) => Some(stream),
            _ => None,
        }
    }

    /// The same on another stream, where it has one.
    pub const fn moved(self, to: usize) -> Self {
        match self {
            Self::Work(work, _) => Self::Work(work, to),
            Self::Spin(micros, _) => Self::Spin(micros, to),
            Self::Record(event, _) => Self::Record(event, to),
            Self::Wait(event, _) => Self::Wait(event, to),
            Self::Allocate(buffer, _) => Self::Allocate(buffer, to),
            Self::Free(buffer, _) => Self::Free(buffer, to),
            Self::SynchronizeStream(_) => Self::SynchronizeStream(to),
            other => other,
        }
    }

    fn text(self) -> String {
        match self {
            Self::Work(work, stream) => format!("{} on=\"s{stream}\"{}", head(work), tail(work)),
            Self::Spin(micros, stream) => {
                format!("launch \"spin\" on=\"s{stream}\" {{ set \"micros\" {micros} }}")
            }
            Self::HostFunction(micros, stream) => {
                format!("host-function \"f\" micros={micros} on=\"s{stream}\"")
            }
            Self::Callback {
                micros,
                stream,
                blocks,
                panics,
            } => format!(
                "host-function \"c\" micros={micros} on=\"s{stream}\" blocking=#{blocks}{}",
                if panics { " panics=#true" } else { "" }
            ),
            Self::Record(event, stream) => format!("record \"e{event}\" on=\"s{stream}\""),
            Self::Wait(event, stream) => format!("wait \"e{event}\" on=\"s{stream}\""),
            Self::TimedWait(event, stream, micros) => {
                format!("wait \"e{event}\" on=\"s{stream}\" timeout-micros={micros}")
            }
            Self::Allocate(buffer, stream) => format!("allocate \"x{buffer}\" on=\"s{stream}\""),
            Self::Free(buffer, stream) => format!("free \"x{buffer}\" on=\"s{stream}\""),
            Self::Join(from, stream) => format!("wait-stream \"s{from}\" on=\"s{stream}\""),
            Self::Hold(signal, stream) => format!("hold \"g{signal}\" on=\"s{stream}\""),
            Self::Signal(signal) => format!("signal \"g{signal}\""),
            Self::Await(signal) => format!("await \"g{signal}\""),
            Self::SynchronizeEvent(event) => format!("synchronize-event \"e{event}\""),
            Self::SynchronizeStream(stream) => format!("synchronize-stream \"s{stream}\""),
            Self::SynchronizeDevice => "synchronize-device".to_owned(),
            Self::HostWork(micros) => format!("work micros={micros}"),
            Self::BeginCapture(stream) => format!("begin-capture \"s{stream}\""),
            Self::EndCapture(stream, graph) => {
                format!("end-capture \"s{stream}\" \"q{graph}\"; instantiate \"q{graph}\"")
            }
            Self::Replay(graph, stream) => format!("replay \"q{graph}\" on=\"s{stream}\""),
            Self::Abort(stream) => format!("abort-stream \"s{stream}\""),
            Self::QueryEvent(event, strict) => format!("query \"e{event}\"{}", strictly(strict)),
            Self::QueryStream(stream, strict) => {
                format!("query-stream \"s{stream}\"{}", strictly(strict))
            }
            Self::Reset(event, stream) => format!("reset \"e{event}\" on=\"s{stream}\""),
            Self::DestroyEvent(event) => format!("destroy-event \"e{event}\""),
            Self::DestroyStream(stream) => format!("destroy-stream \"s{stream}\""),
            Self::Trap(stream) => format!("launch \"trap\" on=\"s{stream}\""),
        }
    }

    /// Whether other host threads wait for it, or it for them.
    const fn orders_hosts(self) -> bool {
        matches!(self, Self::Signal(_) | Self::Await(_))
    }

    /// Whether it may fail where streams were aborted, or waits have timed out.
    const fn may_fail(self) -> bool {
        matches!(
            self,
            Self::SynchronizeEvent(_) | Self::SynchronizeStream(_) | Self::SynchronizeDevice
        )
    }
}

const fn strictly(strict: bool) -> &'static str {
    if strict { " strict=#true" } else { "" }
}

fn head(work: BufferWork) -> String {
    match work {
        BufferWork::Fill(buffer, value) => format!("fill \"x{buffer}\" value={value}"),
        BufferWork::Copy(from, to) => format!("copy \"x{from}\" \"x{to}\""),
        BufferWork::Scale(..) => "launch \"scale\"".to_owned(),
        BufferWork::Add(..) => "launch \"saxpy\"".to_owned(),
        BufferWork::Upload(buffer) => format!("upload \"x{buffer}\""),
        BufferWork::Download(buffer) => format!("download \"x{buffer}\""),
    }
}

fn tail(work: BufferWork) -> String {
    match work {
        BufferWork::Scale(from, to, more) => {
            format!(" {{ read \"x{from}\"; write \"x{to}\"; set \"a\" 1; set \"b\" {more} }}")
        }
        BufferWork::Add(from, to) => {
            format!(" {{ read \"x{from}\"; write \"x{to}\"; set \"a\" 1 }}")
        }
        _ => String::new(),
    }
}

impl GeneratedWorkload {
    /// Every call with its place, the final downloads too, those of one host thread in their order.
    pub fn placed(&self) -> Vec<PlacedCall> {
        self.written().1
    }

    /// The workload in KDL.
    pub fn text(&self) -> String {
        self.written().0
    }

    /// The calls of each host thread, with those that every workload ends with.
    pub fn calls(&self) -> Vec<Vec<GeneratedCall>> {
        let mut hosts = self.hosts.clone();
        let over = |place: usize| self.counts.signals + place - 1;
        for (place, calls) in hosts.iter_mut().enumerate().skip(1) {
            calls.push(GeneratedCall::Signal(over(place)));
        }
        let count = hosts.len();
        if let Some(first) = hosts.first_mut() {
            first.extend((1..count).map(|place| GeneratedCall::Await(over(place))));
            first.push(GeneratedCall::SynchronizeDevice);
            let buffers = 0..self.counts.buffers;
            first.extend(buffers.map(|it| GeneratedCall::Work(BufferWork::Download(it), 0)));
            first.push(GeneratedCall::SynchronizeDevice);
        }
        hosts
    }

    fn written(&self) -> (String, Vec<PlacedCall>) {
        let mut text = String::from("about \"Generated.\"\n");
        let mut placed = Vec::new();
        self.resources(&mut text);
        for (host, calls) in self.calls().into_iter().enumerate() {
            let _ = writeln!(text, "host \"h{host}\" {{");
            if host == 0 && self.has_callbacks {
                for stream in 0..self.streams.len() {
                    let _ = writeln!(text, "    subscribe \"calls\" stream=\"s{stream}\"");
                }
            }
            let mut is_open = false;
            for call in calls {
                let may_be_left_out = self.refusals == CallRefusals::Shared && !call.orders_hosts();
                if is_open && !may_be_left_out {
                    text.push_str("    }; catch\n");
                }
                if may_be_left_out && !is_open {
                    text.push_str("    try {\n");
                }
                is_open = may_be_left_out;
                let line = text.lines().count() as u32 + 1;
                placed.push(PlacedCall { call, host, line });
                let written = call.text();
                let is_apart = self.has_refusals() || self.may_fail() && call.may_fail();
                let _ = if is_apart && !is_open {
                    writeln!(text, "    try {{ {written} }}; catch")
                } else {
                    writeln!(text, "    {written}")
                };
            }
            if is_open {
                text.push_str("    }; catch\n");
            }
            let _ = writeln!(text, "}}");
        }
        let _ = writeln!(text, "expect {{");
        for buffer in 0..self.counts.buffers {
            let _ = writeln!(text, "    sum \"x{buffer}\" at-least=-1000000000");
        }
        let _ = writeln!(text, "}}");
        (text, placed)
    }

    /// Whether any call may be refused, by chance for what another host thread did.
    pub fn has_refusals(&self) -> bool {
        self.refusals != CallRefusals::Never
    }

    const fn may_fail(&self) -> bool {
        self.has_aborts || !self.goes_on.is_empty()
    }

    /// Whether a wait that has timed out is followed by what comes after it on its stream.
    pub fn goes_on(&self, stream: usize) -> bool {
        self.has_aborts || self.goes_on.get(stream).copied().unwrap_or_default()
    }

    /// Whether a buffer has memory from its allocation on.
    pub const fn is_memory(&self, buffer: usize) -> bool {
        buffer >= self.counts.buffers
    }

    fn resources(&self, text: &mut String) {
        match self.mode {
            SynchronizationMode::Manual => {}
            SynchronizationMode::Automatic => text.push_str("synchronization \"automatic\"\n"),
            SynchronizationMode::Least => text.push_str("synchronization \"least\"\n"),
        }
        for (place, sort) in self.streams.iter().enumerate() {
            let traits = match sort {
                StreamSort::NonBlocking => "",
                StreamSort::Blocking => " blocking=#true",
                StreamSort::Legacy => " kind=\"legacy\"",
            };
            let failure = if self.goes_on(place) {
                " failure=\"continue\""
            } else {
                ""
            };
            let _ = writeln!(text, "stream \"s{place}\"{traits}{failure}");
        }
        if self.has_callbacks {
            text.push_str("callback-thread \"calls\"\n");
        }
        for place in 0..self.counts.events {
            let _ = writeln!(text, "event \"e{place}\"");
        }
        for place in 0..self.counts.signals + self.hosts.len() - 1 {
            let _ = writeln!(text, "signal \"g{place}\"");
        }
        for place in 0..self.counts.buffers {
            let value = initial(host(place));
            let _ = writeln!(text, "buffer \"x{place}\" f32=1 init=\"{value}\"");
        }
        for place in self.counts.buffers..self.counts.buffers + self.counts.memories {
            let _ = writeln!(text, "buffer \"x{place}\" f32=1 memory=\"stream-ordered\"");
        }
        for place in 0..self.counts.graphs {
            let _ = writeln!(text, "graph \"q{place}\"");
        }
    }
}
