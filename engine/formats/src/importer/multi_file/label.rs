//! What each of several files is called by: its rank where its name says one, or what tells its name from the others.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Words before a number that say which of several a file is of.
const WORDS: &[&str] = &[
    "rank", "worker", "node", "host", "device", "gpu", "proc", "part",
];

/// A short name for each file, no two the same.
pub(super) fn labels(paths: &[PathBuf]) -> Vec<String> {
    let ways: [fn(&Path) -> Option<String>; 2] = [numbered, stem];
    for way in ways {
        let found: Option<Vec<String>> = paths.iter().map(|path| way(path)).collect();
        if let Some(found) = found.filter(|it| differ(it)) {
            return found;
        }
    }
    // As much of their paths as tells them apart.
    let longest = paths.iter().map(|it| it.components().count()).max();
    for parts in 1..=longest.unwrap_or(0) {
        let found: Vec<String> = paths.iter().map(|path| last(path, parts)).collect();
        if differ(&found) {
            return found;
        }
    }
    // The same file twice.
    let places = paths.iter().enumerate();
    places
        .map(|(place, path)| format!("{} {place}", stem(path).unwrap_or_default()))
        .collect()
}

/// The rank that a label tells.
pub(super) fn rank(label: &str) -> Option<u32> {
    let (word, number) = label.rsplit_once(' ')?;
    number.parse().ok().filter(|_| word == "rank")
}

/// The rank that a path tells, by the last word and number in it.
pub fn rank_in(path: &Path) -> Option<u32> {
    rank(&numbered(path)?)
}

/// What all of them together are called.
pub(super) fn of_all(paths: &[PathBuf], labels: &[String]) -> String {
    match (labels.first(), labels.last()) {
        (Some(first), Some(last)) if paths.len() > 2 => {
            format!("{first} … {last} ({} files)", paths.len())
        }
        (Some(first), Some(last)) => format!("{first} and {last}"),
        _ => String::new(),
    }
}

fn differ(labels: &[String]) -> bool {
    labels.iter().collect::<BTreeSet<_>>().len() == labels.len()
}

/// The last parts of a path.
fn last(path: &Path, parts: usize) -> String {
    let all: Vec<_> = path.components().collect();
    let from = all.len().saturating_sub(parts);
    let end: PathBuf = all.get(from..).unwrap_or_default().iter().collect();
    end.display().to_string()
}

fn stem(path: &Path) -> Option<String> {
    let name = path.file_name()?.to_string_lossy().into_owned();
    let stem = name.split('.').next().filter(|stem| !stem.is_empty());
    Some(stem.map_or(name.clone(), str::to_owned))
}

/// The last word and number of the path, such as `rank 3` of `run/rank3/trace.json`.
fn numbered(path: &Path) -> Option<String> {
    let parts: Vec<String> = path
        .components()
        .map(|part| part.as_os_str().to_string_lossy().to_ascii_lowercase())
        .collect();
    parts.iter().rev().find_map(|part| {
        WORDS.iter().find_map(|word| {
            // The word may stand in the file's own name as well: `ranks.rank0.json`.
            let digits = part
                .rmatch_indices(word)
                .map(|(at, _)| digits_after(part, at + word.len()));
            let digits = digits.flatten().next()?;
            // A worker of PyTorch's profiler is a rank, and is called so wherever one is named.
            let word = if *word == "worker" { "rank" } else { word };
            Some(format!("{word} {digits}"))
        })
    })
}

/// The number that begins at `at`, or behind what parts it from a word.
fn digits_after(part: &str, at: usize) -> Option<&str> {
    let after = part.get(at..)?.trim_start_matches(['-', '_', ' ', '.']);
    let rest = after.trim_start_matches(|it: char| it.is_ascii_digit());
    let digits = after.strip_suffix(rest)?;
    (!digits.is_empty()).then_some(digits)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(paths: &[&str]) -> Vec<String> {
        labels(&paths.iter().map(PathBuf::from).collect::<Vec<_>>())
    }

    #[test]
    fn files_are_called_by_what_tells_them_apart() {
        assert_eq!(
            of(&[
                "a/worker0_step_12.16.pt.json.gz",
                "a/worker1_step_12.17.pt.json.gz"
            ]),
            ["rank 0", "rank 1"]
        );
        assert_eq!(
            of(&["run_rank0/trace_view.json", "run_rank11/trace_view.json"]),
            ["rank 0", "rank 11"]
        );
        assert_eq!(
            of(&["all_ranks.rank0.json", "late_rank.rank1.json"]),
            ["rank 0", "rank 1"]
        );
        assert_eq!(of(&["a.x.json", "a.y.json"]), ["a.x.json", "a.y.json"]);
        assert_eq!(of(&["left.json", "right.json"]), ["left", "right"]);
        assert_eq!(of(&["a/x.json", "b/x.json"]), ["a/x.json", "b/x.json"]);
        assert_eq!(
            of(&["/home/me/long/run1/a/x.json", "/home/me/long/run2/a/x.json"]),
            ["run1/a/x.json", "run2/a/x.json"]
        );
        assert_eq!(of(&["x.json", "x.json"]), ["x 0", "x 1"]);
    }
}
