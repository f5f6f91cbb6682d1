//! What a loss takes with it: numbers that were on the device alone, and what is made of them where calls go on.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::{Mutex, MutexGuard};

use backend::Operation;
use device::lock;
use record::{BufferIndex, EventId, Expectation, Problem, Record, Severity, SpanId, StreamIndex};
use workload::{BufferPlan, ExpectationKind, KernelArguments, Plan};

use super::recorder::Reporter;
use super::shared::RunState;

/// Downloads of a buffer that are remembered until one is known to have ended.
const MOST_DOWNLOADS: usize = 64;
/// What the host's copy of a buffer holds at first.
const HOST_BEGIN: u64 = 0;
/// What the device's holds at first, which is zeros, where the host's holds anything else.
const DEVICE_BEGIN: u64 = 1;
/// Buffers that are named in one sentence.
const MOST_NAMES: usize = 8;

/// The code of the problem that tells of numbers that may be wrong because a loss took what they are made of.
pub const STALE_RESULT: &str = "stale-result";

/// What is said of a call, at its line, that brings the host such numbers of a buffer.
pub fn stale_text(plan: &Plan, line: u32, buffer: BufferIndex) -> String {
    let plan = plan.buffers.get(buffer.index());
    format!(
        "line {line}: what is read back of {} may be wrong: it is made of numbers that were lost with the device before it was \
         opened anew; upload or compute them again first, or recover by a replay",
        plan.map_or("?", |buffer| &buffer.name)
    )
}

/// For each buffer, whether the host has what the device has of it, and whether either is what the calls say.
#[derive(Debug)]
pub struct LostValues {
    buffers: Vec<Mutex<BufferCopies>>,
    /// For each buffer whether the host's copy begins with anything but zeros, with which the device's begins.
    begin_unlike: Vec<bool>,
    /// Whether anything was ever lost; nothing has to be followed before that.
    is_any_stale: AtomicBool,
}

/// What the two copies of a buffer hold, each content by a number of its own: those of the beginning are [`HOST_BEGIN`] and
/// [`DEVICE_BEGIN`], and whatever is computed on the device has the next one.
#[derive(Debug, Default)]
struct BufferCopies {
    /// What the device's copy holds once every call so far has been done.
    device: u64,
    /// The same of the host's copy.
    host: u64,
    /// What the host's copy holds where none of `downloads` ends.
    kept: u64,
    /// What was computed last.
    newest: u64,
    /// Downloads that may not have ended: their stream, their place in it counted from 1, and what they bring.
    downloads: VecDeque<(StreamIndex, u64, u64)>,
    /// Whether the device's numbers are not what the calls say.
    is_stale: bool,
    /// The same for the host's copy.
    is_host_stale: bool,
}

impl LostValues {
    /// Of the buffers of a plan, none of them lost.
    pub fn new(plan: &Plan) -> Self {
        let begins_unlike = |it: &BufferPlan| it.init.as_constant() != Some(0.0);
        let values = Self {
            buffers: plan.buffers.iter().map(|_| Mutex::default()).collect(),
            begin_unlike: plan.buffers.iter().map(begins_unlike).collect(),
            is_any_stale: AtomicBool::new(false),
        };
        values.forget();
        values
    }

    /// Nothing was called yet: the workload begins again.
    pub fn forget(&self) {
        for (buffer, &is_unlike) in self.buffers.iter().zip(&self.begin_unlike) {
            *lock(buffer) = BufferCopies {
                device: if is_unlike { DEVICE_BEGIN } else { HOST_BEGIN },
                newest: DEVICE_BEGIN,
                ..BufferCopies::default()
            };
        }
        self.is_any_stale.store(false, SeqCst);
    }

