//! How the answers about causes stand in the window: whole lines, all columns that have room, names that leave room for what is
//! said about them.

use app::action::Action;
use app::state::ThemeChoice;
use eframe::egui::{
    Event, Modifiers, MouseWheelSource, MouseWheelUnit, Rect, Shape, TouchPhase, vec2,
};
use egui_kittest::kittest::Queryable as _;
use engine::record::{SpanId, SpanKind};
use serde_json::{Value, json};

use super::Window;
use super::interaction::until;

/// The name of a kernel, as templates of C++ have it.
fn long_name() -> String {
    format!("void gemm<{}>(float const*)", "Tile<float, 4>, ".repeat(30))
}

/// A call with its number, or an operation of a stream with that of its call; in microseconds.
fn event(cat: &str, name: &str, (place, number): (u64, u64), [start, end]: [u64; 2]) -> Value {
    let is_call = cat == "cuda_runtime";
    let mut arguments = json!({ "correlation": number });
    if !is_call {
        arguments["stream"] = json!(place);
        arguments["device"] = json!(0);
    }
    json!({
        "ph": "X", "cat": cat, "name": name, "pid": if is_call { 77 } else { 0 }, "tid": place, "ts": start,
        "dur": end - start, "args": arguments,
    })
}

/// A file of Kineto's in which stream 7 is busy, waits for a late host, for a blocked one, for another stream and for a start,
/// and for something that is not told.
fn file() -> Value {
    let call = |name, number, at| event("cuda_runtime", name, (4001, number), at);
    let kernel = |name, stream, number, at| event("kernel", name, (stream, number), at);
    let launch = "cudaLaunchKernel";
    let mut of_call = event("cuda_sync", "Stream Sync", (7, 2), [5, 115]);
    of_call["pid"] = json!(0);
    let mut of_wait = event("cuda_sync", "Stream Wait Event", (7, 6), [137, 138]);
    of_wait["args"]["wait_on_stream"] = json!(20);
    of_wait["args"]["wait_on_cuda_event_record_corr_id"] = json!(5);
    json!({ "traceEvents": [
        call(launch, 1, [0, 2]), kernel("A", 7, 1, [10, 110]),
        call("cudaStreamSynchronize", 2, [5, 115]), of_call,
        call(launch, 3, [120, 122]), kernel("B", 7, 3, [125, 200]),
        call(launch, 4, [130, 132]), kernel("scan", 20, 4, [140, 300]),
        call("cudaEventRecord", 5, [135, 136]),
        call("cudaStreamWaitEvent", 6, [137, 138]), of_wait,
        call(launch, 7, [140, 142]), kernel(&long_name(), 7, 7, [302, 350]),
        call(launch, 8, [345, 347]), kernel("final", 7, 8, [600, 650]),
    ] })
}

fn opened(size: [f32; 2]) -> Window {
    opened_file(size, &file())
}

fn opened_file(size: [f32; 2], file: &Value) -> Window {
    let mut window = Window::new(size, ThemeChoice::Dark);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("rows.pt.trace.json");
    std::fs::write(&path, file.to_string()).unwrap();
    let app = window.harness.state_mut();
    app.act(vec![Action::OpenFiles(vec![path])], None);
    until(&mut window, |window| {
        let scene = window.harness.state().scene();
        scene.capture.span_count() > 0 && scene.status.why.conclusions.is_some()
    });
    window.harness.run();
    window
}

fn named(window: &Window, name: &str) -> SpanId {
    let capture = window.harness.state().scene().capture;
    let mut spans = capture.spans();
    let found = spans.find(|it| capture.name(it.span.name) == name);
    found.unwrap().span.id
}

fn texts(shape: &Shape, found: &mut Vec<Vec<String>>) {
    match shape {
        Shape::Vec(all) => all.iter().for_each(|it| texts(it, found)),
        Shape::Text(text) => {
            let rows = text.galley.rows.iter();
            found.push(rows.map(|row| row.text()).collect());
        }
        _ => {}
    }
}

