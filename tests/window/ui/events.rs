//! The tab of events: how each stands, and its records with what waited for them.

use app::action::Action;
use app::state::ThemeChoice;
use egui_kittest::kittest::Queryable as _;
use engine::analysis::event_histories;
use engine::record::SpanId;

use super::Window;

/// The size of the window, in points.
const SIZE: [f32; 2] = [1280.0, 800.0];

#[test]
fn an_event_is_chosen_and_leads_to_its_records_and_their_waits() {
    let mut window = Window::with_run(SIZE, ThemeChoice::Dark, "double-buffer");
    window
        .harness
        .state_mut()
        .act(vec![Action::OpenTab("events")], None);
    window.harness.run();
    let capture = window.harness.state().scene().capture;
    let histories = event_histories(capture);
    let at = histories.iter().position(|it| {
        let first = it.generations.first();
        first.is_some_and(|made| !made.uses.is_empty())
    });
    let history = &histories[at.unwrap()];
    let name = capture
        .name(capture.events()[history.event.index()].name)
        .to_owned();
    let made = &history.generations[0];
    let (record, used) = (made.record, made.uses[0]);
    let line = |span: SpanId, words: &str| {
        let placed = capture.span(span).unwrap().span;
        format!(
            "{words} on {} at {}",
            capture.lane_title(placed.lane),
            app::text::duration(placed.end)
        )
    };
    let used_name = capture
        .name(capture.span(used).unwrap().span.name)
        .to_owned();
    let lines = [
        (record, line(record, "1 recorded")),
        (used, line(used, &used_name)),
    ];
    let row = format!("{name} · ");
    window.harness.get_by_label_contains(&row).click();
    window.harness.run();
    for (span, words) in lines {
        window.harness.get_by_value(&words).click();
        window.harness.run();
        let selected = window.harness.state().scene().state.selection.span;
        assert_eq!(selected, Some(span), "{words}");
    }
}
