//! What one frame of the timeline costs on the CPU, from the capture to triangles, without a GPU.
//!
//! A thousand lanes, 1600 × 1000 points. Every frame moves: the view pans or zooms and the pointer
//! goes over the spans, so that nothing kept from the frame before flatters it. The same frames are
//! shown several times, each time in a new window, and of each frame the fastest counts: what another
//! program took of the processor meanwhile is no cost of the timeline's.
#![expect(clippy::print_stdout, reason = "a bench prints its figures")]

use std::time::{Duration, Instant};

use app::action::{Action, BookmarkAction};
use app::app::App;
use app::state::{AppState, DockSide, Hover, Settings, Switch, ViewChange};
use app::theme::{DARK, install};
use app::timeline::{Picture, Timeline};
use eframe::App as _;
use eframe::egui::{Context, Event, RawInput, Rect, pos2, vec2};
use engine::capture::Capture;
use engine::record::{
    Bookmark, CallId, Clock, Dependency, DependencyKind, Device, DeviceId, Group, Lane, LaneId,
    NameId, Record, Role, Span, SpanId, SpanKind,
};
use engine::time::{Interval, Nanos};

const LANES: u32 = 1_000;
const NAMES: u32 = 400;
const RANKS: u32 = 64;
const FRAMES: usize = 240;
const ROUNDS: usize = 5;
/// How many spans, on how many lanes.
const SIZES: [(u32, u32); 4] = [
    (10_000, SCREEN),
    (10_000, LANES),
    (1_000_000, LANES),
    (10_000_000, LANES),
];
/// The lanes that fit on the screen.
const SCREEN: u32 = 34;
/// How many spans of a lane are in view, where it has so many: no view is of nothing, whatever the size.
const IN_VIEW: [u32; 5] = [3, 10, 100, 1_000, 10_000];
/// How far apart the spans of a lane begin, in nanoseconds.
const STEP: i64 = 10_000;

