//! What there is to choose from: workloads and backends.

use std::io;
use std::time::{Duration, Instant};

use crossbeam_channel::RecvTimeoutError;
use engine::runner::far::{self, BackendOffer, ConnectionState, WorkerTarget};
use engine::runner::{Engine, Message};
use engine::workload::{Document, bundled};
use serde_json::json;

use super::arguments::OutputFormat;
use super::table::TextTable;
use super::{CliFailure, FINE, OutputStreams};

/// How long another machine may look at its devices, once it answers.
const PATIENCE: Duration = Duration::from_mins(1);

/// How long a link that drops is tried again for the answer: it is a question of a second, not a run.
const DROPPED: Duration = Duration::from_secs(15);

/// Prints the workloads that come with the program. In JSON, an array of {name, title, about, parameters [name,
/// default, min, max, about]}.
pub(super) fn workloads(
    format: OutputFormat,
    streams: &mut OutputStreams<'_>,
) -> Result<u8, CliFailure> {
    let mut table = TextTable::new(&["name", "what it shows", "parameters"]);
    let mut objects = Vec::new();
    for workload in bundled() {
        let document = Document::parse(workload.name, workload.source).ok();
        let parameters = document.as_ref().map_or(&[][..], Document::parameters);
        let names: Vec<&str> = parameters.iter().map(|it| it.name.as_str()).collect();
        table.row([
            workload.name.to_owned(),
            workload.title.to_owned(),
            names.join(", "),
        ]);
        let parameters = parameters.iter().map(|it| {
            json!({ "name": it.name, "default": it.default, "min": it.min, "max": it.max, "about": it.about })
        });
        objects.push(json!({
            "name": workload.name,
            "title": workload.title,
            "about": document.as_ref().map_or("", Document::about),
            "parameters": parameters.collect::<Vec<_>>(),
        }));
    }
    write(format, &table, &objects, streams)
}

/// Prints the backends, here or at `on`. In JSON, an array of {name, about, available, reason, devices [name, detail,
/// overlap, width, clock]}.
pub(super) fn backends(
    on: Option<&WorkerTarget>,
    format: OutputFormat,
    streams: &mut OutputStreams<'_>,
) -> Result<u8, CliFailure> {
    let offers = match on {
        Some(target) => ask(target, streams)?,
        None => far::offers(),
    };
    let mut table = TextTable::new(&["name", "device", "what it can do"]);
    let mut objects = Vec::new();
    for offer in &offers {
        for (name, caps) in &offer.adapters {
            table.row([offer.backend.clone(), name.clone(), caps.detail.clone()]);
        }
        if let Some(reason) = &offer.reason {
            let absent = if on.is_some() {
                "not there"
            } else {
                "not here"
            };
            table.row([offer.backend.clone(), absent.to_owned(), reason.clone()]);
        }
        let devices = offer.adapters.iter().map(|(name, caps)| {
            json!({
                "name": name,
                "detail": caps.detail,
                "overlap": caps.overlap,
                "width": caps.width,
                "clock": caps.clock,
            })
        });
        objects.push(json!({
            "name": offer.backend,
            "about": offer.about,
            "available": offer.reason.is_none(),
            "reason": offer.reason,
            "devices": devices.collect::<Vec<_>>(),
        }));
    }
    write(format, &table, &objects, streams)
}

/// Asks the machine at `target` what it has.
fn ask(
    target: &WorkerTarget,
    streams: &mut OutputStreams<'_>,
) -> Result<Vec<BackendOffer>, CliFailure> {
    let mut dropped: Option<(Instant, String)> = None;
    let engine = Engine::connect(target.clone(), Box::new(|| {}));
    let until = Instant::now() + target.greeting() + PATIENCE;
    loop {
        if Instant::now() > until {
            let name = &target.name;
            let text =
                format!("{name} does not say what it has; look whether a driver there hangs");
            return Err(CliFailure::Wrong(text));
        }
        if let Some((since, why)) = &dropped
            && since.elapsed() > DROPPED
        {
            let name = &target.name;
            let text = format!(
                "{name} answers and drops the link, again and again: {why}; look there for what ends it"
            );
            return Err(CliFailure::Wrong(text));
        }
        match engine.messages().recv_timeout(super::LOOK) {
            Ok(Message::Offers(offers)) => return Ok(offers),
            Ok(Message::Refused(reason)) => return Err(CliFailure::Listed(reason)),
            Err(RecvTimeoutError::Disconnected) => {
                return Err(CliFailure::Wrong(
                    "the link ended without a word".to_owned(),
                ));
            }
            Ok(Message::Connection(link)) if link.state == ConnectionState::Gone => {
                let text = format!("{} cannot be reached: {}", link.name, link.detail);
                return Err(CliFailure::Wrong(text));
            }
            Ok(Message::Connection(link)) if link.state == ConnectionState::Dropped => {
                let is_news = dropped.as_ref().is_none_or(|(_, why)| *why != link.detail);
                if is_news {
                    let (name, why) = (&link.name, &link.detail);
                    writeln!(
                        streams.err,
                        "syncline: the link to {name} dropped: {why}; it is tried again"
                    )?;
                    let since = dropped.map_or_else(Instant::now, |(since, _)| since);
                    dropped = Some((since, why.clone()));
                }
            }
            Ok(_) | Err(RecvTimeoutError::Timeout) => {}
        }
        if super::interrupt::is_requested() {
            return Err(CliFailure::Asked);
        }
    }
}

fn write(
    format: OutputFormat,
    table: &TextTable,
    objects: &[serde_json::Value],
    streams: &mut OutputStreams<'_>,
) -> Result<u8, CliFailure> {
    match format {
        OutputFormat::Text => table.write(streams.out)?,
        OutputFormat::Json => {
            serde_json::to_writer_pretty(&mut *streams.out, objects).map_err(io::Error::from)?;
            writeln!(streams.out)?;
        }
    }
    Ok(FINE)
}
