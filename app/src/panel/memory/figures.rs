//! How much there was, when, and what of it does not hold as it looks.

use eframe::egui::{RichText, Ui};
use engine::analysis::memory::MemoryBasis;
use engine::record::SpanId;
use engine::time::Nanos;

use super::loader::{MemoryAnswer, MemoryMomentChoice};
use crate::action::Action;
use crate::panel::Scene;
use crate::text;

/// Says how much there was, and when.
pub fn show(ui: &mut Ui, scene: &Scene<'_>, answer: &MemoryAnswer, actions: &mut Vec<Action>) {
    let bytes = |bytes: i64| text::amount(bytes as f64, "bytes");
    ui.horizontal_wrapped(|ui| {
        if let Some(at) = answer.at {
            let mut words = vec![format!("{} allocated", bytes(answer.allocated))];
            if let Some(reserved) = answer.reserved.filter(|it| *it > 0) {
                words.push(format!("{} reserved", bytes(reserved)));
            }
            let alive = text::counted(answer.alive, "allocation");
            words.push(format!("{alive} known"));
            ui.label(words.join(" · "));
            go_to(ui, scene, (at, answer.event), actions);
        } else if !answer.has_no_blocks {
            let words = [
                text::counted(answer.alive, "allocation"),
                format!("{} in all", bytes(answer.allocated)),
            ];
            ui.label(words.join(" · "));
        }
        for remark in answer.remarks() {
            ui.label(RichText::new(format!("! {remark}")).color(scene.theme.warning));
        }
    });
}

/// The moment, which the timeline goes to when it is pressed.
fn go_to(
    ui: &mut Ui,
    scene: &Scene<'_>,
    (at, event): (Nanos, Option<SpanId>),
    actions: &mut Vec<Action>,
) {
    let words = format!("at {}", text::instant(at));
    let Some(event) = event else {
        ui.label(words);
        return;
    };
    let link = ui.link(RichText::new(words).color(scene.theme.accent));
    let help = "Go to what the allocator did last before, on the timeline";
    if link.on_hover_text(help).clicked() {
        actions.push(Action::Reveal(event));
    }
}

/// Why there are no rows.
pub fn nothing(answer: &MemoryAnswer, moment: MemoryMomentChoice) -> &'static str {
    if answer.has_no_blocks {
        return "This capture has no addresses of what was allocated, so that what was alive is not known; the counters on the \
                timeline show how much it was";
    }
    match moment {
        MemoryMomentChoice::Kept => {
            "Nothing was kept beyond the step in which it was allocated, and all was freed"
        }
        _ => "Nothing that this capture knows of was alive then",
    }
}

impl MemoryAnswer {
    /// What of it does not hold as it looks.
    fn remarks(&self) -> Vec<String> {
        let mut remarks = Vec::new();
        if self.basis == Some(MemoryBasis::SinceStart) {
            remarks.push("bytes count from zero at the start: the file has no totals".to_owned());
        }
        if self.missing_frees > 0 {
            let blocks = text::counted(self.missing_frees, "free");
            remarks.push(format!("{blocks} not told"));
        }
        remarks
    }
}