/// However narrow the room, no line of a sentence begins with a space or a comma.
#[test]
fn lines_of_sentences_begin_with_words() {
    let mut seen = 0;
    for width in (900..1500).step_by(60) {
        let window = opened([width as f32, 800.0]);
        let mut found = Vec::new();
        for clipped in &window.harness.output().shapes {
            texts(&clipped.shape, &mut found);
        }
        for rows in found {
            for row in rows.iter().skip(1).filter(|row| !row.is_empty()) {
                seen += 1;
                assert!(
                    !row.starts_with([' ', ',', ';', ':', ')']),
                    "{width}: {rows:?}"
                );
            }
        }
    }
    assert!(seen > 0, "no line was broken");
}

/// The rows of every text that is drawn outside of a timeline, with what they are clipped to.
fn drawn_rows(window: &Window) -> Vec<(Rect, Rect, String)> {
    fn rows(shape: &Shape, clip: Rect, found: &mut Vec<(Rect, Rect, String)>) {
        match shape {
            Shape::Vec(all) => all.iter().for_each(|it| rows(it, clip, found)),
            Shape::Text(text) => {
                let placed = text.galley.rows.iter().map(|row| {
                    let rect = row.rect_without_leading_space();
                    (rect.translate(text.pos.to_vec2()), clip, row.text())
                });
                found.extend(placed.filter(|(_, _, words)| !words.trim().is_empty()));
            }
            _ => {}
        }
    }
    let timeline = window.harness.state().timeline_areas().whole;
    let mut found = Vec::new();
    for clipped in &window.harness.output().shapes {
        if !timeline.contains(clipped.clip_rect.center()) {
            rows(&clipped.shape, clipped.clip_rect, &mut found);
        }
    }
    found
}

/// However narrow the room, no word of a sentence lies over another.
#[test]
fn words_of_sentences_lie_beside_each_other() {
    let mut seen = 0;
    for width in (800..1500).step_by(20) {
        let mut window = opened([width as f32, 500.0 + (width % 300) as f32]);
        let kernels: Vec<SpanId> = {
            let capture = window.harness.state().scene().capture;
            let kernels = capture
                .spans()
                .filter(|it| it.span.kind == SpanKind::Kernel);
            kernels.map(|it| it.span.id).take(6).collect()
        };
        for kernel in kernels {
            let select = vec![Action::Select(Some(kernel))];
            window.harness.state_mut().act(select, None);
            window.harness.run();
            let found = drawn_rows(&window);
            for (at, (rect, clip, words)) in found.iter().enumerate() {
                let others = found.iter().skip(at + 1).filter(|it| it.1 == *clip);
                for (other, _, next) in others {
                    seen += 1;
                    let shared = rect.intersect(*other);
                    let is_over = shared.width() > 2.0 && shared.height() > 4.0;
                    assert!(!is_over, "{width}: “{words}” and “{next}”");
                }
            }
        }
    }
    assert!(seen > 0, "nothing was said");
}

#[test]
fn in_a_window_of_1280_points_every_use_of_idle_time_has_its_column() {
    let mut window = opened([1280.0, 800.0]);
    let app = window.harness.state_mut();
    app.act(vec![Action::OpenTab("why")], None);
    window.harness.run();
    for title in [
        "busy",
        "host late",
        "host blocked",
        "dependency",
        "latency",
        "unknown",
    ] {
        assert!(
            window.harness.query_by_label(title).is_some(),
            "{title} has no column"
        );
    }
}

#[test]
fn what_took_longest_on_the_path_comes_first() {
    let mut window = opened([1280.0, 800.0]);
    let app = window.harness.state_mut();
    app.act(vec![Action::OpenTab("why")], None);
    window.harness.run();
    window.harness.get_by_label("Operations on it").click();
    window.harness.run();
    let top = |name: &str| {
        let mut all = window.harness.query_all_by_label_contains(name);
        all.next().map(|it| it.rect().top())
    };
    // Of what is on the path scan ran for 160 µs and final for 50.
    let (first, last) = (top("scan").unwrap(), top("final").unwrap());
    assert!(first < last, "{first} and {last}");
}

#[test]
fn a_name_of_pages_is_whole_and_leaves_room_for_the_reason() {
    let mut window = opened([1280.0, 800.0]);
    let name = long_name();
    let span = named(&window, &name);
    let app = window.harness.state_mut();
    app.act(vec![Action::Select(Some(span))], None);
    window.harness.run();
    assert!(window.harness.query_by_label(&name).is_some());
    let said = window.harness.get_by_label("It was queued for ").rect();
    assert!(said.bottom() < 520.0, "{said:?}");
}

