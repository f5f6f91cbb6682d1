//! What events say in the form that came before tracks: a phase as in trace JSON.

use super::event::EventView;
use super::sequence::PacketSequence;
use crate::importer::chrome::ChromeTexts;
use crate::importer::flow_points::FlowStep;
use crate::perfetto::proto::event_type;
use crate::perfetto::view::each_field;

/// What an event says in the old form.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct LegacyPhase {
    /// The phase, a letter of trace JSON.
    pub phase: u8,
    /// How long it took, in microseconds.
    pub micros: i64,
    /// The number that tells it apart from others of its name, and whether that counts in one process only.
    pub id: Option<(u64, bool)>,
    /// What the number is of, by the number of the text.
    pub scope: Option<u32>,
    /// The name, by the number of the text.
    pub name: Option<u32>,
    /// The number of an arrow that leads to or from the slice itself, and which way.
    pub bind: Option<u64>,
    direction: u64,
    /// Whether the end of an arrow is at the slice around it, not at the next.
    pub is_enclosing: bool,
    process: Option<i32>,
    thread: Option<i32>,
}

/// What the beginnings, ends and steps of one asynchronous operation have in common, besides its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AsyncScope {
    /// The category.
    Category,
    /// The name, as with phases that do not nest.
    Name,
    /// The category and a text of the event's own.
    Own(u32),
}

impl LegacyPhase {
    /// By what an asynchronous operation is told apart, and its number; nothing where it is none. As in Perfetto's
    /// `TrackEventEventImporter::ParseTrackAssociation`.
    pub fn asynchronous(&self) -> Option<(AsyncScope, (u64, bool))> {
        let scope = match (self.phase, self.scope) {
            (b'b' | b'e' | b'n' | b'S' | b'F' | b'T' | b'p', Some(own)) => AsyncScope::Own(own),
            (b'b' | b'e' | b'n', None) => AsyncScope::Category,
            (b'S' | b'F' | b'T' | b'p', None) => AsyncScope::Name,
            _ => return None,
        };
        Some((scope, self.id?))
    }

    /// The process and the thread that it is of, where that is not the writer's.
    pub fn other_thread(&self) -> Option<(i32, i32)> {
        Some((self.process?, self.thread?))
    }

    /// The number of an arrow that the slice is a point of, and which point; nothing where it does not say which way it leads.
    pub fn bound(&self) -> Option<(u64, FlowStep)> {
        let (comes_in, goes_out) = (self.direction & 1 != 0, self.direction & 2 != 0);
        let bind = self.bind.filter(|_| comes_in || goes_out)?;
        Some((bind, FlowStep::of_directions((comes_in, goes_out))))
    }
}

/// What an event is, in either form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LegacyEventKind {
    Begin,
    End,
    Instant,
    /// A slice so many nanoseconds long.
    Complete(i64),
    /// A new value of the track's counter.
    Count,
    /// New values of counters that the event names itself, and its number.
    Series(Option<u64>),
    /// A point of an arrow, at whatever is around it on its thread.
    Arrow(FlowStep),
    Other,
}

impl LegacyEventKind {
    /// What an event is: a phase counts before a type, as in Perfetto, but for counters.
    pub fn of(event: &EventView<'_>) -> Self {
        let legacy = event.legacy.unwrap_or_default();
        match (event.kind, legacy.phase) {
            (event_type::COUNTER, _) => Self::Count,
            (_, b'B' | b'b' | b'S') | (event_type::BEGIN, 0) => Self::Begin,
            (_, b'E' | b'e' | b'F') | (event_type::END, 0) => Self::End,
            (_, b'i' | b'I' | b'R' | b'P' | b'n' | b'T' | b'p') | (event_type::INSTANT, 0) => {
                Self::Instant
            }
            (_, b'X') => Self::Complete(legacy.micros.saturating_mul(1000)),
            (_, b'C') => Self::Series(legacy.id.map(|it| it.0)),
            (_, phase @ (b's' | b't' | b'f')) => Self::Arrow(FlowStep::of_phase(phase)),
            _ => Self::Other,
        }
    }
}

/// Reads what an event says in the old form. Nothing where the bytes are no message.
pub(super) fn read(
    bytes: &[u8],
    sequence: &PacketSequence,
    texts: &mut ChromeTexts,
) -> Option<LegacyPhase> {
    let mut legacy = LegacyPhase::default();
    each_field(bytes, |field, wire| {
        match field {
            1 => legacy.name = sequence.name(wire.varint()?),
            2 => legacy.phase = u8::try_from(wire.varint()?).unwrap_or(0),
            3 => legacy.micros = wire.varint()? as i64,
            6 | 11 => legacy.id = Some((wire.varint()?, false)),
            10 => legacy.id = Some((wire.varint()?, true)),
            7 => legacy.scope = Some(texts.add_bytes(wire.bytes()?)),
            8 => legacy.bind = Some(wire.varint()?),
            12 => legacy.is_enclosing = wire.varint()? != 0,
            13 => legacy.direction = wire.varint()?,
            18 => legacy.process = Some(wire.varint()? as i32),
            19 => legacy.thread = Some(wire.varint()? as i32),
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
    fn a_phase_counts_before_a_type() {
        let event = |kind, phase| EventView {
            kind,
            legacy: Some(LegacyPhase {
                phase,
                micros: 2,
                ..LegacyPhase::default()
            }),
            ..EventView::default()
        };
        assert_eq!(
            LegacyEventKind::of(&event(0, b'X')),
            LegacyEventKind::Complete(2_000)
        );
        assert_eq!(
            LegacyEventKind::of(&event(event_type::END, b'b')),
            LegacyEventKind::Begin
        );
        assert_eq!(
            LegacyEventKind::of(&event(event_type::END, 0)),
            LegacyEventKind::End
        );
        assert_eq!(
            LegacyEventKind::of(&event(event_type::COUNTER, b'X')),
            LegacyEventKind::Count
        );
        assert_eq!(
            LegacyEventKind::of(&event(0, b'C')),
            LegacyEventKind::Series(None)
        );
        assert_eq!(
            LegacyEventKind::of(&event(0, b'f')),
            LegacyEventKind::Arrow(FlowStep::End)
        );
        assert_eq!(LegacyEventKind::of(&event(0, b'?')), LegacyEventKind::Other);
        assert_eq!(
            LegacyEventKind::of(&EventView::default()),
            LegacyEventKind::Other
        );
    }

    #[test]
    fn fields_are_read_and_others_passed_over() {
        // The phase b, 300 µs, a number of the process, and a scope of it.
        let bytes = [
            2 << 3,
            b'b',
            3 << 3,
            0xAC,
            2,
            10 << 3,
            9,
            7 << 3 | 2,
            1,
            b's',
        ];
        let mut texts = ChromeTexts::new();
        let found = read(&bytes, &PacketSequence::default(), &mut texts).unwrap();
        let scope = texts.add("s");
        let expected = LegacyPhase {
            phase: b'b',
            micros: 300,
            id: Some((9, true)),
            scope: Some(scope),
            ..LegacyPhase::default()
        };
        assert_eq!(found, expected);
        assert_eq!(
            found.asynchronous(),
            Some((AsyncScope::Own(scope), (9, true)))
        );
        let first = read(&bytes[..2], &PacketSequence::default(), &mut texts).unwrap();
        assert_eq!((first.phase, first.asynchronous()), (b'b', None));
        assert_eq!(
            read(&bytes[..1], &PacketSequence::default(), &mut texts),
            None
        );
    }
}
