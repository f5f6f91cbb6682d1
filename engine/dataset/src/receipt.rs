//! The receipt of a rank: its file of the table `captures`, which says that all else of the rank is there.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use query::SqlTable;

use super::content_hash::ContentHash;
use super::error::DatasetError;
use super::file_stamp::{CAPTURE, CONTENT, FileFooter, FileStamp};
use super::layout::{CAPTURES, PART, RunName, partition, tables};

/// The shard whose files have the rank's rows of small tables.
const SHARD: &str = "syncline.shard";
/// Whether the file of the rank could be read.
const STATE: &str = "syncline.state";
const COMPLETE: &str = "complete";
const UNREADABLE: &str = "unreadable";
/// Whether a part of that file is not in the rows.
const DATA_LOSS: &str = "syncline.data-loss";
/// How many rows each file of the rank has: `spans=7,gaps=2`.
const ROWS: &str = "syncline.rows";

/// What a receipt says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RankReceipt {
    /// The rank.
    pub rank: u32,
    /// The file that it was converted from.
    pub capture: String,
    /// The hash of that file's content; empty where not even that could be read.
    pub content: String,
    /// The shard whose files have its rows of small tables.
    pub shard: u32,
    /// Whether the file could be read. Of one that could not there are no rows.
    pub is_complete: bool,
    /// Whether a part of the file is not in the rows, as of one that was cut short.
    pub has_data_loss: bool,
    /// Whether this version of Syncline wrote it, with the tables that it has now.
    pub is_current: bool,
    /// How many rows the file of each table has.
    pub(crate) rows: BTreeMap<String, u64>,
}

impl RankReceipt {
    /// How many spans the rank has.
    pub fn spans(&self) -> u64 {
        self.rows.get("spans").copied().unwrap_or(0)
    }

    /// Whether it is of a file with this content, as this version of Syncline converts it.
    pub fn is_of(&self, content: &ContentHash) -> bool {
        self.is_complete && self.is_current && self.content == content.as_str()
    }

    /// Whether this is the end of the file of a table that it is the receipt of.
    pub(crate) fn is_of_file(&self, table: &SqlTable, footer: &FileFooter) -> bool {
        let is_same = footer.stamp.get(CONTENT) == Some(self.content.as_str());
        is_same && self.rows.get(table.name) == Some(&footer.rows)
    }

    /// What the file of the receipt says of itself.
    pub(crate) fn stamp(&self) -> FileStamp {
        let mut stamp = FileStamp::new(CAPTURES);
        let rows = self
            .rows
            .iter()
            .map(|(table, rows)| format!("{table}={rows}"));
        stamp.set(CAPTURE, &self.capture);
        stamp.set(CONTENT, &self.content);
        stamp.set(SHARD, &self.shard.to_string());
        stamp.set(
            STATE,
            if self.is_complete {
                COMPLETE
            } else {
                UNREADABLE
            },
        );
        if self.has_data_loss {
            stamp.set(DATA_LOSS, "");
        }
        stamp.set(ROWS, &rows.collect::<Vec<String>>().join(","));
        stamp
    }

    fn of_stamp(rank: u32, stamp: &FileStamp) -> Option<Self> {
        let row = |it: &str| {
            let (table, rows) = it.split_once('=')?;
            Some((table.to_owned(), rows.parse().ok()?))
        };
        let rows = stamp.get(ROWS)?.split(',').filter(|it| !it.is_empty());
        Some(Self {
            rank,
            capture: stamp.get(CAPTURE)?.to_owned(),
            content: stamp.get(CONTENT)?.to_owned(),
            shard: stamp.get(SHARD)?.parse().ok()?,
            is_complete: stamp.get(STATE)? == COMPLETE,
            has_data_loss: stamp.get(DATA_LOSS).is_some(),
            is_current: stamp.is_current(),
            rows: rows.map(row).collect::<Option<_>>()?,
        })
    }

    /// Reads what the end of a receipt's file says.
    pub(crate) fn of_footer(
        path: &Path,
        rank: u32,
        footer: &FileFooter,
    ) -> Result<Self, DatasetError> {
        let receipt = Self::of_stamp(rank, &footer.stamp);
        receipt
            .ok_or_else(|| DatasetError::damaged(path, &"it does not say what it is a receipt of"))
    }

    /// Reads the receipt of a rank, whose bytes are compared with its checksum; nothing where there is none.
    pub(crate) fn read(
        root: &Path,
        run: &RunName,
        rank: u32,
    ) -> Result<Option<Self>, DatasetError> {
        let path = receipt_path(root, run, rank);
        let footer = FileFooter::read_checked(&path, CAPTURES, &|| false)?;
        footer
            .map(|it| Self::of_footer(&path, rank, &it))
            .transpose()
    }
}

/// The table of receipts.
pub(crate) fn captures_table() -> Option<&'static SqlTable> {
    tables().find(|it| it.name == CAPTURES)
}

/// Where the receipt of a rank is.
pub(crate) fn receipt_path(root: &Path, run: &RunName, rank: u32) -> PathBuf {
    let folder = captures_table().map(|table| partition(root, table, run, rank));
    folder.unwrap_or_else(|| root.join(CAPTURES)).join(PART)
}
