//! The rows of a dataset for SQLite in this process.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::{Mutex, PoisonError};

use dataset::{DatasetError, ReadEnd, TableFiles};
use query::{CellTaker, ColumnFeed, SqlColumn, SqlTable};

use super::fleet_dataset::FleetDataset;

/// The files of each table, and what was wrong with one.
pub(crate) struct DatasetFeed {
    tables: HashMap<&'static str, TableFiles>,
    failure: Mutex<Option<DatasetError>>,
}

impl DatasetFeed {
    /// Finds the files of some tables of a dataset.
    pub fn find(fleet: &FleetDataset, asked: &[&'static SqlTable]) -> Result<Self, DatasetError> {
        let files = |table: &&'static SqlTable| {
            let files = TableFiles::find(fleet.root(), table, fleet.runs())?;
            Ok((table.name, files))
        };
        Ok(Self {
            tables: asked
                .iter()
                .map(files)
                .collect::<Result<_, DatasetError>>()?,
            failure: Mutex::default(),
        })
    }

    /// What was wrong with a file.
    pub fn take_failure(&self) -> Option<DatasetError> {
        let mut kept = self.failure.lock().unwrap_or_else(PoisonError::into_inner);
        kept.take()
    }
}

impl ColumnFeed for DatasetFeed {
    fn row_count(&self, table: &'static SqlTable) -> Option<usize> {
        let rows = self.tables.get(table.name)?.row_count();
        Some(usize::try_from(rows).unwrap_or(usize::MAX))
    }

    fn read(
        &self,
        table: &'static SqlTable,
        column: &SqlColumn,
        take: &mut CellTaker<'_>,
    ) -> ControlFlow<()> {
        let Some(files) = self.tables.get(table.name) else {
            return ControlFlow::Break(());
        };
        match files.read(column, &mut |value| take(value).is_continue()) {
            Ok(()) => ControlFlow::Continue(()),
            Err(ReadEnd::Stopped) => ControlFlow::Break(()),
            Err(ReadEnd::Failed(error)) => {
                let mut kept = self.failure.lock().unwrap_or_else(PoisonError::into_inner);
                *kept = Some(error);
                ControlFlow::Break(())
            }
        }
    }
}
