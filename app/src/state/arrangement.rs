//! How the panels on the right and at the bottom stand: as tabs of one row, or of several beside and below each other.

use serde::{Deserialize, Serialize};

use egui_tiles::{Container, Tile, TileId, Tree};

use super::{Settings, Switch};

/// Rows of tabs, which are panels by their ids.
pub type PanelTree = Tree<String>;

/// A side of the window on which panels stand as tabs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum DockSide {
    /// Right of the timeline.
    Right,
    /// Below it.
    Bottom,
}

impl DockSide {
    /// What it is called in a sentence.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Right => "right",
            Self::Bottom => "bottom",
        }
    }

    /// The other one.
    #[must_use]
    pub const fn other(self) -> Self {
        match self {
            Self::Right => Self::Bottom,
            Self::Bottom => Self::Right,
        }
    }

    /// What shows it.
    pub const fn switch(self) -> Switch {
        match self {
            Self::Right => Switch::Right,
            Self::Bottom => Switch::Bottom,
        }
    }
}

/// The panels of a side.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DockedTabs {
    /// The id of the tab that was opened last.
    pub tab: String,
    /// How the tabs stand; `None` is in one row.
    pub arrangement: Option<PanelTree>,
}

impl Settings {
    /// On which side a panel stands.
    pub fn side_of(&self, panel: &str) -> DockSide {
        if self.on_right.contains(panel) {
            DockSide::Right
        } else {
            DockSide::Bottom
        }
    }

    /// The tabs of a side.
    pub const fn tabs(&self, side: DockSide) -> &DockedTabs {
        match side {
            DockSide::Right => &self.right,
            DockSide::Bottom => &self.bottom,
        }
    }

    /// The same, to be changed.
    pub const fn tabs_mut(&mut self, side: DockSide) -> &mut DockedTabs {
        match side {
            DockSide::Right => &mut self.right,
            DockSide::Bottom => &mut self.bottom,
        }
    }

    /// Opens a tab, wherever it stands, and shows its side.
    pub fn open_tab(&mut self, tab: &str) {
        let side = self.side_of(tab);
        self.turn_to(tab, side);
        self.switches.insert(side.switch());
    }

    /// Opens a tab for when its side is shown.
    pub fn turn_to(&mut self, tab: &str, side: DockSide) {
        let tabs = self.tabs_mut(side);
        tab.clone_into(&mut tabs.tab);
        if let Some(tree) = &mut tabs.arrangement {
            tree.make_active(|_, tile| is_panel(tile, tab));
        }
    }

    /// Puts a panel on a side, and opens it there.
    pub fn move_to(&mut self, panel: &str, side: DockSide) {
        match side {
            DockSide::Right => self.on_right.insert(panel.to_owned()),
            DockSide::Bottom => self.on_right.remove(panel),
        };
        self.open_tab(panel);
    }

    /// Whether the panel of a tab is seen while its side is.
    pub fn is_tab_shown(&self, tab: &str) -> bool {
        let tabs = self.tabs(self.side_of(tab));
        let Some(tree) = &tabs.arrangement else {
            return tabs.tab == tab;
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
