//! The themes as styles of egui.

use eframe::egui::{
    Color32, Context, CornerRadius, FontDefinitions, FontFamily, FontId, Margin, Shadow, Stroke,
    Style, TextStyle, Vec2, Visuals,
    style::{HandleShape, Selection, WidgetVisuals, Widgets},
};

use super::missing_glyph;
use super::{BODY, DARK, GRID, HEADING, LIGHT, MONO, SMALL, Theme};

/// The font for digits that stand under digits.
pub fn mono() -> FontId {
    FontId::monospace(MONO)
}

/// The font for what matters less.
pub fn small() -> FontId {
    FontId::proportional(SMALL)
}

/// Gives `ctx` both themes; which one shows is chosen with `Context::set_theme`.
pub fn install(ctx: &Context) {
    // The table of commands has these keys.
    ctx.options_mut(|options| options.zoom_with_keyboard = false);
    ctx.set_fonts(fonts());
    ctx.add_glyph_rasterizer(missing_glyph::rasterizer());
    for (theme, which) in [
        (&DARK, eframe::egui::Theme::Dark),
        (&LIGHT, eframe::egui::Theme::Light),
    ] {
        ctx.style_mut_of(which, |style| set(style, theme));
    }
}

/// The body font, and after it the monospace one, which has the arrows and triangles that the first lacks.
fn fonts() -> FontDefinitions {
    let mut fonts = FontDefinitions::default();
    let mono = fonts.families.get(&FontFamily::Monospace).cloned();
    let body = fonts.families.entry(FontFamily::Proportional).or_default();
    for name in mono.into_iter().flatten() {
        if !body.contains(&name) {
            body.push(name);
        }
    }
    fonts
}

fn set(style: &mut Style, theme: &Theme) {
    style.text_styles = [
        (
            TextStyle::Small,
            FontId::new(SMALL, FontFamily::Proportional),
        ),
        (TextStyle::Body, FontId::new(BODY, FontFamily::Proportional)),
        (
            TextStyle::Button,
            FontId::new(BODY, FontFamily::Proportional),
        ),
        (
            TextStyle::Heading,
            FontId::new(HEADING, FontFamily::Proportional),
        ),
        (
            TextStyle::Monospace,
            FontId::new(MONO, FontFamily::Monospace),
        ),
    ]
    .into();
    let spacing = &mut style.spacing;
    spacing.item_spacing = Vec2::new(2.0 * GRID, GRID);
    spacing.button_padding = Vec2::new(2.0 * GRID, GRID);
    spacing.window_margin = Margin::same(16);
    spacing.menu_margin = Margin::same(4);
    spacing.interact_size = Vec2::new(24.0, 24.0);
    spacing.slider_rail_height = GRID;
    spacing.icon_width = 14.0;
    spacing.tooltip_width = 320.0;
    // That there is more below is seen before the pointer is there.
    spacing.scroll.dormant_handle_opacity = 0.5;
    spacing.scroll.floating_width = GRID;
    style.visuals = visuals(theme);
}

fn widget(fill: Color32, text: Color32) -> WidgetVisuals {
    WidgetVisuals {
        bg_fill: fill,
        weak_bg_fill: fill,
        bg_stroke: Stroke::NONE,
        corner_radius: CornerRadius::same(4),
        fg_stroke: Stroke::new(1.0, text),
        expansion: 0.0,
    }
}

fn visuals(theme: &Theme) -> Visuals {
    let base = if theme.dark {
        Visuals::dark()
    } else {
        Visuals::light()
    };
    let mut noninteractive = widget(theme.panel, theme.text);
    noninteractive.bg_stroke = Stroke::new(1.0, theme.line);
    let shadow = Shadow {
        offset: [0, 4],
        blur: 16,
        spread: 0,
        color: Color32::from_black_alpha(if theme.dark { 110 } else { 40 }),
    };
    Visuals {
        dark_mode: theme.dark,
        weak_text_color: Some(theme.weak),
        widgets: Widgets {
            noninteractive,
            inactive: widget(theme.hovered, theme.text),
            hovered: widget(super::mixed(theme.text, theme.hovered, 0.12), theme.text),
            active: widget(theme.chosen, theme.text),
            open: widget(theme.hovered, theme.text),
        },
        selection: Selection {
            bg_fill: theme.chosen,
            stroke: Stroke::new(1.0, theme.accent),
        },
        hyperlink_color: theme.accent,
        faint_bg_color: theme.row,
        extreme_bg_color: theme.well,
        code_bg_color: theme.well,
        warn_fg_color: theme.warning,
        error_fg_color: theme.bad,
        window_corner_radius: CornerRadius::same(8),
        menu_corner_radius: CornerRadius::same(6),
        window_shadow: shadow,
        popup_shadow: shadow,
        window_fill: theme.panel,
        window_stroke: Stroke::new(1.0, theme.line),
        panel_fill: theme.panel,
        slider_trailing_fill: true,
        handle_shape: HandleShape::Circle,
        ..base
    }
}
