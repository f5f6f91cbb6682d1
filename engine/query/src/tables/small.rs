//! Tables that are mostly small: samples of counters, findings, problems and names.

use super::draft::{TableDraft, int};
use super::lanes::id;
use super::spans::NameCodes;
use crate::column::CellValue;
use crate::guard::{QueryGuard, StopReason};
use crate::rows::TableRows;
use crate::schema::TableId;
use crate::source::QuerySource;
use record::{NameId, SpanId};

/// The samples of each counter, in order of time.
pub(super) fn counters(source: &QuerySource, guard: &QueryGuard) -> Result<TableRows, StopReason> {
    let capture = &source.capture;
    let facts = source.lanes()?;
    let mut draft = TableDraft::of(source, TableId::COUNTERS, Some(guard));
    for counter in capture.counters() {
        let mut lanes = capture.lanes().iter();
        let of_device = lanes.find(|it| counter.device.is_some() && it.device == counter.device);
        let rank = of_device.map_or_else(|| facts.rank_of_all(), |it| facts.rank(it.id));
        let samples = capture.samples(counter.id);
        for (time, value) in samples.times().iter().zip(samples.values()) {
            let values = [
                CellValue::Text(&counter.name),
                CellValue::Text(&counter.unit),
                CellValue::Null,
                CellValue::Integer(time.0),
                CellValue::Real(*value),
            ];
            draft.row(rank, &values)?;
        }
    }
    Ok(draft.finish())
}

/// What the analyses found, the worst first.
pub(super) fn findings(source: &QuerySource, guard: &QueryGuard) -> Result<TableRows, StopReason> {
    let capture = &source.capture;
    let answers = source.answers(guard)?;
    let facts = source.lanes()?;
    let mut found: Vec<_> = answers.iter().flat_map(|it| &it.answer.findings).collect();
    found.sort_by_key(|it| std::cmp::Reverse(it.severity));
    let mut draft = TableDraft::of(source, TableId::FINDINGS, Some(guard));
    for (number, finding) in found.into_iter().enumerate() {
        let first = finding.spans.first().copied();
        let placed = first.and_then(|it| capture.span(it));
        let values = [
            CellValue::Integer(number as i64),
            CellValue::Text(&finding.code),
            CellValue::Text(finding.severity.label()),
            CellValue::Text(&finding.text),
            int(first.map(|it| i64::from(it.0))),
            int(placed.map(|it| it.span.start.0)),
            int(placed.map(|it| (it.span.end - it.span.start).0)),
        ];
        let rank = placed.map_or_else(|| facts.rank_of_all(), |it| facts.rank(it.span.lane));
        draft.row(rank, &values)?;
    }
    Ok(draft.finish())
}

/// What is known to be wrong with the data.
pub(super) fn problems(source: &QuerySource) -> Result<TableRows, StopReason> {
    let capture = &source.capture;
    let facts = source.lanes()?;
    let mut draft = TableDraft::of(source, TableId::PROBLEMS, None);
    for problem in capture.problems() {
        let span = problem.span.is_some().then_some(problem.span);
        let placed = span.and_then(|it: SpanId| capture.span(it));
        let values = [
            CellValue::Text(problem.severity.label()),
            CellValue::Text(&problem.code),
            CellValue::Text(&problem.text),
            int(span.map(|it| i64::from(it.0))),
            int(placed.map(|it| it.span.start.0)),
        ];
        let rank = placed.map_or_else(|| facts.rank_of_all(), |it| facts.rank(it.span.lane));
        draft.row(rank, &values)?;
    }
    Ok(draft.finish())
}

/// The names, each once.
pub(super) fn names(source: &QuerySource, guard: &QueryGuard) -> Result<TableRows, StopReason> {
    let capture = &source.capture;
    let rank = source.lanes()?.rank_of_all();
    let codes = NameCodes::new(capture);
    let mut draft = TableDraft::of(source, TableId::NAMES, Some(guard));
    let numbers = (0..capture.name_count() as u32).filter(|it| codes.is_code(*it));
    for number in numbers {
        let values = [id(number), CellValue::Text(capture.name(NameId(number)))];
        draft.row(rank, &values)?;
    }
    Ok(draft.finish())
}
