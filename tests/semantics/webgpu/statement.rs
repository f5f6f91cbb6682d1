//! The statements of the programs, in neutral words, and what each does.

mod buffers;
mod losses;
mod objects;
mod pipelines;
mod scopes;

use engine::device::webgpu::CallResult;
use engine::record::SpanId;

use super::machine::{Machine, Stop};

/// The span of every call.
pub const CALL: SpanId = SpanId(10);

/// A statement: what it does, and the name that its result is given.
#[derive(Clone, Copy, Debug)]
pub struct Statement<'s> {
    pub name: Option<&'s str>,
    pub text: &'s str,
}

impl<'s> Statement<'s> {
    fn parse(step: &'s str) -> Self {
        let named = step.split_once(" = ").filter(|(name, _)| {
            !name.is_empty() && name.chars().all(|it| it.is_ascii_alphanumeric())
        });
        match named {
            Some((name, text)) => Self {
                name: Some(name),
                text,
            },
            None => Self {
                name: None,
                text: step,
            },
        }
    }

    /// What stands between the first opening parenthesis and the one that closes it; nothing where there is none.
    pub fn inside(&self) -> &'s str {
        let after = self.text.split_once('(').map_or("", |(_, after)| after);
        let mut depth = 1;
        for (at, letter) in after.char_indices() {
            match letter {
                '(' => depth += 1,
                ')' => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                return after.get(..at).unwrap_or_default();
            }
        }
        after
    }

    /// The first number in the text.
    pub fn number(&self) -> Option<u64> {
        let start = self.text.find(|it: char| it.is_ascii_digit())?;
        let digits: String = self.text[start..]
            .chars()
            .take_while(char::is_ascii_digit)
            .collect();
        digits.parse().ok()
    }
}

/// Executes one step of a program.
pub fn execute(machine: &mut Machine<'_>, step: &str) -> Result<(), Stop> {
    let statement = Statement::parse(step);
    let families = [
        losses::execute,
        pipelines::execute,
        buffers::execute,
        scopes::execute,
        objects::execute,
    ];
    for family in families {
        if let Some(done) = family(machine, &statement) {
            return done;
        }
    }
    Err(Stop::Unknown(step.to_owned()))
}

/// Keeps the promise of a call, under its name or among those without.
pub fn keep(machine: &mut Machine<'_>, statement: &Statement<'_>, made: &CallResult) {
    machine.name(statement.name.unwrap_or("unnamed"), made);
    if statement.name.is_none() {
        machine.all.extend(made.promise);
    }
}
