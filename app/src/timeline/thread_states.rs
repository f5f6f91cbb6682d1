//! A thin strip beneath host threads: when each ran, was ready without a core, or was blocked.

use std::collections::BTreeMap;

use eframe::egui::{Color32, Painter, Rect, Response, pos2};
use engine::capture::Capture;
use engine::record::{INTERRUPT, LaneId, ThreadInterval, ThreadState};
use engine::time::{Interval, Nanos};

use super::frame::PaintFrame;
use super::layout::{LayoutEntry, LayoutRow, RowContent};
use super::mesh_builder::MeshBuilder;
use crate::text;
use crate::theme::{Theme, mixed};

/// States that are looked at for the legend, at most of each strip.
const MOST_LOOKED_AT: usize = 4_096;

/// What each state is called.
pub const fn label(state: ThreadState) -> &'static str {
    match state {
        ThreadState::Running => "running",
        ThreadState::Runnable => "ready, without a core",
        ThreadState::Blocked => "blocked",
        ThreadState::Uninterruptible => "blocked, uninterruptible",
        ThreadState::OffCpu => "blocked or ready",
    }
}

/// The colour of a state, and how much of the strip's height it takes: what runs is seen without colours.
pub fn look(theme: &Theme, state: ThreadState) -> (Color32, f32) {
    match state {
        ThreadState::Running => (theme.good, 1.0),
        ThreadState::Runnable => (theme.warning, 0.7),
        ThreadState::Blocked => (mixed(theme.weak, theme.row, 0.7), 0.25),
        ThreadState::Uninterruptible => (theme.bad, 0.25),
        ThreadState::OffCpu => (mixed(theme.weak, theme.row, 0.4), 0.25),
    }
}

/// How long a thread was in each state, added up, so that a column of pixels costs no more where it holds many. It grows with
/// the capture.
#[derive(Default)]
pub struct ThreadStateSums {
    /// Before each state, how long the thread was in each.
    before: Vec<[Nanos; ThreadState::ALL.len()]>,
    last: Option<ThreadInterval>,
}

/// The sums of every strip that was painted.
pub type LaneStateSums = BTreeMap<LaneId, ThreadStateSums>;

impl ThreadStateSums {
    /// Brings it up to the states of a thread. States that came late, before others, make it start again.
    pub fn update(&mut self, states: &[ThreadInterval]) {
        let known = self.before.len().checked_sub(1);
        if known.and_then(|at| states.get(at)).copied() != self.last {
            *self = Self::default();
        }
        for state in states.iter().skip(self.before.len()) {
            let mut sums = self.before.last().copied().unwrap_or_default();
            if let Some(last) = self.last {
                add(&mut sums, last.state, last.interval.length());
            }
            self.before.push(sums);
            self.last = Some(*state);
        }
    }

    /// How long the thread was in each state in an interval.
    fn within(
        &self,
        states: &[ThreadInterval],
        within: Interval,
    ) -> [Nanos; ThreadState::ALL.len()] {
        let mut sums = self.until(states, within.end);
        let before = self.until(states, within.start);
        for (sum, before) in sums.iter_mut().zip(before) {
            *sum = *sum - before;
        }
        sums
    }

    fn until(&self, states: &[ThreadInterval], instant: Nanos) -> [Nanos; ThreadState::ALL.len()] {
        let after = states.partition_point(|it| it.interval.start < instant);
        let at = after.checked_sub(1);
        let found = at.and_then(|at| Some((states.get(at)?, self.before.get(at)?)));
        let Some((state, before)) = found else {
            return Default::default();
        };
        let mut sums = *before;
        let end = instant.min(state.interval.end);
        add(&mut sums, state.state, end - state.interval.start);
        sums
    }
}

fn add(sums: &mut [Nanos; ThreadState::ALL.len()], state: ThreadState, time: Nanos) {
    if let Some(sum) = sums.get_mut(state as usize) {
        *sum += time;
    }
}

