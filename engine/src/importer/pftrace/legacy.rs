//! What events say in the form that came before tracks: a phase as in trace JSON.

use super::event::EventView;
use super::sequence::Sequence;
use crate::perfetto::proto::event_type;
use crate::perfetto::view::each_field;

/// What an event says in the old form.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct LegacyPhase {
    /// The phase, a letter of trace JSON.
    pub phase: u8,
    /// How long it took, in microseconds.
    pub micros: i64,
    /// The number that tells it apart from others of its name.
    pub id: Option<u64>,
    /// The name, by the number of the text.
    pub name: Option<u32>,
}

/// What an event is, in either form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sort {
    Begin,
    End,
    Instant,
    /// A slice so many nanoseconds long.
    Complete(i64),
    /// A new value of the track's counter.
    Count,
    /// New values of counters that the event names itself, and its number.
    Series(Option<u64>),
    Other,
}

impl Sort {
    /// What an event is: its type counts, and the phase where it has none.
    pub fn of(event: &EventView<'_>) -> Self {
        match (event.kind, event.legacy) {
            (event_type::BEGIN, _) => Self::Begin,
            (event_type::END, _) => Self::End,
            (event_type::INSTANT, _) => Self::Instant,
            (event_type::COUNTER, _) => Self::Count,
            (0, Some(legacy)) => match legacy.phase {
                b'B' => Self::Begin,
                b'E' => Self::End,
                b'i' | b'I' | b'R' | b'n' | b'P' => Self::Instant,
                b'X' => Self::Complete(legacy.micros.saturating_mul(1000)),
                b'C' => Self::Series(legacy.id),
                _ => Self::Other,
            },
            _ => Self::Other,
        }
    }
}

/// Reads what an event says in the old form. Nothing where the bytes are no message.
pub(super) fn read(bytes: &[u8], sequence: &Sequence) -> Option<LegacyPhase> {
    let mut legacy = LegacyPhase::default();
    each_field(bytes, |field, wire| {
        match field {
            1 => legacy.name = sequence.name(wire.varint()?),
            2 => legacy.phase = u8::try_from(wire.varint()?).unwrap_or(0),
            3 => legacy.micros = wire.varint()? as i64,
            // Of the whole machine, of a process, or of either.
            6 | 10 | 11 => legacy.id = Some(wire.varint()?),
            _ => {}
        }
        Some(())
    })?;
    Some(legacy)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_type_counts_before_a_phase() {
        let event = |kind, phase| EventView {
            kind,
            legacy: Some(LegacyPhase {
                phase,
                micros: 2,
                ..LegacyPhase::default()
            }),
            ..EventView::default()
        };
        assert_eq!(Sort::of(&event(0, b'X')), Sort::Complete(2_000));
        assert_eq!(Sort::of(&event(event_type::END, b'X')), Sort::End);
        assert_eq!(Sort::of(&event(0, b'C')), Sort::Series(None));
        assert_eq!(Sort::of(&event(0, b'?')), Sort::Other);
        assert_eq!(Sort::of(&EventView::default()), Sort::Other);
    }

    #[test]
    fn fields_are_read_and_others_passed_over() {
        // The phase X, 300 µs, a number of the process, and a scope of it.
        let bytes = [
            2 << 3,
            b'X',
            3 << 3,
            0xAC,
            2,
            10 << 3,
            9,
            7 << 3 | 2,
            1,
            b's',
        ];
        let found = read(&bytes, &Sequence::default()).unwrap();
        let expected = LegacyPhase {
            phase: b'X',
            micros: 300,
            id: Some(9),
            name: None,
        };
        assert_eq!(found, expected);
        assert_eq!(
            read(&bytes[..2], &Sequence::default()).map(|it| it.phase),
            Some(b'X')
        );
        assert_eq!(read(&bytes[..1], &Sequence::default()), None);
    }
}
