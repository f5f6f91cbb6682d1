//! The inspector of a promise: what it came to and why, by the specification and in fact.

use std::collections::BTreeSet;

use eframe::egui::{RichText, Ui};
use engine::analysis::Chain;
use engine::capture::PromiseState;
use engine::record::{PromiseId, PromiseOutcome, SpanId};

use super::title;
use crate::action::Action;
use crate::panel::Scene;
use crate::panel::widgets::{Sign, card, field, hint, link, section};
use crate::state::Topic;
use crate::text;
use crate::theme::GRID;

/// Promises of one chain that are told in full; the rest is counted.
const TOLD: usize = 6;

/// Where the specification is to be read.
const SPECIFICATION: &str = "https://gpuweb.github.io/gpuweb/";

/// The promise alone.
pub fn show(ui: &mut Ui, scene: &Scene<'_>, id: PromiseId, actions: &mut Vec<Action>) {
    let Some(pledge) = scene.capture.promises().get(id.index()) else {
        hint(ui, scene.theme, "This promise has not arrived yet");
        return;
    };
    let promise = &pledge.promise;
    let detail = format!(
        "promise of generation {} · {}",
        promise.generation, promise.name
    );
    title(ui, scene, &promise.api, &detail);
    body(ui, scene, pledge, actions);
}

/// The promises of the chain that `span` is a step of, under a span's own fields.
pub fn parts(ui: &mut Ui, scene: &Scene<'_>, span: SpanId, actions: &mut Vec<Action>) {
    if scene.capture.promises().is_empty() {
        return;
    }
    let chain: BTreeSet<SpanId> = Chain::of(scene.capture, span).spans(span).collect();
    let of_chain = |pledge: &&PromiseState| {
        let settled = pledge.settlement.as_ref().map(|settlement| settlement.span);
        chain.contains(&pledge.promise.call) || settled.is_some_and(|span| chain.contains(&span))
    };
    let mut found = scene.capture.promises().iter().filter(of_chain).peekable();
    if found.peek().is_none() {
        return;
    }
    section(ui, scene.theme, "Its outcome");
    for pledge in found.by_ref().take(TOLD) {
        let promise = &pledge.promise;
        let name = format!("{} · {}", promise.api, promise.name);
        if link(ui, &name, scene.theme.accent).clicked() {
            actions.push(Action::SelectTopic(Topic::Promise(promise.id)));
        }
        body(ui, scene, pledge, actions);
        ui.add_space(2.0 * GRID);
    }
    let rest = found.count();
    if rest > 0 {
        let words = format!(
            "and {} more: they are in the Promises below",
            text::count(rest as u64)
        );
        hint(ui, scene.theme, &words);
    }
}

fn body(ui: &mut Ui, scene: &Scene<'_>, pledge: &PromiseState, actions: &mut Vec<Action>) {
    let theme = scene.theme;
    let settlement = pledge.settlement.as_ref();
    let (sign, colour) = Sign::of_verdict(settlement.map(|settlement| settlement.verdict), theme);
    ui.horizontal(|ui| {
        sign.ui(ui, colour);
        ui.label(RichText::new(outcome(pledge)).color(colour).strong());
    });
    let asked = scene.capture.span(pledge.promise.call);
    if let Some(placed) = &asked {
        field(ui, theme, "asked", &placed.span.start.to_string());
        if link(ui, "◀ the call", theme.cause).clicked() {
            actions.push(Action::Reveal(placed.span.id));
        }
    }
    let Some(settlement) = settlement else {
        hint(ui, theme, "It is pending");
        return;
    };
    field(ui, theme, "ended", &settlement.time.to_string());
    if let Some(placed) = asked {
        field(
            ui,
            theme,
            "took",
            &text::duration(settlement.time - placed.span.start),
        );
    }
    if settlement.span.is_some()
        && link(ui, "▶ the step that resolved or rejected it", theme.effect).clicked()
    {
        actions.push(Action::Reveal(settlement.span));
    }
    reasons(ui, scene, settlement);
}

/// The rule and where it stands; beside it, what the implementation below did in this run.
fn reasons(ui: &mut Ui, scene: &Scene<'_>, settlement: &PromiseOutcome) {
    let theme = scene.theme;
    let observed = &settlement.observed;
    if settlement.reason.is_empty() && settlement.anchor.is_empty() && observed.text().is_empty() {
        return;
    }
    ui.add_space(GRID);
    card(ui, theme.hovered, |ui| {
        ui.set_width(ui.available_width());
        if !settlement.reason.is_empty() {
            ui.label(&settlement.reason);
        }
        if !settlement.anchor.is_empty() {
            match place(&settlement.anchor) {
                Some((words, address)) => {
                    ui.hyperlink_to(RichText::new(words).small(), address)
                        .on_hover_text("Where the specification says so");
                }
                // What a file says is a text and leads nowhere.
                None => {
                    ui.label(RichText::new(&settlement.anchor).small());
                }
            }
        }
        if !observed.text().is_empty() {
            ui.add_space(GRID);
            ui.label(RichText::new("here").small().color(theme.weak));
            let colour = match observed.agrees() {
                Some(false) => theme.warning,
                Some(true) => theme.text,
                None => theme.weak,
            };
            ui.label(RichText::new(observed.text()).color(colour));
        }
    });
}

/// A place in the specification: its anchor alone, and its whole address. Nothing where it is elsewhere.
fn place(anchor: &str) -> Option<(&str, String)> {
    let anchor = anchor.strip_prefix(SPECIFICATION).unwrap_or(anchor);
    let name = anchor.strip_prefix('#')?;
    let is_name = |c: char| c.is_ascii_alphanumeric() || "-_.~%()".contains(c);
    name.chars()
        .all(is_name)
        .then(|| (anchor, format!("{SPECIFICATION}{anchor}")))
}

/// How it ended, in a few words.
pub fn outcome(pledge: &PromiseState) -> String {
    match &pledge.settlement {
        None => String::from("pending"),
        Some(settlement) if settlement.value.is_empty() => settlement.verdict.label().to_owned(),
        Some(settlement) => format!("{} with {}", settlement.verdict.label(), settlement.value),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_anchor_leads_to_the_specification_whether_it_is_whole_or_not() {
        let whole = format!("{SPECIFICATION}#lose-the-device");
        let found = Some(("#lose-the-device", whole.clone()));
        assert_eq!(place("#lose-the-device"), found);
        assert_eq!(place(&whole), found);
    }

    #[test]
    fn an_anchor_that_a_file_made_up_leads_nowhere() {
        for odd in [
            "file:///etc/passwd#x",
            "https://example.org/#lose-the-device",
            "smb://host/share",
            "lose-the-device",
            "#a\nb",
            "",
        ] {
            assert_eq!(place(odd), None, "{odd}");
        }
    }
}
