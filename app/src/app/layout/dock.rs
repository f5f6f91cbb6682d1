//! The panels on the right and at the bottom: tabs that are dragged beside and below each other.

use std::cell::Cell;

use eframe::egui::{
    Align, Button, Color32, Id, Layout, Response, RichText, Stroke, Style, Ui, UiBuilder, Visuals,
    WidgetText,
};
use egui_tiles::{
    Behavior, SimplificationOptions, TabState, Tabs, Tile, TileId, Tiles, Tree, UiResponse,
};

use super::contained;
use crate::action::{Action, Command};
use crate::panel::{Panel, Scene};
use crate::state::{DockSide, DockedTabs, PanelTree, corner, flatten, opened};
use crate::theme::GRID;

/// Height of a row of tabs, in points.
const TITLES: f32 = 28.0;
/// Around the rows of tabs, in points.
pub(super) const MARGIN: i8 = 8;
/// On both sides of a title, and of what its tab shows, in points.
const SPACING: f32 = 2.0 * GRID;
/// Between two rows that stand beside or below each other, in points.
const GAP: f32 = 3.0 * GRID;

/// The ids of the panels that stand on a side.
pub(super) fn panels_of(
    side: DockSide,
    scene: &Scene<'_>,
    panels: &[Box<dyn Panel>],
) -> Vec<&'static str> {
    let docked = panels.iter().filter(|it| it.place().is_docked());
    let ids = docked.map(|it| it.id());
    ids.filter(|id| scene.state.settings.side_of(id) == side)
        .collect()
}

/// Shows the tabs of a side, and those that are open.
pub(super) fn show(
    ui: &mut Ui,
    scene: &Scene<'_>,
    (panels, side): (&mut [Box<dyn Panel>], DockSide),
    actions: &mut Vec<Action>,
) {
    let ids = panels_of(side, scene, panels);
    if ids.is_empty() {
        return;
    }
    let settings = &scene.state.settings;
    let DockedTabs { tab, arrangement } = settings.tabs(side);
    let mut tree = match arrangement {
        Some(kept) => completed(kept, &ids),
        None => arranged(side, &ids),
    };
    let is_kept = arrangement.is_some();
    // A panel that the kept one did not have is opened where it was put.
    let is_added = is_kept && !settings.is_tab_shown(tab) && ids.contains(&tab.as_str());
    if is_added || !is_kept {
        tree.make_active(|_, tile| matches!(tile, Tile::Pane(id) if id == tab));
    }
    hide_idle(&mut tree, scene, (panels, tab));
    let before = tree.clone();
    let mut rows = TabRows {
        is_open: Cell::new(false),
        corner: corner(&tree),
        side,
        scene,
        panels,
        actions,
    };
    let dragged = tree.dragged_id(ui.ctx());
    tree.ui(&mut rows, ui);
    if tree == before && !is_added {
        return;
    }
    if let Some(dropped) = dragged {
        tree.simplify(&rules());
        flatten(&mut tree, dropped);
    }
    let opened = opened(&before, &tree);
    let opened = ids.iter().filter(|id| opened.iter().any(|it| it == *id));
    actions.extend(opened.map(|id| Action::OpenTab(id)));
    actions.push(Action::Arrange(side, Box::new(tree)));
}