/// A way through a capture, in a window that shows its first view: what each of its frames costs.
type BenchScenario = fn(&mut HeadlessWindow<'_>) -> Vec<Duration>;

fn main() {
    // `cargo test --all-targets` starts every bench as well, without this.
    if !std::env::args().any(|arg| arg == "--bench") {
        return;
    }
    println!(
        "timeline frame, 1600 x 1000 points, {FRAMES} moving frames each, the best of {ROUNDS} rounds"
    );
    println!(
        "{:>10}  {:>6}  {:>12}  {:>9}  {:>9}  {:>9}",
        "spans", "lanes", "in view", "p50 ms", "p99 ms", "max ms"
    );
    // `cargo bench -p syncline --bench frame -- on` measures that alone.
    if std::env::args().any(|arg| arg == "on") {
        return everything_on();
    }
    let (mut worst, mut closest) = (Vec::new(), Vec::new());
    for size in SIZES {
        let capture = capture(size, 0);
        let mut all = Vec::new();
        let each = size.0 / size.1;
        let fewer = IN_VIEW.into_iter().filter(|&count| count < each);
        for count in fewer.chain([each]) {
            let mut times = best(|| pan(&mut HeadlessWindow::new(&capture), count));
            let found = row(size, &format!("{count} a lane"), &mut times);
            all.extend(times);
            if Some(&count) == IN_VIEW.first() {
                closest.push(found);
            }
        }
        for (label, way) in [("zooming", dive as BenchScenario), ("flying", fly)] {
            let mut times = best(|| way(&mut HeadlessWindow::new(&capture)));
            row(size, label, &mut times);
            all.extend(times);
        }
        worst.push(row(size, "all", &mut all));
    }
    ranks();
    whole_window((10_000_000, LANES), "window", &[]);
    everything_on();
    // Ten spans on each of the lanes are those that the closest views go through: the larger captures show as many.
    let same = closest.get(1).zip(closest.last());
    if let ([full, small, .., large], Some((same, like))) = (worst.as_slice(), same) {
        for (than, large, what) in [
            (
                same,
                like,
                "over the same lanes, in views that show the same",
            ),
            (
                small,
                large,
                "over the same lanes, in any view of something",
            ),
            (
                full,
                large,
                "on the lanes of one screen, in any view of something",
            ),
        ] {
            println!(
                "10 million spans against 10 thousand {what}: p50 {:.2} x, p99 {:.2} x",
                large.0 / than.0,
                large.1 / than.1
            );
        }
        println!("target 1.5 x, and 2 ms at p99");
    }
}

/// The same spans as of 64 ranks, each a device of sixteen lanes with a clock of its own.
fn ranks() {
    let size = (1_000_000, RANKS * 16);
    let capture = capture(size, RANKS);
    let mut all = Vec::new();
    for count in IN_VIEW {
        all.extend(best(|| pan(&mut HeadlessWindow::new(&capture), count)));
    }
    row(size, "64 ranks", &mut all);
}

/// The whole window, in which something was done before.
fn whole_window(size: (u32, u32), what: &str, done: &[Action]) {
    let mut window = HeadlessWindow::whole(capture(size, 0));
    if let WindowContent::Whole(app, _) = &mut window.content {
        app.act(done.to_vec(), None);
    }
    let mut all = Vec::new();
    for count in IN_VIEW {
        let mut times = best(|| pan(&mut window, count));
        row(size, &format!("{what} {count}"), &mut times);
        all.extend(times);
    }
    for (label, way) in [("zoom", dive as BenchScenario), ("fly", fly)] {
        let mut times = best(|| way(&mut window));
        row(size, &format!("{what} {label}"), &mut times);
        all.extend(times);
    }
    row(size, &format!("{what} all"), &mut all);
}

/// A window in which lanes are pinned, hidden and filtered, spans selected, searched and marked, with all arrows and the tables
/// of statistics, of matches and of what is selected.
fn everything_on() {
    let lanes = |ids: std::ops::Range<u32>| ids.map(LaneId);
    let bookmarks = (0..100).map(|at| {
        let start = Nanos(at * 97 * STEP);
        Action::Bookmark(BookmarkAction::Add(Bookmark {
            at: Interval::new(start, start + Nanos(STEP)),
            span: SpanId::NONE,
            text: format!("note {at}"),
        }))
    });
    let mut done: Vec<Action> = lanes(20..24).map(Action::PinLane).collect();
    done.extend(bookmarks);
    done.extend([
        Action::HideLanes(lanes(30..60).collect()),
        Action::FilterLanes("[02468]$".to_owned()),
        Action::Set(Switch::AllArrows, true),
        Action::SelectGroup((0..10_000).map(SpanId).collect()),
        Action::Search("kernel_1".to_owned()),
        Action::Dock("selection", DockSide::Right),
        Action::Dock("matches", DockSide::Left),
        Action::OpenTab("statistics"),
    ]);
    whole_window((1_000_000, LANES), "all on", &done);
}

/// Prints a row; returns the median and the 99th percentile in milliseconds.
fn row((size, lanes): (u32, u32), label: &str, times: &mut [Duration]) -> (f64, f64) {
    times.sort_unstable();
    let at = |share: f64| {
        let place = ((times.len() as f64 * share) as usize).min(times.len().saturating_sub(1));
        times
            .get(place)
            .map_or(0.0, |time| time.as_secs_f64() * 1e3)
    };
    let (p50, p99, most) = (at(0.5), at(0.99), at(1.0));
    println!("{size:>10}  {lanes:>6}  {label:>12}  {p50:>9.3}  {p99:>9.3}  {most:>9.3}");
    (p50, p99)
}

fn random(state: &mut u64) -> u64 {
    *state = state
        .wrapping_mul(6_364_136_223_846_793_005)
        .wrapping_add(1_442_695_040_888_963_407);
    *state >> 33
}

/// Spans in turn over all lanes, a tenth of them tied to the one before on the next lane.
fn capture((size, lanes): (u32, u32), ranks: u32) -> Capture {
    let mut capture = Capture::new();
    capture.apply((0..NAMES).map(|id| Record::Name(NameId(id), format!("kernel_{id}").into())));
    capture.apply((0..lanes).map(|id| {
        Record::Lane(Box::new(Lane {
            id: LaneId(id),
            group: if id < 8 { Group::Host } else { Group::Streams },
            device: (ranks > 0 && id >= 8).then(|| DeviceId(id * ranks / lanes)),
            role: Role::ALL.get(id as usize % 5).copied().unwrap_or_default(),
            name: format!("stream {id}"),
            order: id as i32,
            process: "".into(),
            thread: "".into(),
        }))
    }));
    for id in 0..ranks {
        capture.apply([
            Record::Device(Box::new(Device {
                id: DeviceId(id),
                name: format!("rank {id} · cpu"),
                backend: "cpu".to_owned(),
                detail: String::new(),
                rank: None,
                paced: None,
            })),
            Record::Clock(Box::new(Clock {
                device: DeviceId(id),
                name: format!("unix of rank {id}"),
                uncertainty: Nanos(12_000),
                ..Clock::default()
            })),
        ]);
    }
    let mut seed = 1;
    for first in (0..size).step_by(100_000) {
        let ids = first..(first + 100_000).min(size);
        capture.apply(
            ids.clone()
                .map(|id| Record::Span(span(id, lanes, &mut seed))),
        );
        capture.apply(ids.filter(|id| id % 10 == 9).map(|id| {
            Record::Dependency(Dependency {
                cause: SpanId(id - 1),
                effect: SpanId(id),
                kind: DependencyKind::Event,
                basis: engine::record::Basis::Enforced,
                event: engine::record::EventId::NONE,
                generation: 0,
            })
        }));
    }
    capture
}

fn span(id: u32, lanes: u32, seed: &mut u64) -> Span {
    let start = i64::from(id / lanes) * STEP + (random(seed) % 4_000) as i64;
    let kinds = [SpanKind::Kernel, SpanKind::Upload, SpanKind::EventWait];
    let length = 200 + (random(seed) % 5_500) as i64;
    Span {
        id: SpanId(id),
        lane: LaneId(id % lanes),
        name: NameId((random(seed) % u64::from(NAMES)) as u32),
        call: CallId::NONE,
        kind: kinds
            .get(random(seed) as usize % 3)
            .copied()
            .unwrap_or_default(),
        state: engine::record::State::Done,
        enqueued: Nanos(start - 1_500),
        start: Nanos(start),
        end: Nanos(start + length),
    }
}

/// What is drawn in a window.
enum WindowContent<'a> {
    /// The timeline and nothing else.
    Timeline(Box<(Timeline, AppState)>, &'a Capture),
    /// All that a window has.
    Whole(Box<App>, eframe::Frame),
}

/// One window without a screen.
struct HeadlessWindow<'a> {
    context: Context,
    content: WindowContent<'a>,
    frame: usize,
}