/// The lane whose strip a row is.
pub const fn of(row: &LayoutRow) -> Option<LaneId> {
    match row.content {
        RowContent::Entry(LayoutEntry::States(lane)) => Some(lane),
        _ => None,
    }
}

/// Paints the strip of a lane.
pub fn paint(
    painter: &Painter,
    frame: &PaintFrame<'_>,
    (row, lane): (&LayoutRow, LaneId),
    all: &mut LaneStateSums,
) {
    let states = frame.picture.capture.thread_states(lane);
    let sums = all.entry(lane).or_default();
    sums.update(states);
    let theme = frame.picture.theme;
    let rect = frame.row_rect(row);
    let mut sheet = MeshBuilder::new(painter.pixels_per_point());
    let mut bar = |left: f32, right: f32, (colour, share): (Color32, f32)| {
        let height = (rect.height() * share).max(frame.pixel);
        let bottom = sheet.snap(rect.center().y + height / 2.0);
        let top = sheet.snap(rect.center().y - height / 2.0);
        let strip = Rect::from_min_max(pos2(left, top), pos2(right, bottom.max(top + frame.pixel)));
        sheet.rect(strip, colour);
    };
    let view = frame.scale.interval();
    let mut at = states.partition_point(|it| it.interval.end <= view.start);
    let mut x = rect.left();
    while let Some(state) = states.get(at) {
        let left = frame.scale.x_from_time(state.interval.start).max(x);
        let right = frame
            .scale
            .x_from_time(state.interval.end)
            .min(rect.right());
        if left >= rect.right() {
            break;
        }
        if right - left >= frame.pixel {
            bar(left, right, look(theme, state.state));
            x = right;
            at += 1;
            continue;
        }
        // What is narrower than a pixel shares one with what follows.
        x = left + frame.pixel;
        let from = frame.scale.time_from_x(left);
        let column = Interval::new(from, frame.scale.time_from_x(x).max(from + Nanos(1)));
        if let Some(look) = blend(theme, sums.within(states, column)) {
            bar(left, x, look);
        }
        let following = states.get(at..).unwrap_or(&[]);
        at += following
            .partition_point(|it| it.interval.end <= column.end)
            .max(1);
    }
    painter.add(sheet.into_shape());
}

/// What a column looks like in which a thread was in several states for so long each; nothing where none is known.
fn blend(theme: &Theme, times: [Nanos; ThreadState::ALL.len()]) -> Option<(Color32, f32)> {
    let mut all: Option<(Color32, f32, i64)> = None;
    for (state, Nanos(time)) in ThreadState::ALL.iter().zip(times) {
        if time <= 0 {
            continue;
        }
        let (colour, height) = look(theme, *state);
        all = Some(match all {
            None => (colour, height, time),
            Some((before, high, sum)) => {
                let share = time as f32 / (sum + time) as f32;
                let high = high + (height - high) * share;
                (mixed(colour, before, share), high, sum + time)
            }
        });
    }
    all.map(|(colour, height, _)| (colour, height))
}

/// The states that strips in view show.
pub fn in_view(frame: &PaintFrame<'_>) -> Vec<ThreadState> {
    let (capture, view) = (frame.picture.capture, frame.scale.interval());
    let mut found = Vec::new();
    for lane in frame.visible().iter().filter_map(of) {
        let states = capture.thread_states_in(lane, view);
        for state in states.iter().take(MOST_LOOKED_AT) {
            if !found.contains(&state.state) {
                found.push(state.state);
            }
        }
    }
    found.sort_unstable();
    found
}

/// What the pointer on the name of a strip is told.
pub fn about(capture: &Capture, lane: LaneId) -> String {
    let name = capture.lane_title(lane);
    format!("{name} · as the system scheduled it: running, ready without a core, or blocked")
}

/// Tells what the state under the pointer is.
pub fn input(frame: &PaintFrame<'_>, body: &Response) {
    let Some(at) = body.hover_pos() else {
        return;
    };
    let y = frame.row_y(at.y);
    let row = frame.layout.row_at(y);
    let row = row.and_then(|it| frame.layout.rows.get(it));
    let Some(lane) = row.and_then(of) else {
        return;
    };
    let time = frame.scale.time_from_x(at.x);
    if let Some(lines) = told(frame.picture.capture, lane, time) {
        body.clone().on_hover_ui_at_pointer(|ui| {
            ui.label(lines.join("\n"));
        });
    }
}

