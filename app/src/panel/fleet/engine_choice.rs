//! Which engine answers: those that are installed, how to get the others, and the address of a cluster.

use eframe::egui::{
    Button, ComboBox, Key, Label, PopupCloseBehavior, RichText, TextEdit, TextWrapMode, Ui,
};
use engine::fleet::{FleetEngine, FoundEngine, choose_engine};

use crate::action::{Action, FleetAction};
use crate::panel::Scene;

/// Width of the field for the address of a cluster, in points.
const ADDRESS: f32 = 240.0;

/// The engine that is asked: the one that was chosen, where it is installed, or else the quickest.
pub fn engine_to_ask(found: &[FoundEngine], chosen: &str) -> FleetEngine {
    let chosen: Option<FleetEngine> = chosen.parse().ok();
    let is_ready = |engine: &FleetEngine| {
        let mut own = found
            .iter()
            .filter(|it| it.engine.label() == engine.label());
        own.any(FoundEngine::is_ready)
    };
    chosen
        .filter(is_ready)
        .unwrap_or_else(|| choose_engine(found))
}

/// The choice of an engine, and the address that is being typed.
#[derive(Default)]
pub struct EngineChoice {
    address: String,
    /// Why what was typed is no address.
    refusal: Option<String>,
}

impl EngineChoice {
    /// Shows the engine that is asked, with the others to choose from.
    pub fn ui(&mut self, ui: &mut Ui, scene: &Scene<'_>, actions: &mut Vec<Action>) {
        let found = &scene.status.fleet.engines;
        if found.is_empty() {
            return;
        }
        let asked = engine_to_ask(found, &scene.state.settings.fleet_engine);
        let own = found.iter().find(|it| it.engine.label() == asked.label());
        let shown = own.map_or_else(|| asked.title().to_owned(), |it| named(it, &asked));
        let combo = ComboBox::from_id_salt("fleet engine")
            .selected_text(shown)
            .width(130.0)
            .close_behavior(PopupCloseBehavior::CloseOnClickOutside);
        let response = combo.show_ui(ui, |ui| {
            for it in found.iter().filter(|it| it.is_ready()) {
                let is_asked = it.engine == asked;
                if ui
                    .selectable_label(is_asked, named(it, &it.engine))
                    .clicked()
                {
                    actions.push(Action::Fleet(FleetAction::ChooseEngine(it.engine.clone())));
                    ui.close();
                }
            }
            for it in found {
                if let Some(needs) = it.needs() {
                    let words = format!("{}: {needs}", it.engine.title());
                    let row = Button::selectable(false, words).wrap_mode(TextWrapMode::Extend);
                    ui.add_enabled(false, row);
                }
            }
            if found
                .iter()
                .any(|it| it.is_ready() && it.engine.address_help().is_some())
            {
                ui.separator();
                self.cluster(ui, scene, actions);
            }
        });
        response
            .response
            .on_hover_text("What answers questions to the dataset");
    }

    /// A field for the address of a cluster, as the command line takes it.
    fn cluster(&mut self, ui: &mut Ui, scene: &Scene<'_>, actions: &mut Vec<Action>) {
        let label = ui.label(RichText::new("A cluster, by its address").color(scene.theme.weak));
        if let Some(refusal) = &self.refusal {
            ui.scope(|ui| {
                ui.set_max_width(ADDRESS + 80.0);
                let words = RichText::new(refusal).color(scene.theme.bad);
                ui.add(Label::new(words).wrap());
            });
        }
        let ready = scene.status.fleet.engines.iter().filter(|it| it.is_ready());
        let forms: Vec<&str> = ready.filter_map(|it| it.engine.address_help()).collect();
        let is_sent = ui
            .horizontal(|ui| {
                let field = TextEdit::singleline(&mut self.address)
                    .hint_text(forms.join(" or "))
                    .desired_width(ADDRESS);
                let field = ui.add(field).labelled_by(label.id);
                let is_entered = field.lost_focus() && ui.input(|it| it.key_pressed(Key::Enter));
                if field.changed() {
                    self.refusal = None;
                }
                ui.button("Ask it").clicked() || is_entered
            })
            .inner;
        if is_sent {
            match self.address.trim().parse::<FleetEngine>() {
                Ok(engine) => {
                    actions.push(Action::Fleet(FleetAction::ChooseEngine(engine)));
                    ui.close();
                }
                Err(error) => self.refusal = Some(error.to_string()),
            }
        }
    }
}

/// An engine with its version and the address at which it is asked.
fn named(found: &FoundEngine, asked: &FleetEngine) -> String {
    let version = found.version.as_deref().unwrap_or_default();
    let at = asked.address().map(|it| format!(" at {it}"));
    format!(
        "{} {version}{}",
        found.engine.title(),
        at.unwrap_or_default()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_chosen_engine_is_asked_where_it_is_installed() {
        let found = |engine: FleetEngine, is_there: bool| FoundEngine {
            engine,
            version: is_there.then(|| "1".to_owned()),
            lacks: None,
        };
        let none = [
            found(FleetEngine::Sqlite, true),
            found(FleetEngine::DuckDb, false),
        ];
        assert_eq!(engine_to_ask(&none, ""), FleetEngine::Sqlite);
        assert_eq!(engine_to_ask(&none, "duckdb"), FleetEngine::Sqlite);
        let some = [
            found(FleetEngine::Sqlite, true),
            found(FleetEngine::DuckDb, true),
            found(FleetEngine::Spark(None), true),
        ];
        assert_eq!(engine_to_ask(&some, ""), FleetEngine::DuckDb);
        assert_eq!(engine_to_ask(&some, "sqlite"), FleetEngine::Sqlite);
        let spark = FleetEngine::Spark(Some("local[2]".to_owned()));
        assert_eq!(engine_to_ask(&some, "spark=local[2]"), spark);
        assert_eq!(engine_to_ask(&some, "what"), FleetEngine::DuckDb);
    }
}