impl<'a> HeadlessWindow<'a> {
    /// A window of the timeline alone, which shows all of the capture.
    fn new(capture: &'a Capture) -> Self {
        let context = Context::default();
        install(&context);
        Self {
            context,
            content: WindowContent::Timeline(Box::default(), capture),
            frame: 0,
        }
    }

    /// A window with everything in it, once all is concluded.
    fn whole(capture: Capture) -> Self {
        let context = Context::default();
        let mut settings = Settings::default();
        settings.switches.insert(Switch::Path);
        let mut app = App::new(&context, settings, None);
        app.replace(capture);
        let chosen = app.scene().capture.spans().map(|it| it.span.id).last();
        app.act(vec![Action::OpenTab("why"), Action::Select(chosen)], None);
        let mut window = Self {
            context,
            content: WindowContent::Whole(Box::new(app), eframe::Frame::_new_kittest()),
            frame: 0,
        };
        while !window.is_concluded() {
            window.show();
            std::thread::sleep(Duration::from_millis(50));
        }
        window
    }

    fn is_concluded(&self) -> bool {
        let WindowContent::Whole(app, _) = &self.content else {
            return true;
        };
        let scene = app.scene();
        let is_drawn = !scene.path().is_empty() && scene.status.why.table.is_some();
        is_drawn && scene.status.why.progress.is_none()
    }

    fn capture(&self) -> &Capture {
        match &self.content {
            WindowContent::Timeline(_, capture) => capture,
            WindowContent::Whole(app, _) => app.scene().capture,
        }
    }

    /// Shows another stretch of time from the next frame on.
    fn look(&mut self, view: Interval) {
        match &mut self.content {
            WindowContent::Timeline(own, _) => own.1.view.interval = Some(view),
            WindowContent::Whole(app, _) => {
                app.act(vec![Action::Show(Some(view), ViewChange::Pan)], None);
            }
        }
    }

    fn scroll(&mut self, points: f32) {
        match &mut self.content {
            WindowContent::Timeline(own, _) => own.1.view.scroll = points,
            WindowContent::Whole(app, _) => app.act(vec![Action::Scroll(points)], None),
        }
    }

    /// Shows `view` already: how the window got there is no cost of what is done in it.
    fn begin(&mut self, view: Interval) {
        self.look(view);
        // Fonts are read and the first glyphs drawn when the program starts, not in its frames.
        for _ in 0..3 {
            self.show();
        }
    }

