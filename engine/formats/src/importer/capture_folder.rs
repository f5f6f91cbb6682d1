//! Folders and patterns in place of files: the captures in them.

use std::collections::BTreeMap;
use std::io::Read as _;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use super::multi_file::rank_in;
use super::{
    IMPORTERS, ImportError, Importer, REFUSED, Source, is_standard_input, log_folder, sqlite,
};
use record::Record;

/// How deep folders are looked through: those of profilers are a few deep.
const DEPTH: usize = 8;
/// So many files and folders are looked at, below one folder.
const MOST_ENTRIES: usize = 50_000;
/// So many captures of one folder are opened together.
const MOST_CAPTURES: usize = 1_024;
/// What a file may be packed with, by its ending.
const PACKINGS: &[&str] = &["gz", "zst", "zip"];
/// JSON is looked through for events in pieces of so many bytes.
const PIECE: u64 = 1 << 20;
/// Files of at most so many bytes are read to know whether they are captures.
const SMALL: usize = 4_096;
/// What a profiler writes beside its database, with the same in it.
const SAME_AS_DATABASE: &str = "trace_view.json";

/// The format of the planes that JAX and TensorFlow write.
const PLANES: &str = "xplane";

/// The files that some paths stand for. A folder stands for the captures in it and below it, in order of their paths; one that
/// JAX or TensorFlow profiled into for those of its last run; a path with `*`, `?` or `[` that is no file for all files that it
/// matches, and for the captures of all folders that it matches. Any other path stands for itself, whether there is such a file or not.
///
/// # Errors
/// A folder holds no capture, more than can be meant, or two of one rank; or a pattern matches nothing.
pub fn files_of(paths: &[PathBuf]) -> Result<Vec<PathBuf>, ImportError> {
    let mut files = Vec::new();
    for path in paths {
        if is_standard_input(path) {
            files.push(path.clone());
        } else if path.is_dir() {
            files.extend(in_folder(path)?);
        } else if !path.exists() && has_wildcards(path) {
            files.extend(matches(path)?);
        } else {
            files.push(path.clone());
        }
    }
    Ok(files)
}

/// Whether captures lie in a folder, or below it, that a run of JAX or TensorFlow did not write.
fn holds_others(folder: &Path) -> bool {
    let all = named(folder).unwrap_or_default();
    let mut others = all.iter().filter(|it| !is_of_a_run(it));
    others.any(|it| matches!(format(it), Some((_, true))))
}

/// Whether a run of JAX or TensorFlow wrote a file: its name says so, and so does what lies beside it.
fn is_of_a_run(file: &Path) -> bool {
    const OF_A_RUN: &[&str] = &[".xplane.pb", ".trace.json", "perfetto_trace.json"];
    const OF_PYTORCH: &str = ".pt.trace.json";
    let name = unpacked_name(file);
    let is_named = OF_A_RUN.iter().any(|ending| name.ends_with(ending));
    is_named && !name.ends_with(OF_PYTORCH) && file.parent().is_some_and(log_folder::is_run)
}

fn has_wildcards(path: &Path) -> bool {
    path.to_string_lossy().contains(['*', '?', '['])
}

/// The captures that a folder stands for.
fn in_folder(folder: &Path) -> Result<Vec<PathBuf>, ImportError> {
    let run = log_folder::last_run(folder);
    if !run.is_empty() && !holds_others(folder) {
        return Ok(run);
    }
    captures(folder)
}

/// The files that a pattern matches, by name, and the captures of the folders that it matches. Folders without captures are
/// passed over, unless it matches nothing else.
fn matches(pattern: &Path) -> Result<Vec<PathBuf>, ImportError> {
    // What is no pattern either, such as a bracket that stays open, matches nothing.
    let found = glob::glob(&pattern.to_string_lossy()).ok();
    let mut why = ImportError::Unmatched(pattern.to_owned());
    let mut files = Vec::new();
    for path in found.into_iter().flatten().flatten() {
        if path.is_file() {
            files.push(path);
        } else if path.is_dir() {
            match in_folder(&path) {
                Ok(inside) => files.extend(inside),
                Err(none @ (ImportError::NoCaptures { .. } | ImportError::Refused { .. })) => {
                    why = none;
                }
                Err(other) => return Err(other),
            }
        }
    }
    if files.is_empty() {
        return Err(why);
    }
    Ok(files)
}

