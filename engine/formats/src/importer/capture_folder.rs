//! Folders and patterns in place of files: the captures in them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::multi_file::rank_in;
use super::{IMPORTERS, ImportError, REFUSED, Source, is_standard_input, log_folder, sqlite};

/// How deep folders are looked through: those of profilers are a few deep.
const DEPTH: usize = 8;
/// So many files and folders are looked at, below one folder.
const MOST_ENTRIES: usize = 50_000;
/// So many captures of one folder are opened together.
const MOST_CAPTURES: usize = 1_024;
/// What a file may be packed with, by its ending.
const PACKINGS: &[&str] = &["gz", "zst", "zip"];
/// What a profiler writes beside its database, with the same in it.
const SAME_AS_DATABASE: &str = "trace_view.json";

/// The files that some paths stand for. A folder stands for the captures in it and below it, in order of their paths; one that
/// JAX or TensorFlow profiled into for those of its last run; a path with `*`, `?` or `[` that is no file for all files that it
/// matches. Any other path stands for itself, whether there is such a file or not.
///
/// # Errors
/// A folder holds no capture, more than can be meant, or two of one rank; or a pattern matches nothing.
pub fn files_of(paths: &[PathBuf]) -> Result<Vec<PathBuf>, ImportError> {
    let mut files = Vec::new();
    for path in paths {
        if is_standard_input(path) {
            files.push(path.clone());
        } else if path.is_dir() {
            let run = log_folder::last_run(path);
            let is_run = !run.is_empty() && !holds_others(path);
            files.extend(if is_run { run } else { captures(path)? });
        } else if !path.exists() && has_wildcards(path) {
            files.extend(matches(path)?);
        } else {
            files.push(path.clone());
        }
    }
    Ok(files)
}

/// Whether captures lie in a folder that no profiler puts beside those of a run of JAX or TensorFlow.
fn holds_others(folder: &Path) -> bool {
    const OF_A_RUN: &[&str] = &[".xplane.pb", ".trace.json", "perfetto_trace.json"];
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut files = entries.map(|it| it.path()).filter(|it| it.is_file());
    files.any(|file| {
        let name = unpacked_name(&file);
        is_named_so(&file) && !OF_A_RUN.iter().any(|ending| name.ends_with(ending))
    })
}

fn has_wildcards(path: &Path) -> bool {
    path.to_string_lossy().contains(['*', '?', '['])
}

/// The files that a pattern matches, by name.
fn matches(pattern: &Path) -> Result<Vec<PathBuf>, ImportError> {
    // What is no pattern either, such as a bracket that stays open, matches nothing.
    let found = glob::glob(&pattern.to_string_lossy()).ok();
    let found = found.into_iter().flatten().flatten();
    let files: Vec<PathBuf> = found.filter(|it| it.is_file()).collect();
    if files.is_empty() {
        return Err(ImportError::Unmatched(pattern.to_owned()));
    }
    Ok(files)
}

