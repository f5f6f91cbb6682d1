//! Which files become ranks of a dataset, and which rank each is where it does not say so itself.

use std::path::{Path, PathBuf};

use engine::dataset::shard_of;
use engine::importer::{self, is_standard_input};
use regex_lite::Regex;

use super::ConvertOptions;
use crate::cli::CliFailure;

/// A pattern for ranks in paths.
#[derive(Clone, Debug)]
pub struct RankPattern(Regex);

impl RankPattern {
    /// Reads one.
    ///
    /// # Errors
    /// It is no pattern; the text says where and why.
    pub fn parse(text: &str) -> Result<Self, String> {
        Regex::new(text)
            .map(Self)
            .map_err(|error| error.to_string())
    }

    /// The rank in a path: the first group of the pattern that took part, else all that it fits.
    pub fn rank(&self, path: &str) -> Option<u32> {
        let fit = self.0.captures_iter(path).last()?;
        let group = fit.iter().skip(1).flatten().next().or_else(|| fit.get(0))?;
        group.as_str().parse().ok()
    }
}

/// One of several parts of the files, each of which is converted by a job of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShardChoice {
    /// Which one, from 0.
    pub number: u32,
    /// How many there are.
    pub count: u32,
}

impl ShardChoice {
    /// Reads `I/N`.
    ///
    /// # Errors
    /// It is not written so, or I is not below N; the text says what to write.
    pub fn parse(text: &str) -> Result<Self, String> {
        let parts = text.split_once('/');
        let parts =
            parts.and_then(|(number, count)| Some((number.parse().ok()?, count.parse().ok()?)));
        match parts {
            Some((number, count)) if number < count => Ok(Self { number, count }),
            _ => Err(
                "write the number of the part, from 0, `/` and how many there are, such as 0/8 for the first of eight"
                    .to_owned(),
            ),
        }
    }

    /// Whether a path is in this part.
    pub fn has(self, path: &Path) -> bool {
        shard_of(&path.to_string_lossy(), self.count) == self.number
    }
}

/// Files that become ranks, each once, in order of their paths.
#[derive(Debug, Default)]
pub(super) struct RankSources {
    /// What was named, and the captures in folders that were.
    pub captures: Vec<PathBuf>,
    /// What folders hold besides, where its name says a rank: of a rank that has no capture, it is one that cannot be read.
    pub others: Vec<PathBuf>,
}

/// The files that the paths and the lines of the list stand for.
pub(super) fn files(options: &ConvertOptions) -> Result<RankSources, CliFailure> {
    let mut named = options.files.clone();
    if let Some(list) = &options.list {
        let text = std::fs::read_to_string(list).map_err(|error| {
            let name = list.display();
            CliFailure::Wrong(format!(
                "the list {name} cannot be read: {error}; name a file with a path a line"
            ))
        })?;
        // Editors of Windows begin a text with a mark.
        let text = text.trim_start_matches('\u{feff}');
        let is_path = |it: &&str| !it.is_empty() && !it.starts_with('#');
        let lines = text.lines().map(str::trim).filter(is_path);
        named.extend(lines.map(PathBuf::from));
        if named.is_empty() {
            let name = list.display();
            return Err(CliFailure::Wrong(format!(
                "the list {name} names no file: write a path a line"
            )));
        }
    }
    if named.iter().any(|it| is_standard_input(it)) {
        return Err(CliFailure::Wrong(
            "a dataset names the file that each rank is from: write the capture to a file, and name that".to_owned(),
        ));
    }
    let mut files = RankSources::default();
    for path in named {
        // A file that is not there is told once it is its turn.
        let found = importer::files_of(std::slice::from_ref(&path));
        let found = found.map_err(|error| CliFailure::Wrong(error.to_string()))?;
        files.captures.extend(found);
        if let Some(pattern) = &options.rank_from {
            files.others.extend(ranks_in(&path, pattern));
        }
    }
    for all in [&mut files.captures, &mut files.others] {
        all.sort();
        all.dedup();
    }
    let captures = &files.captures;
    files
        .others
        .retain(|it| captures.binary_search(it).is_err());
    Ok(files)
}

/// The files in a folder whose names say a rank.
fn ranks_in(folder: &Path, pattern: &RankPattern) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let files = entries.filter(|it| {
        let name = it.file_name().to_string_lossy().into_owned();
        !name.starts_with('.') && pattern.rank(&name).is_some()
    });
    let paths = files.map(|it| it.path());
    paths.filter(|it| it.is_file()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_are_read_from_paths() {
        let rank = |pattern: &str, path| RankPattern::parse(pattern).unwrap().rank(path);
        assert_eq!(rank(r"rank(\d+)", "run/rank12.json"), Some(12));
        assert_eq!(rank(r"rank(\d+)", "rank1-of-rank7/rank3.json"), Some(3));
        assert_eq!(rank(r"\d+", "worker007.json"), Some(7));
        assert_eq!(rank(r"rank(\d+)|w(\d+)", "w5"), Some(5));
        assert_eq!(rank(r"rank(\d+)", "run/host.json"), None);
        assert_eq!(rank(r"rank(.*)", "rankx"), None);
        assert!(RankPattern::parse("rank(").is_err());
    }

    #[test]
    fn parts_are_numbered_from_zero() {
        let all = ["0/1", "3/4"].map(ShardChoice::parse);
        assert!(all.iter().all(Result::is_ok));
        for wrong in ["", "1", "4/4", "-1/4", "0/0", "a/b"] {
            assert!(ShardChoice::parse(wrong).is_err(), "{wrong}");
        }
        let path = Path::new("rank3.json");
        let having = (0..4).filter(|number| {
            ShardChoice {
                number: *number,
                count: 4,
            }
            .has(path)
        });
        assert_eq!(having.count(), 1);
    }
}
