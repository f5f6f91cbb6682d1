//! Looks through names and spans on every core, a stretch at a time, and never for longer than a frame can spare.

use std::ops::Range;
use std::thread::{available_parallelism, scope};

use engine::capture::Capture;
use engine::record::{NameId, SpanId};
use engine::time::Nanos;

use super::needle::Needle;

/// Fewer names or stretches than this are not worth a thread.
const FEW: usize = 256;

/// Parts of a range, one for each core.
fn parts(range: Range<usize>) -> Vec<Range<usize>> {
    let cores = available_parallelism().map_or(1, std::num::NonZero::get);
    let cores = if range.len() < FEW { 1 } else { cores.min(8) };
    let each = range.len().div_ceil(cores).max(1);
    let starts = range.clone().step_by(each);
    starts.map(|at| at..(at + each).min(range.end)).collect()
}

/// Does `work` on every part at once; the answers come in order.
fn on_every_core<T: Send>(range: Range<usize>, work: impl Fn(Range<usize>) -> T + Sync) -> Vec<T> {
    let mut parts = parts(range);
    let Some(own) = parts.pop() else {
        return Vec::new();
    };
    let work = &work;
    scope(|scope| {
        let threads: Vec<_> = parts
            .into_iter()
            .map(|part| (part.clone(), scope.spawn(move || work(part))))
            .collect();
        let last = work(own);
        let mut answers: Vec<T> = threads
            .into_iter()
            .map(|(part, thread)| thread.join().unwrap_or_else(|_| work(part)))
            .collect();
        answers.push(last);
        answers
    })
}

/// Whether each name of a range holds what is wanted. Of names that `known` knows, only those are looked at that it
/// says yes of.
pub fn names(capture: &Capture, range: Range<usize>, needle: &Needle, known: &[bool]) -> Vec<bool> {
    let answers = on_every_core(range, |part| {
        let holds = |at: usize| {
            known.get(at) != Some(&false) && needle.is_in(capture.name(NameId(at as u32)))
        };
        part.map(holds).collect::<Vec<bool>>()
    });
    answers.concat()
}

/// The spans of a range of stretches whose name is wanted: up to `most` of them, and how many there are.
pub fn spans(
    capture: &Capture,
    range: Range<usize>,
    wanted: &[bool],
    most: usize,
) -> (Vec<(Nanos, SpanId)>, usize) {
    let answers = on_every_core(range, |part| {
        let (mut kept, mut count) = (Vec::new(), 0);
        for stretch in part {
            let is_wanted = |name: NameId| wanted.get(name.index()) == Some(&true);
            for found in capture.named(stretch, is_wanted) {
                count += 1;
                if kept.len() < most {
                    kept.push(found);
                }
            }
        }
        (kept, count)
    });
    let count = answers.iter().map(|(_, count)| count).sum();
    let kept = answers.into_iter().flat_map(|(kept, _)| kept);
    (kept.take(most).collect(), count)
}