/// Captures by their format, without those that an Ascend database beside them holds as well.
fn once_each(mut found: Vec<(&'static str, PathBuf)>) -> Vec<PathBuf> {
    let databases = found.iter().filter(|(format, _)| *format == "ascend");
    let databases: Vec<PathBuf> = databases
        .filter_map(|(_, path)| path.parent().map(Path::to_owned))
        .collect();
    found.retain(|(_, path)| {
        let is_same = path.file_name().is_some_and(|it| it == SAME_AS_DATABASE);
        !is_same || !databases.iter().any(|it| path.parent() == Some(it))
    });
    found.into_iter().map(|it| it.1).collect()
}

/// The captures in a folder and below it.
fn captures(folder: &Path) -> Result<Vec<PathBuf>, ImportError> {
    let named = named(folder)?;
    let looked = named.len();
    let named = named.into_iter();
    let found = named.filter_map(|path| Some((format(&path)?, path)));
    let found = once_each(found.collect());
    match found.len() {
        0 => Err(match ImportError::directory(folder.to_owned()) {
            ImportError::Directory(folder) => ImportError::NoCaptures { folder, looked },
            // Of profilers it is known what to do.
            other => other,
        }),
        1..=MOST_CAPTURES => {
            refuse_same_rank(folder, &found)?;
            Ok(found)
        }
        _ => Err(too_many(folder)),
    }
}

fn too_many(folder: &Path) -> ImportError {
    ImportError::TooMany {
        folder: folder.to_owned(),
        captures: MOST_CAPTURES,
        entries: MOST_ENTRIES,
    }
}

/// Two files of one rank in one folder are of two runs, or of two stretches of one: which is meant only the user knows.
fn refuse_same_rank(folder: &Path, files: &[PathBuf]) -> Result<(), ImportError> {
    let mut known: BTreeMap<(&Path, u32), &PathBuf> = BTreeMap::new();
    for file in files {
        let (Some(own), Some(name)) = (file.parent(), file.file_name()) else {
            continue;
        };
        let Some(rank) = rank_in(Path::new(name)) else {
            continue;
        };
        if let Some(first) = known.insert((own, rank), file) {
            let shown = |path: &Path| path.file_name().map(PathBuf::from).unwrap_or_default();
            return Err(ImportError::SameRank {
                folder: folder.to_owned(),
                rank,
                files: [shown(first), shown(file)],
            });
        }
    }
    Ok(())
}

/// The files in and below a folder whose names end as those of captures do, by path. What is hidden, and folders that are
/// links, are passed over.
fn named(folder: &Path) -> Result<Vec<PathBuf>, ImportError> {
    let (mut files, mut entries) = (Vec::new(), 0);
    let mut folders = vec![(folder.to_owned(), 0)];
    while let Some((folder_here, depth)) = folders.pop() {
        let listed = match std::fs::read_dir(&folder_here) {
            Ok(listed) => listed,
            // What is below may be somebody else's.
            Err(_) if depth > 0 => continue,
            Err(error) => return Err(ImportError::from_io(folder, error)),
        };
        for entry in listed.flatten() {
            entries += 1;
            if entries > MOST_ENTRIES {
                return Err(too_many(folder));
            }
            let is_hidden = entry.file_name().to_string_lossy().starts_with('.');
            let Ok(kind) = entry.file_type() else {
                continue;
            };
            let path = entry.path();
            if kind.is_dir() && !is_hidden && depth < DEPTH {
                folders.push((path, depth + 1));
            } else if !kind.is_dir() && !is_hidden && is_named_so(&path) && path.is_file() {
                files.push(path);
            }
        }
    }
    files.sort();
    Ok(files)
}

/// A file's name in small letters, without the ending of its packing.
fn unpacked_name(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let name = name.to_ascii_lowercase();
    let mut packings = PACKINGS.iter();
    let packing = packings.find_map(|it| name.strip_suffix(&format!(".{it}")));
    packing.unwrap_or(&name).to_owned()
}

/// Whether a file's name ends as those of captures do, packed or not.
fn is_named_so(path: &Path) -> bool {
    let name = unpacked_name(path);
    let mut endings = IMPORTERS.iter().flat_map(|it| it.extensions());
    endings.any(|ending| name.ends_with(&format!(".{ending}")))
}

/// The format of a capture; none of a file that is none, such as other JSON.
fn format(path: &Path) -> Option<&'static str> {
    let source = Source::open(path).ok()?;
    let head = source.head();
    if REFUSED.iter().any(|it| (it.recognises)(head)) {
        return None;
    }
    let importer = IMPORTERS.iter().find(|it| it.recognises(head));
    match importer {
        Some(importer) if importer.name() == "chrome" => {
            is_list_of_events(head).then_some(importer.name())
        }
        Some(importer) => Some(importer.name()),
        None if sqlite::is_database(head) => Some(sqlite::format_of(&source).ok()?.name()),
        None => None,
    }
}

