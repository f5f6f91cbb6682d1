//! An event as a line of the table.

use eframe::egui::Color32;
use engine::analysis::{EventCondition, EventHistory};
use engine::record::EventId;

use crate::panel::Scene;
use crate::panel::table::{ChipState, TableCell, TableColumn, TableLine};
use crate::panel::widgets::Sign;
use crate::text;
use crate::theme::Theme;

/// The columns.
pub const COLUMNS: &[TableColumn] = &[
    TableColumn::text("event", "What it is called", 84.0),
    TableColumn::text(
        "state",
        "How it stands at the end: empty is never recorded; reset also where its device was opened anew",
        88.0,
    ),
    TableColumn::number("gen", "Its latest generation: each record makes one", 36.0),
    TableColumn::number(
        "uses",
        "Waits, synchronisations and measurements that were for its records",
        40.0,
    ),
    TableColumn::number("unused", "Records that nothing was for", 56.0),
    TableColumn::text("last on", "The lane of its latest record", 68.0),
    TableColumn::wide(
        "made with",
        "Its options, as far as the capture tells: whether it keeps times, and what it was made for",
    ),
];

/// What a line of the table stands for.
pub struct EventLine {
    /// The event.
    pub event: EventId,
    state: EventCondition,
    /// All its words in lower case, to be searched.
    words: String,
}

impl TableLine for EventLine {
    type State = EventCondition;

    fn state(&self) -> EventCondition {
        self.state
    }

    fn words(&self) -> &str {
        &self.words
    }
}

/// The states in which events are.
pub fn states(theme: &Theme) -> Vec<ChipState<EventCondition>> {
    let all = EventCondition::ALL.iter();
    all.map(|state| (*state, state.label(), Some(sign(*state, theme))))
        .collect()
}

/// The sign and the colour of a state.
const fn sign(state: EventCondition, theme: &Theme) -> (Sign, Color32) {
    match state {
        EventCondition::Empty | EventCondition::Reset => (Sign::Ring, theme.weak),
        EventCondition::Pending => (Sign::Half, theme.warning),
        EventCondition::Reached => (Sign::Check, theme.good),
        EventCondition::Failed => (Sign::Cross, theme.bad),
        EventCondition::Destroyed => (Sign::Dash, theme.weak),
    }
}

/// The line of an event, and its cells.
pub fn line(scene: &Scene<'_>, history: &EventHistory) -> (EventLine, Vec<TableCell>) {
    let capture = scene.capture;
    let event = capture.events().get(history.event.index());
    let latest = history.lane(capture);
    let last_on = latest.map_or_else(String::new, |it| capture.lane_title(it).into_owned());
    let generation = history.generations.last().map_or(0, |it| it.generation);
    let unused = history.generations.iter();
    let unused = unused.filter(|it| it.uses.is_empty()).count();
    let number = |value: u64| TableCell::number(Some(value as i64), |it| text::count(it as u64));
    let cells = vec![
        TableCell::text(event.map_or("?", |it| capture.name(it.name))),
        TableCell {
            sign: Some(sign(history.state, scene.theme)),
            ..TableCell::text(history.state.label())
        },
        number(u64::from(generation)),
        number(history.use_count() as u64),
        number(unused as u64),
        TableCell::text(&last_on),
        TableCell::weak(event.map_or_else(String::new, |it| text::made_with(capture, it))),
    ];
    let words: Vec<&str> = cells.iter().map(|cell| cell.text.as_str()).collect();
    let line = EventLine {
        event: history.event,
        state: history.state,
        words: words.join(" ").to_lowercase(),
    };
    (line, cells)
}
