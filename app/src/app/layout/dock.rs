//! The panels on the three sides: tabs that are dragged beside and below each other, and from one side to another.

use std::cell::Cell;

use eframe::egui::{
    Align, Button, Color32, Id, LayerId, Layout, Order, Painter, Rect, Response, RichText,
    ScrollArea, Stroke, StrokeKind, Style, Ui, UiBuilder, Vec2, Visuals, WidgetText,
};
use egui_tiles::{
    Behavior, Linear, LinearDir, SimplificationOptions, TabState, Tabs, Tile, TileId, Tiles, Tree,
    UiResponse,
};

use super::contained;
use crate::action::{Action, Command};
use crate::panel::{Panel, PanelPosition, Scene, is_low, sign_button};
use crate::state::{DockSide, DockedTabs, Docks, PanelTree, corner, flatten, opened};
use crate::theme::GRID;

/// Height of a row of tabs, in points.
const TITLES: f32 = 28.0;
/// How many times its share of a side a row of its own has in a low window.
const IN_LOW: f32 = 1.5;
/// Around the rows of tabs, in points.
pub(super) const MARGIN: i8 = 8;
/// On both sides of a title, and of what its tab shows, in points.
const SPACING: f32 = 2.0 * GRID;
/// Between two rows that stand beside or below each other, in points.
const GAP: f32 = 3.0 * GRID;

/// The ids of the panels that stand on a side.
fn panels_of(side: DockSide, scene: &Scene<'_>, panels: &[Box<dyn Panel>]) -> Vec<&'static str> {
    let docked = panels
        .iter()
        .filter(|it| it.place() == PanelPosition::Docked);
    let ids = docked.map(|it| it.id());
    ids.filter(|id| scene.state.settings.docks.side_of(id) == side)
        .collect()
}

/// Whether a side has something to show.
pub(super) fn has_panels(side: DockSide, scene: &Scene<'_>, panels: &[Box<dyn Panel>]) -> bool {
    let open = &scene.state.settings.docks.tabs(side).tab;
    let ids = panels_of(side, scene, panels);
    ids.iter().any(|id| !is_left_out(id, scene, (panels, open)))
}

/// Whether a tab has nothing to say, and nobody asked for it.
fn is_left_out(id: &str, scene: &Scene<'_>, (panels, open): (&[Box<dyn Panel>], &str)) -> bool {
    let panel = panels.iter().find(|it| it.id() == id);
    open != id && panel.is_none_or(|it| it.is_idle(scene))
}

/// Shows the tabs of a side, and those that are open. Gives back the tab that is dragged away from the side.
pub(super) fn show(
    ui: &mut Ui,
    scene: &Scene<'_>,
    (panels, side): (&mut [Box<dyn Panel>], DockSide),
    actions: &mut Vec<Action>,
) -> Option<&'static str> {
    let ids = panels_of(side, scene, panels);
    let docks = &scene.state.settings.docks;
    let DockedTabs { tab, arrangement } = docks.tabs(side);
    let mut tree = match arrangement {
        Some(kept) => completed(kept, &ids),
        None => arranged(docks, side, (&ids, is_low(ui))),
    };
    let is_kept = arrangement.is_some();
    // A panel that the kept one did not have is opened where it was put.
    let is_added = is_kept && !docks.is_tab_shown(tab) && ids.contains(&tab.as_str());
    if is_added || !is_kept {
        tree.make_active(|_, tile| matches!(tile, Tile::Pane(id) if id == tab));
    }
    hide_idle(&mut tree, scene, (panels, tab));
    let before = tree.clone();
    let dragged = tree.dragged_id(ui.ctx());
    let pointer = ui.input(|it| it.pointer.interact_pos());
    let room = ui.available_rect_before_wrap();
    let is_away = dragged.is_some() && pointer.is_some_and(|at| !room.contains(at));
    let mut rows = TabRows {
        is_open: Cell::new(false),
        corner: corner(&tree),
        is_away,
        side,
        scene,
        panels,
        actions,
    };
    tree.ui(&mut rows, ui);
    if is_away {
        // Wherever it would stand here, it is not dropped here.
        let away = dragged.and_then(|tile| before.tiles.get_pane(&tile));
        return ids.into_iter().find(|id| away.is_some_and(|it| it == id));
    }
    if tree == before && !is_added {
        return None;
    }
    if let Some(dropped) = dragged {
        tree.simplify(&rules());
        flatten(&mut tree, dropped);
    }
    let opened = opened(&before, &tree);
    let opened = ids.iter().filter(|id| opened.iter().any(|it| it == *id));
    actions.extend(opened.map(|id| Action::OpenTab(id)));
    actions.push(Action::Arrange(side, Box::new(tree)));
    None
}

