//! How the panels at the bottom stand: as tabs of one row, or of several beside and below each other.

use egui_tiles::{Container, Tile, TileId, Tree};

use super::Settings;

/// Rows of tabs, which are panels by their ids.
pub type PanelTree = Tree<String>;

impl Settings {
    /// Opens a tab of the bottom, wherever it stands.
    pub fn open_tab(&mut self, tab: &str) {
        tab.clone_into(&mut self.tab);
        if let Some(tree) = &mut self.arrangement {
            tree.make_active(|_, tile| is_panel(tile, tab));
        }
    }

    /// Whether the panel of a tab is seen while the bottom is.
    pub fn is_tab_shown(&self, tab: &str) -> bool {
        let Some(tree) = &self.arrangement else {
            return self.tab == tab;
        };
        let tiles = tree.active_tiles();
        let mut shown = tiles.iter().filter_map(|it| tree.tiles.get(*it));
        shown.any(|it| is_panel(it, tab))
    }
}

fn is_panel(tile: &Tile<String>, panel: &str) -> bool {
    matches!(tile, Tile::Pane(id) if id == panel)
}

/// What was dropped beside one tab of a row stands beside the whole row: tabs hold panels, and never further rows.
pub fn flatten(tree: &mut PanelTree, dropped: TileId) {
    // Each step takes away one container.
    for _ in 0..tree.tiles.len() {
        let rows = tree.tiles.iter().filter_map(|(id, tile)| match tile {
            Tile::Container(Container::Tabs(row)) => Some((*id, row)),
            _ => None,
        });
        let split = |id: &TileId| {
            let container = tree.tiles.get_container(*id);
            matches!(container, Some(Container::Linear(_)))
        };
        let mut nested = rows.filter_map(|(id, row)| {
            let inner = row.children.iter().position(split)?;
            Some((id, row.clone(), inner))
        });
        let Some((place, mut row, inner)) = nested.next() else {
            return;
        };
        drop(nested);
        let inner_id = row.children.remove(inner);
        let Some(Tile::Container(Container::Linear(mut split))) = tree.tiles.remove(inner_id)
        else {
            return;
        };
        // The tab that it was dropped on goes back to its row.
        let stays = |id: &&mut TileId| !holds(tree, **id, dropped);
        let Some(slot) = split.children.iter_mut().find(stays) else {
            return;
        };
        let host = *slot;
        let tabs = match tree.tiles.get_container(host) {
            Some(Container::Tabs(tabs)) => tabs.children.clone(),
            _ => vec![host],
        };
        row.active = tabs.first().copied();
        row.children.splice(inner..inner, tabs.iter().copied());
        let row = Container::Tabs(row);
        if tabs == [host] {
            *slot = tree.tiles.insert_container(row);
        } else {
            tree.tiles.insert(host, Tile::Container(row));
        }
        let split = Tile::Container(Container::Linear(split));
        tree.tiles.insert(place, split);
    }
}

/// Whether a tile is another or has it in it.
fn holds(tree: &PanelTree, tile: TileId, other: TileId) -> bool {
    let mut at = Some(other);
    for _ in 0..=tree.tiles.len() {
        if at == Some(tile) {
            return true;
        }
        at = at.and_then(|it| tree.tiles.parent_of(it));
    }
    false
}

/// The row of tabs whose end is the upper right corner.
pub fn corner(tree: &PanelTree) -> Option<TileId> {
    let mut tile = tree.root?;
    // Each step goes one level down.
    for _ in 0..tree.tiles.len() {
        let Some(Container::Linear(linear)) = tree.tiles.get_container(tile) else {
            break;
        };
        let next = match linear.dir {
            egui_tiles::LinearDir::Horizontal => linear.children.last(),
            egui_tiles::LinearDir::Vertical => linear.children.first(),
        };
        tile = *next?;
    }
    Some(tile)
}

/// The tabs that are open in one tree and not in another.
pub fn opened(before: &PanelTree, after: &PanelTree) -> Vec<String> {
    let is_new = |id: &TileId| {
        let active = |tree: &PanelTree| tree.active_tiles().contains(id);
        active(after) && !active(before)
    };
    let panels = after.tiles.iter().filter(|(id, _)| is_new(id));
    let panels = panels.filter_map(|(_, tile)| match tile {
        Tile::Pane(panel) => Some(panel.clone()),
        Tile::Container(_) => None,
    });
    panels.collect()
}
