//! Which part of what a program does is kept: a stretch of time, or what lies within ranges of NVTX of a name.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::ring::{RingExcess, RingLimit, seconds};
use record::LaneId;

/// What part of what a program does is wanted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum CaptureWindow {
    /// All of it.
    #[default]
    Whole,
    /// From some nanoseconds after the start of the program on, for so many where there is an end.
    Time {
        /// When it begins.
        delay: u64,
        /// How long it lasts.
        duration: Option<u64>,
    },
    /// What lies within some ranges.
    Ranges(RangeFilter),
    /// What somebody starts and stops by hand, and nothing at first.
    Switched,
    /// The last stretch of time before the end, and before each time that somebody keeps it.
    Last(RingLimit),
}

/// Ranges of NVTX that are wanted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RangeFilter {
    /// Their name; or a name and a domain, an @ between them. Either may have an @ of its own.
    pub name: String,
    /// The first that is wanted, counted from 1 in the order in which they are told.
    pub first: u64,
    /// The last.
    pub last: u64,
}

impl RangeFilter {
    /// Reads `nvtx:NAME[@DOMAIN][:FIRST..LAST]`.
    ///
    /// # Errors
    /// It is none, in words for the user.
    pub fn parse(text: &str) -> Result<Self, String> {
        let form = "a range is written nvtx:NAME[@DOMAIN][:FIRST..LAST], such as nvtx:step:3..5, counted from 1";
        let rest = text.strip_prefix("nvtx:").ok_or(form)?;
        let counted = rest.rsplit_once(':').and_then(|(name, places)| {
            let (first, last) = places.split_once("..")?;
            let last = if last.is_empty() {
                Some(u64::MAX)
            } else {
                last.parse().ok()
            };
            Some((name, first.parse().ok()?, last?))
        });
        let (name, first, last) = counted.unwrap_or((rest, 1, u64::MAX));
        if first == 0 || last < first {
            return Err(format!(
                "{first}..{last} are no places: they are counted from 1, the first before the last"
            ));
        }
        let is_range = |it: &str| it.contains("..");
        if counted.is_none() && rest.rsplit_once(':').is_some_and(|it| is_range(it.1)) {
            return Err(format!("“{rest}” has places that are no numbers: {form}"));
        }
        if name.is_empty() {
            return Err(form.to_owned());
        }
        Ok(Self {
            name: name.to_owned(),
            first,
            last,
        })
    }

    /// Whether a range of a domain is meant, by its name alone or by both.
    fn is_of(&self, name: &str, domain: Option<&str>) -> bool {
        let rest = self.name.strip_prefix(name);
        let named = rest.and_then(|it| it.strip_prefix('@'));
        rest == Some("") || named.is_some() && named == domain
    }
}

/// Names of other ranges that are told where the wanted one never came.
const OTHERS: usize = 6;

/// The window as it becomes known: instants of the files' clock.
#[derive(Debug, Default)]
pub(super) struct ActivityWindow {
    wanted: CaptureWindow,
    /// Ranges of the wanted name that came so far, of each thread.
    seen: BTreeMap<LaneId, u64>,
    /// Those that are open, and since when.
    open: Vec<u64>,
    /// Those that have ended, by their beginning.
    closed: Vec<(u64, u64)>,
    /// The longest of these.
    longest: u64,
    others: BTreeSet<String>,
    /// When windows were opened and closed by hand, in turn.
    flips: Vec<u64>,
    /// The stretch of time that is kept of the last, once it is known.
    last: Option<(u64, u64)>,
    excess: Option<RingExcess>,
    /// What was told and is not kept.
    pub outside: u64,
}

impl ActivityWindow {
    pub fn new(wanted: CaptureWindow) -> Self {
        Self {
            wanted,
            ..Self::default()
        }
    }

    /// Whether what lies in it is only known once ranges have been told that were called at the same time.
    pub const fn is_by_ranges(&self) -> bool {
        matches!(self.wanted, CaptureWindow::Ranges(_))
    }

    /// A window opens or closes by hand.
    pub fn flip(&mut self, at: u64) {
        self.flips.push(at);
    }

    /// What is kept of the last is known, and what the ring had no room for.
    pub const fn keep_last(&mut self, stretch: (u64, u64), excess: Option<RingExcess>) {
        self.last = Some(stretch);
        self.excess = excess;
    }

    /// The instant up to which something is kept, where there is one.
    pub fn until(&self) -> Option<u64> {
        self.last.map(|(_, to)| to)
    }

    /// A range begins on the lane of a thread: says whether it opens the window. Each thread counts its own, since they tell what
    /// they did at different times.
    pub fn begin(&mut self, lane: LaneId, (name, domain): (&str, Option<&str>), at: u64) -> bool {
        let CaptureWindow::Ranges(filter) = &self.wanted else {
            return false;
        };
        if !filter.is_of(name, domain) {
            if self.others.len() < OTHERS && !self.others.contains(name) {
                self.others.insert(name.to_owned());
            }
            return false;
        }
        let seen = self.seen.entry(lane).or_default();
        *seen += 1;
        let opens = (filter.first..=filter.last).contains(seen);
        if opens {
            self.open.push(at);
        }
        opens
    }

