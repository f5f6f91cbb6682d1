//! Follows the instructions of a pickle, with a stack, marks on it, and a memo.

use super::{PickleError, PickleId, PickleValue};

/// What lies on the stack.
#[derive(Clone, Copy)]
enum StackItem {
    Value(PickleId),
    /// A function of PyTorch's own writer that gives back what it is given, with a remark on its type.
    Passing,
}

/// Such functions, in the module `torch.jit._pickle`.
const PASSING: [&str; 5] = [
    "restore_type_tag",
    "build_intlist",
    "build_doublelist",
    "build_boollist",
    "build_tensorlist",
];

pub(super) struct PickleMachine<'a> {
    pub(super) bytes: &'a [u8],
    at: usize,
    values: Vec<PickleValue>,
    stack: Vec<StackItem>,
    /// How many items lay on the stack at each mark.
    marks: Vec<usize>,
    memo: Vec<Option<StackItem>>,
}

impl<'a> PickleMachine<'a> {
    /// At the first instruction.
    pub const fn new(bytes: &'a [u8]) -> Self {
        Self {
            bytes,
            at: 0,
            values: Vec::new(),
            stack: Vec::new(),
            marks: Vec::new(),
            memo: Vec::new(),
        }
    }

    /// The values, by their numbers.
    pub fn into_values(self) -> Vec<PickleValue> {
        self.values
    }

    /// Follows the instructions up to the end; gives the outermost value.
    pub fn run(&mut self) -> Result<PickleId, PickleError> {
        loop {
            let at = self.at;
            let [code] = self.take::<1>()?;
            if code == b'.' {
                return self.pop();
            }
            self.step(code, at)?;
        }
    }

    /// Puts together what had come when the bytes end: whatever lies above a mark belongs to the value below it. Gives the outermost
    /// value.
    pub fn rescue(&mut self) -> Option<PickleId> {
        while !self.marks.is_empty() {
            let parts = self.popped().ok()?;
            self.put_in(parts);
        }
        while self.stack.len() > 2 {
            let parts = self.from(self.stack.len() - 2).ok()?;
            self.put_in(parts);
        }
        match self.stack.first() {
            Some(StackItem::Value(root)) => Some(*root),
            _ => None,
        }
    }

    /// Puts values into the list or the dictionary that lies on top of the stack.
    fn put_in(&mut self, parts: Vec<PickleId>) {
        match self.last_value(self.at) {
            Ok(PickleValue::List(all)) => all.extend(parts),
            Ok(PickleValue::Dictionary(all)) => all.extend(pairs(&parts)),
            _ => {}
        }
    }

    fn step(&mut self, code: u8, at: usize) -> Result<(), PickleError> {
        match code {
            // Protocol and frames.
            0x80 => self.skip(1),
            0x95 => self.skip(8),
            b'(' => {
                self.marks.push(self.stack.len());
                Ok(())
            }
            b'0' => self.drop_one(),
            b'1' | 0x90 => self.popped().map(drop),
            b'2' => {
                let last = self.stack.last().copied();
                let last = last.ok_or_else(|| damaged(at, "nothing to repeat"))?;
                self.stack.push(last);
                Ok(())
            }
            b'N' | 0x8F => self.push(PickleValue::Nothing),
            0x88 | 0x89 => self.push(PickleValue::Bool(code == 0x88)),
            b'K' | b'M' | b'J' | 0x8A | 0x8B | b'G' => self.number(code),
            b'X' | 0x8C | 0x8D => self.string(code),
            b'B' | b'C' | 0x8E | 0x96 => {
                self.counted(code)?;
                self.push(PickleValue::Nothing)
            }
            b']' | b')' => self.push(PickleValue::List(Vec::new())),
            b'}' => self.push(PickleValue::Dictionary(Vec::new())),
            0x91 => {
                self.popped()?;
                self.push(PickleValue::Nothing)
            }
            b'l' | b't' => {
                let all = self.popped()?;
                self.push(PickleValue::List(all))
            }
            0x85..=0x87 => {
                let count = usize::from(code - 0x84);
                let from = self.stack.len().checked_sub(count);
                let from = from.ok_or_else(|| damaged(at, "too few values for a tuple"))?;
                let all = self.from(from)?;
                self.push(PickleValue::List(all))
            }
            b'a' => {
                let value = self.pop()?;
                self.append(vec![value], at)
            }
            b'e' => {
                let all = self.popped()?;
                self.append(all, at)
            }
            b'd' => {
                let all = self.popped()?;
                let pairs = pairs(&all);
                self.push(PickleValue::Dictionary(pairs))
            }
            b's' => {
                let value = self.pop()?;
                let key = self.pop()?;
                self.set(&[key, value], at)
            }
            b'u' => {
                let all = self.popped()?;
                self.set(&all, at)
            }
            b'h' | b'j' | b'q' | b'r' | 0x94 => self.remember(code, at),
            b'c' | 0x93 => self.global(code, at),
            b'R' => self.reduce(at),
            _ => Err(refused(code, at)),
        }
    }

