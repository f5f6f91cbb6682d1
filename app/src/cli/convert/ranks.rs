//! Writes captures as ranks of a dataset: one after the other, and what is there already is passed over.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use engine::dataset::{
    ContentHash, Dataset, DatasetError, MOST_RANKS, RankFile, RankReceipt, WrittenRank,
};

use super::{ConvertOptions, captures, sources};
use crate::cli::{CliFailure, FAILED, FINE, OutputStreams, complain, interrupt, open_files};
use crate::text;

/// Ranks that are completed together: what a conversion that is killed has to do again, at most.
const TOGETHER: usize = 16;
/// How long the first of them waits for the others, so that large captures are not converted again and again.
const PATIENCE: Duration = Duration::from_secs(30);

/// Writes the files' ranks into the dataset in `folder`.
pub(super) fn convert(
    folder: &Path,
    options: &ConvertOptions,
    streams: &mut OutputStreams<'_>,
) -> Result<u8, CliFailure> {
    if folder.is_file() {
        return Err(CliFailure::Wrong(format!(
            "{} is a file, and a dataset is a folder: name one that is there or can be made",
            folder.display()
        )));
    }
    let files = sources::files(options)?;
    let dataset = Dataset::open(folder, options.run.clone()).map_err(failure)?;
    let mut conversion = RankConversion {
        dataset,
        options,
        known: None,
        taken: BTreeMap::new(),
        waiting: BTreeMap::new(),
        since: Instant::now(),
        counts: RankCounts::default(),
    };
    for file in files.captures.iter().filter(|it| options.shard.has(it)) {
        conversion.file(file, streams)?;
    }
    for file in files.others.iter().filter(|it| options.shard.has(it)) {
        // Logs and reports lie beside captures as well.
        if !conversion.has_rank_of(file)? {
            conversion.file(file, streams)?;
        }
    }
    conversion.commit()?;
    conversion.counts.print(folder, options, streams)?;
    Ok(conversion.counts.code())
}

/// What became of the files.
#[derive(Debug, Default)]
struct RankCounts {
    written: u64,
    spans: u64,
    finished: u64,
    unread: u64,
    refused: u64,
    /// Files of which not all could be kept.
    cut: u64,
}

impl RankCounts {
    const fn code(&self) -> u8 {
        if self.unread + self.refused + self.cut == 0 {
            FINE
        } else {
            FAILED
        }
    }

    fn print(
        &self,
        folder: &Path,
        options: &ConvertOptions,
        streams: &mut OutputStreams<'_>,
    ) -> io::Result<()> {
        let spans = plain(&text::counted(self.spans, "span"));
        let mut words = vec![format!("{} written ({spans})", self.written)];
        for (count, word) in [
            (self.finished, "there already"),
            (self.unread, "not readable"),
            (self.refused, "refused"),
        ] {
            if count > 0 {
                words.push(format!("{count} {word}"));
            }
        }
        let words = words.join(", ");
        writeln!(
            streams.out,
            "{}: ranks of run {}: {words}",
            folder.display(),
            options.run
        )
    }
}

fn plain(text: &str) -> String {
    text.replace(text::THIN, " ")
}

/// What is wrong with a dataset, for the command line.
pub(in crate::cli) fn failure(error: DatasetError) -> CliFailure {
    match error {
        DatasetError::Stopped => CliFailure::Asked,
        DatasetError::Unwritten { path, error } => open_files::unwritten(&path, &error),
        other => CliFailure::Wrong(other.to_string()),
    }
}

fn is_stopped() -> bool {
    interrupt::is_requested()
}

/// Why a file is no rank of the dataset, though the conversion goes on.
struct RankRefusal {
    text: String,
    is_unread: bool,
}

/// A conversion under way.
struct RankConversion<'a> {
    dataset: Dataset,
    options: &'a ConvertOptions,
    /// The receipts that were there at the start, once somebody has asked.
    known: Option<BTreeMap<u32, RankReceipt>>,
    /// The file of each rank so far.
    taken: BTreeMap<u32, PathBuf>,
    /// Ranks that are not complete yet, by the shard whose files they go into.
    waiting: BTreeMap<u32, Vec<WrittenRank>>,
    /// Since when ranks have waited.
    since: Instant,
    counts: RankCounts,
}