    /// Shows one frame; returns what it cost.
    fn show(&mut self) -> Duration {
        self.frame += 1;
        let at = pos2(
            200.0 + (self.frame * 7 % 1300) as f32,
            100.0 + (self.frame * 5 % 850) as f32,
        );
        let input = RawInput {
            screen_rect: Some(Rect::from_min_size(pos2(0.0, 0.0), vec2(1600.0, 1000.0))),
            time: Some(self.frame as f64 / 60.0),
            events: vec![Event::PointerMoved(at)],
            ..RawInput::default()
        };
        let mut actions = Vec::new();
        let start = Instant::now();
        let content = &mut self.content;
        let mut output = self.context.run_ui(input, |ui| match content {
            WindowContent::Timeline(own, capture) => {
                let (timeline, state) = own.as_mut();
                let picture = Picture {
                    capture,
                    state,
                    theme: &DARK,
                    causes: None,
                    path: &[],
                    can_lose: true,
                    pending: None,
                    matches: None,
                };
                timeline.ui(ui, &picture, &mut actions);
            }
            WindowContent::Whole(app, frame) => {
                app.logic(&ui.ctx().clone(), frame);
                app.ui(ui, frame);
            }
        });
        // Nothing draws it.
        output.textures_delta.clear();
        let triangles = self
            .context
            .tessellate(output.shapes, output.pixels_per_point);
        let spent = start.elapsed();
        assert!(
            !triangles.is_empty(),
            "a frame without a triangle measures nothing"
        );
        if let WindowContent::Timeline(own, _) = &mut self.content {
            let mut hovered = actions.into_iter().filter_map(|action| match action {
                Action::Hover(hover) => Some(hover),
                _ => None,
            });
            own.1.hover = hovered.next_back().unwrap_or(Hover::default());
        }
        spent
    }
}

fn whole(capture: &Capture) -> Interval {
    capture.extent().unwrap_or_default()
}

/// The fastest of each frame over all rounds.
fn best(mut round: impl FnMut() -> Vec<Duration>) -> Vec<Duration> {
    let mut best = round();
    for _ in 1..ROUNDS {
        for (best, time) in best.iter_mut().zip(round()) {
            *best = time.min(*best);
        }
    }
    best
}

/// Pans to and fro with so many spans of a lane in view, and scrolls down as it goes.
fn pan(window: &mut HeadlessWindow<'_>, count: u32) -> Vec<Duration> {
    let whole = whole(window.capture());
    let length = i64::from(count) * STEP;
    // As far as the spans go, and where all are in view a little over both edges.
    let room = (whole.length().0 - length).max(0);
    let reach = room.min(length * FRAMES as i64 / 100).max(length / 3);
    let from = whole.start.0 + (room - reach) / 2;
    let first = Interval::new(Nanos(from), Nanos(from + length));
    window.begin(first);
    let mut times = Vec::with_capacity(FRAMES);
    for frame in 0..FRAMES {
        let way = length / 50 * frame as i64 % (2 * reach);
        let start = Nanos(from + way.min(2 * reach - way));
        window.look(Interval::new(start, start + Nanos(length)));
        window.scroll((frame * 40 % 20_000) as f32);
        times.push(window.show());
    }
    times
}

/// Zooms from all of the capture to a few spans and back.
fn dive(window: &mut HeadlessWindow<'_>) -> Vec<Duration> {
    let whole = whole(window.capture());
    window.begin(whole);
    let half = FRAMES / 2;
    let deepest = 20_000.0 / whole.length().0 as f64;
    let mut times = Vec::with_capacity(FRAMES);
    for frame in 0..FRAMES {
        let depth = if frame < half { frame } else { FRAMES - frame };
        let share = deepest.powf(depth as f64 / half as f64);
        let length = (whole.length().0 as f64 * share) as i64;
        let start = Nanos(whole.start.0 + (whole.length().0 - length) / 3);
        window.look(Interval::new(start, start + Nanos(length)));
        times.push(window.show());
    }
    times
}

/// Goes from all of the capture to three spans of a lane somewhere and back, again and again: on the way the window eases.
fn fly(window: &mut HeadlessWindow<'_>) -> Vec<Duration> {
    const STAY: usize = 12;
    let whole = whole(window.capture());
    window.begin(whole);
    let mut seed = 1;
    let mut times = Vec::with_capacity(FRAMES);
    for frame in 0..FRAMES {
        if frame % STAY == 0 {
            let length = 3 * STEP;
            let room = (whole.length().0 - length).max(1) as u64;
            let start = Nanos(whole.start.0 + (random(&mut seed) % room) as i64);
            let is_far = frame / STAY % 2 == 1;
            let near = Interval::new(start, start + Nanos(length));
            window.look(if is_far { whole } else { near });
        }
        times.push(window.show());
    }
    times
}
