//! What the pointer and the keys do in a heatmap: choose a cell, open its capture, move and zoom.

use eframe::egui::{EventFilter, Key, Modifiers, Popup, Response, Ui, Vec2, vec2};

use super::cell_card::open_action;
use super::fleet_words::places;
use super::grid_axis::{GridAxis, moved, zoomed};
use super::heatmap::{HeatmapPlace, HeatmapScene, LARGEST, choose_at};
use crate::action::{Action, FleetAction};
use crate::state::{GridRange, OverlayWindow};

/// What a key zooms by.
const ZOOM: f64 = 1.5;
/// Cells that an arrow moves by with Shift.
const STRIDE: i64 = 10;

/// What was moved that is less than a row or a column.
#[derive(Default)]
pub struct HeatmapInput {
    rest: Vec2,
}

/// Which way a key goes: ranks down, and steps to the right.
fn direction(key: Key, (rows, columns): (usize, usize)) -> Option<(i64, i64)> {
    let (rows, columns) = (rows as i64, columns as i64);
    Some(match key {
        Key::ArrowUp => (-1, 0),
        Key::ArrowDown => (1, 0),
        Key::ArrowLeft => (0, -1),
        Key::ArrowRight => (0, 1),
        Key::PageUp => (-rows, 0),
        Key::PageDown => (rows, 0),
        Key::Home => (0, -columns),
        Key::End => (0, columns),
        _ => return None,
    })
}

/// The place that a key leads to from another.
fn stepped(
    from: (usize, usize),
    by: (i64, i64),
    (rows, columns): (usize, usize),
) -> (usize, usize) {
    let go = |at: usize, by: i64, count: usize| {
        let last = count.saturating_sub(1) as i64;
        (at as i64).saturating_add(by).clamp(0, last) as usize
    };
    (go(from.0, by.0, rows), go(from.1, by.1, columns))
}

/// The view of an axis after zooming about a point; cells that are as large as they get are not zoomed in.
fn zoomed_axis(
    axis: &GridAxis,
    all: usize,
    (factor, at, largest): (f64, f32, f32),
) -> Option<GridRange> {
    let is_large = axis.thickness() >= largest - 0.5;
    let range = if factor < 1.0 && is_large {
        axis.range
    } else {
        zoomed(axis.range, all, (factor, axis.place_at(at)))
    };
    (range.count < all).then_some(range)
}

impl HeatmapInput {
    /// Takes what the user does in this frame.
    pub fn hear(
        &mut self,
        ui: &Ui,
        shown: &HeatmapScene<'_>,
        (place, response, pointed): (&HeatmapPlace, &Response, Option<(usize, usize)>),
        actions: &mut Vec<Action>,
    ) {
        if let Some(cell) = pointed.filter(|_| response.clicked()) {
            actions.extend(choose_at(shown, cell));
            if response.double_clicked() {
                actions.extend(open_action(shown, cell));
            }
        }
        if response.dragged() {
            self.pan(shown, (place, response.drag_delta()), actions);
        }
        if let Some(at) = response.hover_pos() {
            let (zoom, scroll) =
                ui.input(|input| (input.zoom_delta(), input.smooth_scroll_delta()));
            if (zoom - 1.0).abs() > 1e-3 {
                zoom_by(shown, place, (1.0 / f64::from(zoom), at.to_vec2()), actions);
            } else if scroll != Vec2::ZERO {
                self.pan(shown, (place, scroll), actions);
            }
        }
        if hears_keys(ui, shown, response) {
            keys(ui, shown, place, actions);
        }
    }

    /// Moves what is in view by so many points.
    fn pan(
        &mut self,
        shown: &HeatmapScene<'_>,
        (place, by): (&HeatmapPlace, Vec2),
        actions: &mut Vec<Action>,
    ) {
        let (rows, columns) = (shown.picture.ranks.len(), shown.picture.steps.len());
        let cells = self.rest - by / vec2(place.columns.thickness(), place.rows.thickness());
        let whole = vec2(cells.x.trunc(), cells.y.trunc());
        self.rest = cells - whole;
        let row = moved(place.rows.range, rows, whole.y as i64);
        let column = moved(place.columns.range, columns, whole.x as i64);
        show(shown, (row, column), actions);
    }
}

/// Shows these ranks and steps.
fn show(
    shown: &HeatmapScene<'_>,
    (rows, columns): (GridRange, GridRange),
    actions: &mut Vec<Action>,
) {
    let part = |range: GridRange, all: usize| (range.count < all).then_some(range);
    let rows = part(rows, shown.picture.ranks.len());
    let columns = part(columns, shown.picture.steps.len());
    let view = &shown.scene.state.fleet;
    if (rows, columns) != (view.rows, view.columns) {
        actions.push(Action::Fleet(FleetAction::Show(rows, columns)));
    }
}

