//! A run in a dataset: which of its ranks are there, and how further ones come into it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use super::checked_files::CheckedFiles;
use super::content_hash::ContentHash;
use super::declarations::write_declarations;
use super::error::DatasetError;
use super::file_stamp::{FileFooter, RANKS};
use super::layout::{
    CAPTURES, PART, PartitionKey, RunName, partition, partition_numbers, rank_tables, shard_tables,
};
use super::rank_list::{MOST_RANKS, ranks_of_list};
use super::receipt::{RankReceipt, receipt_path};
use super::table_writer::StopCheck;
use super::whole_file::{remove, remove_left};

/// A run in a dataset.
///
/// A rank is written in this order: its own tables ([`Dataset::write_rank`]), then the shard's tables and last its receipt
/// ([`Dataset::commit`]). A conversion that ends in between leaves no receipt, and whoever comes next begins with the rank again.
#[derive(Clone, Debug)]
pub struct Dataset {
    pub(crate) root: PathBuf,
    pub(crate) run: RunName,
    /// Files that need not be compared with their checksums again.
    checked: CheckedFiles,
}

impl Dataset {
    /// Opens the folder of a dataset, which is made where there is none, writes how engines declare its tables, and removes what
    /// conversions left that were stopped.
    ///
    /// # Errors
    /// The folder cannot be made, or the declarations cannot be written.
    pub fn open(root: &Path, run: RunName) -> Result<Self, DatasetError> {
        fs::create_dir_all(root).map_err(|error| DatasetError::unwritten(root, error))?;
        write_declarations(root)?;
        remove_left(root);
        Ok(Self {
            root: root.to_owned(),
            run,
            checked: CheckedFiles::default(),
        })
    }

    /// The receipt of a rank; nothing where there is none, or one that was cut off.
    ///
    /// # Errors
    /// Its file is foreign, newer or cannot be read.
    pub fn receipt(&self, rank: u32) -> Result<Option<RankReceipt>, DatasetError> {
        match RankReceipt::read(&self.root, &self.run, rank) {
            // It is written anew.
            Err(DatasetError::Damaged { .. }) => Ok(None),
            other => other,
        }
    }

    /// The receipts of all ranks of the run, by rank.
    ///
    /// # Errors
    /// As [`Dataset::receipt`].
    pub fn receipts(&self) -> Result<BTreeMap<u32, RankReceipt>, DatasetError> {
        let mut receipts = BTreeMap::new();
        for rank in self.partitions(CAPTURES, PartitionKey::Rank)? {
            if let Some(receipt) = self.receipt(rank)? {
                receipts.insert(rank, receipt);
            }
        }
        Ok(receipts)
    }

    /// Whether nothing is left to do for a rank: its receipt is of this content, schema and version, its files are there, and all
    /// their bytes are those that were written.
    ///
    /// # Errors
    /// A file of it or of its shard is foreign, newer or cannot be read, or `is_stopped` says so.
    pub fn is_finished(
        &self,
        receipt: &RankReceipt,
        content: &ContentHash,
        is_stopped: &StopCheck<'_>,
    ) -> Result<bool, DatasetError> {
        if !receipt.is_of(content) {
            return Ok(false);
        }
        for table in rank_tables() {
            let path = partition(&self.root, table, &self.run, receipt.rank).join(PART);
            let is_own = |footer: &FileFooter| receipt.is_of_file(table, footer);
            match FileFooter::read(&path, table.name) {
                Ok(footer) if footer.as_ref().is_some_and(is_own) => {}
                Ok(_) | Err(DatasetError::Damaged { .. }) => return Ok(false),
                Err(error) => return Err(error),
            }
            if !self.is_right(&path, is_stopped)? {
                return Ok(false);
            }
        }
        for table in shard_tables() {
            let path = partition(&self.root, table, &self.run, receipt.shard).join(PART);
            if !self.shard_has(table, receipt.shard, receipt.rank)?
                || !self.is_right(&path, is_stopped)?
            {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether all bytes of a file are those that were written.
    fn is_right(&self, path: &Path, is_stopped: &StopCheck<'_>) -> Result<bool, DatasetError> {
        match self.checked.check(path, is_stopped) {
            Ok(()) => Ok(true),
            Err(DatasetError::Damaged { .. }) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Whether a shard's file of a table has the rows of a rank.
    fn shard_has(
        &self,
        table: &query::SqlTable,
        shard: u32,
        rank: u32,
    ) -> Result<bool, DatasetError> {
        let path = partition(&self.root, table, &self.run, shard).join(PART);
        match FileFooter::read(&path, table.name) {
            Ok(Some(footer)) => Ok(has_rank(&footer, rank)),
            Ok(None) | Err(DatasetError::Damaged { .. }) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Makes sure that ranks can be added to the files of a shard.
    ///
    /// # Errors
    /// One of them is damaged, foreign, newer or cannot be read, or `is_stopped` says so.
    pub fn check_shard(&self, shard: u32, is_stopped: &StopCheck<'_>) -> Result<(), DatasetError> {
        for table in shard_tables() {
            let path = partition(&self.root, table, &self.run, shard).join(PART);
            if FileFooter::read(&path, table.name)?.is_some() {
                self.checked.check(&path, is_stopped)?;
            }
        }
        Ok(())
    }

    /// The shard whose files have rows of this rank; nothing where none has.
    ///
    /// # Errors
    /// The folders cannot be read, or a file is foreign or newer.
    pub fn shard_of_rank(&self, rank: u32) -> Result<Option<u32>, DatasetError> {
        for table in shard_tables() {
            for shard in self.partitions(table.name, PartitionKey::Shard)? {
                if self.shard_has(table, shard, rank)? {
                    return Ok(Some(shard));
                }
            }
        }
        Ok(None)
    }

    /// Whether a file of this rank is there, whatever became of its conversion.
    pub fn has_files_of(&self, rank: u32) -> bool {
        let mut folders = rank_tables().map(|it| partition(&self.root, it, &self.run, rank));
        folders.any(|it| it.exists()) || receipt_path(&self.root, &self.run, rank).exists()
    }

    /// The folder of a rank's receipt.
    pub fn receipt_folder(&self, rank: u32) -> PathBuf {
        let path = receipt_path(&self.root, &self.run, rank);
        path.parent().map(Path::to_owned).unwrap_or(path)
    }

    /// Takes a rank's receipt away: from here on it is not complete.
    ///
    /// # Errors
    /// The receipt cannot be removed, or the rank is none below [`MOST_RANKS`].
    pub fn begin(&self, rank: u32) -> Result<(), DatasetError> {
        if rank >= MOST_RANKS {
            return Err(DatasetError::Rank(rank));
        }
        remove(&receipt_path(&self.root, &self.run, rank))
    }

    /// The numbers of a table's folders, in order.
    fn partitions(&self, table: &str, key: PartitionKey) -> Result<BTreeSet<u32>, DatasetError> {
        let folder = self.root.join(table).join(format!("run={}", self.run));
        partition_numbers(&folder, key)
    }
}

/// Whether a shard's file has rows of a rank, as it says itself: a rank may have none of a table and is named all the same.
pub(crate) fn has_rank(footer: &FileFooter, rank: u32) -> bool {
    let list = footer.stamp.get(RANKS).and_then(ranks_of_list);
    list.is_some_and(|it| it.contains(&rank))
}
