//! Chords of keys: how they are written, and which command a pressed one asks for.

use std::fmt;

use eframe::egui::{Event, InputState, Key, Modifiers};

use super::{COMMANDS, Command};

/// A key and what is held with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chord {
    /// The key.
    pub key: Key,
    /// Ctrl, or Command on a Mac.
    pub command: bool,
    /// Shift. Of no account for keys that some layouts only reach with it.
    pub shift: bool,
    /// Alt.
    pub alt: bool,
}

impl Chord {
    /// The key alone.
    pub const fn plain(key: Key) -> Self {
        Self {
            key,
            command: false,
            shift: false,
            alt: false,
        }
    }

    /// The key with Ctrl.
    pub const fn ctrl(key: Key) -> Self {
        Self {
            command: true,
            ..Self::plain(key)
        }
    }

    /// The key with Shift.
    pub const fn shift(key: Key) -> Self {
        Self {
            shift: true,
            ..Self::plain(key)
        }
    }

    /// The key with Ctrl and Shift.
    pub const fn ctrl_shift(key: Key) -> Self {
        Self {
            shift: true,
            ..Self::ctrl(key)
        }
    }

    /// The key with Alt.
    pub const fn alt(key: Key) -> Self {
        Self {
            alt: true,
            ..Self::plain(key)
        }
    }

    /// Whether pressing `key`, which lies where `physical` lies on a US keyboard, is this chord.
    fn matches(self, key: Key, physical: Option<Key>, modifiers: Modifiers) -> bool {
        let same = if self.is_by_position() && !modifiers.command {
            physical.unwrap_or(key) == self.key
        } else {
            key == self.key
        };
        same && modifiers.command == self.command
            && modifiers.alt == self.alt
            && (modifiers.shift == self.shift || self.ignores_shift())
    }

    /// Whether the hand finds the key by where it lies, whatever the layout writes on it.
    fn is_by_position(self) -> bool {
        matches!(self.key, Key::W | Key::A | Key::S | Key::D) && !self.command
    }

    /// Whether some layouts reach the key only with Shift.
    fn ignores_shift(self) -> bool {
        matches!(
            self.key,
            Key::Slash
                | Key::Questionmark
                | Key::Plus
                | Key::Minus
                | Key::OpenBracket
                | Key::CloseBracket
        )
    }
}

/// As written in menus and the table of keys, such as `Ctrl+Shift+Z`.
impl fmt::Display for Chord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (held, word) in [
            (self.command, "Ctrl+"),
            (self.alt, "Alt+"),
            (self.shift, "Shift+"),
        ] {
            if held {
                f.write_str(word)?;
            }
        }
        f.write_str(match self.key {
            Key::ArrowLeft => "←",
            Key::ArrowRight => "→",
            Key::ArrowUp => "↑",
            Key::ArrowDown => "↓",
            Key::Escape => "Esc",
            key => key.symbol_or_name(),
        })
    }
}

/// The commands whose keys were pressed since the last frame, in that order.
pub fn pressed(input: &InputState) -> Vec<Command> {
    let events = input.events.iter();
    events
        .filter_map(|event| match event {
            Event::Key {
                key,
                physical_key,
                pressed: true,
                modifiers,
                ..
            } => {
                let wanted = |chord: &&Chord| chord.matches(*key, *physical_key, *modifiers);
                COMMANDS
                    .iter()
                    .find(|entry| entry.keys.iter().any(|chord| wanted(&chord)))
                    .map(|entry| entry.command)
            }
            _ => None,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chords_are_written_as_people_say_them() {
        assert_eq!(Chord::ctrl_shift(Key::Z).to_string(), "Ctrl+Shift+Z");
        assert_eq!(Chord::plain(Key::Slash).to_string(), "/");
        assert_eq!(Chord::alt(Key::ArrowLeft).to_string(), "Alt+←");
    }

    #[test]
    fn letters_to_move_with_go_by_position() {
        let azerty = (Key::Z, Some(Key::W));
        assert!(Chord::plain(Key::W).matches(azerty.0, azerty.1, Modifiers::NONE));
        assert!(!Chord::ctrl(Key::W).matches(azerty.0, azerty.1, Modifiers::COMMAND));
        assert!(Chord::ctrl(Key::Z).matches(azerty.0, azerty.1, Modifiers::COMMAND));
    }

    #[test]
    fn shift_counts_for_letters_and_not_for_signs() {
        let shift = Modifiers::SHIFT;
        assert!(Chord::plain(Key::Slash).matches(Key::Slash, Some(Key::Num7), shift));
        assert!(!Chord::plain(Key::Enter).matches(Key::Enter, None, shift));
        assert!(Chord::shift(Key::Enter).matches(Key::Enter, None, shift));
    }
}
