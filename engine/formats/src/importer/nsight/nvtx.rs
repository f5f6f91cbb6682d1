//! Ranges and marks that the program itself set with NVTX.

use super::super::sqlite::{HostSpan, UntimedRow};
use super::NsightReader;
use super::tables::NvtxRow;
use record::{NameId, SpanKind, State, Value};

/// The numbers of event types that are no range: from `ENUM_NSYS_EVENT_TYPE` of every export.
mod event_type {
    pub const CATEGORY: i64 = 33;
    pub const MARK: i64 = 34;
    pub const THREAD: i64 = 39;
    pub const DOMAIN: i64 = 75;
    pub const DOMAIN_END: i64 = 76;
}

impl NsightReader<'_, '_> {
    /// A row of the table.
    pub(super) fn nvtx(&mut self, row: NvtxRow<'_>) -> Result<(), UntimedRow> {
        let known = &mut self.dialect;
        match row.sort {
            event_type::DOMAIN => {
                let text = row.text;
                let text = text.or_else(|| known.facts.strings.text(row.text_id?));
                if let Some(text) = text {
                    let domain = row.domain.unwrap_or(0);
                    known.tally.domains.insert(domain, text.to_owned());
                }
            }
            event_type::CATEGORY | event_type::THREAD | event_type::DOMAIN_END => {
                known.tally.namings += 1;
            }
            other => return self.range(row, other == event_type::MARK),
        }
        Ok(())
    }

    fn range(&mut self, row: NvtxRow<'_>, mark: bool) -> Result<(), UntimedRow> {
        let start = row.start.ok_or(UntimedRow)?;
        let name = self.nvtx_name(row);
        let lane = self.thread(row.thread);
        let place = self.hosts.push(
            lane,
            HostSpan {
                start,
                end: if mark { Some(start) } else { row.end },
                name,
                kind: SpanKind::Scope,
                state: State::Done,
            },
        );
        let known = &mut self.dialect;
        known.tally.open_ranges += u64::from(!mark && row.end.is_none());
        if let Some(domain) = row.domain.filter(|domain| *domain != 0) {
            known.tally.in_domains.push((place, domain));
        }
        if let Some(category) = row.category.filter(|category| *category != 0) {
            self.hosts
                .argument(place, known.fields.category, Value::Integer(category));
        }
        if let Some(payload) = payload(row) {
            self.hosts.argument(place, known.fields.payload, payload);
        }
        Ok(())
    }

    fn nvtx_name(&mut self, row: NvtxRow<'_>) -> NameId {
        match (row.text, row.text_id) {
            (Some(text), _) => self.draft.name(text),
            (None, Some(id)) => self.dialect.facts.strings.name(id, &mut self.draft),
            (None, None) => self.draft.name("range"),
        }
    }

    /// Says of each range in a domain of its own which one that is; domains may be named after their ranges.
    pub(super) fn name_domains(&mut self) {
        let field = self.dialect.fields.domain;
        for (place, domain) in std::mem::take(&mut self.dialect.tally.in_domains) {
            let value = match self.dialect.tally.domains.get(&domain) {
                Some(name) => Value::Text(name.as_str().into()),
                None => Value::Integer(domain),
            };
            self.hosts.argument(place, field, value);
        }
    }
}

/// What a program says besides the name of a range.
fn payload(row: NvtxRow<'_>) -> Option<Value> {
    let whole = row.uint64.or(row.int64).or(row.uint32).or(row.int32);
    let real = row.double.or(row.float).map(Value::Number);
    let text = row.json.map(|text| Value::Text(text.into()));
    whole.map(Value::Integer).or(real).or(text)
}