    fn get(&self, buffer: BufferIndex) -> Option<MutexGuard<'_, BufferCopies>> {
        self.buffers.get(buffer.index()).map(lock)
    }

    /// Whether the device's numbers of a buffer are not what the calls say.
    pub fn is_stale(&self, buffer: BufferIndex) -> bool {
        self.is_any_stale.load(SeqCst) && self.get(buffer).is_some_and(|it| it.is_stale)
    }

    /// The operation that is number `place` of its stream, counted from 1, is submitted. Gives the buffer where it brings
    /// the host numbers that are not what the calls say.
    pub fn note(
        &self,
        operation: &Operation,
        stream: StreamIndex,
        place: u64,
    ) -> Option<BufferIndex> {
        match operation {
            Operation::Upload(buffer) => {
                let mut it = self.get(*buffer)?;
                (it.device, it.is_stale) = (it.host, it.is_host_stale);
            }
            Operation::Download(buffer) => {
                let mut it = self.get(*buffer)?;
                if it.downloads.len() == MOST_DOWNLOADS {
                    it.downloads.pop_front();
                }
                let brought = it.device;
                it.downloads.push_back((stream, place, brought));
                (it.host, it.is_host_stale) = (brought, it.is_stale);
                return it.is_stale.then_some(*buffer);
            }
            Operation::Fill { buffer, .. } => self.write(*buffer, Some(false)),
            Operation::Copy { from, to } => self.write(*to, Some(self.is_stale(*from))),
            Operation::Launch(launch) => self.launch(launch, None),
            Operation::Packed(packed) => self.launch(&packed.launch, packed.elements),
            Operation::Collective(exchange) => {
                let (read, written) = exchange.what.buffers();
                let is_stale = read.as_slice().iter().any(|it| self.is_stale(*it));
                for buffer in written.as_slice() {
                    self.write(*buffer, is_stale.then_some(true));
                }
            }
            Operation::Replay(replay) => {
                let nodes = replay.graph.nodes.iter();
                let stale = nodes.map(|it| self.note(&it.operation, stream, place));
                return stale.fold(None, Option::or);
            }
            _ => {}
        }
        None
    }

    /// A kernel makes good what it writes from good inputs, unless that goes by what it held, or it writes the first
    /// `elements` of it alone.
    fn launch(&self, launch: &KernelArguments, elements: Option<usize>) {
        let is_stale = launch.reads.iter().any(|it| self.is_stale(*it));
        for (place, buffer) in launch.writes.iter().enumerate() {
            let is_whole =
                elements.is_none() && launch.kernel.overwrites(place, &launch.parameters);
            self.write(*buffer, (is_stale || is_whole).then_some(is_stale));
        }
    }

    /// A buffer is written on the device; it is as good as it was where nothing else is said.
    fn write(&self, buffer: BufferIndex, is_stale: Option<bool>) {
        if let Some(mut it) = self.get(buffer) {
            it.newest += 1;
            it.device = it.newest;
            it.is_stale = is_stale.unwrap_or(it.is_stale);
        }
    }

    /// The device is opened anew with what the host has: gives the buffers of which it had something else. So many
    /// operations of each stream ended before the loss. Of the second ones a download was lost as well, so that what the
    /// host has of them is from before.
    fn lose(&self, completed: &dyn Fn(StreamIndex) -> u64) -> [Vec<BufferIndex>; 2] {
        let [mut lost, mut unread] = [Vec::new(), Vec::new()];
        let mut is_any_stale = false;
        for (place, buffer) in (0_u32..).zip(&self.buffers) {
            let mut it = lock(buffer);
            let downloads = std::mem::take(&mut it.downloads);
            let mut downloads = downloads.iter().rev();
            let ended = downloads.find(|(stream, place, _)| completed(*stream) >= *place);
            let kept = ended.map_or(it.kept, |(.., brought)| *brought);
            if it.device != kept {
                it.is_stale = true;
                // What it began with is nobody's work.
                if it.device > DEVICE_BEGIN {
                    lost.push(BufferIndex(place));
                }
            }
            // A download that was lost would have brought something else.
            if it.host != kept {
                it.is_host_stale = true;
                unread.push(BufferIndex(place));
            }
            is_any_stale |= it.is_stale || it.is_host_stale;
            (it.device, it.host, it.kept) = (kept, kept, kept);
        }
        if is_any_stale {
            self.is_any_stale.store(true, SeqCst);
        }
        [lost, unread]
    }

    /// Says of expectations that do not hold whether the numbers that they ask about were lost.
    pub fn explain(&self, plan: &Plan, found: &mut [Expectation]) {
        for (expected, found) in plan.expectations.iter().zip(found) {
            let buffers: Vec<BufferIndex> = match &expected.kind {
                ExpectationKind::Each { buffers, .. } => buffers.iter().map(|it| it.0).collect(),
                ExpectationKind::Sum { buffers, .. } => buffers.clone(),
                _ => continue,
            };
            let is_stale = |it: &BufferIndex| self.get(*it).is_some_and(|it| it.is_host_stale);
            if found.is_missed() && buffers.iter().any(is_stale) {
                found
                    .found
                    .push_str("; it is made of numbers that were lost with the device");
            }
        }
    }
}

impl RunState {
    /// The device was opened anew for calls that go on: says what of its buffers was lost.
    pub fn report_lost_values(&self, generation: u32, reporter: &Reporter) {
        let [lost, unread] = self
            .lost_values
            .lose(&|stream| self.device.completed(stream));
        let tell = |severity, code: &str, text| {
            reporter.send(Record::Problem(Box::new(Problem {
                severity,
                code: code.to_owned(),
                text,
                span: SpanId::NONE,
                event: EventId::NONE,
            })));
        };
        if !lost.is_empty() {
            let text = format!(
                "the device was opened anew with what the host has of its buffers: what generation {generation} had or \
                 was to compute in {} is lost; upload or compute it again before it is used",
                self.names_of(&lost)
            );
            tell(Severity::Info, "buffers-lost", text);
        }
        if !unread.is_empty() {
            let text = format!(
                "what the host has of {} is from before: generation {generation} was lost before its download of that ended; \
                 compute and download it again, or recover by a replay",
                self.names_of(&unread)
            );
            tell(Severity::Warning, STALE_RESULT, text);
        }
    }

    /// The names of some buffers, of very many the first.
    fn names_of(&self, buffers: &[BufferIndex]) -> String {
        let names = buffers
            .iter()
            .filter_map(|it| self.plan.buffers.get(it.index()));
        let mut names: Vec<&str> = names.map(|it| it.name.as_str()).collect();
        let more = names.len().saturating_sub(MOST_NAMES);
        names.truncate(MOST_NAMES);
        let names = names.join(", ");
        match more {
            0 => names,
            more => format!("{names} and {more} more"),
        }
    }
}
