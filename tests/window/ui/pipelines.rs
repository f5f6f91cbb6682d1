//! Pipelines, promises and losses: what clicks and keys lead to.

use app::action::{Action, Command};
use app::state::{ThemeChoice, Topic};
use eframe::egui::accesskit::Role;
use egui_kittest::kittest::{Queryable as _, by};
use engine::record::{PipelineId, PipelineState, PromiseId, SpanId, SpanKind};

use super::{Window, pipeline_load};

/// The middle of a row is on no line between two columns, which is dragged.
const SIZE: [f32; 2] = [1360.0, 800.0];

fn window(count: u32) -> Window {
    let mut window = Window::new(SIZE, ThemeChoice::Dark);
    window.answer(pipeline_load::records(count));
    window
}

fn act(window: &mut Window, actions: Vec<Action>) {
    window.harness.state_mut().act(actions, None);
    window.harness.run();
}

fn kind(window: &Window, span: SpanId) -> SpanKind {
    let scene = window.harness.state().scene();
    scene.capture.span(span).unwrap().span.kind
}

fn chosen(window: &Window) -> SpanId {
    window.harness.state().scene().state.selection.span.unwrap()
}

fn type_into(window: &mut Window, field: &str, text: &str) {
    window.harness.get_by_label(field).focus();
    window.harness.run();
    window.harness.get_by_label(field).type_text(text);
    window.harness.run();
}

#[test]
fn a_click_on_a_pipeline_selects_its_compilation() {
    let mut window = window(12);
    act(&mut window, vec![Action::OpenTab("pipelines")]);
    window
        .harness
        .get_by_label_contains("blend 5 · compute")
        .click();
    window.harness.run();
    assert_eq!(kind(&window, chosen(&window)), SpanKind::Compile);
    let scene = window.harness.state().scene();
    assert_eq!(
        scene.state.selection.topic,
        Some(Topic::Pipeline(PipelineId(5)))
    );
    window
        .harness
        .get_by_label_contains("compute pipeline of generation 1");
}

#[test]
fn states_and_words_filter_the_pipelines() {
    let mut window = window(12);
    act(&mut window, vec![Action::OpenTab("pipelines")]);
    // The timeline has items of the same names for those who hear it.
    let rows = |window: &Window, words: &str| {
        let all = by().role(Role::Button).label_contains(words);
        window.harness.query_all(all).count()
    };
    assert!(rows(&window, "blend 3 · compute") > 0);
    window.harness.get_by_label_contains("failed 1").click();
    window.harness.run();
    assert_eq!(rows(&window, "blend 3 · compute"), 0);
    type_into(&mut window, "Filter pipelines", "cache hit");
    assert_eq!(rows(&window, "blend 0 · compute"), 0);
    type_into(&mut window, "Filter pipelines", " nobody");
    assert_eq!(rows(&window, "blend"), 0);
}

#[test]
fn a_title_sorts_and_sorts_the_other_way_round() {
    let mut window = window(12);
    act(&mut window, vec![Action::OpenTab("pipelines")]);
    let top = |window: &Window, name: &str| {
        let found = window.harness.get_by_label_contains(name);
        found.rect().top()
    };
    {
        window.harness.get_by_label("requested").click();
        window.harness.run();
    }
    assert!(top(&window, "blend 11 · ") < top(&window, "blend 10 · "));
}

#[test]
fn keys_walk_a_chain_from_the_call_to_the_settled_promise_and_back() {
    let mut window = window(12);
    let call = window.harness.state().scene().capture.pipelines()[4]
        .pipeline
        .call;
    act(&mut window, vec![Action::Select(Some(call))]);
    let mut kinds = vec![kind(&window, call)];
    for _ in 0..4 {
        act(&mut window, vec![Command::Effect.into()]);
        kinds.push(kind(&window, chosen(&window)));
    }
    let expected = [
        SpanKind::Call,
        SpanKind::Step,
        SpanKind::Compile,
        SpanKind::Step,
        SpanKind::Step,
    ];
    assert_eq!(kinds, expected);
    let settled = window.harness.state().scene().capture.promises()[4]
        .settlement
        .clone();
    assert_eq!(chosen(&window), settled.unwrap().span);
    for _ in 0..4 {
        act(&mut window, vec![Command::Cause.into()]);
    }
    assert_eq!(chosen(&window), call);
}

#[test]
fn a_promise_says_what_it_came_to_and_what_happened_here() {
    let mut window = window(12);
    act(&mut window, vec![Action::OpenTab("promises")]);
    type_into(&mut window, "Filter promises", "mapasync");
    window
        .harness
        .get_by_label_contains("mapAsync · result")
        .click();
    window.harness.run();
    let scene = window.harness.state().scene();
    assert_eq!(
        scene.state.selection.topic,
        Some(Topic::Promise(PromiseId(12)))
    );
    window.harness.get_by_label("rejected with AbortError");
    window.harness.get_by_label("#dom-gpubuffer-mapasync");
    let told = window
        .harness
        .query_all_by_label_contains("when the queue is dropped")
        .count();
    assert!(told > 0);
}

#[test]
fn a_loss_lists_everything_that_was_pending() {
    let mut window = window(24);
    act(&mut window, vec![Action::SelectTopic(Topic::Loss(0))]);
    window.harness.get_by_label("Device lost");
    window.harness.get_by_label_contains("1 OPERATION");
    window.harness.get_by_label_contains("result mapAsync");
    window.harness.get_by_label_contains("scope popErrorScope");
    let scene = window.harness.state().scene();
    let lost = scene.capture.pipelines().iter();
    let lost = lost
        .filter(|stages| stages.state() == PipelineState::Lost)
        .count();
    assert!(lost > 0);
    window
        .harness
        .get_by_label_contains(&format!("{lost} PIPELINE"));
}

#[test]
fn a_lost_operation_says_what_became_of_it() {
    let mut window = window(12);
    let lost = window.harness.state().scene().capture.spans();
    let lost = lost
        .into_iter()
        .find(|placed| placed.span.state == engine::record::State::Lost);
    let lost = lost.unwrap().span.id;
    act(&mut window, vec![Action::Select(Some(lost))]);
    window.harness.get_by_label_contains("It had run for");
}

#[test]
fn hundreds_of_pipelines_draw_only_the_rows_in_view() {
    let mut window = window(800);
    act(&mut window, vec![Action::OpenTab("pipelines")]);
    let drawn = window
        .harness
        .query_all_by_label_contains("· compute")
        .count();
    assert!((1..60).contains(&drawn), "{drawn} rows");
}
