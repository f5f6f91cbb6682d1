//! What is written on the ruler: no time over another, whatever else stands there.

use app::action::Action;
use app::state::{Playback, ThemeChoice, ViewChange};
use eframe::egui::Rect;
use engine::time::{Interval, Nanos};

use super::Window;

/// The texts on the ruler.
fn written(window: &Window) -> Vec<(String, Rect)> {
    let ruler = window.harness.state().timeline_areas().ruler;
    let all = window.painted().into_iter();
    all.filter(|it| ruler.contains(it.1.center())).collect()
}

fn assert_apart(window: &Window, case: &str) {
    let all = written(window);
    assert!(!all.is_empty(), "{case}");
    for (at, (words, place)) in all.iter().enumerate() {
        for (other, beside) in all.iter().skip(at + 1) {
            let shared = place.intersect(*beside);
            assert!(
                shared.width() <= 0.0 || shared.height() <= 0.0,
                "{case}: “{words}” and “{other}” are written over each other"
            );
        }
    }
}

#[test]
fn no_time_is_written_over_another() {
    let mut window = Window::with_run([1280.0, 800.0], ThemeChoice::Dark, "double-buffer");
    let all = window.harness.state().scene().capture.extent().unwrap();
    let part = |share: i64| Nanos(all.start.0 + all.length().0 * share / 97);
    for step in 0..90_i64 {
        let (from, to) = (part(step % 31), part(step % 31 + 3 + step % 60));
        let range = Interval::new(from, to);
        let app = window.harness.state_mut();
        app.act(vec![Action::SelectRange(Some(range))], None);
        if step % 3 == 1 {
            // From some ten nanoseconds to a good part of all.
            let wide = Nanos(40_i64 << (step % 19));
            let shown = Interval::new(part(step % 20), part(step % 20) + wide);
            app.act(vec![Action::Show(Some(shown), ViewChange::Jump)], None);
        }
        let playback = (step % 4 == 2).then(|| Playback {
            at: part(step),
            ..Playback::new(all)
        });
        app.act(vec![Action::SetPlayback(playback)], None);
        let x = 300.0 + 10.0 * step as f32;
        window.harness.hover_at([x, 300.0].into());
        window.harness.run_steps(3);
        assert_apart(&window, &format!("step {step}, {range:?}, pointer at {x}"));
    }
}