/// Captures by their format, without those that an Ascend database, or the planes of a run of JAX, hold as well, and without runs
/// of JAX that are not the last of their folder.
fn once_each(mut found: Vec<(&'static str, PathBuf)>) -> Vec<PathBuf> {
    let databases = found.iter().filter(|(format, _)| *format == "ascend");
    let databases: Vec<PathBuf> = databases
        .filter_map(|(_, path)| path.parent().map(Path::to_owned))
        .collect();
    found.retain(|(_, path)| {
        let is_same = path.file_name().is_some_and(|it| it == SAME_AS_DATABASE);
        !is_same || !databases.iter().any(|it| path.parent() == Some(it))
    });
    found.retain(|(format, path)| {
        let is_same = *format != PLANES && is_of_a_run(path);
        !is_same && !path.parent().is_some_and(log_folder::is_earlier_run)
    });
    found.into_iter().map(|it| it.1).collect()
}

/// The captures in a folder and below it.
fn captures(folder: &Path) -> Result<Vec<PathBuf>, ImportError> {
    let named = named(folder)?;
    let looked = named.len();
    let mut found = Vec::new();
    let mut hollow = Vec::new();
    for path in named {
        match format(&path) {
            Some((format, true)) => found.push((format, path)),
            Some((format, false)) => hollow.push((format, path)),
            None => {}
        }
    }
    // Where there is nothing else, it is said of these what is wrong with them.
    let found = once_each(if found.is_empty() { hollow } else { found });
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

/// The format of a capture, and whether anything of a capture is in it; none of a file that is none, such as other JSON.
fn format(path: &Path) -> Option<(&'static str, bool)> {
    let source = Source::open(path).ok()?;
    let head = source.head();
    if REFUSED.iter().any(|it| (it.recognises)(head)) {
        return None;
    }
    let importer = IMPORTERS.iter().find(|it| it.recognises(head));
    match importer {
        Some(importer) if importer.name() == "chrome" => {
            is_list_of_events(head).then(|| (importer.name(), has_event(&source)))
        }
        Some(importer) if importer.name() == "pftrace" => {
            Some((importer.name(), has_facts(*importer, &source)))
        }
        Some(importer) => Some((importer.name(), true)),
        None if sqlite::is_database(head) => Some((sqlite::format_of(&source).ok()?.name(), true)),
        None => None,
    }
}

/// Whether JSON holds an event: each says of which phase it is.
fn has_event(source: &Source) -> bool {
    const PHASE: &[u8] = b"\"ph\"";
    if memchr::memmem::find(source.head(), PHASE).is_some() {
        return true;
    }
    let Ok(mut reader) = source.reader() else {
        return true;
    };
    let mut bytes = Vec::new();
    loop {
        // The word may lie across the border of two pieces.
        let kept = bytes.len().saturating_sub(PHASE.len() - 1);
        bytes.drain(..kept);
        match reader.by_ref().take(PIECE).read_to_end(&mut bytes) {
            Ok(0) => return false,
            Ok(_) if memchr::memmem::find(&bytes, PHASE).is_some() => return true,
            Ok(_) => {}
            // Of what is damaged it is said once it is opened.
            Err(_) => return true,
        }
    }
}

/// Whether anything is understood of a file of packets: other small files of protobuf may look like one.
fn has_facts(importer: &dyn Importer, source: &Source) -> bool {
    if source.head().len() > SMALL {
        return true;
    }
    let mut has_any = false;
    let is_fact = |it: &Record| !matches!(it, Record::Run(_) | Record::Clock(_) | Record::Note(_));
    let read = super::read(importer, source, &mut |batch| {
        has_any |= batch.records.iter().any(is_fact);
        ControlFlow::Continue(())
    });
    // Of what is damaged it is said once it is opened.
    has_any || read.is_err()
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
        let plane = b"\x0a\x0b\x12\x09/host:CPU";
        write(root.join("b/host.xplane.pb"), plane).unwrap();
        write(root.join("b/host.trace.json"), EVENTS).unwrap();
        let both = ["b/host.xplane.pb", "b/rank0.json", "b/rank1.json"];
        assert_eq!(names(root, &[root.join("b")]), both);
        for file in ["b/rank0.json", "b/rank1.json"] {
            std::fs::remove_file(root.join(file)).unwrap();
        }
        assert_eq!(names(root, &[root.join("b")]), ["b/host.xplane.pb"]);
        // So does a folder around it, unless others lie anywhere below.
        std::fs::remove_file(root.join("a.json")).unwrap();
        write(root.join("b/saved.json"), r#"{"ph": 1}"#).unwrap();
        let found = names(root, &[root.to_owned()]);
        assert!(found.contains(&"b/saved.json".to_owned()), "{found:?}");
        std::fs::remove_file(root.join("b/saved.json")).unwrap();
        assert_eq!(names(root, &[root.to_owned()]), ["b/host.xplane.pb"]);
        create_dir_all(root.join("d/e")).unwrap();
        write(root.join("d/e/gpu.pt.trace.json"), EVENTS).unwrap();
        let found = names(root, &[root.to_owned()]);
        assert!(
            found.contains(&"d/e/gpu.pt.trace.json".to_owned()),
            "{found:?}"
        );
        std::fs::remove_file(root.join("d/e/gpu.pt.trace.json")).unwrap();
        write(root.join("d/model.json"), r#"{"layers": 3}"#).unwrap();
        assert_eq!(names(root, &[root.to_owned()]), ["b/host.xplane.pb"]);
        // A file whose name looks like a pattern is that file.
        write(root.join("x[1].json"), EVENTS).unwrap();
        assert_eq!(names(root, &[root.join("x[1].json")]), ["x[1].json"]);
    }

    #[test]
    fn what_only_looks_like_a_capture_is_passed_over_unless_nothing_else_is_there() {
        let other = r#"{"schemaVersion":2,"mediaType":"x"}"#;
        let folder = folder(&[
            ("a/events.json", EVENTS),
            ("a/none.json", r#"{"traceEvents":[]}"#),
            ("a/z.json", other),
            ("a/hi.pb", "\n\u{2}hi"),
            ("b/z.json", other),
        ]);
        let root = folder.path();
        assert_eq!(names(root, &[root.join("a")]), ["a/events.json"]);
        assert_eq!(names(root, &[root.join("b")]), ["b/z.json"]);
        // An event may come late.
        let late = format!(
            r#"{{"schemaVersion":1,"x":"{}",{}"#,
            "x".repeat(70_000),
            &EVENTS[1..]
        );
        write(root.join("a/late.json"), late).unwrap();
        let both = ["a/events.json", "a/late.json"];
        assert_eq!(names(root, &[root.join("a")]), both);
    }

    #[test]
    fn a_pattern_fits_folders_as_well() {
        let folder = folder(&[
            ("rank_1/a.json", EVENTS),
            ("rank_2/b.json", EVENTS),
            ("rank_3/notes.txt", ""),
            ("rank_4.json", EVENTS),
        ]);
        let root = folder.path();
        let found = ["rank_1/a.json", "rank_2/b.json", "rank_4.json"];
        assert_eq!(names(root, &[root.join("rank_*")]), found);
        assert!(matches!(
            files_of(&[root.join("*_3")]),
            Err(ImportError::NoCaptures { .. })
        ));
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
