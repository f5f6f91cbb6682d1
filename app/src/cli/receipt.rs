//! Receipts on the command line: what became of all that a file held.

use std::io::{self, Write};

use engine::importer::{MergedFile, Receipt};
use serde_json::{Value, json};

use crate::text;

/// Writes a receipt for people; of several files each bears its name.
pub(super) fn write(
    part: &MergedFile,
    is_one_of_several: bool,
    out: &mut dyn Write,
) -> io::Result<()> {
    let receipt = &part.receipt;
    writeln!(out)?;
    if is_one_of_several {
        let shift = if part.shift.0 == 0 {
            String::new()
        } else {
            format!(" by {}", part.shift)
        };
        let how = part.aligned.label();
        writeln!(
            out,
            "{} ({}), aligned {how}{shift}",
            part.label,
            part.path.display()
        )?;
    }
    writeln!(
        out,
        "{} {} read, {} repaired, {} inferred, {} dropped",
        text::count(receipt.events),
        receipt.unit.label(receipt.events),
        text::count(receipt.repaired),
        text::count(receipt.inferred),
        receipt.dropped
    )?;
    for (cause, count) in &receipt.repairs {
        writeln!(out, "repaired: {cause}: {}", text::count(*count))?;
    }
    for note in &receipt.notes {
        writeln!(out, "note: {note}")?;
    }
    Ok(())
}

/// The receipts of all files together, for programs.
pub(super) fn sum(parts: &[MergedFile]) -> Value {
    let mut whole = Receipt::default();
    for part in parts {
        let receipt = &part.receipt;
        whole.read += receipt.read;
        whole.repaired = whole.repaired.saturating_add(receipt.repaired);
        whole.inferred += receipt.inferred;
        whole.dropped += receipt.dropped;
        whole.repairs.extend_from_slice(&receipt.repairs);
        whole.notes.extend_from_slice(&receipt.notes);
    }
    json!({
        "read": whole.read,
        "repaired": whole.repaired,
        "repairs": repairs(&whole),
        "inferred": whole.inferred,
        "dropped": whole.dropped,
        "notes": whole.notes,
    })
}

fn repairs(receipt: &Receipt) -> Vec<Value> {
    let repairs = receipt.repairs.iter();
    repairs
        .map(|(cause, count)| json!({ "cause": cause, "count": count }))
        .collect()
}

/// A receipt for programs.
pub(super) fn json(part: &MergedFile) -> Value {
    let receipt = &part.receipt;
    json!({
        "file": part.path.display().to_string(),
        "label": part.label,
        "shift_ns": part.shift.0,
        "aligned": part.aligned.label(),
        "events": receipt.events,
        "read": receipt.read,
        "repaired": receipt.repaired,
        "repairs": repairs(receipt),
        "inferred": receipt.inferred,
        "dropped": receipt.dropped,
        "notes": receipt.notes,
    })
}
