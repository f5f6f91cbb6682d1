//! KDL 2: from text to nodes, in a time that grows as the text does, whatever it holds.
//!
//! The grammar is that of the [specification](https://kdl.dev/spec/), version 2.0.1. Nothing calls itself, and nothing is
//! read twice but the blanks behind a word. What is wrong is told with its place, and the next line is read on.

mod scanner;
mod strings;
mod structure;

use std::fmt;
use std::ops::Range;

pub use structure::parse;

/// A node: its name, what follows on its line, and its block.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct KdlNode {
    /// The first word, without quotation marks and escapes.
    pub name: String,
    /// The bytes of the name as it is written.
    pub name_range: Range<usize>,
    /// The bytes of the node as it is written, its block included, what ends it not.
    pub range: Range<usize>,
    /// Whether a type, `(type)`, stands before its name.
    pub is_annotated: bool,
    /// Arguments and properties in the order in which they are written.
    pub entries: Vec<KdlEntry>,
    /// What its block holds; nothing where it has none.
    pub children: Option<Vec<Self>>,
}

/// An argument or a property of a node.
#[derive(Clone, Debug, PartialEq)]
pub struct KdlEntry {
    /// The name of a property, and its bytes; nothing for an argument.
    pub name: Option<(String, Range<usize>)>,
    /// What it says.
    pub value: KdlValue,
    /// The bytes of the value as it is written.
    pub value_range: Range<usize>,
    /// Whether a type, `(type)`, stands before its value.
    pub is_annotated: bool,
}

/// A value. Shown, it is written as KDL.
#[derive(Clone, Debug, PartialEq)]
pub enum KdlValue {
    /// A text, with its escapes resolved.
    String(String),
    /// A number without a point and an exponent.
    Integer(i128),
    /// A number with a point or an exponent, `#inf`, `#-inf` or `#nan`.
    Float(f64),
    /// `#true` or `#false`.
    Bool(bool),
    /// `#null`.
    Null,
}

/// What is not KDL about a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KdlFault {
    /// The bytes that are meant; empty at the end of the text.
    pub range: Range<usize>,
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub help: String,
}

impl KdlFault {
    fn new(range: Range<usize>, message: impl Into<String>, help: impl Into<String>) -> Self {
        Self {
            range,
            message: message.into(),
            help: help.into(),
        }
    }
}

impl KdlNode {
    /// The nodes in its block; none where it has no block.
    pub fn inside(&self) -> &[Self] {
        self.children.as_deref().unwrap_or_default()
    }

    /// Its argument number `place`, counted from 0.
    pub fn argument(&self, place: usize) -> Option<&KdlEntry> {
        let mut arguments = self.entries.iter().filter(|it| it.name.is_none());
        arguments.nth(place)
    }

    /// Its property of a name: the first, where it is given twice.
    pub fn property(&self, name: &str) -> Option<&KdlEntry> {
        self.entries.iter().find(|it| it.name() == Some(name))
    }
}

impl KdlEntry {
    /// The name of a property; nothing for an argument.
    pub fn name(&self) -> Option<&str> {
        self.name.as_ref().map(|(name, _)| &**name)
    }
}

impl KdlValue {
    /// The text, where it is one.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::String(text) => Some(text),
            _ => None,
        }
    }

    /// The number, where it is a whole one.
    pub const fn as_integer(&self) -> Option<i128> {
        match self {
            Self::Integer(number) => Some(*number),
            _ => None,
        }
    }

    /// The answer, where it is `#true` or `#false`.
    pub const fn as_bool(&self) -> Option<bool> {
        match self {
            Self::Bool(answer) => Some(*answer),
            _ => None,
        }
    }
}

impl fmt::Display for KdlValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::String(text) => quote(text, f),
            Self::Integer(number) => write!(f, "{number}"),
            Self::Float(number) if number.is_nan() => f.write_str("#nan"),
            Self::Float(f64::INFINITY) => f.write_str("#inf"),
            Self::Float(f64::NEG_INFINITY) => f.write_str("#-inf"),
            Self::Float(number) => write!(f, "{number:?}"),
            Self::Bool(answer) => write!(f, "#{answer}"),
            Self::Null => f.write_str("#null"),
        }
    }
}

/// A text in quotation marks, on one line.
fn quote(text: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    f.write_str("\"")?;
    for c in text.chars() {
        match c {
            '"' | '\\' => write!(f, "\\{c}")?,
            '\n' => f.write_str("\\n")?,
            '\t' => f.write_str("\\t")?,
            '\r' => f.write_str("\\r")?,
            _ if scanner::ends_line(c) || scanner::is_forbidden(c) => {
                write!(f, "\\u{{{:x}}}", u32::from(c))?;
            }
            _ => write!(f, "{c}")?,
        }
    }
    f.write_str("\"")
}

#[cfg(test)]
mod agreement;