/// What is told of the state of a thread at an instant.
fn told(capture: &Capture, lane: LaneId, time: Nanos) -> Option<Vec<String>> {
    let states = capture.thread_states(lane);
    let at = states.partition_point(|it| it.interval.end <= time);
    let state = states.get(at).filter(|it| it.interval.contains(time))?;
    let core = state.core.map(|it| format!(" on core {it}"));
    let since = text::duration(state.interval.start);
    let length = text::duration(state.interval.length());
    let mut lines = vec![
        format!("{}{}", label(state.state), core.unwrap_or_default()),
        capture.lane_title(lane).into_owned(),
        format!("for {length}, from {since} on"),
    ];
    // What runs was woken before it was ready.
    let before = at.checked_sub(1).and_then(|at| states.get(at));
    let before = before.filter(|it| it.interval.end == state.interval.start);
    let woken = before.filter(|_| state.state == ThreadState::Running);
    let waker = [Some(state), woken].into_iter().flatten();
    let waker = waker.map(|it| it.waker).find(|it| it.is_some());
    lines.extend(waker.map(|it| match capture.name(it) {
        INTERRUPT => "woken by an interrupt".to_owned(),
        thread => format!("woken by {thread}"),
    }));
    Some(lines)
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::record::{NameId, Record, ThreadSchedule};

    fn state(start: i64, end: i64, state: ThreadState, waker: NameId) -> ThreadInterval {
        ThreadInterval {
            interval: Interval::new(Nanos(start), Nanos(end)),
            state,
            core: (state == ThreadState::Running).then_some(2),
            waker,
        }
    }

    const NOBODY: NameId = NameId::NONE;

    #[test]
    fn sums_are_what_the_states_in_an_interval_add_up_to() {
        let all: Vec<ThreadInterval> = (0..500)
            .map(|k| {
                let kind = ThreadState::ALL[(k * 7 % 5) as usize];
                state(k * 10, k * 10 + 3 + k % 8, kind, NOBODY)
            })
            .collect();
        let mut sums = ThreadStateSums::default();
        sums.update(&all[..100]);
        sums.update(&all);
        for (from, to) in [(-50, 4), (5, 5), (17, 1_234), (999, 9_999), (4_990, 4_999)] {
            let within = Interval::new(Nanos(from), Nanos(to));
            let mut expected = [Nanos::ZERO; 5];
            for it in &all {
                if let Some(inside) = it.interval.intersection(within) {
                    expected[it.state as usize] += inside.length();
                }
            }
            assert_eq!(sums.within(&all, within), expected, "{from} to {to}");
        }
        // A late one moves what came after it.
        let late = &all[200..];
        sums.update(late);
        assert_eq!(sums.before.len(), late.len());
    }

    #[test]
    fn a_state_is_told_with_its_core_and_what_woke_the_thread() {
        let lane = LaneId(0);
        let intervals = vec![
            state(0, 10, ThreadState::Blocked, NOBODY),
            state(10, 15, ThreadState::Runnable, NameId(0)),
            state(15, 40, ThreadState::Running, NOBODY),
        ];
        let mut capture = Capture::new();
        capture.apply([
            Record::Name(NameId(0), "loader 71".into()),
            Record::Schedule(Box::new(ThreadSchedule { lane, intervals })),
        ]);
        let at = |time| told(&capture, lane, Nanos(time)).map(|it| it.join(" | "));
        let running = at(20).unwrap();
        assert!(running.starts_with("running on core 2 | "), "{running}");
        assert!(running.ends_with("woken by loader 71"), "{running}");
        assert!(at(12).unwrap().starts_with("ready, without a core | "));
        assert!(!at(5).unwrap().contains("woken"));
        assert_eq!(at(40), None);
    }
}
