//! Reads `try { … }` and the branches that take its errors.

use std::iter::Peekable;

use crate::error::nearest;
use crate::kdl::{KdlEntry, KdlNode};

use super::entries::value_range;
use super::forms::CALLS;
use super::{KdlReader, word_range};
use crate::program::{Branch, ProgramStep};
use crate::template::Template;
use crate::{ErrorKind, ErrorMatch};

/// `try`s inside each other, at most.
const DEPTH: usize = 16;

impl KdlReader<'_> {
    /// A `try`, and the `catch`es that come right behind it among `rest`.
    pub fn attempt<'n>(
        &mut self,
        node: &KdlNode,
        rest: &mut Peekable<impl Iterator<Item = &'n KdlNode>>,
        template: &mut Template,
        code: &mut Vec<ProgramStep>,
    ) {
        let is_catch = |next: &&KdlNode| next.name == "catch";
        let catches: Vec<&KdlNode> = std::iter::from_fn(|| rest.next_if(is_catch)).collect();
        if self.names.attempts >= DEPTH {
            let message = format!("these are nested more than {DEPTH} deep here");
            self.report(word_range(node), message, "join two of them");
            return;
        }
        if catches.is_empty() {
            let help = "write behind it: catch \"not-ready\" { … }, or catch { … } for every error";
            self.report(word_range(node), "nothing takes the errors of this", help);
        }
        let start = code.len();
        code.push(ProgramStep::Try {
            branches: Vec::new(),
        });
        self.names.attempts += 1;
        self.body(node, template, code);
        self.names.attempts -= 1;
        let mut ends = vec![code.len()];
        code.push(ProgramStep::Leave(0));
        let mut found: Vec<Branch> = Vec::new();
        for catch in catches {
            let Some(takes) = self.caught(catch, &found) else {
                continue;
            };
            let line = self.source.line(catch.range.start);
            let start = code.len();
            found.push(Branch { takes, start, line });
            // One without a block goes on as if nothing had been.
            if !catch.inside().is_empty() {
                self.body(catch, template, code);
            }
            ends.push(code.len());
            code.push(ProgramStep::Skip(0));
        }
        let behind = code.len();
        for place in ends {
            if let Some(ProgramStep::Leave(end) | ProgramStep::Skip(end)) = code.get_mut(place) {
                *end = behind;
            }
        }
        if let Some(ProgramStep::Try { branches }) = code.get_mut(start) {
            *branches = found;
        }
    }

    /// What a branch takes that stands behind others: all errors, or those that its word or number means.
    fn caught(&mut self, node: &KdlNode, before: &[Branch]) -> Option<ErrorMatch> {
        self.rule(node, &CALLS, "a host")?;
        let entry = node.argument(0);
        let named = match entry {
            Some(entry) => Some(self.errors(entry)?),
            None => None,
        };
        let place = entry.map_or_else(|| word_range(node), value_range);
        if before.iter().any(|branch| branch.takes == ErrorMatch::Any) {
            let help = "move it before the catch that takes every error";
            self.report(place, "no error comes this far", help);
            return None;
        }
        let Some((kinds, name)) = named else {
            return Some(ErrorMatch::Any);
        };
        let is_taken = |kind: &ErrorKind| before.iter().any(|it| it.takes.takes(Some(*kind)));
        if kinds.iter().all(is_taken) {
            let help = "join the two, or name another error";
            self.report(place, "this error is caught already", help);
            return None;
        }
        Some(ErrorMatch::Kinds(kinds, name))
    }

    /// The kinds of errors that stand here by their word, or by a runtime's number or name; and as they are written.
    pub(crate) fn errors(&mut self, entry: &KdlEntry) -> Option<(Vec<ErrorKind>, String)> {
        let text = self.text(entry)?;
        let kinds = ErrorKind::named(&text);
        if !kinds.is_empty() {
            return Some((kinds, text));
        }
        let words = ErrorKind::LABELS.iter().map(|it| it.0);
        let help = nearest(&text, words).unwrap_or_else(|| {
            "`syncline guide language` lists the words, and the numbers and names of CUDA and AscendCL".to_owned()
        });
        let message = format!("there is no error “{text}” that a call here can fail with");
        self.report(value_range(entry), message, help);
        None
    }

    /// A `catch` that stands alone.
    pub fn stray_catch(&mut self, node: &KdlNode) {
        let help = "put it right behind a try { … }";
        self.report(word_range(node), "this catch follows no try", help);
    }
}