/// What is in a panel is as wide as the panel, whatever it says: the timeline keeps its place.
#[test]
fn no_panel_grows_with_a_long_name() {
    let word = "gemm_".repeat(60);
    let mut all = Vec::new();
    for place in 0..3_u64 {
        let at = place * 100;
        all.push(event(
            "cuda_runtime",
            &format!("{word}call"),
            (4001, place),
            [at, at + 2],
        ));
        all.push(event(
            "kernel",
            &format!("{word}{place}"),
            (7, place),
            [at + 5, at + 90],
        ));
    }
    let mut window = opened_file([1280.0, 800.0], &json!({ "traceEvents": all }));
    let body = |window: &Window| window.harness.state().timeline_areas().body;
    let before = body(&window);
    for tab in ["why", "findings", "overview", "statistics"] {
        let span = named(&window, &format!("{word}2"));
        let app = window.harness.state_mut();
        app.act(vec![Action::OpenTab(tab), Action::Select(Some(span))], None);
        for _ in 0..3 {
            window.harness.run();
        }
        assert_eq!(body(&window), before, "{tab}");
        // Nor is a line of the inspector cut at its beginning.
        for clipped in &window.harness.output().shapes {
            if let Shape::Text(text) = &clipped.shape
                && text.pos.x > before.right()
            {
                let rows = text.galley.rows.iter();
                let left = rows.map(|it| text.pos.x + it.pos.x);
                let left = left.fold(f32::INFINITY, f32::min);
                assert!(
                    left >= clipped.clip_rect.left() - 1.0,
                    "{:?}",
                    text.galley.text()
                );
            }
        }
    }
}

#[test]
fn host_threads_have_heads_of_their_own() {
    let mut window = opened([1280.0, 800.0]);
    let app = window.harness.state_mut();
    app.act(vec![Action::OpenTab("why")], None);
    window.harness.run();
    window.harness.get_by_label("Host threads").click();
    window.harness.run();
    let is_shown = |words: &str| window.harness.query_by_label(words).is_some();
    assert!(is_shown("in calls") && is_shown("in no call") && is_shown("blocked"));
    assert!(!is_shown("busy") && !is_shown("dependency") && !is_shown("host late"));
}

/// Thirty kernels are submitted at once to one stream: the last waited for all others, one after the other, and each of them
/// takes a start and a run.
#[test]
fn all_steps_of_a_long_way_back_can_be_seen() {
    let mut all = Vec::new();
    for place in 0..30_u64 {
        let (call, ran) = (place * 3, 200 + place * 50);
        all.push(event(
            "cuda_runtime",
            "cudaLaunchKernel",
            (4001, place),
            [call, call + 2],
        ));
        let name = format!("k{place}");
        all.push(event("kernel", &name, (7, place), [ran, ran + 45]));
    }
    let mut window = opened_file([1280.0, 800.0], &json!({ "traceEvents": all }));
    let span = named(&window, "k29");
    let app = window.harness.state_mut();
    app.act(vec![Action::Select(Some(span))], None);
    window.harness.run();
    // From the submission on: half of the first start, and a start and a run of each until its own start.
    let steps = window
        .harness
        .state()
        .scene()
        .reader()
        .unwrap()
        .chain(span)
        .len();
    assert!(steps > 50, "{steps}");
    let words = format!("Show {} more", steps - 12);
    window.harness.get_by_label(&words).click();
    window.harness.run();
    assert!(window.harness.query_by_label("Only the last 12").is_some());
    // The list turns to its end, where the first of them is.
    let first = |window: &Window| window.harness.query_all_by_label("◀ k0").count();
    assert_eq!(first(&window), 0);
    let list = window.harness.get_all_by_label_contains("◀ latency").next();
    let over = list.unwrap().rect().center();
    window.harness.event(Event::PointerMoved(over));
    window.harness.run();
    let turn = Event::MouseWheel {
        unit: MouseWheelUnit::Point,
        delta: vec2(0.0, -100_000.0),
        modifiers: Modifiers::NONE,
        phase: TouchPhase::Move,
        source: MouseWheelSource::Wheel,
    };
    window.harness.event(turn);
    // It glides there.
    window.harness.run_steps(40);
    assert!(first(&window) > 0, "the first step is not to be seen");
}
