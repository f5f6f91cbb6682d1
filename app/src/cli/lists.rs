//! What there is to choose from: workloads and backends.

use engine::backend::BACKENDS;
use engine::workload::{Document, bundled};
use serde_json::json;

use super::arguments::Format;
use super::table::Table;
use super::{FINE, Stop, Streams};

/// Prints the workloads that come with the program. In JSON, an array of {name, title, about, parameters [name,
/// default, min, max, about]}.
pub(super) fn workloads(format: Format, streams: &mut Streams<'_>) -> Result<u8, Stop> {
    let mut table = Table::new(&["name", "what it shows", "parameters"]);
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

/// Prints the backends. In JSON, an array of {name, about, available, reason, devices [name, detail, overlap, width,
/// clock]}.
pub(super) fn backends(format: Format, streams: &mut Streams<'_>) -> Result<u8, Stop> {
    let mut table = Table::new(&["name", "device", "what it can do"]);
    let mut objects = Vec::new();
    for backend in BACKENDS {
        let probed = backend.probe();
        let reason = probed.as_ref().err().map(ToString::to_string);
        let devices = probed.unwrap_or_default();
        for device in &devices {
            table.row([
                backend.name().to_owned(),
                device.name.clone(),
                device.caps.detail.clone(),
            ]);
        }
        if let Some(reason) = &reason {
            table.row([
                backend.name().to_owned(),
                "not here".to_owned(),
                reason.clone(),
            ]);
        }
        let devices = devices.iter().map(|it| {
            json!({
                "name": it.name,
                "detail": it.caps.detail,
                "overlap": it.caps.overlap,
                "width": it.caps.width,
                "clock": it.caps.clock,
            })
        });
        objects.push(json!({
            "name": backend.name(),
            "about": backend.about(),
            "available": reason.is_none(),
            "reason": reason,
            "devices": devices.collect::<Vec<_>>(),
        }));
    }
    write(format, &table, &objects, streams)
}

fn write(
    format: Format,
    table: &Table,
    objects: &[serde_json::Value],
    streams: &mut Streams<'_>,
) -> Result<u8, Stop> {
    match format {
        Format::Text => table.write(streams.out)?,
        Format::Json => writeln!(streams.out, "{:#}", json!(objects))?,
    }
    Ok(FINE)
}
