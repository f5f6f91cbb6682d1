//! Ranges and marks that the program itself set with NVTX.

use super::super::sqlite::{As, Columns, HostSpan, Row};
use super::Reading;
use record::{NameId, SpanKind, State, Value};

/// What is read of the table.
pub(super) const COLUMNS: Columns = &[
    ("start", As::Integer),
    ("end", As::Integer),
    ("eventType", As::Integer),
    ("text", As::Text),
    ("textId", As::Integer),
    ("globalTid", As::Integer),
    ("domainId", As::Integer),
    ("category", As::Integer),
    ("uint64Value", As::Integer),
    ("int64Value", As::Integer),
    ("uint32Value", As::Integer),
    ("int32Value", As::Integer),
    ("doubleValue", As::Number),
    ("floatValue", As::Number),
    ("jsonText", As::Text),
];

/// The numbers of event types that are no range: from `ENUM_NSYS_EVENT_TYPE` of every export.
mod event_type {
    pub const CATEGORY: i64 = 33;
    pub const MARK: i64 = 34;
    pub const THREAD: i64 = 39;
    pub const DOMAIN: i64 = 75;
    pub const DOMAIN_END: i64 = 76;
}

/// What a program says besides the name of a range, and the column it is in.
const PAYLOADS: &[usize] = &[8, 9, 10, 11];

impl Reading<'_, '_> {
    /// A row of the table.
    pub(super) fn nvtx(&mut self, table: &str, row: Row<'_>) {
        match row.or_zero(2) {
            event_type::DOMAIN => {
                let text = row
                    .text(3)
                    .or_else(|| self.facts.strings.text(row.integer(4)?));
                if let Some(text) = text {
                    self.tally.domains.insert(row.or_zero(6), text.to_owned());
                }
            }
            event_type::CATEGORY | event_type::THREAD | event_type::DOMAIN_END => {
                self.tally.namings += 1;
            }
            other => self.range(table, row, other == event_type::MARK),
        }
    }

    fn range(&mut self, table: &str, row: Row<'_>, mark: bool) {
        let Some(start) = row.integer(0) else {
            return self.draft.troubles.unplaced(table, row.number);
        };
        let name = self.nvtx_name(row);
        let lane = self.thread(row.or_zero(5));
        let place = self.hosts.push(
            lane,
            HostSpan {
                start,
                end: if mark { Some(start) } else { row.integer(1) },
                name,
                kind: SpanKind::Scope,
                state: State::Done,
            },
        );
        self.tally.open_ranges += u64::from(!mark && row.integer(1).is_none());
        if let Some(domain) = row.integer(6).filter(|domain| *domain != 0) {
            self.tally.in_domains.push((place, domain));
        }
        if let Some(category) = row.integer(7).filter(|category| *category != 0) {
            self.hosts
                .argument(place, self.fields.category, Value::Integer(category));
        }
        let payload = PAYLOADS
            .iter()
            .find_map(|&column| row.integer(column))
            .map(Value::Integer);
        let real = || row.number(12).or(row.number(13)).map(Value::Number);
        let text = || row.text(14).map(|text| Value::Text(text.into()));
        if let Some(payload) = payload.or_else(real).or_else(text) {
            self.hosts.argument(place, self.fields.payload, payload);
        }
    }

    fn nvtx_name(&mut self, row: Row<'_>) -> NameId {
        match (row.text(3), row.integer(4)) {
            (Some(text), _) => self.draft.name(text),
            (None, Some(id)) => self.facts.strings.name(id, &mut self.draft),
            (None, None) => self.draft.name("range"),
        }
    }

    /// Says of each range in a domain of its own which one that is; domains may be named after their ranges.
    pub(super) fn name_domains(&mut self) {
        let field = self.fields.domain;
        for (place, domain) in std::mem::take(&mut self.tally.in_domains) {
            let value = match self.tally.domains.get(&domain) {
                Some(name) => Value::Text(name.as_str().into()),
                None => Value::Integer(domain),
            };
            self.hosts.argument(place, field, value);
        }
    }
}
