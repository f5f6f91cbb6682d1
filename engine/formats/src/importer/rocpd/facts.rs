//! What the small tables say: names of threads, agents, queues, streams and kernels, each of one profiled process.

use std::collections::HashMap;

use super::RocpdReader;
use super::tables::{
    RocpdAgentRow, RocpdCounterRow, RocpdEventRow, RocpdNameRow, RocpdProcessRow, RocpdSymbolRow,
    RocpdTextRow, RocpdThreadRow,
};

/// A number within one profiled process.
pub(super) type ProcessNumber = (i64, i64);

/// An agent: a GPU or a CPU.
#[derive(Clone, Debug, Default)]
pub(super) struct RocpdAgent {
    pub is_gpu: bool,
    pub name: String,
    pub detail: String,
}

/// A counter of an agent.
#[derive(Clone, Debug, Default)]
pub(super) struct RocpdCounter {
    pub name: String,
    pub unit: String,
    pub agent: i64,
}

/// Everything that the small tables say.
#[derive(Debug, Default)]
pub(super) struct RocpdFacts {
    texts: HashMap<ProcessNumber, String>,
    commands: HashMap<ProcessNumber, String>,
    threads: HashMap<ProcessNumber, (i64, String)>,
    agents: HashMap<ProcessNumber, RocpdAgent>,
    queues: HashMap<ProcessNumber, String>,
    streams: HashMap<ProcessNumber, String>,
    symbols: HashMap<ProcessNumber, String>,
    pub counters: HashMap<ProcessNumber, RocpdCounter>,
    /// The call stack of each event, and its category.
    events: HashMap<ProcessNumber, (i64, i64)>,
}

/// Rows of the small tables. Those without a number explain nothing.
impl RocpdReader<'_, '_> {
    /// Keeps a fact by the number that the table has for it.
    fn keep<T>(
        &mut self,
        id: Option<i64>,
        facts: fn(&mut RocpdFacts) -> &mut HashMap<ProcessNumber, T>,
        fact: T,
    ) {
        if let Some(id) = id {
            facts(&mut self.dialect.facts).insert((self.owner, id), fact);
        }
    }

    pub(super) fn text(&mut self, row: RocpdTextRow<'_>) {
        self.keep(row.id, |it| &mut it.texts, row.text.to_owned());
    }

    pub(super) fn process(&mut self, row: RocpdProcessRow<'_>) {
        let command = last_part(row.command).to_owned();
        self.keep(row.id, |it| &mut it.commands, command);
    }

    pub(super) fn name_thread(&mut self, row: RocpdThreadRow<'_>) {
        let thread = (row.number, row.name.to_owned());
        self.keep(row.id, |it| &mut it.threads, thread);
    }

    pub(super) fn agent(&mut self, row: RocpdAgentRow<'_>) {
        let name = if row.product.is_empty() {
            row.name
        } else {
            row.product
        };
        let agent = RocpdAgent {
            is_gpu: row.sort.eq_ignore_ascii_case("GPU"),
            name: format!("{name} ({})", row.number),
            detail: row.name.to_owned(),
        };
        self.keep(row.id, |it| &mut it.agents, agent);
    }

    pub(super) fn queue(&mut self, row: RocpdNameRow<'_>) {
        self.keep(row.id, |it| &mut it.queues, row.name.to_owned());
    }

    pub(super) fn name_stream(&mut self, row: RocpdNameRow<'_>) {
        self.keep(row.id, |it| &mut it.streams, row.name.to_owned());
    }

    pub(super) fn symbol(&mut self, row: RocpdSymbolRow<'_>) {
        let name = row.readable.filter(|it| !it.is_empty());
        let name = name.unwrap_or(row.name).to_owned();
        self.keep(row.id, |it| &mut it.symbols, name);
    }

    pub(super) fn describe_counter(&mut self, row: RocpdCounterRow<'_>) {
        let counted = RocpdCounter {
            name: row.name.to_owned(),
            unit: row.unit.to_owned(),
            agent: row.agent,
        };
        self.keep(row.id, |it| &mut it.counters, counted);
    }

    pub(super) fn event(&mut self, row: RocpdEventRow) {
        self.keep(row.id, |it| &mut it.events, (row.stack, row.category));
    }
}

impl RocpdFacts {
    /// The text of a number.
    pub fn text(&self, own: ProcessNumber) -> &str {
        self.texts.get(&own).map_or("?", String::as_str)
    }

    /// The name of a kernel.
    pub fn symbol(&self, own: ProcessNumber) -> &str {
        self.symbols.get(&own).map_or("kernel", String::as_str)
    }

    /// The call stack that an event belongs to: nothing where it belongs to none.
    pub fn stack(&self, own: ProcessNumber) -> Option<i64> {
        self.events
            .get(&own)
            .map(|(stack, _)| *stack)
            .filter(|&stack| stack != 0)
    }

    /// The category of an event.
    pub fn category(&self, own: ProcessNumber) -> &str {
        let category = self.events.get(&own).map(|(_, category)| *category);
        category.map_or("", |category| self.text((own.0, category)))
    }

    /// The agent of a number.
    pub fn agent(&self, own: ProcessNumber) -> Option<&RocpdAgent> {
        self.agents.get(&own)
    }

    /// The name of a queue.
    pub fn queue(&self, own: ProcessNumber) -> Option<&str> {
        self.queues.get(&own).map(String::as_str)
    }

    /// What a stream is called on screen.
    pub fn stream(&self, own: ProcessNumber) -> String {
        match self.streams.get(&own) {
            Some(name) if !name.is_empty() => name.clone(),
            _ => format!("Stream {}", own.1),
        }
    }

    /// What a thread is called on screen, and the system's number of it.
    pub fn thread(&self, owner: i64, process: i64, thread: i64) -> (String, i64) {
        let command = self
            .commands
            .get(&(owner, process))
            .map_or("", String::as_str);
        let known = self.threads.get(&(owner, thread));
        let number = known.map_or(thread, |(number, _)| *number);
        let name = match known {
            // What the profiler calls a thread without a name of its own says nothing that the number does not.
            Some((number, name)) if !name.is_empty() && *name != format!("Thread {number}") => {
                format!("{command} {process}: {name} {number}")
            }
            _ if !command.is_empty() => format!("{command} {number}"),
            _ => format!("Thread {number}"),
        };
        (name, number)
    }

    /// Whose a stream is.
    pub fn owner(&self, owner: i64, process: i64) -> String {
        let command = self
            .commands
            .get(&(owner, process))
            .map_or("process", String::as_str);
        format!("{command} {process}")
    }
}

/// A program's name without its folders and what it was given.
fn last_part(command: &str) -> &str {
    let program = command.split_whitespace().next().unwrap_or_default();
    program
        .rsplit(['/', '\\'])
        .find(|part| !part.is_empty())
        .unwrap_or(program)
}
