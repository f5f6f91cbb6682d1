//! What an operation of a paced device spent its time on.

use eframe::egui::Ui;
use engine::analysis::pace::PacedShare;
use engine::capture::PlacedSpan;
use engine::time::Nanos;

use crate::panel::Scene;
use crate::panel::widgets::{field, hint, section};
use crate::text;

/// Which engine it ran on, how long it waited for that, what it worked, and what the pace held.
pub fn show(ui: &mut Ui, scene: &Scene<'_>, placed: &PlacedSpan) {
    let Some(share) = PacedShare::of(scene.capture, placed) else {
        return;
    };
    section(ui, scene.theme, "Pace");
    if !share.engine.is_empty() {
        field(ui, scene.theme, "engine", &share.engine);
    }
    if share.waited > Nanos::ZERO {
        let waited = text::duration(share.waited);
        field(ui, scene.theme, "waited for it", &waited);
    }
    let Some(ran) = share.ran else {
        return hint(ui, scene.theme, "It never had its engine");
    };
    let whole = placed.interval().length().0.max(1) as f64;
    let part = |time: Nanos| {
        let share = text::percent(time.0 as f64 / whole);
        format!("{} · {share}", text::duration(time))
    };
    field(ui, scene.theme, "worked", &part(ran.worked));
    field(ui, scene.theme, "held by the pace", &part(ran.held));
    field(ui, scene.theme, "late", &text::duration(ran.late));
}
