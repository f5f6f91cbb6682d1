//! Which ranks of a run are complete: their files are those that their receipts are of.

use std::collections::{BTreeMap, BTreeSet};

use super::files::{PartFile, RunFiles};
use super::{DatasetProblem, RunReport};
use crate::dataset::has_rank;
use crate::file_stamp::RANKS;
use crate::layout::{CAPTURES, PartitionKey, RunName, rank_tables, shard_tables, tables};
use crate::rank_list::ranks_of_list;
use crate::receipt::RankReceipt;

/// Looks at each rank of a run that has a file, or is expected.
pub(super) fn judge(
    name: RunName,
    files: &RunFiles,
    expected: Option<u32>,
    wrong: &mut Vec<DatasetProblem>,
) -> RunReport {
    let mut report = RunReport {
        name,
        complete: BTreeSet::new(),
        unreadable: BTreeMap::new(),
        missing: BTreeSet::new(),
        with_data_loss: BTreeMap::new(),
        incomplete: BTreeMap::new(),
        spans: 0,
        bytes: files.0.values().map(|it| it.footer.bytes).sum(),
    };
    let seen = ranks_with_files(files, wrong);
    let above = seen.last().map_or(0, |it| it.saturating_add(1));
    let mut ranks: BTreeSet<u32> = (0..expected.unwrap_or(above)).collect();
    ranks.extend(seen.iter().copied());
    for rank in ranks {
        judge_rank(rank, files, seen.contains(&rank), &mut report);
    }
    report
}

fn judge_rank(rank: u32, files: &RunFiles, is_seen: bool, report: &mut RunReport) {
    let Some(file) = files.get(CAPTURES, rank) else {
        report.missing.insert(rank);
        if is_seen {
            let text = "its conversion was not finished: convert it again";
            report.incomplete.insert(rank, text.to_owned());
        }
        return;
    };
    let receipt = match RankReceipt::of_footer(&file.path, rank, &file.footer) {
        Ok(receipt) => receipt,
        Err(error) => {
            report.missing.insert(rank);
            report.incomplete.insert(rank, error.to_string());
            return;
        }
    };
    if !receipt.is_complete {
        report.unreadable.insert(rank, receipt.capture);
    } else if let Some(lack) = lack(&receipt, files) {
        report.missing.insert(rank);
        report.incomplete.insert(rank, lack);
    } else {
        report.spans += receipt.spans();
        report.complete.insert(rank);
        if receipt.has_data_loss {
            report.with_data_loss.insert(rank, receipt.capture);
        }
    }
}

/// What a rank with a receipt lacks, in words; nothing where all is there.
fn lack(receipt: &RankReceipt, files: &RunFiles) -> Option<String> {
    for table in rank_tables() {
        let Some(file) = files.get(table.name, receipt.rank) else {
            return Some(format!(
                "it has no whole file of {}: convert it again",
                table.name
            ));
        };
        if !receipt.is_of_file(table, &file.footer) {
            return Some(format!(
                "its file of {} is not the one that its receipt is of: convert it again",
                table.name
            ));
        }
    }
    let lacking = shard_tables().find(|table| {
        let file = files.get(table.name, receipt.shard);
        !file.is_some_and(|it| has_rank(&it.footer, receipt.rank))
    });
    lacking.map(|table| {
        format!(
            "shard {} does not have its rows of {}: convert it again",
            receipt.shard, table.name
        )
    })
}

/// The ranks that have a file, or stand in one of a shard. One that stands in two files of a table would be counted twice.
fn ranks_with_files(files: &RunFiles, wrong: &mut Vec<DatasetProblem>) -> BTreeSet<u32> {
    let mut seen = BTreeSet::new();
    for table in tables() {
        let own = files.0.iter().filter(|it| it.0.0 == table.name);
        if PartitionKey::of(table) == PartitionKey::Rank {
            seen.extend(own.map(|it| it.0.1));
            continue;
        }
        let mut known: BTreeMap<u32, &PartFile> = BTreeMap::new();
        for (_, file) in own {
            let list = file.footer.stamp.get(RANKS).and_then(ranks_of_list);
            for rank in list.unwrap_or_default() {
                seen.insert(rank);
                if let Some(other) = known.insert(rank, file) {
                    wrong.push(twice(rank, file, other));
                }
            }
        }
    }
    seen
}

fn twice(rank: u32, file: &PartFile, other: &PartFile) -> DatasetProblem {
    DatasetProblem {
        path: file.path.clone(),
        text: format!(
            "{} and {} both have rows of rank {rank}: delete both and convert their ranks again",
            other.path.display(),
            file.path.display()
        ),
    }
}
