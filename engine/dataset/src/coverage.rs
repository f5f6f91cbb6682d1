//! Which ranks a question to a dataset answers for: those with a receipt.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use query::SqlTable;

use super::error::DatasetError;
use super::file_stamp::{FileFooter, RANKS};
use super::layout::{
    CAPTURES, PART, PartitionKey, RunName, folder_names, partition, partition_numbers, rank_tables,
    shard_tables, tables,
};
use super::rank_list::ranks_of_list;
use super::receipt::RankReceipt;

/// Which ranks of a run can be asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunCoverage {
    /// The run's name.
    pub name: RunName,
    /// Ranks with a receipt.
    pub complete: BTreeSet<u32>,
    /// Ranks whose capture could not be read when it was converted.
    pub unreadable: BTreeSet<u32>,
    /// Ranks that have rows and no receipt: their conversion goes on, or was stopped.
    pub unfinished: BTreeSet<u32>,
    /// Ranks below the highest one of which nothing is there.
    pub missing: BTreeSet<u32>,
    /// Complete ranks of whose captures a part could not be read, such as the end of one that was cut short.
    pub with_data_loss: BTreeSet<u32>,
    /// Spans of the complete ranks.
    pub spans: u64,
    /// The receipts of complete ranks.
    pub(crate) receipts: BTreeMap<u32, RankReceipt>,
}

impl RunCoverage {
    /// The partitions of a table that the receipts say to be there, each with its complete ranks.
    pub(crate) fn wanted(&self, table: &SqlTable) -> BTreeMap<u32, BTreeSet<u32>> {
        let mut wanted: BTreeMap<u32, BTreeSet<u32>> = BTreeMap::new();
        for (rank, receipt) in &self.receipts {
            let number = match PartitionKey::of(table) {
                PartitionKey::Rank => *rank,
                PartitionKey::Shard => receipt.shard,
            };
            wanted.entry(number).or_default().insert(*rank);
        }
        wanted
    }

    fn has_receipt(&self, rank: u32) -> bool {
        self.complete.contains(&rank) || self.unreadable.contains(&rank)
    }
}

/// Whether a folder looks like a dataset: a table in it has runs, whether or not one of their ranks is complete.
pub fn is_dataset(root: &Path) -> bool {
    let has_runs = |table: &str| {
        let names = folder_names(&root.join(table)).unwrap_or_default();
        names.iter().any(|it| it.starts_with("run="))
    };
    tables().any(|it| has_runs(it.name))
}

/// The runs of a dataset, by name. Receipts are read, and the names of folders; nothing of other files of a rank.
///
/// # Errors
/// A folder cannot be read, or a receipt is damaged, foreign or newer.
pub fn coverage(root: &Path) -> Result<Vec<RunCoverage>, DatasetError> {
    let mut runs: BTreeMap<RunName, RunCoverage> = BTreeMap::new();
    let mut receipts = Vec::new();
    for (name, ranks) in partitions(root, CAPTURES, PartitionKey::Rank)? {
        receipts.extend(ranks.iter().map(|rank| (name.clone(), *rank)));
        run(&mut runs, &name);
    }
    for (name, rank) in receipts {
        let receipt = RankReceipt::read(root, &name, rank)?;
        let run = run(&mut runs, &name);
        match receipt {
            Some(receipt) if receipt.is_complete => {
                run.spans += receipt.spans();
                run.complete.insert(rank);
                if receipt.has_data_loss {
                    run.with_data_loss.insert(rank);
                }
                run.receipts.insert(rank, receipt);
            }
            Some(_) => {
                run.unreadable.insert(rank);
            }
            None => {}
        }
    }
    for (name, numbers) in with_files(root)? {
        let run = run(&mut runs, &name);
        let unknown = numbers.into_iter().filter(|it| !run.has_receipt(*it));
        let unknown: Vec<u32> = unknown.collect();
        run.unfinished.extend(unknown);
    }
    find_in_shards(root, &mut runs)?;
    for run in runs.values_mut() {
        let known = [&run.complete, &run.unreadable, &run.unfinished];
        let highest = known.iter().filter_map(|it| it.last()).max();
        let below = 0..highest.copied().unwrap_or(0);
        let is_missing = |rank: &u32| !known.iter().any(|it| it.contains(rank));
        run.missing = below.filter(is_missing).collect();
    }
    Ok(runs.into_values().collect())
}

fn run<'a>(runs: &'a mut BTreeMap<RunName, RunCoverage>, name: &RunName) -> &'a mut RunCoverage {
    runs.entry(name.clone()).or_insert_with(|| RunCoverage {
        name: name.clone(),
        complete: BTreeSet::new(),
        unreadable: BTreeSet::new(),
        unfinished: BTreeSet::new(),
        missing: BTreeSet::new(),
        with_data_loss: BTreeSet::new(),
        spans: 0,
        receipts: BTreeMap::new(),
    })
}

/// The ranks that have a file of their own, whether or not they have a receipt.
fn with_files(root: &Path) -> Result<BTreeMap<RunName, BTreeSet<u32>>, DatasetError> {
    let mut found: BTreeMap<RunName, BTreeSet<u32>> = BTreeMap::new();
    for table in rank_tables() {
        for (run, ranks) in partitions(root, table.name, PartitionKey::Rank)? {
            found.entry(run).or_default().extend(ranks);
        }
    }
    Ok(found)
}

/// Adds the ranks that stand in the file of a shard and have no receipt.
fn find_in_shards(
    root: &Path,
    runs: &mut BTreeMap<RunName, RunCoverage>,
) -> Result<(), DatasetError> {
    for table in shard_tables() {
        for (name, shards) in partitions(root, table.name, PartitionKey::Shard)? {
            let run = run(runs, &name);
            for shard in shards {
                let path = partition(root, table, &name, shard).join(PART);
                let footer = FileFooter::read(&path, table.name)?;
                let list = footer.and_then(|it| ranks_of_list(it.stamp.get(RANKS)?));
                let ranks = list.unwrap_or_default().into_iter();
                let unknown: Vec<u32> = ranks.filter(|it| !run.has_receipt(*it)).collect();
                // A list that has changed would name ranks that nobody converts.
                if !unknown.is_empty() {
                    FileFooter::read_checked(&path, table.name, &|| false)?;
                }
                run.unfinished.extend(unknown);
            }
        }
    }
    Ok(())
}

/// The runs of a table, each with the numbers of its partitions that have a file, in order.
pub(crate) fn partitions(
    root: &Path,
    table: &str,
    key: PartitionKey,
) -> Result<BTreeMap<RunName, BTreeSet<u32>>, DatasetError> {
    let mut found = BTreeMap::new();
    let folder = root.join(table);
    for name in folder_names(&folder)? {
        let run = name.strip_prefix("run=").map(str::parse::<RunName>);
        let Some(Ok(run)) = run else { continue };
        let folder = folder.join(&name);
        found.insert(run, partition_numbers(&folder, key)?);
    }
    Ok(found)
}