/// All in one row, but for those that have one of their own, which have more of a low window.
fn arranged(docks: &Docks, side: DockSide, (ids, is_low): (&[&'static str], bool)) -> PanelTree {
    let more = if is_low { IN_LOW } else { 1.0 };
    let mut tiles = Tiles::default();
    let (mut above, mut below, mut shared) = (Vec::new(), Vec::new(), Vec::new());
    for id in ids {
        let pane = tiles.insert_pane((*id).to_owned());
        match docks.separate_row(id) {
            None => shared.push(pane),
            Some(row) => {
                let tabs = tiles.insert_tab_tile(vec![pane]);
                let rows = if row.is_first { &mut above } else { &mut below };
                rows.push((tabs, row.share * more));
            }
        }
    }
    let shared = (!shared.is_empty()).then(|| (tiles.insert_tab_tile(shared), 1.0));
    let rows = above.into_iter().chain(shared).chain(below);
    let rows: Vec<(TileId, f32)> = rows.collect();
    let mut linear = Linear::new(LinearDir::Vertical, rows.iter().map(|it| it.0).collect());
    for (row, share) in rows {
        linear.shares.set_share(row, share);
    }
    let root = tiles.insert_container(linear);
    let mut tree = Tree::new(Id::unique((side.label(), "panels")), root, tiles);
    tree.simplify(&rules());
    tree
}

/// Where the sides are, and a tab that is dragged from one to another.
pub(super) struct DockRooms {
    /// Of all that lies between the bars, in points.
    pub(super) whole: Vec2,
    /// The sides that are shown, and where they are.
    pub(super) shown: Vec<(DockSide, Rect)>,
    /// The panel of a tab that is dragged away from its side, and that side.
    pub(super) dragged: Option<(&'static str, DockSide)>,
}

impl DockRooms {
    pub(super) const fn new(whole: Vec2) -> Self {
        Self {
            whole,
            shown: Vec::new(),
            dragged: None,
        }
    }

    /// Shows where the tab would go, and moves it once it is let go of there. A side that is not shown is an edge of what is in
    /// the `middle`.
    pub(super) fn drop(&self, ui: &Ui, scene: &Scene<'_>, middle: Rect, actions: &mut Vec<Action>) {
        let Some((tab, from)) = self.dragged else {
            return;
        };
        let Some(at) = ui.input(|it| it.pointer.interact_pos()) else {
            return;
        };
        let theme = scene.theme;
        let layer = LayerId::new(Order::Foreground, Id::unique("where a tab is dropped"));
        let painter = ui.ctx().layer_painter(layer);
        for side in from.others() {
            let shown = self.shown.iter().find(|(it, _)| *it == side);
            let room = shown.map_or_else(|| edge(middle, side), |(_, room)| *room);
            let is_under = room.contains(at);
            let fill = if is_under { 0.35 } else { 0.1 };
            painter.rect_filled(room, 4, theme.accent.gamma_multiply(fill));
            let stroke = Stroke::new(1.0, theme.accent);
            painter.rect_stroke(room.shrink(1.0), 4, stroke, StrokeKind::Inside);
            if is_under && ui.input(|it| it.pointer.any_released()) {
                actions.push(Action::Dock(tab, side));
            }
        }
    }
}

/// The part of the middle of the window that a side would take.
fn edge(middle: Rect, side: DockSide) -> Rect {
    let part = middle.size() * 0.2;
    match side {
        DockSide::Left => middle.with_max_x(middle.left() + part.x),
        DockSide::Right => middle.with_min_x(middle.right() - part.x),
        DockSide::Bottom => middle.with_min_y(middle.bottom() - part.y),
    }
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
    let tiles = tree.tiles.iter().filter_map(|(tile, it)| match it {
        Tile::Pane(id) => Some((*tile, is_left_out(id, scene, (panels, open)))),
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
    /// Whether a tab is dragged that is over another part of the window.
    is_away: bool,
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
        let (scene, actions) = (self.scene, &mut *self.actions);
        let room = ui.available_rect_before_wrap();
        let room = room.with_min_y(room.top() + 2.0 * GRID);
        let room = room.shrink2([SPACING, 0.0].into());
        let mut inner = ui.new_child(
            UiBuilder::new()
                .max_rect(room)
                .layout(Layout::top_down(Align::Min)),
        );
        let parts = self.panels.iter_mut();
        let mut parts: Vec<_> = parts.filter(|it| it.tab() == Some(pane)).collect();
        let is_single = parts.len() == 1;
        let mut every = |ui: &mut Ui| {
            for panel in &mut parts {
                ui.push_id(panel.id(), |ui| panel.ui(ui, scene, actions));
            }
        };
        contained(&mut inner, |ui| {
            if is_single {
                return every(ui);
            }
            let area = ScrollArea::vertical().id_salt(&*pane).auto_shrink(false);
            area.show(ui, |ui| {
                ui.set_max_width(ui.available_width() - 10.0);
                every(ui);
            });
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
        let side = self.side;
        response.context_menu(|ui| {
            for other in side.others() {
                let words = format!("Move to the {}", other.label());
                if let Some(id) = pane.filter(|_| ui.button(&words).clicked()) {
                    self.actions.push(Action::Dock(id, other));
                    ui.close();
                }
            }
        });
        response.on_hover_text(
            "Drag it to the edge of these panels to see two of them at once, or to another side of the window",
        )
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
            DockSide::Left => ("◀", Command::Left),
            DockSide::Right => ("▶", Command::Right),
            DockSide::Bottom => ("▼", Command::Bottom),
        };
        let sign = RichText::new(sign).small().color(self.scene.theme.weak);
        let words = format!("Hide the {} side", self.side.label());
        let hide = Button::new(sign).frame(false);
        if sign_button(ui, hide, &words, &command.key()).clicked() {
            self.actions.push(command.into());
        }
    }

    fn paint_drag_preview(
        &self,
        visuals: &Visuals,
        painter: &Painter,
        parent: Option<Rect>,
        preview: Rect,
    ) {
        if self.is_away {
            return;
        }
        let stroke = self.drag_preview_stroke(visuals);
        let fill = self.drag_preview_color(visuals);
        if let Some(parent) = parent {
            painter.rect_stroke(parent, 1, stroke, StrokeKind::Inside);
        }
        painter.rect(preview, 1, fill, stroke, StrokeKind::Inside);
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
