//! Reads workloads and says what is wrong with them.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use engine::importer::is_standard_input;
use engine::workload::{Document, Placement, Plan};

use super::plain_text::write_lines;
use super::{CliFailure, FINE, OutputStreams, WRONG, lessons};

/// How much is said of one file at most.
const MOST: usize = 12;
/// Bytes that are read of a file at most: far more than a workload may have.
const LARGEST: u64 = 16 << 20;
/// What standard input is called where the name of a file is wanted.
pub(super) const STANDARD_INPUT: &str = "standard input";

/// Checks every file; one that is wrong does not keep the others from being checked.
pub(super) fn check(files: &[PathBuf], streams: &mut OutputStreams<'_>) -> Result<u8, CliFailure> {
    let mut code = FINE;
    for path in files {
        if lessons::is_course(path) {
            code = code.max(lessons::check_course(path, streams)?);
            continue;
        }
        let name = called(path);
        let errors: Vec<String> = match read(path) {
            Ok(source) => {
                let plan = Document::parse(&name, &source).and_then(|it| it.plan(&[]));
                if let Ok(plan) = &plan {
                    writeln!(streams.out, "{name}: nothing is wrong with it")?;
                    write_contacts(&name, plan, streams)?;
                }
                let errors = plan.err().unwrap_or_default();
                errors.iter().map(ToString::to_string).collect()
            }
            Err(reason) => vec![reason],
        };
        if !errors.is_empty() {
            code = WRONG;
        }
        for error in errors.iter().take(MOST) {
            write_lines(error, streams.err)?;
        }
        if errors.len() > MOST {
            writeln!(streams.err, "{name}: and {} more", errors.len() - MOST)?;
        }
    }
    Ok(code)
}

/// Says which machines a run of a workload would connect to, if that was allowed.
fn write_contacts(
    name: &str,
    plan: &Plan,
    streams: &mut OutputStreams<'_>,
) -> Result<(), CliFailure> {
    for (machine, at) in plan.placement.iter().flat_map(Placement::remote) {
        writeln!(
            streams.out,
            "{name}:{}: the machine “{called}” is {at}: a run starts “ssh {} {} worker” where --allow-remote or \
             --machine {called}={at} allows it",
            machine.line,
            at.host(),
            at.program(),
            called = machine.name,
        )?;
    }
    Ok(())
}

/// What a file is called in what is said of it.
fn called(path: &Path) -> String {
    if is_standard_input(path) {
        STANDARD_INPUT.to_owned()
    } else {
        path.display().to_string()
    }
}

/// The text of a workload, from standard input for `-`. Fails with why it cannot be read, and what to do.
pub(super) fn read(path: &Path) -> Result<String, String> {
    let called = called(path);
    if path.is_dir() {
        return Err(format!(
            "{called} is a directory; name a file in it, or the folder of a course, which has a course.kdl"
        ));
    }
    let mut bytes = Vec::new();
    let read = if is_standard_input(path) {
        io::stdin().take(LARGEST + 1).read_to_end(&mut bytes)
    } else {
        File::open(path).and_then(|file| file.take(LARGEST + 1).read_to_end(&mut bytes))
    };
    read.map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => format!("there is no file {called}; check the path"),
        io::ErrorKind::PermissionDenied => {
            format!("{called} may not be read by you; change its permissions or use a copy")
        }
        _ => format!("{called} cannot be read: {error}"),
    })?;
    if bytes.len() as u64 > LARGEST {
        return Err(format!(
            "{called} is longer than the 1 MiB that such a text may have; name another file"
        ));
    }
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        format!(
            "{called} is not a text: byte {at} is no UTF-8; save it as UTF-8, or name another file"
        )
    })
}