fn zoom_by(
    shown: &HeatmapScene<'_>,
    place: &HeatmapPlace,
    (factor, at): (f64, Vec2),
    actions: &mut Vec<Action>,
) {
    let (rows, columns) = (shown.picture.ranks.len(), shown.picture.steps.len());
    let rows = zoomed_axis(&place.rows, rows, (factor, at.y, LARGEST.y));
    let columns = zoomed_axis(&place.columns, columns, (factor, at.x, LARGEST.x));
    actions.push(Action::Fleet(FleetAction::Show(rows, columns)));
}

/// Whether keys are meant for the heatmap: nothing else has the focus, and nothing lies above it.
fn hears_keys(ui: &Ui, shown: &HeatmapScene<'_>, response: &Response) -> bool {
    let focused = ui.memory(eframe::egui::Memory::focused);
    if focused == Some(response.id) {
        let arrows = EventFilter {
            horizontal_arrows: true,
            vertical_arrows: true,
            ..EventFilter::default()
        };
        ui.memory_mut(|memory| memory.set_focus_lock_filter(response.id, arrows));
    }
    let is_covered = shown
        .scene
        .state
        .window
        .is_some_and(|it| it.asks() || it == OverlayWindow::Palette);
    !is_covered && !Popup::is_any_open(ui.ctx()) && focused.is_none_or(|it| it == response.id)
}

/// Arrows move the chosen cell, Enter opens its capture, + and - zoom, and 0 shows all.
fn keys(ui: &Ui, shown: &HeatmapScene<'_>, place: &HeatmapPlace, actions: &mut Vec<Action>) {
    // Each of several keys in one frame goes on from where the one before led.
    let mut chosen = shown
        .scene
        .state
        .fleet
        .cell
        .and_then(|it| places(shown.picture, it));
    let (rows, columns) = (shown.picture.ranks.len(), shown.picture.steps.len());
    let middle = chosen.map_or_else(
        || place.rect.center().to_vec2(),
        |(row, column)| {
            let point = |axis: &GridAxis, at| {
                axis.span(at)
                    .map_or(axis.start, |it| f32::midpoint(it.0, it.1))
            };
            vec2(point(&place.columns, column), point(&place.rows, row))
        },
    );
    for (key, modifiers) in pressed(ui) {
        let by = direction(key, (place.rows.range.count, columns));
        match (key, by) {
            (_, Some((down, right))) if modifiers.is_none() || modifiers.shift_only() => {
                let stride = if modifiers.shift { STRIDE } else { 1 };
                let begin = (place.rows.range.first, place.columns.range.first);
                let to =
                    chosen.map(|it| stepped(it, (down * stride, right * stride), (rows, columns)));
                let to = to.unwrap_or(begin);
                actions.extend(choose_at(shown, to));
                chosen = Some(to);
            }
            (Key::Enter, _) if modifiers.is_none() => {
                actions.extend(chosen.and_then(|it| open_action(shown, it)));
            }
            (Key::Plus | Key::Equals, _) if !modifiers.command => {
                zoom_by(shown, place, (1.0 / ZOOM, middle), actions);
            }
            (Key::Minus, _) if !modifiers.command => zoom_by(shown, place, (ZOOM, middle), actions),
            (Key::Num0, _) => actions.push(Action::Fleet(FleetAction::Show(None, None))),
            _ => {}
        }
    }
}

/// The keys that went down in this frame.
fn pressed(ui: &Ui) -> Vec<(Key, Modifiers)> {
    ui.input(|input| {
        let events = input.events.iter().filter_map(|it| match it {
            eframe::egui::Event::Key {
                key,
                pressed: true,
                modifiers,
                ..
            } => Some((*key, *modifiers)),
            _ => None,
        });
        events.collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::panel::fleet::grid_axis::whole;

    #[test]
    fn arrows_stay_within_the_cells() {
        let all = (4, 3);
        let go = |from, key| stepped(from, direction(key, (2, 3)).unwrap(), all);
        assert_eq!(go((0, 0), Key::ArrowUp), (0, 0));
        assert_eq!(go((0, 0), Key::ArrowDown), (1, 0));
        assert_eq!(go((3, 2), Key::ArrowRight), (3, 2));
        assert_eq!(go((0, 1), Key::PageDown), (2, 1));
        assert_eq!(go((2, 1), Key::End), (2, 2));
        assert_eq!(go((2, 2), Key::Home), (2, 0));
        assert_eq!(direction(Key::A, (1, 1)), None);
    }

    #[test]
    fn cells_that_are_as_large_as_they_get_are_not_zoomed_in() {
        let axis = |count: usize| GridAxis {
            range: whole(count),
            pixels: 100,
            start: 0.0,
            length: 100.0,
        };
        let halved = |count| zoomed_axis(&axis(count), count, (0.5, 50.0, 28.0));
        assert_eq!(
            halved(100),
            Some(GridRange {
                first: 25,
                count: 50
            })
        );
        assert_eq!(halved(3), None);
        let part = GridAxis {
            range: GridRange {
                first: 10,
                count: 50,
            },
            ..axis(0)
        };
        // All in view is no part.
        assert_eq!(zoomed_axis(&part, 100, (2.0, 50.0, 28.0)), None);
    }
}
