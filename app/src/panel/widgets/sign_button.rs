//! Buttons that bear a sign: what they do is told to the pointer, and to a screen reader, in words.

use eframe::egui::{Button, Response, Role, Ui, WidgetInfo};

/// A button that bears a sign and does what `words` say; `key` does the same, where there is one.
pub fn sign_button(ui: &mut Ui, button: Button<'_>, words: &str, key: &str) -> Response {
    let response = ui.add(button);
    response.widget_info(|| WidgetInfo::labeled(Role::Button, ui.is_enabled(), words));
    response.on_hover_text(if key.is_empty() {
        words.to_owned()
    } else {
        format!("{words} ({key})")
    })
}
