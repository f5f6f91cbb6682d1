//! The guides: which there are, and each one's text.

use engine::workload::guides;

use super::table::TextTable;
use super::{CliFailure, FINE, OutputStreams};

/// Prints the guide called `name` as it is written, or which there are.
pub(super) fn guide(name: Option<&str>, streams: &mut OutputStreams<'_>) -> Result<u8, CliFailure> {
    let Some(name) = name else {
        let mut table = TextTable::new(&["name", "about"]);
        for guide in guides() {
            table.row([guide.name.to_owned(), guide.title.to_owned()]);
        }
        table.write(streams.out)?;
        return Ok(FINE);
    };
    let wanted = name.to_lowercase();
    let is_it = |title: &str| title.to_lowercase() == wanted;
    let Some(guide) = guides().iter().find(|it| is_it(it.name) || is_it(it.title)) else {
        let names: Vec<&str> = guides().iter().map(|guide| guide.name).collect();
        return Err(CliFailure::Wrong(format!(
            "there is no guide “{name}”; there are: {}",
            names.join(", ")
        )));
    };
    streams.out.write_all(guide.source.as_bytes())?;
    Ok(FINE)
}
