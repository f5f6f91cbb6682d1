//! Where the rows of an answer lead: to spans, and to ranges of time.

use engine::record::{SpanId, Value};
use engine::time::{Interval, Nanos};

use super::answer::AnsweredQuestion;
use crate::action::Action;

/// Where a click on a row leads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RowTarget {
    /// The span.
    pub span: Option<SpanId>,
    /// The range of time that becomes the chosen one.
    pub range: Option<Interval>,
}

impl RowTarget {
    /// Where a click on a row leads: on a cell that holds a span's id to that span, elsewhere to the first span of the row and to
    /// the range from its `ts` on, as long as its `dur`.
    pub fn of(answer: &AnsweredQuestion, row: usize, column: Option<usize>) -> Self {
        let spans = answer.span_columns();
        let id = |column: &usize| span_id(answer, row, *column);
        let clicked = column.filter(|it| spans.contains(it));
        let clicked = clicked.and_then(|it| Some((it, id(&it)?)));
        let (column, span) = match clicked {
            Some((column, span)) => (Some(column), Some(span)),
            None => (None, spans.iter().find_map(id)),
        };
        // The times are those of the row, and not those of another span that it names.
        let is_of_row = column.is_none() || column == spans.first().copied();
        Self {
            span,
            range: row_range(answer, row).filter(|_| is_of_row),
        }
    }

    /// Whether it leads anywhere.
    pub fn is_some(self) -> bool {
        self.span.is_some() || self.range.is_some()
    }

    /// What goes there. A range that the row before has `left` behind is forgotten where this one has none.
    pub fn actions(self, left: Option<Interval>) -> Vec<Action> {
        let mut actions = match (self.span, self.range) {
            (None, Some(range)) => return Action::visit(range),
            (_, Some(range)) => vec![Action::SelectRange(Some(range))],
            (_, None) if left.is_some() => vec![Action::SelectRange(None)],
            (_, None) => Vec::new(),
        };
        actions.extend(self.span.map(Action::Reveal));
        actions
    }
}

/// Whether a cell is drawn as a link.
pub fn is_link(answer: &AnsweredQuestion, row: usize, column: usize) -> bool {
    if answer.span_columns().contains(&column) {
        return span_id(answer, row, column).is_some();
    }
    answer.column("ts") == Some(column) && row_range(answer, row).is_some()
}

fn integer(answer: &AnsweredQuestion, row: usize, column: usize) -> Option<i64> {
    match answer.rows.get(row)?.get(column)? {
        Some(Value::Integer(value)) => Some(*value),
        _ => None,
    }
}

fn span_id(answer: &AnsweredQuestion, row: usize, column: usize) -> Option<SpanId> {
    let id = integer(answer, row, column)?;
    u32::try_from(id).ok().map(SpanId)
}

fn row_range(answer: &AnsweredQuestion, row: usize) -> Option<Interval> {
    let number = |name: &str| integer(answer, row, answer.column(name)?);
    let start = number("ts")?;
    let end = start.saturating_add(number("dur").unwrap_or(0).max(0));
    Some(Interval::new(Nanos(start), Nanos(end)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(columns: &[&str], spans: Vec<usize>, row: &[Option<i64>]) -> AnsweredQuestion {
        let row = row.iter().map(|it| it.map(Value::Integer)).collect();
        let answer = AnsweredQuestion {
            columns: columns.iter().map(|it| (*it).to_owned()).collect(),
            rows: vec![row],
            ..AnsweredQuestion::default()
        };
        answer.with_span_columns(spans)
    }

    #[test]
    fn a_cell_leads_to_its_span_and_a_row_to_its_first_span_and_its_range() {
        let columns = ["launch_id", "id", "ts", "dur"];
        let of = answer(&columns, vec![0, 1], &[Some(7), Some(9), Some(5), Some(2)]);
        let range = Interval::new(Nanos(5), Nanos(7));
        let own = RowTarget {
            span: Some(SpanId(9)),
            range: Some(range),
        };
        assert_eq!(RowTarget::of(&of, 0, None), own);
        assert_eq!(RowTarget::of(&of, 0, Some(1)), own);
        assert_eq!(RowTarget::of(&of, 0, Some(2)), own);
        let other = RowTarget::of(&of, 0, Some(0));
        assert_eq!((other.span, other.range), (Some(SpanId(7)), None));
        assert!(is_link(&of, 0, 0) && is_link(&of, 0, 2) && !is_link(&of, 0, 3));
    }

    #[test]
    fn an_id_of_another_table_is_no_span_and_what_was_marked_before_is_forgotten() {
        let of = answer(&["id", "count"], Vec::new(), &[Some(3), Some(4)]);
        let target = RowTarget::of(&of, 0, Some(0));
        assert!(!target.is_some() && !is_link(&of, 0, 0));
        let left = Some(Interval::new(Nanos(1), Nanos(2)));
        assert_eq!(target.actions(left), [Action::SelectRange(None)]);
        assert_eq!(target.actions(None), []);
    }
}
