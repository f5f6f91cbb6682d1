//! Reads a pickle of plain values: numbers, texts, lists, tuples and dictionaries. It makes no object and calls nothing; what would
//! is an error that says where it stands. The instructions are those of Python's `Lib/pickletools.py` that protocols from 2
//! on are written in.
//!
//! A library would do but for one thing: values that a pickle holds once and names often are copied by those that there are, and
//! the stacks of a snapshot are named a hundred thousand times. Here each value has a number, and is named by it.

mod machine;
mod spelling;

use machine::PickleMachine;

/// Real numbers from here on are no whole ones of 64 bits.
const WHOLE: f64 = 9.2e18;

/// The number of a value.
pub type PickleId = u32;

/// A value, whose parts are named by their numbers.
#[derive(Clone, Debug, PartialEq)]
pub enum PickleValue {
    /// `None`, and whatever is neither of the others: bytes, sets.
    Nothing,
    /// `True` or `False`.
    Bool(bool),
    /// A whole number.
    Integer(i64),
    /// A real number, or a whole one beyond 64 bits.
    Number(f64),
    /// A text.
    Text(Box<str>),
    /// A list or a tuple.
    List(Vec<PickleId>),
    /// A dictionary.
    Dictionary(Vec<(PickleId, PickleId)>),
}

/// Why a pickle was not read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PickleError {
    /// It ends in the middle.
    #[error(
        "it breaks off after {0} bytes; the program that wrote it did not finish, or the copy is not whole"
    )]
    Cut(usize),
    /// It would run code.
    #[error(
        "its instruction {name} at byte {at} makes an object or calls a function{of}. Syncline reads plain values alone and runs \
         nothing; write the file by torch.cuda.memory._dump_snapshot, and do not open this one in Python"
    )]
    Code {
        /// What the instruction is called.
        name: &'static str,
        /// Where it stands.
        at: usize,
        /// Which function, where it is named.
        of: String,
    },
    /// An instruction makes no sense.
    #[error("its byte {at} makes no sense there ({why}); it is damaged, or no pickle")]
    Damaged {
        /// Where.
        at: usize,
        /// Why not.
        why: &'static str,
    },
}

/// The values of a pickle.
pub struct Pickle {
    values: Vec<PickleValue>,
    root: PickleId,
    cut: Option<usize>,
}

impl Pickle {
    /// Reads one.
    ///
    /// # Errors
    /// It breaks off, is damaged, or would run code.
    pub fn read(bytes: &[u8]) -> Result<Self, PickleError> {
        let mut machine = PickleMachine::new(bytes);
        let (root, cut) = match machine.run() {
            Err(PickleError::Cut(at)) => (machine.rescue().ok_or(PickleError::Cut(at))?, Some(at)),
            whole => (whole?, None),
        };
        Ok(Self {
            values: machine.into_values(),
            root,
            cut,
        })
    }

    /// After how many bytes it breaks off, where it does: what had come until then is there.
    pub const fn cut(&self) -> Option<usize> {
        self.cut
    }

    /// The number of the outermost value.
    pub const fn root(&self) -> PickleId {
        self.root
    }

    fn value(&self, id: PickleId) -> &PickleValue {
        self.values
            .get(id as usize)
            .unwrap_or(&PickleValue::Nothing)
    }

    /// The parts of a list; none of anything else.
    pub fn list(&self, id: PickleId) -> &[PickleId] {
        match self.value(id) {
            PickleValue::List(all) => all,
            _ => &[],
        }
    }

    /// A value of a dictionary by its key, which is a text.
    pub fn field(&self, of: PickleId, key: &str) -> Option<PickleId> {
        let PickleValue::Dictionary(all) = self.value(of) else {
            return None;
        };
        // What is set twice has the last value.
        let mut all = all.iter().rev();
        all.find(|it| self.text(it.0) == Some(key)).map(|it| it.1)
    }

    /// A text.
    pub fn text(&self, id: PickleId) -> Option<&str> {
        match self.value(id) {
            PickleValue::Text(text) => Some(text),
            _ => None,
        }
    }

    /// A whole number.
    pub fn integer(&self, id: PickleId) -> Option<i64> {
        match self.value(id) {
            PickleValue::Integer(value) => Some(*value),
            PickleValue::Number(value) if value.fract() == 0.0 && value.abs() < WHOLE => {
                Some(*value as i64)
            }
            _ => None,
        }
    }

    /// The whole number that a dictionary has for a key.
    pub fn number_of(&self, of: PickleId, key: &str) -> Option<i64> {
        self.integer(self.field(of, key)?)
    }

    /// The text that a dictionary has for a key.
    pub fn text_of(&self, of: PickleId, key: &str) -> Option<&str> {
        self.text(self.field(of, key)?)
    }

    /// The parts of the list that a dictionary has for a key.
    pub fn list_of(&self, of: PickleId, key: &str) -> &[PickleId] {
        self.field(of, key).map_or(&[], |it| self.list(it))
    }
}

#[cfg(test)]
mod tests;
