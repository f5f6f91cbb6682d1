//! Events, in figures.

use std::io::{self, Write};

use engine::analysis::{EventHistory, event_histories};
use engine::capture::Capture;
use serde::Serialize;

use super::table::TextTable;

/// So many are listed for people.
const MOST: usize = 40;

/// What became of each event.
#[derive(Debug, Serialize)]
#[serde(transparent)]
pub(super) struct EventsReport(Vec<EventReport>);

/// What became of an event.
#[derive(Debug, Serialize)]
struct EventReport {
    name: String,
    options: String,
    state: &'static str,
    /// Its latest generation.
    generation: u32,
    /// Records that the capture tells of.
    records: usize,
    /// Waits, synchronisations and measurements that were for them.
    uses: usize,
    /// Records that nothing was for.
    unused: usize,
    /// The lane of its latest record.
    lane: String,
}

impl EventsReport {
    /// Every event of `capture`.
    pub fn new(capture: &Capture) -> Self {
        let all = event_histories(capture);
        Self(all.iter().map(|it| event(capture, it)).collect())
    }

    /// Writes them for people.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let heads = [
            "event",
            "made with",
            "state",
            ">generation",
            ">records",
            ">uses",
            "last on",
        ];
        let mut table = TextTable::new(&heads);
        for it in self.0.iter().take(MOST) {
            table.row([
                it.name.clone(),
                it.options.clone(),
                it.state.to_owned(),
                it.generation.to_string(),
                it.records.to_string(),
                it.uses.to_string(),
                it.lane.clone(),
            ]);
        }
        table.write_after_a_line(out)?;
        match self.0.len().saturating_sub(MOST) {
            0 => Ok(()),
            more => writeln!(out, "{more} more events: --format json has them all"),
        }
    }
}

fn event(capture: &Capture, history: &EventHistory) -> EventReport {
    let event = capture.events().get(history.event.index());
    let lane = history.lane(capture);
    let generations = history.generations.iter();
    EventReport {
        name: event.map_or("?", |it| capture.name(it.name)).to_owned(),
        options: event.map_or_else(String::new, |it| crate::text::made_with(capture, it)),
        state: history.state.label(),
        generation: history.generations.last().map_or(0, |it| it.generation),
        records: generations.len(),
        uses: history.use_count(),
        unused: generations.filter(|it| it.uses.is_empty()).count(),
        lane: lane.map_or_else(String::new, |it| capture.lane_title(it).into_owned()),
    }
}
