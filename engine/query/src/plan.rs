//! What SQLite has a table do for it: rows within bounds, in an order. Made when a statement is prepared, read when it runs.

/// What a column's value is compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BoundKind {
    /// It is the value.
    Equal,
    /// It is above the value.
    Above,
    /// It is the value or above.
    From,
    /// It is below the value.
    Below,
    /// It is the value or below.
    UpTo,
}

impl BoundKind {
    const ALL: [Self; 5] = [
        Self::Equal,
        Self::Above,
        Self::From,
        Self::Below,
        Self::UpTo,
    ];

    const fn letter(self) -> char {
        match self {
            Self::Equal => '=',
            Self::Above => '>',
            Self::From => 'g',
            Self::Below => '<',
            Self::UpTo => 'l',
        }
    }

    fn from_letter(letter: char) -> Option<Self> {
        Self::ALL.into_iter().find(|it| it.letter() == letter)
    }
}

/// In which order rows are wanted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum RowOrder {
    /// Equal ones beside each other.
    Grouped,
    /// By their values.
    #[default]
    Sorted,
}

/// What a table is to do for a statement.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ScanPlan {
    /// Columns and what they are compared with, in the order in which the values come.
    pub bounds: Vec<(usize, BoundKind)>,
    /// Columns by which the rows are ordered, and whether the largest comes first.
    pub order: Vec<(usize, bool)>,
    /// How they are ordered.
    pub by: RowOrder,
    /// A bit for each column that is needed.
    pub used: u64,
}

impl ScanPlan {
    /// As a text, which is how SQLite keeps it: `4=6>|6a.112`.
    pub fn encode(&self) -> String {
        let bounds = self.bounds.iter();
        let bounds: Vec<String> = bounds
            .map(|(column, kind)| format!("{column}{}", kind.letter()))
            .collect();
        let by = match self.by {
            RowOrder::Grouped => '/',
            RowOrder::Sorted => '|',
        };
        let order = self.order.iter().map(|(column, is_descending)| {
            let letter = if *is_descending { 'd' } else { 'a' };
            format!("{column}{letter}")
        });
        let order: Vec<String> = order.collect();
        format!("{}{by}{}.{}", bounds.concat(), order.concat(), self.used)
    }

    /// Reads it back.
    pub fn decode(text: &str) -> Option<Self> {
        let (text, used) = text.split_once('.')?;
        let mut plan = Self {
            used: used.parse().ok()?,
            ..Self::default()
        };
        let (mut column, mut is_order) = (None::<usize>, false);
        for letter in text.chars() {
            if let Some(digit) = letter.to_digit(10) {
                let before = column.unwrap_or(0).checked_mul(10)?;
                column = Some(before.checked_add(digit as usize)?);
                continue;
            }
            match (letter, column.take()) {
                ('|', None) if !is_order => is_order = true,
                ('/', None) if !is_order => (is_order, plan.by) = (true, RowOrder::Grouped),
                ('a' | 'd', Some(column)) if is_order => plan.order.push((column, letter == 'd')),
                (_, Some(column)) if !is_order => {
                    plan.bounds.push((column, BoundKind::from_letter(letter)?));
                }
                _ => return None,
            }
        }
        (is_order && column.is_none()).then_some(plan)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plans_come_back_and_anything_else_is_none() {
        for by in [RowOrder::Grouped, RowOrder::Sorted] {
            let plan = ScanPlan {
                bounds: BoundKind::ALL
                    .map(|kind| (kind as usize * 7, kind))
                    .to_vec(),
                order: vec![(0, false), (16, true)],
                by,
                used: u64::MAX,
            };
            assert_eq!(ScanPlan::decode(&plan.encode()), Some(plan));
        }
        let empty = ScanPlan::default();
        assert_eq!(ScanPlan::decode(&empty.encode()), Some(empty));
        for odd in [
            "",
            "4",
            "4=",
            "=|",
            "|4",
            "|a",
            "4?|",
            "4=|4a|",
            "99999999999999999999=|",
        ] {
            assert_eq!(ScanPlan::decode(&format!("{odd}.1")), None, "{odd}");
        }
        for odd in ["|", "|.", "|.a", "|.1.2"] {
            assert_eq!(ScanPlan::decode(odd), None, "{odd}");
        }
    }
}