/// Whether JSON, of which any may be a list of events, begins as one does: profilers write other JSON beside their captures.
fn is_list_of_events(head: &[u8]) -> bool {
    const SIGNS: &[&str] = &[
        "\"traceEvents\"",
        "\"ph\"",
        "\"schemaVersion\"",
        "\"deviceProperties\"",
    ];
    let mut signs = SIGNS.iter();
    signs.any(|sign| memchr::memmem::find(head, sign.as_bytes()).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::{create_dir_all, write};

    const EVENTS: &str =
        r#"{"traceEvents":[{"ph":"X","name":"a","ts":1,"dur":1,"pid":1,"tid":1}]}"#;

    /// A folder with these files: each with its text.
    fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = folder.path().join(name);
            create_dir_all(path.parent().unwrap()).unwrap();
            write(path, text).unwrap();
        }
        folder
    }

    fn names(folder: &Path, of: &[PathBuf]) -> Vec<String> {
        let names = files_of(of).unwrap().into_iter();
        let names = names.map(|it| it.strip_prefix(folder).unwrap().display().to_string());
        names.collect()
    }

    #[test]
    fn a_folder_stands_for_the_captures_in_it_and_below() {
        let folder = folder(&[
            ("b/rank1.json", EVENTS),
            ("b/rank0.json", EVENTS),
            ("a.json", EVENTS),
            ("metadata.json", r#"{"world_size": 8}"#),
            ("notes.txt", EVENTS),
            (".hidden.json", EVENTS),
            (".cache/c.json", EVENTS),
        ]);
        let root = folder.path();
        assert_eq!(
            names(root, &[root.to_owned()]),
            ["a.json", "b/rank0.json", "b/rank1.json"]
        );
        assert_eq!(
            names(root, &[root.join("b/*.json"), root.join("a.json")]),
            ["b/rank0.json", "b/rank1.json", "a.json"]
        );
        // One that JAX profiled into stands for its run, unless other captures lie there as well.
        write(root.join("b/host.xplane.pb"), [0x0A, 0x00]).unwrap();
        write(root.join("b/host.trace.json"), EVENTS).unwrap();
        assert_eq!(names(root, &[root.join("b")]).len(), 4);
        for file in ["b/rank0.json", "b/rank1.json"] {
            std::fs::remove_file(root.join(file)).unwrap();
        }
        assert_eq!(names(root, &[root.join("b")]), ["b/host.xplane.pb"]);
        // A file whose name looks like a pattern is that file.
        write(root.join("x[1].json"), EVENTS).unwrap();
        assert_eq!(names(root, &[root.join("x[1].json")]), ["x[1].json"]);
    }

    #[test]
    fn folders_that_nobody_can_mean_are_refused_in_words() {
        let of = |folder: &tempfile::TempDir| files_of(&[folder.path().to_owned()]).unwrap_err();
        let none = folder(&[("metadata.json", "{}"), ("a.txt", "")]);
        assert!(matches!(
            of(&none),
            ImportError::NoCaptures { looked: 1, .. }
        ));
        let twice = folder(&[("worker0_1.json", EVENTS), ("worker0_2.json", EVENTS)]);
        let error = of(&twice).to_string();
        assert!(
            ["rank 0", "worker0_1.json", "worker0_2.json"]
                .iter()
                .all(|it| error.contains(it)),
            "{error}"
        );
        // In two folders they may be ranks of two machines.
        let apart = folder(&[("a/rank0.json", EVENTS), ("b/rank0.json", EVENTS)]);
        assert_eq!(files_of(&[apart.path().to_owned()]).unwrap().len(), 2);
        let pattern = apart.path().join("*.sqlite");
        assert!(matches!(
            files_of(&[pattern]),
            Err(ImportError::Unmatched(_))
        ));
    }

    #[cfg(unix)]
    #[test]
    fn folders_that_are_links_are_not_followed() {
        let folder = folder(&[("a/rank0.json", EVENTS)]);
        std::os::unix::fs::symlink(folder.path(), folder.path().join("a/round")).unwrap();
        assert_eq!(files_of(&[folder.path().to_owned()]).unwrap().len(), 1);
    }
}