/// All in one row.
fn arranged(side: DockSide, ids: &[&'static str]) -> PanelTree {
    let panes = ids.iter().map(|it| (*it).to_owned()).collect();
    let mut tree = Tree::new_tabs(Id::unique((side.label(), "panels")), panes);
    tree.simplify(&rules());
    tree
}

/// A tree that was kept, with every panel that there is: another edition may have known others.
fn completed(kept: &PanelTree, ids: &[&'static str]) -> PanelTree {
    let mut tree = kept.clone();
    let mut strange = Vec::new();
    let mut missing = ids.to_vec();
    for (tile, pane) in tree.tiles.iter() {
        if let Tile::Pane(id) = pane {
            let count = missing.len();
            missing.retain(|it| it != id);
            strange.extend((missing.len() == count).then_some(*tile));
        }
    }
    for tile in strange {
        tree.remove_recursively(tile);
    }
    for id in missing {
        let pane = tree.tiles.insert_pane(id.to_owned());
        match corner(&tree) {
            Some(row) => tree.move_tile_to_container(pane, row, usize::MAX, false),
            None => tree.root = Some(tree.tiles.insert_tab_tile(vec![pane])),
        }
    }
    tree
}

/// Leaves out the tabs that have nothing to say.
fn hide_idle(tree: &mut PanelTree, scene: &Scene<'_>, (panels, open): (&[Box<dyn Panel>], &str)) {
    let is_idle = |id: &str| {
        let panel = panels.iter().find(|it| it.id() == id);
        open != id && panel.is_none_or(|it| it.is_idle(scene))
    };
    let tiles = tree.tiles.iter().filter_map(|(tile, it)| match it {
        Tile::Pane(id) => Some((*tile, is_idle(id))),
        Tile::Container(_) => None,
    });
    let tiles: Vec<(TileId, bool)> = tiles.collect();
    for (tile, is_idle) in tiles {
        tree.set_visible(tile, !is_idle);
    }
}

fn rules() -> SimplificationOptions {
    SimplificationOptions {
        all_panes_must_have_tabs: true,
        ..SimplificationOptions::default()
    }
}

/// What stands in the rows of tabs, and how they look.
struct TabRows<'a, 'b> {
    scene: &'a Scene<'b>,
    panels: &'a mut [Box<dyn Panel>],
    actions: &'a mut Vec<Action>,
    /// Whether the tab under way is the open one of its row.
    is_open: Cell<bool>,
    /// The row that has the button which hides all of them.
    corner: Option<TileId>,
    /// Where they stand.
    side: DockSide,
}

impl TabRows<'_, '_> {
    fn panel(&self, id: &str) -> Option<&dyn Panel> {
        let panel = self.panels.iter().find(|it| it.id() == id);
        panel.map(|it| &**it)
    }
}

impl Behavior<String> for TabRows<'_, '_> {
    fn pane_ui(&mut self, ui: &mut Ui, _tile: TileId, pane: &mut String) -> UiResponse {
        let panel = self.panels.iter_mut().find(|it| it.id() == pane);
        let Some(panel) = panel else {
            return UiResponse::None;
        };
        let (scene, actions) = (self.scene, &mut *self.actions);
        let room = ui.available_rect_before_wrap();
        let room = room.with_min_y(room.top() + 2.0 * GRID);
        let room = room.shrink2([SPACING, 0.0].into());
        let mut inner = ui.new_child(
            UiBuilder::new()
                .max_rect(room)
                .layout(Layout::top_down(Align::Min)),
        );
        contained(&mut inner, |ui| {
            ui.push_id(panel.id(), |ui| panel.ui(ui, scene, actions));
        });
        UiResponse::None
    }

    /// Its title, and how much it has to tell.
    fn tab_title_for_pane(&mut self, pane: &String) -> WidgetText {
        let panel = self.panel(pane);
        let count = panel.and_then(|it| it.count(self.scene));
        let count = count.map_or_else(String::new, |count| format!(" {count}"));
        let title = panel.map_or("", |it| it.title());
        format!("{title}{count}").into()
    }

    fn on_tab_button(
        &mut self,
        tiles: &mut Tiles<String>,
        tile: TileId,
        response: Response,
    ) -> Response {
        if self.is_open.get() {
            let line = response.rect.with_min_y(response.rect.bottom() - 2.0);
            let line = line.shrink2([SPACING, 0.0].into());
            let painter = response.ctx.layer_painter(response.layer_id);
            let painter = painter.with_clip_rect(response.interact_rect);
            painter.rect_filled(line, 1, self.scene.theme.accent);
        }
        let pane = tiles.get(tile).and_then(|it| match it {
            Tile::Pane(id) => self.panel(id).map(Panel::id),
            Tile::Container(_) => None,
        });
        let other = self.side.other();
        let words = format!("Move to the {}", other.label());
        response.context_menu(|ui| {
            if let Some(id) = pane.filter(|_| ui.button(&words).clicked()) {
                self.actions.push(Action::Dock(id, other));
                ui.close();
            }
        });
        response.on_hover_text(format!(
            "Drag it to the edge of these panels to see two of them at once; a right-click moves it to the {}",
            other.label()
        ))
    }

    fn top_bar_right_ui(
        &mut self,
        _tiles: &Tiles<String>,
        ui: &mut Ui,
        tile: TileId,
        _tabs: &Tabs,
        _scroll_offset: &mut f32,
    ) {
        if self.corner != Some(tile) {
            return;
        }
        let (sign, command) = match self.side {
            DockSide::Right => ("▶", Command::Right),
            DockSide::Bottom => ("▼", Command::Bottom),
        };
        let sign = RichText::new(sign).small().color(self.scene.theme.weak);
        let hide = ui.add(Button::new(sign).frame(false));
        let words = format!("Hide ({})", command.key());
        if hide.on_hover_text(words).clicked() {
            self.actions.push(command.into());
        }
    }

    fn simplification_options(&self) -> SimplificationOptions {
        rules()
    }

    fn tab_bar_height(&self, _style: &Style) -> f32 {
        TITLES
    }

    fn gap_width(&self, _style: &Style) -> f32 {
        GAP
    }

    fn tab_title_spacing(&self, _visuals: &Visuals) -> f32 {
        SPACING
    }

    fn tab_bar_color(&self, _visuals: &Visuals) -> Color32 {
        self.scene.theme.panel
    }

    fn tab_bg_color(
        &self,
        _visuals: &Visuals,
        _tiles: &Tiles<String>,
        _tile: TileId,
        state: &TabState,
    ) -> Color32 {
        // What is drawn on the tab later is not told this.
        self.is_open.set(state.active);
        self.scene.theme.panel
    }

    fn tab_outline_stroke(
        &self,
        _visuals: &Visuals,
        _tiles: &Tiles<String>,
        _tile: TileId,
        _state: &TabState,
    ) -> Stroke {
        Stroke::NONE
    }

    fn tab_bar_hline_stroke(&self, _visuals: &Visuals) -> Stroke {
        Stroke::NONE
    }

    fn tab_text_color(
        &self,
        _visuals: &Visuals,
        _tiles: &Tiles<String>,
        _tile: TileId,
        state: &TabState,
    ) -> Color32 {
        if state.active {
            self.scene.theme.text
        } else {
            self.scene.theme.weak
        }
    }
}