    /// A range that opened the window ends.
    pub fn end(&mut self, from: u64, to: u64) {
        if let Some(place) = self.open.iter().position(|it| *it == from) {
            self.open.swap_remove(place);
        }
        let place = self.closed.partition_point(|(start, _)| *start <= from);
        self.closed.insert(place, (from, to));
        self.longest = self.longest.max(to.saturating_sub(from));
    }

    /// Whether something from `start` to `end` touches the window; the capture began at `origin`.
    pub fn touches(&self, start: u64, end: u64, origin: u64) -> bool {
        match &self.wanted {
            CaptureWindow::Whole => true,
            CaptureWindow::Time { delay, duration } => {
                let from = origin.saturating_add(*delay);
                end >= from && duration.is_none_or(|lasts| start < from.saturating_add(lasts))
            }
            CaptureWindow::Switched => {
                let before = self.flips.partition_point(|at| *at <= end);
                let last = self.flips.get(..before).and_then(<[u64]>::last);
                before % 2 == 1 || last.is_some_and(|closed| *closed > start)
            }
            CaptureWindow::Last(_) => self
                .last
                .is_none_or(|(from, to)| end >= from && start <= to),
            CaptureWindow::Ranges(_) => {
                let before = self.closed.partition_point(|(from, _)| *from <= end);
                let closed = self.closed.get(..before).unwrap_or_default().iter().rev();
                let mut near =
                    closed.take_while(|(from, _)| from.saturating_add(self.longest) >= start);
                self.open.iter().any(|from| *from <= end) || near.any(|(_, to)| *to >= start)
            }
        }
    }

    /// What a reader should know of what was left out.
    pub fn notes(&self) -> Option<String> {
        let window = match &self.wanted {
            CaptureWindow::Whole => return None,
            CaptureWindow::Time { delay, duration } => {
                let lasts =
                    duration.map_or("to the end".to_owned(), |it| format!("for {}", seconds(it)));
                format!(
                    "from {} after the start of the program on, {lasts}",
                    seconds(*delay)
                )
            }
            CaptureWindow::Switched if self.flips.is_empty() => {
                "it is started by hand, and never was".to_owned()
            }
            CaptureWindow::Switched => self.switched(),
            CaptureWindow::Last(limit) => {
                format!("the last {} before its end", seconds(limit.nanos))
            }
            CaptureWindow::Ranges(filter) => {
                let kept = self.closed.len() + self.open.len();
                let seen: u64 = self.seen.values().sum();
                format!("{kept} of {seen} ranges “{}”", filter.name)
            }
        };
        let text = format!(
            "The capture is of a window: {window}. {} left out.",
            self.left_out()
        );
        Some(match &self.excess {
            Some(excess) => format!("{text} {}", excess.text()),
            None => text,
        })
    }

    /// How often it was started by hand, and how long it was open in all.
    fn switched(&self) -> String {
        let whole = self.flips.as_chunks::<2>().0.iter();
        let open: u64 = whole.map(|[from, to]| to.saturating_sub(*from)).sum();
        let windows = self.flips.len().div_ceil(2) as u64;
        let times = record::counted(windows, "{time|times}");
        let still = if self.flips.len() % 2 == 1 {
            " and from its last start to the end"
        } else {
            ""
        };
        format!(
            "it was started by hand {times}, for {}{still}",
            seconds(open)
        )
    }

    fn left_out(&self) -> String {
        let words = "{activity, range or sample outside of it was|activities, ranges and samples outside of it were}";
        record::counted(self.outside, words)
    }

