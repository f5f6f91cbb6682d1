//! How columns grow: by an eighth, so that little is reserved and not used. There may be very many that stay short.

/// Makes room for one more value. Growth by a part keeps appending at amortised constant cost.
fn grow<T>(column: &mut Vec<T>) {
    if column.len() == column.capacity() {
        column.reserve_exact((column.len() / 8).max(column.len().clamp(1, 64)));
    }
}

/// Appends a value.
pub(super) fn push<T>(column: &mut Vec<T>, value: T) {
    grow(column);
    column.push(value);
}

/// Makes a column so long that it has a position.
pub(super) fn reach<T: Default>(column: &mut Vec<T>, at: usize) {
    make_room(column, at);
    if at >= column.len() {
        column.resize_with(at + 1, T::default);
    }
}

fn make_room<T>(column: &mut Vec<T>, at: usize) {
    if at >= column.capacity() {
        let more = (at + 1 - column.len()).max(column.len() / 8).max(64);
        column.reserve_exact(more);
    }
}

/// Writes a value at a position, filling the gap before it.
pub(super) fn put<T: Copy>(column: &mut Vec<T>, at: usize, value: T, filler: T) {
    make_room(column, at);
    if at >= column.len() {
        column.resize(at + 1, filler);
    }
    if let Some(slot) = column.get_mut(at) {
        *slot = value;
    }
}
