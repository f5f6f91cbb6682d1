//! The field beside the minimap that filters lanes by their names, and a line that says how many are not shown.

use eframe::egui::{Align2, Button, FontId, Id, Rect, RichText, TextEdit, Ui, pos2, vec2};

use super::frame::PaintFrame;
use super::frame_inputs::FrameInputs;
use crate::action::{Action, Command};
use crate::text;
use crate::theme::{BODY, GRID, SMALL};

/// The field that filters lanes.
#[derive(Default)]
pub struct LaneFilter {
    focus: bool,
}

impl LaneFilter {
    /// Puts the cursor into the field at the next frame.
    pub fn take_focus(&mut self) {
        self.focus = true;
    }

    /// Shows the field, and how many lanes are not shown.
    pub fn ui(
        &mut self,
        ui: &mut Ui,
        frame: &PaintFrame<'_>,
        inputs: &FrameInputs,
        actions: &mut Vec<Action>,
    ) {
        let areas = frame.areas;
        let place = Rect::from_min_max(areas.whole.left_top(), areas.minimap.left_bottom());
        self.field(ui, frame, (place.shrink2(vec2(6.0, 6.0)), inputs), actions);
        if inputs.hidden > 0 {
            hidden(ui, frame, inputs.hidden, actions);
        }
        if frame.layout.rows.is_empty() && inputs.hidden > 0 {
            let words = "No lane is shown: all are hidden, or none matches the filter";
            ui.painter().text(
                areas.body.center(),
                Align2::CENTER_CENTER,
                words,
                FontId::proportional(BODY),
                frame.picture.theme.weak,
            );
        }
    }

    fn field(
        &mut self,
        ui: &mut Ui,
        frame: &PaintFrame<'_>,
        (place, inputs): (Rect, &FrameInputs),
        actions: &mut Vec<Action>,
    ) {
        if place.width() < 10.0 * GRID {
            return;
        }
        let theme = frame.picture.theme;
        let id = Id::unique("filter lanes");
        let mut text = frame.picture.state.view.filter.clone();
        let mut field = TextEdit::singleline(&mut text)
            .id(id)
            .font(FontId::proportional(SMALL))
            .hint_text("Filter lanes");
        if inputs.is_misspelt {
            field = field.text_color(theme.bad);
        }
        let response = ui.put(place, field);
        ui.ctx()
            .accesskit_node_builder(id, |node| node.set_label("Filter lanes"));
        if std::mem::take(&mut self.focus) {
            response.request_focus();
        }
        if response.changed() {
            actions.push(Action::FilterLanes(text));
        }
        let about = if inputs.is_misspelt {
            "This is no regular expression, so every lane is shown".to_owned()
        } else {
            let key = Command::FilterLanes.key();
            format!("Show only lanes whose names match, as a regular expression ({key})")
        };
        response.on_hover_text(about);
    }
}

/// Says how many lanes are not shown, and shows them again.
fn hidden(ui: &mut Ui, frame: &PaintFrame<'_>, count: usize, actions: &mut Vec<Action>) {
    let names = frame.areas.names;
    let size = vec2(names.width() - 2.0 * GRID, 5.0 * GRID);
    let corner = pos2(names.left() + GRID, names.bottom() - size.y - GRID);
    let words = format!("{} hidden: show", text::count(count as u64));
    let words = RichText::new(words)
        .size(SMALL)
        .color(frame.picture.theme.text);
    let button = ui.put(
        Rect::from_min_size(corner, size),
        Button::new(words).truncate(),
    );
    if button
        .on_hover_text("Show every lane again, and end the filter")
        .clicked()
    {
        actions.push(Command::ShowAllLanes.into());
    }
}
