//! What the kernel's scheduler told by ftrace: which thread ran on which core, which woke which.

mod bundle;
mod events;
mod lanes;
mod process_tree;
mod task_state;
mod timeline;

use super::clocks::PftraceClocks;
use crate::importer::chrome::ChromeTexts;
use crate::importer::fast_hash::QuickMap;
use crate::importer::{Receipt, RecordSink};
use crate::perfetto::proto::{BOOTTIME, ClockReading, ClockSnapshot};
use crate::perfetto::view::each_field;
pub(super) use bundle::READ;
use bundle::{FtraceBundle, FtraceEvent};
use events::{SchedulerEvent, SchedulerEventKind};
use process_tree::ProcessTree;
use record::{Severity, counted};
use task_state::KernelVersion;

/// A processor has no more cores than that, as Perfetto has it: a higher number is damage.
const MOST_CORES: u32 = 1024;
/// The clock of ftrace that is read at system start and never set, and that one by its number among the file's clocks.
const FTRACE_RAW: (u64, u32) = (4, 5);
/// The number that a clock of ftrace's own has among those of the bundle's writer.
const FTRACE_OWN: u32 = 64;

/// All that was told of the scheduler so far.
#[derive(Default)]
pub(super) struct FtraceScheduler {
    events: Vec<SchedulerEvent>,
    processes: ProcessTree,
    /// What each thread was called last, by the number of the text.
    names: QuickMap<i32, u32>,
    kernel: KernelVersion,
    /// When the time of ftrace's own clock was told last.
    snapshot: Option<i64>,
    tally: FtraceTally,
}

/// What has to be said of it.
#[derive(Default)]
struct FtraceTally {
    /// Bundles that tell no core, or one that cannot be.
    coreless: u64,
    /// Bundles, or packed lists in them, that make no sense.
    damaged: u64,
    /// Times the kernel wrote over events before they were read.
    lost: u64,
    /// Threads without a lane of their own.
    laneless: u64,
}

impl FtraceScheduler {
    /// Takes what a packet tells of the scheduler, of processes or of the kernel. Says whether it tells of nothing else.
    pub fn packet(
        &mut self,
        (sequence, bytes): (u32, &[u8]),
        clocks: &mut PftraceClocks,
        texts: &mut ChromeTexts,
    ) -> bool {
        let mut is_read = false;
        // The packet was looked through before.
        let _ = each_field(bytes, |field, value| {
            match field {
                1 => self.bundle((sequence, value.bytes()?), clocks, texts),
                2 => {
                    is_read = true;
                    self.processes.take(value.bytes()?, texts);
                }
                45 => {
                    is_read = true;
                    self.kernel = KernelVersion::of(value.bytes()?).unwrap_or(self.kernel);
                }
                _ => {}
            }
            Some(())
        });
        is_read
    }

    fn bundle(
        &mut self,
        (sequence, bytes): (u32, &[u8]),
        clocks: &mut PftraceClocks,
        texts: &mut ChromeTexts,
    ) {
        let Some(bundle) = FtraceBundle::of(bytes) else {
            self.tally.damaged += 1;
            return;
        };
        let Some(core) = bundle.core.filter(|it| *it < MOST_CORES) else {
            self.tally.coreless += u64::from(bundle.has_scheduler_events());
            return;
        };
        let clock = self.clock((sequence, &bundle), clocks);
        let core = core as u16;
        let mut is_lost = bundle.is_lossy;
        self.tally.lost += u64::from(is_lost);
        let is_whole = bundle.each_event(|raw, event| {
            let time = clocks.time(sequence, clock, raw);
            if std::mem::take(&mut is_lost) {
                self.events.push(SchedulerEvent::lost(time, core));
            }
            for (thread, name) in event.names.into_iter().flatten() {
                self.names.insert(thread, texts.add_bytes(name));
            }
            self.event((time, core), &event);
        });
        self.tally.damaged += u64::from(is_whole.is_none());
    }

    fn event(&mut self, (time, core): (i64, u16), event: &FtraceEvent<'_>) {
        let FtraceEvent {
            kind,
            thread,
            other,
            state,
            ..
        } = *event;
        if let SchedulerEventKind::Fork = kind {
            self.processes.fork(thread, other);
            return;
        }
        self.events.push(SchedulerEvent {
            time,
            thread,
            other,
            core,
            state,
            kind,
        });
    }

    /// The clock of a bundle's times. Of one that only ftrace reads, the bundle tells what it was at an instant.
    fn clock(
        &mut self,
        (sequence, bundle): (u32, &FtraceBundle<'_>),
        clocks: &mut PftraceClocks,
    ) -> u32 {
        let clock = match bundle.clock {
            0 => return BOOTTIME,
            raw if raw == FTRACE_RAW.0 => FTRACE_RAW.1,
            _ => FTRACE_OWN,
        };
        if let Some((own, boot)) = bundle.snapshot.filter(|it| self.snapshot != Some(it.0)) {
            self.snapshot = Some(own);
            let reading = |id, time: i64| ClockReading {
                clock_id: Some(id),
                timestamp: u64::try_from(time).ok(),
                ..ClockReading::default()
            };
            let snapshot = ClockSnapshot {
                clocks: vec![reading(clock, own), reading(BOOTTIME, boot)],
                primary_trace_clock: None,
            };
            clocks.snapshot(sequence, &snapshot);
        }
        clock
    }

    /// The first instant that anything was told of.
    pub fn first(&self) -> Option<i64> {
        self.events.iter().map(|it| it.time).min()
    }

    /// Says what was not read, and what is not known.
    pub fn tell(&self, sink: &mut RecordSink<'_>, receipt: &mut Receipt) {
        let FtraceTally {
            coreless,
            damaged,
            lost,
            laneless,
        } = self.tally;
        let said = [
            (
                coreless,
                "no-core",
                "{bundle of ftrace does not tell the core that it is of, and is|bundles of ftrace do not tell the core that they are \
                 of, and are} left out",
            ),
            (
                damaged,
                "damaged-ftrace",
                "{bundle of ftrace makes no sense from some point on, and is|bundles of ftrace make no sense from some point on, and \
                 are} read up to there",
            ),
            (
                lost,
                "lost-before",
                "{time|times} the kernel wrote over events of its scheduler before they were read: what threads did there is not known",
            ),
        ];
        for (count, code, words) in said {
            if count > 0 {
                let text = format!("{}.", counted(count, words));
                receipt.complain(sink, (Severity::DataLoss, code), text);
            }
        }
        receipt.dropped += coreless + damaged;
        let words = "{thread that ftrace tells of has|threads that ftrace tells of have} no lane, being of other programs or not \
                     among those that ran longest";
        receipt.note_counts([(laneless, words)]);
        if !self.events.is_empty() && !timeline::tells_wakings(&self.events) {
            receipt.note(
                "ftrace recorded no wakings (sched_waking): of threads that had no core it is not known when they were ready to run.",
            );
        }
    }
}
