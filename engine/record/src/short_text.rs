//! A text that is short nearly always, such as the number of a thread: kept in place, in sixteen bytes.

use std::fmt;
use std::ops::Deref;

use serde::{Deserialize, Serialize};

/// Bytes that are kept in place.
const SHORT: usize = 14;

/// A text that takes no allocation where it has at most fourteen bytes.
#[derive(Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub struct ShortText(TextForm);

#[derive(Clone, PartialEq, Eq, Hash)]
enum TextForm {
    /// The first so many of these bytes.
    Short(u8, [u8; SHORT]),
    Long(Box<Box<str>>),
}

impl ShortText {
    /// The text.
    pub fn as_str(&self) -> &str {
        match &self.0 {
            TextForm::Short(length, bytes) => {
                let bytes = bytes.get(..usize::from(*length)).unwrap_or_default();
                // They came from a text, so this never fails.
                std::str::from_utf8(bytes).unwrap_or_default()
            }
            TextForm::Long(text) => text,
        }
    }
}

impl From<&str> for ShortText {
    fn from(text: &str) -> Self {
        let mut bytes = [0; SHORT];
        match bytes.get_mut(..text.len()) {
            Some(slots) => {
                slots.copy_from_slice(text.as_bytes());
                Self(TextForm::Short(text.len() as u8, bytes))
            }
            None => Self(TextForm::Long(Box::new(text.into()))),
        }
    }
}

impl From<String> for ShortText {
    fn from(text: String) -> Self {
        Self::from(text.as_str())
    }
}

impl From<ShortText> for String {
    fn from(text: ShortText) -> Self {
        text.as_str().to_owned()
    }
}

impl Default for ShortText {
    fn default() -> Self {
        Self::from("")
    }
}

impl Deref for ShortText {
    type Target = str;

    fn deref(&self) -> &str {
        self.as_str()
    }
}

impl PartialEq<&str> for ShortText {
    fn eq(&self, other: &&str) -> bool {
        self.as_str() == *other
    }
}

impl fmt::Display for ShortText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Debug for ShortText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_comes_back_however_long_it_is() {
        for text in [
            "",
            "7",
            "-9223372036854",
            "-9223372036854775808",
            "größeres",
            "größeres Etwas",
        ] {
            let short = ShortText::from(text);
            assert_eq!(short.as_str(), text);
            assert_eq!(short, ShortText::from(text.to_owned()));
            assert_eq!(String::from(short), text);
        }
        assert_eq!(size_of::<ShortText>(), 16);
    }
}
