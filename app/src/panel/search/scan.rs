//! Looks through names and spans on every core, a stretch at a time, and never for longer than a frame can spare.

use std::ops::Range;
use std::thread::{available_parallelism, scope};

use engine::capture::Capture;
use engine::record::SpanId;
use engine::time::Nanos;

use super::filters::SearchQuery;
use super::marks::{self, NameMarks, PageBits};
use super::needle::Needle;

/// Fewer pages of names or stretches of spans than this are not worth a thread.
const FEW: usize = 64;

/// When a match starts, and which span it is: matches go in this order.
pub type MatchPosition = (Nanos, SpanId);

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

/// Which names of some pages hold what is wanted. Of names that `before` knows, only those are looked at that it says
/// yes of.
pub fn names(
    capture: &Capture,
    pages: Range<usize>,
    needle: &Needle,
    before: &NameMarks,
) -> Vec<PageBits> {
    let answers = on_every_core(pages, |part| {
        let found = part.map(|at| {
            let known = before.page(at).unwrap_or(marks::ALL);
            let page = capture
                .name_page(at)
                .filter(|_| known != PageBits::default());
            page.map_or(PageBits::default(), |page| needle.in_page(&page, &known))
        });
        found.collect::<Vec<PageBits>>()
    });
    answers.concat()
}

/// What was found in some stretches.
#[derive(Debug, Default)]
pub struct MatchTally {
    /// How many spans match.
    pub count: usize,
    /// How many of them come before the one that was asked about.
    pub before: usize,
    /// The matches, up to as many as were asked for.
    pub places: Vec<MatchPosition>,
}

impl MatchTally {
    /// Adds what was found in further stretches.
    pub fn add(&mut self, more: Self) {
        self.count += more.count;
        self.before += more.before;
        if self.places.is_empty() {
            self.places = more.places;
        } else {
            self.places.extend(more.places);
        }
    }
}

/// The spans of a range of stretches whose name is marked: how many there are, how many of them come before `here`, and
/// if they are at most `most`, which.
pub fn spans(
    capture: &Capture,
    stretches: Range<usize>,
    (names, query): (&NameMarks, &SearchQuery),
    (here, most): (Option<MatchPosition>, usize),
) -> MatchTally {
    let answers = on_every_core(stretches, |part| {
        let mut tally = MatchTally::default();
        for stretch in part {
            if here.is_none() && tally.places.len() >= most && query.is_plain() {
                tally.count += capture.count_named(stretch, |name| names.is_set(name));
                continue;
            }
            for place in capture.spans_named(stretch, |name| names.is_set(name)) {
                if !query.admits(capture, place.1) {
                    continue;
                }
                tally.count += 1;
                tally.before += usize::from(here.is_some_and(|here| place < here));
                if tally.places.len() < most {
                    tally.places.push(place);
                }
            }
        }
        tally
    });
    let mut all = MatchTally::default();
    for part in answers {
        all.add(part);
    }
    all
}

/// The match after `here`, or before it where it is not `forward`; where there is none, or nothing is said of where, the
/// first or the last of all. Beside it is how many matches come before it.
pub fn next(
    capture: &Capture,
    (names, query): (&NameMarks, &SearchQuery),
    here: Option<MatchPosition>,
    forward: bool,
) -> Option<(MatchPosition, usize)> {
    let is_wanted = |place: &MatchPosition| {
        here.is_none_or(|here| {
            if forward {
                *place > here
            } else {
                *place < here
            }
        })
    };
    let better = |a: MatchPosition, b: MatchPosition| if forward { a.min(b) } else { a.max(b) };
    let answers = on_every_core(0..capture.stretch_count(), |part| {
        let (mut near, mut far) = (None::<MatchPosition>, None::<MatchPosition>);
        for stretch in part {
            for place in capture.spans_named(stretch, |name| names.is_set(name)) {
                if !query.admits(capture, place.1) {
                    continue;
                }
                far = Some(far.map_or(place, |far| better(far, place)));
                if is_wanted(&place) {
                    near = Some(near.map_or(place, |near| better(near, place)));
                }
            }
        }
        (near, far)
    });
    let near = answers.iter().filter_map(|(near, _)| *near).reduce(better);
    let far = answers.iter().filter_map(|(_, far)| *far).reduce(better);
    let found = near.or(far)?;
    let asked = (names, query);
    let all = spans(capture, 0..capture.stretch_count(), asked, (Some(found), 0));
    Some((found, all.before))
}
