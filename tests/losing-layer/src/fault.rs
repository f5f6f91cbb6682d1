//! What goes wrong, and when: asked for by a variable, counted over the whole process, and written to a file that the test
//! reads.

use std::fs::OpenOptions;
use std::io::Write as _;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};

use ash::vk;

/// Says what goes wrong: `lost@submit:40`, `memory@submit:40` or `lost@wait:40`, which is the first wait after submission 40.
const FAULT: &str = "SYNCLINE_LOSING_LAYER";
/// Names the file that is told what happened, a line each.
const NOTES: &str = "SYNCLINE_LOSING_LAYER_NOTES";

/// The calls that something may go wrong in.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum FaultPlace {
    /// A submission.
    Submission,
    /// A wait of the host.
    HostWait,
}

struct LayerFault {
    place: FaultPlace,
    submission: u64,
    answer: vk::Result,
}

static SUBMISSIONS: AtomicU64 = AtomicU64::new(0);
static HAS_FIRED: AtomicBool = AtomicBool::new(false);

fn asked() -> Option<&'static LayerFault> {
    static ASKED: OnceLock<Option<LayerFault>> = OnceLock::new();
    let read = || {
        let text = std::env::var(FAULT).ok()?;
        let (answer, moment) = text.split_once('@')?;
        let (place, number) = moment.split_once(':')?;
        Some(LayerFault {
            place: if place == "wait" {
                FaultPlace::HostWait
            } else {
                FaultPlace::Submission
            },
            submission: number.parse().ok()?,
            answer: if answer == "memory" {
                vk::Result::ERROR_OUT_OF_DEVICE_MEMORY
            } else {
                vk::Result::ERROR_DEVICE_LOST
            },
        })
    };
    ASKED.get_or_init(read).as_ref()
}

/// A call of this sort is made: what it is to answer, where it is the one that goes wrong.
pub fn next(place: FaultPlace) -> Option<vk::Result> {
    let count = match place {
        FaultPlace::Submission => SUBMISSIONS.fetch_add(1, SeqCst) + 1,
        FaultPlace::HostWait => SUBMISSIONS.load(SeqCst),
    };
    let fault = asked().filter(|it| it.place == place && count >= it.submission)?;
    let is_first = !HAS_FIRED.swap(true, SeqCst);
    is_first.then(|| {
        note(&format!(
            "answered {:?} at submission {count}",
            fault.answer
        ));
        fault.answer
    })
}

/// How many submissions there were.
pub fn submissions() -> u64 {
    SUBMISSIONS.load(SeqCst)
}

/// Writes a line for the test.
pub fn note(line: &str) {
    let file = std::env::var_os(NOTES);
    let file = file.map(|path| OpenOptions::new().create(true).append(true).open(path));
    if let Some(Ok(mut file)) = file {
        // A test that finds no line says so.
        let _ = writeln!(file, "{line}");
    }
}
