//! What the small tables say: names of threads, agents, queues, streams and kernels, each of one profiled process.

use std::collections::HashMap;

use super::super::sqlite::Row;
use super::part::Kind;

/// A number within one profiled process.
pub(super) type Own = (i64, i64);

/// An agent: a GPU or a CPU.
#[derive(Clone, Debug, Default)]
pub(super) struct Agent {
    pub is_gpu: bool,
    pub name: String,
    pub detail: String,
}

/// A counter of an agent.
#[derive(Clone, Debug, Default)]
pub(super) struct Counted {
    pub name: String,
    pub unit: String,
    pub agent: i64,
}

/// Everything that the small tables say.
#[derive(Debug, Default)]
pub(super) struct Facts {
    texts: HashMap<Own, String>,
    commands: HashMap<Own, String>,
    threads: HashMap<Own, (i64, String)>,
    agents: HashMap<Own, Agent>,
    queues: HashMap<Own, String>,
    streams: HashMap<Own, String>,
    symbols: HashMap<Own, String>,
    pub counters: HashMap<Own, Counted>,
    /// The call stack of each event, and its category.
    events: HashMap<Own, (i64, i64)>,
}

impl Facts {
    /// Takes a row of one of them.
    pub fn take(&mut self, kind: Kind, owner: i64, row: Row<'_>) {
        let Some(id) = row.integer(0) else { return };
        let own = (owner, id);
        let text = |at: usize| row.text(at).unwrap_or_default().to_owned();
        match kind {
            Kind::Text => drop(self.texts.insert(own, text(1))),
            Kind::Process => drop(self.commands.insert(own, last_part(&text(2)).to_owned())),
            Kind::Thread => drop(self.threads.insert(own, (row.or_zero(1), text(2)))),
            Kind::Agent => {
                let names = [text(3), text(4)];
                let name = names
                    .iter()
                    .find(|it| !it.is_empty())
                    .cloned()
                    .unwrap_or_default();
                let agent = Agent {
                    is_gpu: text(1).eq_ignore_ascii_case("GPU"),
                    name: format!("{name} ({})", row.or_zero(2)),
                    detail: text(4),
                };
                self.agents.insert(own, agent);
            }
            Kind::Queue => drop(self.queues.insert(own, text(1))),
            Kind::Stream => drop(self.streams.insert(own, text(1))),
            Kind::Symbol => {
                let name = row
                    .text(1)
                    .filter(|it| !it.is_empty())
                    .map_or(text(2), str::to_owned);
                self.symbols.insert(own, name);
            }
            Kind::Counter => {
                let counted = Counted {
                    name: text(1),
                    unit: text(2),
                    agent: row.or_zero(3),
                };
                self.counters.insert(own, counted);
            }
            Kind::Event => drop(self.events.insert(own, (row.or_zero(1), row.or_zero(2)))),
            _ => {}
        }
    }

    /// The text of a number.
    pub fn text(&self, own: Own) -> &str {
        self.texts.get(&own).map_or("?", String::as_str)
    }

    /// The name of a kernel.
    pub fn symbol(&self, own: Own) -> &str {
        self.symbols.get(&own).map_or("kernel", String::as_str)
    }

    /// The call stack that an event belongs to: nothing where it belongs to none.
    pub fn stack(&self, own: Own) -> Option<i64> {
        self.events
            .get(&own)
            .map(|(stack, _)| *stack)
            .filter(|&stack| stack != 0)
    }

    /// The category of an event.
    pub fn category(&self, own: Own) -> &str {
        let category = self.events.get(&own).map(|(_, category)| *category);
        category.map_or("", |category| self.text((own.0, category)))
    }

    /// The agent of a number.
    pub fn agent(&self, own: Own) -> Option<&Agent> {
        self.agents.get(&own)
    }

    /// The name of a queue.
    pub fn queue(&self, own: Own) -> Option<&str> {
        self.queues.get(&own).map(String::as_str)
    }

    /// What a stream is called on screen.
    pub fn stream(&self, own: Own) -> String {
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