    /// Why nothing was kept, where nothing was and there was something.
    pub fn absence(&self) -> Option<String> {
        let words = "{activity, range or sample was|activities, ranges and samples were} outside of the window";
        let outside = (self.outside > 0).then(|| record::counted(self.outside, words));
        if matches!(self.wanted, CaptureWindow::Switched) && self.flips.is_empty() {
            return Some(
                "it was to be started by hand, and never was: press Start keeping in the window, run syncline record --toggle with the \
                 number of its process, or send SIGUSR1 to syncline while the program runs"
                    .to_owned(),
            );
        }
        let CaptureWindow::Ranges(filter) = &self.wanted else {
            return outside;
        };
        let most = self.seen.values().copied().max().unwrap_or(0);
        if most >= filter.first {
            return outside;
        }
        let came = match most {
            0 => "never came".to_owned(),
            seen => format!(
                "came {}, and the first that is wanted is number {}",
                record::counted(seen, "{time|times}"),
                filter.first
            ),
        };
        let others: Vec<String> = self.others.iter().map(|it| format!("“{it}”")).collect();
        let others = if others.is_empty() {
            "no other range did; does the program call NVTX?".to_owned()
        } else {
            format!("others did, such as {}", others.join(", "))
        };
        Some(format!(
            "the range “{}” {came}, so nothing was kept; {others}",
            filter.name
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_read_with_their_domain_and_places() {
        let read = |text: &str| {
            let it = RangeFilter::parse(text)?;
            Ok::<_, String>((it.name, it.first, it.last))
        };
        let of = |name: &str, first, last| Ok((name.to_owned(), first, last));
        assert_eq!(read("nvtx:step"), of("step", 1, u64::MAX));
        assert_eq!(read("nvtx:step@io:3..5"), of("step@io", 3, 5));
        assert_eq!(read("nvtx:a: b:2.."), of("a: b", 2, u64::MAX));
        assert_eq!(read("nvtx:@jit"), of("@jit", 1, u64::MAX));
        assert_eq!(read("nvtx:step@:2..2"), of("step@", 2, 2));
        for wrong in [
            "step",
            "nvtx:",
            "nvtx:step:0..3",
            "nvtx:step:5..3",
            "nvtx:step:a..b",
        ] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_name_may_have_the_sign_that_a_domain_is_named_by() {
        let filter = RangeFilter::parse("nvtx:load@cpu").unwrap();
        assert!(filter.is_of("load", Some("cpu")) && filter.is_of("load@cpu", None));
        assert!(filter.is_of("load@cpu", Some("io")));
        assert!(!filter.is_of("load", None) && !filter.is_of("load", Some("io")));
        assert!(!filter.is_of("load@cpus", None) && !filter.is_of("loads", Some("cpu")));
        let filter = RangeFilter::parse("nvtx:a@b@c").unwrap();
        assert!(filter.is_of("a", Some("b@c")) && filter.is_of("a@b", Some("c")));
        assert!(filter.is_of("a@b@c", None) && !filter.is_of("a@b", Some("b@c")));
    }

    #[test]
    fn a_window_of_time_keeps_what_touches_it() {
        let wanted = CaptureWindow::Time {
            delay: 100,
            duration: Some(50),
        };
        let window = ActivityWindow::new(wanted);
        let touches = |start, end| window.touches(start, end, 1000);
        assert!(
            !touches(0, 1099) && touches(0, 1100) && touches(1149, 9000) && !touches(1150, 9000)
        );
    }

    #[test]
    fn windows_that_are_opened_by_hand_keep_what_touches_them() {
        let mut window = ActivityWindow::new(CaptureWindow::Switched);
        assert!(!window.touches(0, u64::MAX, 0));
        assert!(window.absence().is_some_and(|it| it.contains("--toggle")));
        for at in [100, 200, 300] {
            window.flip(at);
        }
        let touches = |start, end| window.touches(start, end, 0);
        assert!(!touches(0, 99) && touches(0, 100) && touches(199, 250) && !touches(200, 299));
        assert!(touches(0, 250) && touches(250, 300) && touches(400, 500));
        let notes = window.notes().unwrap();
        assert!(
            notes.contains("started by hand 2 times, for 0.0000001 s and from its last"),
            "{notes}"
        );
    }

    #[test]
    fn of_the_last_what_touches_it_is_kept_once_it_is_known() {
        let limit = RingLimit::new(1_500_000_000, RingLimit::SMALLEST).unwrap();
        let mut window = ActivityWindow::new(CaptureWindow::Last(limit));
        assert!(window.touches(0, 1, 0));
        window.keep_last((100, 200), None);
        let touches = |start, end| window.touches(start, end, 0);
        assert!(!touches(0, 99) && touches(0, 100) && touches(200, 300) && !touches(201, 300));
        let notes = window.notes().unwrap();
        assert!(notes.contains("the last 1.5 s before its end"), "{notes}");
    }

    #[test]
    fn a_window_of_ranges_is_open_while_one_of_them_is() {
        let filter = RangeFilter::parse("nvtx:step:2..3").unwrap();
        let mut window = ActivityWindow::new(CaptureWindow::Ranges(filter));
        assert!(!window.begin(LaneId(0), ("step", None), 10));
        assert!(
            window
                .absence()
                .is_some_and(|it| it.contains("came 1 time,"))
        );
        assert!(window.begin(LaneId(0), ("step", Some("any")), 20));
        assert!(!window.begin(LaneId(0), ("other", None), 21));
        let touches = |window: &ActivityWindow, start, end| window.touches(start, end, 0);
        assert!(touches(&window, 25, 26) && !touches(&window, 15, 19));
        window.end(20, 30);
        assert!(touches(&window, 29, 40) && !touches(&window, 31, 40));
        assert!(
            window.begin(LaneId(0), ("step", None), 50)
                && !window.begin(LaneId(0), ("step", None), 60)
        );
        assert!(touches(&window, 40, 55) && !touches(&window, 31, 49));
        assert_eq!(window.absence(), None);
        // Another thread has a first range of its own, and then a second.
        assert!(!window.begin(LaneId(1), ("step", None), 70));
        assert!(window.begin(LaneId(1), ("step", None), 80));
    }
}