    /// How many bytes follow an instruction that says so.
    pub(super) fn count_of(&mut self, code: u8) -> Result<usize, PickleError> {
        let count = match code {
            b'C' | 0x8C | 0x8A => u64::from(u8::from_le_bytes(self.take()?)),
            0x8D | 0x8E | 0x96 => u64::from_le_bytes(self.take()?),
            _ => u64::from(u32::from_le_bytes(self.take()?)),
        };
        let left = self.bytes.len().saturating_sub(self.at);
        let count = usize::try_from(count).ok().filter(|it| *it <= left);
        count.ok_or(PickleError::Cut(self.bytes.len()))
    }

    fn counted(&mut self, code: u8) -> Result<(), PickleError> {
        let count = self.count_of(code)?;
        self.skip(count)
    }

    /// Puts a value into the memo, or takes one out of it.
    fn remember(&mut self, code: u8, at: usize) -> Result<(), PickleError> {
        let place = match code {
            b'h' | b'q' => usize::from(u8::from_le_bytes(self.take()?)),
            b'j' | b'r' => u32::from_le_bytes(self.take()?) as usize,
            _ => self.memo.len(),
        };
        if matches!(code, b'h' | b'j') {
            let known = self.memo.get(place).copied().flatten();
            let known = known.ok_or_else(|| damaged(at, "nothing there in the memo"))?;
            self.stack.push(known);
            return Ok(());
        }
        let last = self.stack.last().copied();
        let last = last.ok_or_else(|| damaged(at, "nothing to remember"))?;
        // Places are given out one after the other, so that there are at most as many as bytes.
        if place > self.bytes.len() {
            return Err(damaged(at, "a place of the memo beyond all"));
        }
        if place >= self.memo.len() {
            self.memo.resize(place + 1, None);
        }
        if let Some(slot) = self.memo.get_mut(place) {
            *slot = Some(last);
        }
        Ok(())
    }

    /// A name of something in a module: only what gives back what it is given may be named.
    fn global(&mut self, code: u8, at: usize) -> Result<(), PickleError> {
        let (module, name) = if code == b'c' {
            (self.line()?, self.line()?)
        } else {
            let name = self.pop()?;
            let module = self.pop()?;
            let text = |id: PickleId| match self.values.get(id as usize) {
                Some(PickleValue::Text(text)) => text.to_string(),
                _ => "?".to_owned(),
            };
            (text(module), text(name))
        };
        if module == "torch.jit._pickle" && PASSING.contains(&name.as_str()) {
            self.stack.push(StackItem::Passing);
            return Ok(());
        }
        Err(PickleError::Code {
            name: "GLOBAL",
            at,
            of: format!(": {module}.{name}"),
        })
    }

    /// Calls what gives back what it is given.
    fn reduce(&mut self, at: usize) -> Result<(), PickleError> {
        let arguments = self.pop()?;
        let Some(StackItem::Passing) = self.stack.pop() else {
            return Err(refused(b'R', at));
        };
        let first = match self.values.get(arguments as usize) {
            Some(PickleValue::List(all)) => all.first().copied(),
            _ => None,
        };
        let first = first.ok_or_else(|| damaged(at, "a call without an argument"))?;
        self.stack.push(StackItem::Value(first));
        Ok(())
    }

    fn append(&mut self, added: Vec<PickleId>, at: usize) -> Result<(), PickleError> {
        match self.last_value(at)? {
            PickleValue::List(all) => all.extend(added),
            PickleValue::Nothing => {}
            _ => return Err(damaged(at, "no list to append to")),
        }
        Ok(())
    }

