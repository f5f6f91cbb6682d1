//! Ranges of the host in the inspector: those that an operation was launched in, and what a range launched.

use eframe::egui::Ui;
use engine::analysis::{HostLevel, ranges_around_launch};
use engine::record::SpanId;

use super::name_of;
use super::span::end;
use crate::action::Action;
use crate::panel::Scene;
use crate::panel::widgets::{field, hint, section};
use crate::text;

/// Ranges that are listed; the innermost of more.
const LISTED: usize = 12;

/// The ranges that an operation was launched in, kept while it is selected.
#[derive(Default)]
pub struct OriginRanges {
    /// Which span of which capture in which state they are of.
    of: Option<(u64, u64, SpanId)>,
    ranges: Vec<(SpanId, HostLevel)>,
}

/// Lists them, the outermost first, and says what a range launched where that is drawn beneath streams.
pub fn show(
    ui: &mut Ui,
    scene: &Scene<'_>,
    (span, origin): (SpanId, &mut OriginRanges),
    actions: &mut Vec<Action>,
) {
    let capture = scene.capture;
    let key = (capture.instance(), capture.revision(), span);
    if origin.of != Some(key) {
        origin.of = Some(key);
        origin.ranges = ranges_around_launch(capture, span);
    }
    if !origin.ranges.is_empty() {
        section(ui, scene.theme, "Launched within");
        let more = origin.ranges.len().saturating_sub(LISTED);
        if more > 0 {
            let words = format!("{} around these", text::counted(more as u64, "range"));
            hint(ui, scene.theme, &words);
        }
        for (range, level) in origin.ranges.iter().skip(more) {
            let words = name_of(capture, *range);
            let went = vec![Action::Reveal(*range)];
            let note = level.label();
            end(ui, scene, (&words, scene.theme.accent), note, went, actions);
        }
    }
    for (lane, range) in scene.state.projected.of_range(span) {
        section(ui, scene.theme, "Launched");
        let device = capture.devices().get(lane.device.index());
        if let Some(device) = device.filter(|_| capture.devices().len() > 1) {
            field(ui, scene.theme, "on", device.short_name());
        }
        let whole = range.whole();
        let linked = range.linked().map_or(0, |it| it.operations);
        field(
            ui,
            scene.theme,
            "operations",
            &text::count(whole.operations),
        );
        if linked > 0 {
            field(ui, scene.theme, "of them linked", &text::count(linked));
        }
        field(ui, scene.theme, "from", &whole.interval.start.to_string());
        field(ui, scene.theme, "to", &whole.interval.end.to_string());
        field(ui, scene.theme, "busy", &whole.busy.to_string());
        field(ui, scene.theme, "share", &text::percent(whole.share()));
    }
}
