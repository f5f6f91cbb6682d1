//! How the panels on the three sides stand: as tabs of one row, or of several beside and below each other.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use egui_tiles::{Container, Tile, TileId, Tree};

use super::{Settings, Switch};

/// Rows of tabs, which are panels by their ids.
pub type PanelTree = Tree<String>;

/// A side of the window on which panels stand as tabs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum DockSide {
    /// Left of the timeline.
    Left,
    /// Right of it.
    Right,
    /// Below it.
    Bottom,
}

/// Panels that do not stand at the bottom until somebody moves them.
const HOMES: &[(&str, DockSide)] = &[
    ("workloads", DockSide::Left),
    ("about", DockSide::Left),
    ("lesson", DockSide::Right),
    ("inspector", DockSide::Right),
];

/// A panel that stands above or below the other tabs of its first side.
pub struct SeparateRow {
    /// Its id.
    pub panel: &'static str,
    /// Whether it stands above.
    pub is_first: bool,
    /// Its part of the side's height, the others' being 1.
    pub share: f32,
}

/// What is to be read beside other panels: a workload beside the list, a lesson beside the inspector.
const SEPARATE_ROWS: &[SeparateRow] = &[
    SeparateRow {
        panel: "about",
        is_first: false,
        share: 1.9,
    },
    SeparateRow {
        panel: "lesson",
        is_first: true,
        share: 2.9,
    },
];

impl DockSide {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Left, Self::Right, Self::Bottom];

    /// Where a panel stands at first.
    pub fn home(panel: &str) -> Self {
        let home = HOMES.iter().find(|(id, _)| *id == panel);
        home.map_or(Self::Bottom, |(_, side)| *side)
    }

    /// What it is called in a sentence.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Left => "left",
            Self::Right => "right",
            Self::Bottom => "bottom",
        }
    }

    /// The other ones.
    pub fn others(self) -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().filter(move |it| *it != self)
    }

    /// What shows it.
    pub const fn switch(self) -> Switch {
        match self {
            Self::Left => Switch::Left,
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
    /// How the tabs stand; `None` is as at the first start.
    pub arrangement: Option<PanelTree>,
}

/// Where the panels stand and which are open.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Docks {
    /// Those on the left.
    pub left: DockedTabs,
    /// Those on the right.
    pub right: DockedTabs,
    /// Those at the bottom.
    pub bottom: DockedTabs,
    /// The panels that were moved to another side than their first, by id.
    pub moved: BTreeMap<String, DockSide>,
}

impl Default for Docks {
    fn default() -> Self {
        let first = |tab: &str| DockedTabs {
            tab: tab.to_owned(),
            arrangement: None,
        };
        Self {
            left: first("workloads"),
            right: first("inspector"),
            bottom: first("overview"),
            moved: BTreeMap::new(),
        }
    }
}

impl Docks {
    /// On which side a panel stands.
    pub fn side_of(&self, panel: &str) -> DockSide {
        let moved = self.moved.get(panel).copied();
        moved.unwrap_or_else(|| DockSide::home(panel))
    }

    /// The tabs of a side.
    pub const fn tabs(&self, side: DockSide) -> &DockedTabs {
        match side {
            DockSide::Left => &self.left,
            DockSide::Right => &self.right,
            DockSide::Bottom => &self.bottom,
        }
    }

    /// The same, to be changed.
    pub const fn tabs_mut(&mut self, side: DockSide) -> &mut DockedTabs {
        match side {
            DockSide::Left => &mut self.left,
            DockSide::Right => &mut self.right,
            DockSide::Bottom => &mut self.bottom,
        }
    }

    /// What stands in a row of its own until something is dragged on the side of the panel.
    pub fn separate_row(&self, panel: &str) -> Option<&'static SeparateRow> {
        let row = SEPARATE_ROWS.iter().find(|it| it.panel == panel)?;
        let side = self.side_of(panel);
        let is_first = side == DockSide::home(panel) && self.tabs(side).arrangement.is_none();
        is_first.then_some(row)
    }

    /// Opens a tab for when its side is shown.
    pub fn turn_to(&mut self, tab: &str) {
        if self.separate_row(tab).is_some() {
            return;
        }
        let side = self.side_of(tab);
        let tabs = self.tabs_mut(side);
        tab.clone_into(&mut tabs.tab);
        if let Some(tree) = &mut tabs.arrangement {
            tree.make_active(|_, tile| is_panel(tile, tab));
        }
    }

    /// Puts a panel on a side.
    pub fn move_to(&mut self, panel: &str, side: DockSide) {
        self.moved.remove(panel);
        if side != DockSide::home(panel) {
            self.moved.insert(panel.to_owned(), side);
        }
    }

    /// Whether the panel of a tab is seen while its side is.
    pub fn is_tab_shown(&self, tab: &str) -> bool {
        let tabs = self.tabs(self.side_of(tab));
        let Some(tree) = &tabs.arrangement else {
            return tabs.tab == tab || self.separate_row(tab).is_some();
        };
        let tiles = tree.active_tiles();
        let mut shown = tiles.iter().filter_map(|it| tree.tiles.get(*it));
        shown.any(|it| is_panel(it, tab))
    }
}

impl Settings {
    /// Opens a tab, wherever it stands, and shows its side.
    pub fn open_tab(&mut self, tab: &str) {
        self.docks.turn_to(tab);
        self.switches.insert(self.docks.side_of(tab).switch());
    }

    /// Puts a panel on a side, and opens it there.
    pub fn move_to(&mut self, panel: &str, side: DockSide) {
        self.docks.move_to(panel, side);
        self.open_tab(panel);
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
        let rows = linear.children.iter();
        let mut seen = rows.filter(|it| tree.is_visible_in_layout(**it));
        let next = match linear.dir {
            egui_tiles::LinearDir::Horizontal => seen.next_back(),
            egui_tiles::LinearDir::Vertical => seen.next(),
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
