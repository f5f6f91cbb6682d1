//! A capture as tables: each is made when a question first needs it, and kept for the next.

use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use super::column::ColumnValues;
use super::column_feed::{self, ColumnFeed};
use super::guard::{QueryGuard, StopReason};
use super::rows::TableRows;
use super::schema::{SqlTable, TABLES, TableId};
use super::tables::{self, LaneFacts, StepIndex};
use analysis::causes::Causes;
use analysis::{AnalysisResult, Conclusions};
use capture::Capture;
use record::{LaneId, Value};

/// Something that is made once somebody needs it.
struct CachedValue<T>(Mutex<Option<Arc<T>>>);

impl<T> Default for CachedValue<T> {
    fn default() -> Self {
        Self(Mutex::new(None))
    }
}

impl<T> CachedValue<T> {
    /// What was made, or is made now; one that was given up is made again by whoever comes next.
    fn get(&self, make: impl FnOnce() -> Result<T, StopReason>) -> Result<Arc<T>, StopReason> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(kept) = &*kept {
            return Ok(Arc::clone(kept));
        }
        let fresh = Arc::new(make()?);
        *kept = Some(Arc::clone(&fresh));
        Ok(fresh)
    }

    /// Takes what was made elsewhere.
    fn put(&self, made: Arc<T>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(made);
    }

    /// Reads what was made, where nobody is making it.
    fn peek<R>(&self, read: impl FnOnce(&T) -> R) -> Option<R> {
        let kept = self.0.try_lock().ok()?;
        kept.as_deref().map(read)
    }
}

/// A file of a capture, and its lanes.
pub type FileLanes = (String, Range<u32>);

/// A capture that is asked, and its tables as far as they were made.
pub struct QuerySource {
    pub(crate) capture: Arc<Capture>,
    path: Option<String>,
    /// The files of a capture of several, each with its lanes.
    files: Vec<FileLanes>,
    /// What has the rows; nothing where they are made of the capture.
    pub(crate) feed: Option<Arc<dyn ColumnFeed>>,
    causes: CachedValue<Causes>,
    answers: CachedValue<Vec<AnalysisResult>>,
    lanes: CachedValue<LaneFacts>,
    steps: CachedValue<StepIndex>,
    tables: Vec<CachedValue<TableRows>>,
}

impl QuerySource {
    /// A capture that was read from `path`, where that is known.
    pub fn new(capture: Arc<Capture>, path: Option<String>) -> Self {
        Self {
            capture,
            path,
            files: Vec::new(),
            feed: None,
            causes: CachedValue::default(),
            answers: CachedValue::default(),
            lanes: CachedValue::default(),
            steps: CachedValue::default(),
            tables: TABLES.iter().map(|_| CachedValue::default()).collect(),
        }
    }

    /// Tells it the files of a capture that was read from several, each with its lanes.
    #[must_use]
    pub fn with_files(mut self, files: Vec<FileLanes>) -> Self {
        self.files = files;
        self
    }

    /// The file whose lanes are of the kind that `is_own` says; of several the first.
    pub(crate) fn path_of(&self, is_own: impl Fn(LaneId) -> bool) -> Option<&str> {
        let has_own = |it: &&FileLanes| it.1.clone().any(|lane| is_own(LaneId(lane)));
        let found = self.files.iter().find(has_own);
        found.map(|it| it.0.as_str()).or(self.path.as_deref())
    }

    /// Takes over what was concluded of the capture as it is now, so that it is not concluded again.
    pub fn conclude(&self, made: &Conclusions) {
        if made.causes.revision() == self.capture.revision() {
            self.causes.put(Arc::clone(&made.causes));
            self.answers.put(Arc::new(made.answers.clone()));
        }
    }

    /// Whether it is of this capture, which nobody changes while it is shared.
    pub fn is_of(&self, capture: &Arc<Capture>) -> bool {
        Arc::ptr_eq(&self.capture, capture)
    }

    /// Bytes held by tables that were made.
    pub fn heap_bytes(&self) -> usize {
        let made = self.tables.iter();
        made.filter_map(|it| it.peek(TableRows::heap_bytes)).sum()
    }

    /// About how many rows a table has.
    pub(crate) fn estimate(&self, id: TableId) -> usize {
        let made = self.tables.get(id.0).and_then(|it| it.peek(|it| it.len));
        made.unwrap_or_else(|| match &self.feed {
            Some(feed) => id.schema().and_then(|it| feed.row_count(it)).unwrap_or(0),
            None => tables::estimate(&self.capture, id),
        })
    }

    /// Whether there is such a table.
    pub(crate) fn has(&self, table: &'static SqlTable) -> bool {
        let feed = self.feed.as_ref();
        feed.is_none_or(|it| it.row_count(table).is_some())
    }

    /// A table, with the columns that `used` has a bit for.
    pub(crate) fn table(
        &self,
        id: TableId,
        used: u64,
        guard: &QueryGuard,
    ) -> Result<Arc<TableRows>, StopReason> {
        guard.check()?;
        let Some(kept) = self.tables.get(id.0) else {
            return Ok(Arc::new(TableRows::new(Vec::new(), 0)));
        };
        let fed = self.feed.as_deref().zip(id.schema());
        let rows = kept.get(|| {
            let made = match fed {
                Some(fed) => column_feed::make(fed, used, guard)?,
                None => tables::make(self, id, guard)?,
            };
            guard.take_room(made.heap_bytes())?;
            Ok(made)
        })?;
        match fed {
            Some(fed) => column_feed::complete(fed, used, &rows, guard)?,
            None => tables::complete(self, (id, used), &rows, guard)?,
        }
        Ok(rows)
    }

    /// The graph of causes.
    pub(crate) fn causes(&self, guard: &QueryGuard) -> Result<Arc<Causes>, StopReason> {
        self.causes.get(|| {
            let watch = &guard.watch;
            let told = |share: f32| guard.conclude(share);
            let made = Causes::build_with(&self.capture, guard.is_over(), told);
            watch.conclude(0.0);
            made.ok_or_else(|| guard.stop(StopReason::Cancelled))
        })
    }

    /// What each analysis found.
    pub(crate) fn answers(
        &self,
        guard: &QueryGuard,
    ) -> Result<Arc<Vec<AnalysisResult>>, StopReason> {
        self.answers.get(|| {
            let watch = &guard.watch;
            let told = |share: f32| guard.conclude(share);
            let made = Conclusions::build_timed(&self.capture, guard.is_over(), told);
            watch.conclude(0.0);
            let made = made.ok_or_else(|| guard.stop(StopReason::Cancelled))?;
            // The graph is the same for every table.
            self.causes.put(made.causes);
            Ok(made.answers)
        })
    }

    /// What the columns of lanes say of each lane.
    pub(crate) fn lanes(&self) -> Result<Arc<LaneFacts>, StopReason> {
        self.lanes.get(|| Ok(LaneFacts::new(&self.capture)))
    }

    /// Which step each span belongs to.
    pub(crate) fn steps(&self, guard: &QueryGuard) -> Result<Arc<StepIndex>, StopReason> {
        let causes = self.causes(guard)?;
        let lanes = self.lanes()?;
        self.steps.get(|| {
            guard.check()?;
            Ok(StepIndex::new(&causes.read(&self.capture), &lanes))
        })
    }

    /// The column of the run's name.
    pub(crate) fn run(&self) -> ColumnValues {
        let name = self.capture.run().map(|it| it.name.as_str());
        let name = name.filter(|it| !it.is_empty()).unwrap_or("capture");
        ColumnValues::Same(Some(Value::Text(name.into())))
    }
}
