//! What a field of an event is, by its name.

/// What a field of an event is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventField {
    Phase,
    Name,
    Category,
    Process,
    Thread,
    Time,
    Length,
    Id,
    /// All arguments together, however they are written.
    Arguments,
    BindingPoint,
    FlowOut,
    FlowIn,
    /// How far an instant's line reaches on screen.
    Reach,
    /// An argument; its name's number.
    Argument(u32),
    /// Whatever else the file says of the event, such as the time of its thread.
    Extra(u32),
}

impl EventField {
    /// What a name means at the top of an event; nothing where it is one more argument.
    pub fn of(key: &[u8]) -> Option<Self> {
        Some(match key {
            b"ph" => Self::Phase,
            b"name" => Self::Name,
            b"cat" => Self::Category,
            b"pid" => Self::Process,
            b"tid" => Self::Thread,
            b"ts" => Self::Time,
            b"dur" => Self::Length,
            b"id" | b"id2" | b"bind_id" => Self::Id,
            b"args" => Self::Arguments,
            b"bp" => Self::BindingPoint,
            b"flow_out" => Self::FlowOut,
            b"flow_in" => Self::FlowIn,
            b"s" => Self::Reach,
            _ => return None,
        })
    }
}