impl RankConversion<'_> {
    /// Whether the rank that a path says is another file's, in this conversion or an earlier one.
    fn has_rank_of(&self, path: &Path) -> Result<bool, CliFailure> {
        let named = self.options.rank_from.as_ref();
        let Some(rank) = named.and_then(|it| it.rank(&path.to_string_lossy())) else {
            return Ok(false);
        };
        let earlier = self.dataset.receipt(rank).map_err(failure)?;
        Ok(self.taken.contains_key(&rank) || earlier.is_some_and(|it| it.is_complete))
    }

    /// Converts a file, or says why it is none of the dataset's.
    fn file(&mut self, path: &Path, streams: &mut OutputStreams<'_>) -> Result<(), CliFailure> {
        match self.convert_file(path, streams)? {
            Ok(line) => writeln!(streams.out, "{line}")?,
            Err(refusal) if refusal.is_unread => {
                self.counts.unread += 1;
                complain(streams, &refusal.text);
            }
            Err(refusal) => {
                self.counts.refused += 1;
                complain(streams, &refusal.text);
            }
        }
        let waiting = self.waiting.values().map(Vec::len).sum::<usize>();
        if waiting >= TOGETHER || (waiting > 0 && self.since.elapsed() >= PATIENCE) {
            self.commit()?;
        }
        Ok(())
    }

    fn convert_file(
        &mut self,
        path: &Path,
        streams: &mut OutputStreams<'_>,
    ) -> Result<Result<String, RankRefusal>, CliFailure> {
        let name = path.to_string_lossy().into_owned();
        let place = place_of(path);
        let named = self
            .options
            .rank_from
            .as_ref()
            .and_then(|it| it.rank(&name));
        let content = match ContentHash::of_file(path, &is_stopped) {
            Ok(content) => Some(content),
            Err(_) if is_stopped() => return Err(CliFailure::Asked),
            // What is wrong with it is told by whatever opens it.
            Err(_) => None,
        };
        if let Some(content) = &content
            && let Some(rank) = self.finished((&place, named), content)?
        {
            return Ok(self.pass_over(rank, path));
        }
        let (capture, parts) = match open_files::open(&[path.to_owned()], streams) {
            Ok(opened) => opened,
            Err(CliFailure::Wrong(reason)) => {
                return self.unreadable((path, &place), named, content.as_ref(), &reason);
            }
            Err(other) => return Err(other),
        };
        let rank = match captures::rank_of(&capture) {
            Ok(rank) => rank.or(named),
            Err(reason) => return Ok(Err(refused(format!("{name} is not converted: {reason}")))),
        };
        let Some(rank) = rank else {
            return Ok(Err(refused(self.without_rank(&name))));
        };
        // A copy may have another rank in its name than the one that it says itself to be of.
        if let Some(content) = &content
            && named != Some(rank)
            && self.is_finished(rank, content)?
        {
            return Ok(self.pass_over(rank, path));
        }
        if let Err(refusal) = self.admit(rank, path, content.as_ref())? {
            return Ok(Err(refusal));
        }
        let file = RankFile {
            rank,
            path: &place,
            content: content.as_ref(),
        };
        let shard = self.begin(rank)?;
        let has_data_loss = capture.has_data_loss();
        let spans = capture.span_count() as u64;
        let written = self
            .dataset
            .write_rank(&file, &Arc::new(capture), &is_stopped);
        self.waiting
            .entry(shard)
            .or_default()
            .push(written.map_err(failure)?);
        self.counts.written += 1;
        self.counts.spans += spans;
        let dropped: u64 = parts.iter().map(|it| it.receipt.dropped).sum();
        self.counts.cut += u64::from(dropped > 0);
        let spans = plain(&text::counted(spans, "span"));
        let cut = if dropped > 0 {
            format!(", {dropped} dropped")
        } else if has_data_loss {
            ", read in part: `syncline info` says what is missing".to_owned()
        } else {
            String::new()
        };
        Ok(Ok(format!("rank {rank}: {name}, {spans}{cut}")))
    }

    fn without_rank(&self, name: &str) -> String {
        let way = if self.options.rank_from.is_some() {
            "and --rank-from finds none in its path: write a pattern that fits, such as 'rank(\\d+)'"
        } else {
            "say where it stands in the path by --rank-from, such as 'rank(\\d+)'"
        };
        format!("{name} is not converted: it does not say which rank it is, {way}")
    }

    /// The rank whose conversion of this content is finished; nothing where there is none. Files of equal content may be several
    /// ranks where their paths say so.
    fn finished(
        &mut self,
        (place, named): (&str, Option<u32>),
        content: &ContentHash,
    ) -> Result<Option<u32>, CliFailure> {
        let mut candidates = Vec::new();
        if let Some(rank) = named {
            candidates.extend(self.dataset.receipt(rank).map_err(failure)?);
        }
        if !candidates.iter().any(|it| it.is_of(content)) {
            if self.known.is_none() {
                self.known = Some(self.dataset.receipts().map_err(failure)?);
            }
            let known = self.known.iter().flatten().map(|it| it.1);
            let is_own = |it: &&RankReceipt| named.is_none() || it.capture == place;
            candidates.extend(known.filter(is_own).cloned());
        }
        for receipt in candidates {
            let finished = self.dataset.is_finished(&receipt, content, &is_stopped);
            if finished.map_err(failure)? {
                return Ok(Some(receipt.rank));
            }
        }
        Ok(None)
    }

    /// Whether a rank has been converted from this content, and nothing is left to do for it.
    fn is_finished(&self, rank: u32, content: &ContentHash) -> Result<bool, CliFailure> {
        let Some(receipt) = self.dataset.receipt(rank).map_err(failure)? else {
            return Ok(false);
        };
        let finished = self.dataset.is_finished(&receipt, content, &is_stopped);
        finished.map_err(failure)
    }

    /// Notes that a file is a rank that is there already.
    fn pass_over(&mut self, rank: u32, path: &Path) -> Result<String, RankRefusal> {
        self.take(rank, path)?;
        self.counts.finished += 1;
        Ok(format!("rank {rank}: {} is there already", path.display()))
    }

    /// Notes that a rank is this file's.
    fn take(&mut self, rank: u32, path: &Path) -> Result<(), RankRefusal> {
        if let Some(other) = self.taken.get(&rank) {
            return Err(refused(format!(
                "{} is not converted: it is rank {rank}, and so is {}; name one of the two",
                path.display(),
                other.display()
            )));
        }
        self.taken.insert(rank, path.to_owned());
        Ok(())
    }

    /// Whether a file may become this rank: no other file is it already, in this conversion or an earlier one.
    fn admit(
        &mut self,
        rank: u32,
        path: &Path,
        content: Option<&ContentHash>,
    ) -> Result<Result<(), RankRefusal>, CliFailure> {
        let name = path.to_string_lossy();
        if rank >= MOST_RANKS {
            let reason = DatasetError::Rank(rank);
            return Ok(Err(refused(format!("{name} is not converted: {reason}"))));
        }
        let earlier = self.dataset.receipt(rank).map_err(failure)?;
        let place = place_of(path);
        let is_other = |it: &RankReceipt| {
            let is_same = content.is_some_and(|content| it.content == content.as_str());
            it.is_complete && it.capture != place && !is_same
        };
        if let Some(earlier) = earlier.filter(is_other) {
            return Ok(Err(refused(format!(
                "{name} is not converted: it is rank {rank}, which run {} has from {}; name another run by --run, or delete \
                 the folder {} to replace it",
                self.options.run,
                earlier.capture,
                self.dataset.receipt_folder(rank).display()
            ))));
        }
        Ok(self.take(rank, path))
    }

    /// Takes an earlier receipt of a rank away, and says into which shard's files it goes: those that it is in already.
    fn begin(&self, rank: u32) -> Result<u32, CliFailure> {
        let mut shard = self.options.shard.number;
        if self.dataset.has_files_of(rank) {
            let earlier = self.dataset.shard_of_rank(rank).map_err(failure)?;
            shard = earlier.unwrap_or(shard);
        }
        // Receipts stay as long as nothing can be put in the place of what they are of.
        let checked = self.dataset.check_shard(shard, &is_stopped);
        checked.map_err(failure)?;
        self.dataset.begin(rank).map_err(failure)?;
        Ok(shard)
    }

    /// Notes a file that cannot be read, as a rank without rows where its path says which.
    fn unreadable(
        &mut self,
        (path, place): (&Path, &str),
        rank: Option<u32>,
        content: Option<&ContentHash>,
        reason: &str,
    ) -> Result<Result<String, RankRefusal>, CliFailure> {
        let unread = |text: String| RankRefusal {
            text,
            is_unread: true,
        };
        let Some(rank) = rank else {
            let text = format!("{reason} (no row says so, since --rank-from gives it no rank)");
            return Ok(Err(unread(text)));
        };
        if let Err(refusal) = self.admit(rank, path, content)? {
            return Ok(Err(refusal));
        }
        let earlier = self.dataset.receipt(rank).map_err(failure)?;
        if content.is_none() && earlier.is_some_and(|it| it.is_complete) {
            let text = format!("{reason}; rank {rank} stays as it was converted before");
            return Ok(Err(unread(text)));
        }
        let file = RankFile {
            rank,
            path: place,
            content,
        };
        let shard = self.begin(rank)?;
        let written = self
            .dataset
            .write_unreadable(&file, reason)
            .map_err(failure)?;
        self.waiting.entry(shard).or_default().push(written);
        Ok(Err(unread(format!("rank {rank} has no rows: {reason}"))))
    }

    /// Completes the ranks that wait for it.
    fn commit(&mut self) -> Result<(), CliFailure> {
        for (shard, mut ranks) in std::mem::take(&mut self.waiting) {
            self.dataset
                .commit(shard, &mut ranks, &is_stopped)
                .map_err(failure)?;
        }
        self.since = Instant::now();
        Ok(())
    }
}

/// Where a file is, wherever a conversion is started.
fn place_of(path: &Path) -> String {
    let whole = std::path::absolute(path);
    whole
        .unwrap_or_else(|_relative| path.to_owned())
        .to_string_lossy()
        .into_owned()
}

const fn refused(text: String) -> RankRefusal {
    RankRefusal {
        text,
        is_unread: false,
    }
}