    fn set(&mut self, added: &[PickleId], at: usize) -> Result<(), PickleError> {
        let PickleValue::Dictionary(all) = self.last_value(at)? else {
            return Err(damaged(at, "no dictionary to set in"));
        };
        all.extend(pairs(added));
        Ok(())
    }

    fn last_value(&mut self, at: usize) -> Result<&mut PickleValue, PickleError> {
        let last = match self.stack.last() {
            Some(StackItem::Value(id)) => Some(*id as usize),
            _ => None,
        };
        let why = "no value to add to";
        match last.and_then(|it| self.values.get_mut(it)) {
            Some(value) => Ok(value),
            None => Err(PickleError::Damaged { at, why }),
        }
    }

    pub(super) fn push(&mut self, value: PickleValue) -> Result<(), PickleError> {
        let id = PickleId::try_from(self.values.len());
        let Ok(id) = id else {
            return Err(damaged(self.at, "more values than can be counted"));
        };
        self.values.push(value);
        self.stack.push(StackItem::Value(id));
        Ok(())
    }

    fn pop(&mut self) -> Result<PickleId, PickleError> {
        match self.stack.pop() {
            Some(StackItem::Value(id)) => Ok(id),
            _ => Err(damaged(self.at, "no value on the stack")),
        }
    }

    fn drop_one(&mut self) -> Result<(), PickleError> {
        let last = self.stack.pop();
        last.map(drop)
            .ok_or_else(|| damaged(self.at, "no value on the stack"))
    }

    /// All that lies above the last mark.
    fn popped(&mut self) -> Result<Vec<PickleId>, PickleError> {
        let mark = self.marks.pop();
        let mark = mark.ok_or_else(|| damaged(self.at, "no mark on the stack"))?;
        self.from(mark)
    }

    /// All that lies on the stack from a place on.
    fn from(&mut self, from: usize) -> Result<Vec<PickleId>, PickleError> {
        if from > self.stack.len() {
            return Err(damaged(self.at, "a mark above the stack"));
        }
        let items = self.stack.split_off(from);
        let ids = items.iter().map(|it| match it {
            StackItem::Value(id) => Some(*id),
            StackItem::Passing => None,
        });
        let ids: Option<Vec<PickleId>> = ids.collect();
        ids.ok_or_else(|| damaged(self.at, "a function among values"))
    }

    pub(super) fn take<const N: usize>(&mut self) -> Result<[u8; N], PickleError> {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let found = rest.first_chunk().copied();
        let found = found.ok_or(PickleError::Cut(self.bytes.len()))?;
        self.at += N;
        Ok(found)
    }

    pub(super) fn bytes(&mut self, count: usize) -> Result<&[u8], PickleError> {
        let end = self.at.saturating_add(count);
        let found = self.bytes.get(self.at..end);
        let found = found.ok_or(PickleError::Cut(self.bytes.len()))?;
        self.at = end;
        Ok(found)
    }

    fn skip(&mut self, count: usize) -> Result<(), PickleError> {
        self.bytes(count).map(drop)
    }

    /// A text up to the end of the line.
    fn line(&mut self) -> Result<String, PickleError> {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let length = rest.iter().position(|it| *it == b'\n');
        let length = length.ok_or(PickleError::Cut(self.bytes.len()))?;
        let text = String::from_utf8_lossy(self.bytes(length)?).into_owned();
        self.skip(1)?;
        Ok(text)
    }
}

/// An instruction that is not followed here.
fn refused(code: u8, at: usize) -> PickleError {
    let name = match code {
        b'R' => "REDUCE",
        b'b' => "BUILD",
        b'i' => "INST",
        b'o' => "OBJ",
        0x81 => "NEWOBJ",
        0x92 => "NEWOBJ_EX",
        b'P' | b'Q' => "PERSID",
        0x82..=0x84 => "EXT",
        0x97 | 0x98 => "NEXT_BUFFER",
        _ => return damaged(at, "no such instruction"),
    };
    let of = String::new();
    PickleError::Code { name, at, of }
}

const fn damaged(at: usize, why: &'static str) -> PickleError {
    PickleError::Damaged { at, why }
}

/// Keys and values that alternate.
fn pairs(all: &[PickleId]) -> Vec<(PickleId, PickleId)> {
    let (pairs, _) = all.as_chunks::<2>();
    pairs.iter().map(|[key, value]| (*key, *value)).collect()
}
