//! The selected range as a capture of its own.

use app::action::{Action, Command};
use app::state::{FilePurpose, ThemeChoice};
use egui_kittest::kittest::Queryable as _;
use engine::record::SpanKind;
use engine::time::{Interval, Nanos};

use super::Window;
use super::interaction::until;
use crate::formats::real::open as read;
use crate::house::root;

fn act(window: &mut Window, action: Action) {
    window.harness.state_mut().act(vec![action], None);
    window.harness.run_steps(4);
}

#[test]
fn the_selected_range_is_saved_as_a_capture() {
    let folder = tempfile::tempdir().unwrap();
    let mut window = Window::new([1280.0, 800.0], ThemeChoice::Dark);
    let path = root().join("tests/data/captures/torch-steps.json.gz");
    act(&mut window, Action::OpenFiles(vec![path]));
    until(&mut window, |window| {
        let scene = window.harness.state().scene();
        scene.capture.span_count() > 0
            && scene.status.job.is_none()
            && !scene.status.parts.is_empty()
    });
    let scene = window.harness.state().scene();
    let (all, count) = (scene.capture.extent().unwrap(), scene.capture.span_count());
    let half = Interval::new(all.start + Nanos(all.length().0 / 2), all.end);
    let save = |window: &mut Window, range: Interval, name: &str| {
        act(window, Action::SelectRange(Some(range)));
        let path = folder.path().join(name);
        let pick = Action::PickFiles(FilePurpose::SavePiece, vec![path.clone()]);
        act(window, pick);
        until(window, |window| {
            window.harness.state().scene().status.job.is_none()
        });
        path
    };
    for name in ["piece.pftrace", "piece.json"] {
        let path = save(&mut window, half, name);
        let (piece, _) = read(std::slice::from_ref(&path));
        let whole = piece.spans().filter(|it| it.span.kind != SpanKind::Stub);
        let (mut kept, mut before) = (0, 0);
        for placed in whole {
            kept += 1;
            before += usize::from(placed.span.end < half.start);
        }
        assert!(
            0 < kept && kept < count && before == 0,
            "{kept} of {count}, {before}"
        );
    }
    let nowhere = Interval::new(all.end + Nanos(5_000), all.end + Nanos(9_000));
    let path = save(&mut window, nowhere, "none.pftrace");
    assert!(!path.exists());
    window
        .harness
        .get_by_label_contains("the last before it ends at");
    assert!(Command::ALL.contains(&Command::SavePiece));
}
