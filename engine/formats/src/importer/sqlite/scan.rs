//! Reads tables on threads of its own, block by block, while the one who asked understands what came before.

use std::collections::VecDeque;
use std::panic::resume_unwind;
use std::sync::Mutex;

use crossbeam_channel::{Receiver, Sender, bounded};
use rusqlite::types::ValueRef;

use super::block::{ROWS, RowBlock};
use super::column::ColumnType;
use super::database::{Database, DatabaseConnection};
use super::query::SelectQuery;
use super::read_errors::TableFault;
use crate::importer::ImportError;

/// Blocks of one table that may wait to be understood.
const WAITING: usize = 64;
/// A file from this length on is read by two threads.
const LARGE: u64 = 1 << 20;

/// What a reading thread has to tell.
enum ScanMessage {
    Block(RowBlock),
    Fault(TableFault),
}

/// Takes the rows of each query, block by block, and nothing once the query has no more.
type BlockHandler<'a> = dyn FnMut(usize, Option<&RowBlock>) -> Result<(), ImportError> + 'a;

/// A table to read, and where its rows go.
type ScanTask<'a> = (&'a SelectQuery, Sender<ScanMessage>);

/// Hands over the rows of every query, one query after the other: `take` gets the number of the query and a block,
/// and nothing once the query has no more. Answers where and why a table could not be read further.
pub(in crate::importer) fn scan(
    database: &Database,
    queries: &[SelectQuery],
    take: &mut BlockHandler<'_>,
) -> Result<Vec<TableFault>, ImportError> {
    let (senders, receivers): (Vec<_>, Vec<_>) = queries.iter().map(|_| bounded(WAITING)).unzip();
    let tasks: Mutex<VecDeque<ScanTask<'_>>> = Mutex::new(queries.iter().zip(senders).collect());
    std::thread::scope(|scope| {
        let threads = if database.length() < LARGE { 1 } else { 2 };
        let mut readers = Vec::new();
        for _ in 0..threads {
            let door = database.door()?;
            let tasks = &tasks;
            let thread = std::thread::Builder::new().name("read tables".to_owned());
            let spawned = thread.spawn_scoped(scope, move || work(database, &door, tasks));
            readers.push(spawned.map_err(|error| database.without_thread(error))?);
        }
        let faults = receive(database, receivers, take);
        // The scope waits for what they do, and not until the system has let go of them.
        for reader in readers {
            reader.join().unwrap_or_else(|panic| resume_unwind(panic));
        }
        faults
    })
}

fn receive(
    database: &Database,
    receivers: Vec<Receiver<ScanMessage>>,
    take: &mut BlockHandler<'_>,
) -> Result<Vec<TableFault>, ImportError> {
    let mut faults = Vec::new();
    for (query, receiver) in receivers.into_iter().enumerate() {
        for news in receiver {
            match news {
                ScanMessage::Block(block) => {
                    take(query, Some(&block))?;
                    database.check_memory()?;
                }
                ScanMessage::Fault(fault) => faults.push(fault),
            }
        }
        take(query, None)?;
    }
    Ok(faults)
}

/// Reads one table after the other until none is left or nobody listens.
fn work(database: &Database, door: &DatabaseConnection, tasks: &Mutex<VecDeque<ScanTask<'_>>>) {
    loop {
        let task = tasks.lock().ok().and_then(|mut tasks| tasks.pop_front());
        let Some((query, sender)) = task else { return };
        let mut table = TableScan {
            database,
            door,
            query,
            sender: &sender,
            row: 0,
        };
        let told = match table.read() {
            Ok(true) => Ok(()),
            Ok(false) => return,
            Err(why) => sender.send(ScanMessage::Fault(TableFault {
                table: query.table.clone(),
                row: table.row + 1,
                why,
            })),
        };
        if told.is_err() {
            return;
        }
    }
}

/// A table that is being read.
struct TableScan<'a> {
    database: &'a Database,
    door: &'a DatabaseConnection,
    query: &'a SelectQuery,
    sender: &'a Sender<ScanMessage>,
    row: u64,
}

impl TableScan<'_> {
    /// Reads to the end; says no where nobody listens any more. Fails with the reason where the file is damaged.
    fn read(&mut self) -> Result<bool, String> {
        let said = |error: rusqlite::Error| error.to_string();
        let (watch, budget) = (&self.door.watch, &self.database.budget);
        watch.start();
        let mut statement = self
            .door
            .connection
            .prepare(&self.query.sql)
            .map_err(said)?;
        let mut rows = statement.query([]).map_err(said)?;
        loop {
            let mut block = RowBlock::new(self.query.kinds.len(), self.row + 1);
            let mut ended = None;
            while ended.is_none() && block.len() < ROWS {
                match rows.next() {
                    Ok(Some(row)) => fill(&mut block, row, &self.query.kinds).map_err(said)?,
                    Ok(None) => ended = Some(Ok(true)),
                    Err(error) => ended = Some(Err(said(error))),
                }
            }
            watch.stop(budget);
            if !budget.take(block.len(), block.text_length()) {
                return Err(
                    "it yields more than the file can hold, so it turns in circles".to_owned(),
                );
            }
            self.row += block.len() as u64;
            if block.len() > 0 && self.sender.send(ScanMessage::Block(block)).is_err() {
                return Ok(false);
            }
            if let Some(end) = ended {
                return end;
            }
            watch.start();
        }
    }
}

/// Puts the cells of a row into a block, each as what it was asked for.
fn fill(
    block: &mut RowBlock,
    row: &rusqlite::Row<'_>,
    kinds: &[ColumnType],
) -> rusqlite::Result<()> {
    for (column, kind) in kinds.iter().enumerate() {
        match (kind, row.get_ref(column)?) {
            (ColumnType::Integer, ValueRef::Integer(value)) => block.push_integer(value),
            (_, ValueRef::Null) => block.push_nothing(),
            (ColumnType::Text, ValueRef::Text(bytes)) => block.push_text(bytes),
            (ColumnType::Number, ValueRef::Real(value)) => block.push_number(value),
            (ColumnType::Number, ValueRef::Integer(value)) => block.push_number(value as f64),
            (kind, value) => repair_value(block, *kind, value),
        }
    }
    Ok(())
}

/// Takes what is not of the type it should be, as far as it has a meaning.
fn repair_value(block: &mut RowBlock, kind: ColumnType, value: ValueRef<'_>) {
    block.count_repair();
    let text = match value {
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => {
            String::from_utf8_lossy(bytes).trim().to_owned()
        }
        ValueRef::Integer(value) => value.to_string(),
        ValueRef::Real(value) => value.to_string(),
        ValueRef::Null => String::new(),
    };
    match kind {
        ColumnType::Text => block.push_text(text.as_bytes()),
        ColumnType::Number => match text.parse() {
            Ok(value) => block.push_number(value),
            Err(_) => block.push_nothing(),
        },
        ColumnType::Integer => match (text.parse::<i64>(), text.parse::<f64>()) {
            (Ok(value), _) => block.push_integer(value),
            (_, Ok(value)) if value.is_finite() => block.push_integer(value.round() as i64),
            _ => block.push_nothing(),
        },
    }
}
