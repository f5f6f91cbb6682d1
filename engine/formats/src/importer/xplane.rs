//! Reads XSpaces (`.xplane.pb`), which JAX, TensorFlow and everything else on XLA profile into: planes of lines of events.

mod damage;
mod event;
mod event_reader;
mod lane_map;
mod links;
mod plane;
mod rendezvous;
mod rows;
mod stat;
mod wire_reader;

pub(super) use rendezvous::RendezvousList;

use super::chrome::ChromeTexts;
use super::sqlite::SqliteDraft;
use super::{ImportError, Importer, Receipt, RecordSink, Source};
use event_reader::XPlaneReader;
use plane::XSpace;
use record::{Record, Run};
use wire_reader::walk;

/// The format `.xplane.pb`.
pub struct Xplane;

impl Importer for Xplane {
    fn name(&self) -> &'static str {
        "xplane"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["xplane.pb", "pb"]
    }

    fn about(&self) -> &'static str {
        "XSpaces of JAX, TensorFlow and XLA"
    }

    fn recognises(&self, head: &[u8]) -> bool {
        begins_with_plane(head)
    }

    fn read(&self, source: &Source, sink: &mut RecordSink<'_>) -> Result<Receipt, ImportError> {
        let mut texts = ChromeTexts::new();
        let (space, unnamed) = XSpace::of(source, &mut texts, sink)?;
        sink.push(Record::Run(Box::new(Run {
            name: source.name(),
            backend: self.name().to_owned(),
            machine: space.hosts.join(", "),
            ..Run::default()
        })));
        let mut reading = XPlaneReader::new(&space, texts, SqliteDraft::new(sink));
        let mut damage = walk(source, &mut reading)?;
        damage.add(&unnamed);
        reading.finish(&damage)
    }
}

/// Whether a file begins with a plane: a message whose first field of text names a device, a host or what ran there.
fn begins_with_plane(head: &[u8]) -> bool {
    let Some((0x0A, rest)) = head.split_first().map(|(tag, rest)| (*tag, rest)) else {
        return false;
    };
    let start = rest.get(..32).unwrap_or(rest);
    let planes: [&[u8]; 4] = [
        b"/host:",
        b"/device:",
        b"Task Environment",
        b"/host_threadpool",
    ];
    // Behind the plane's length comes its number, if it has one, and then its name: tag, length, text.
    start.iter().enumerate().any(|(at, &tag)| {
        let name = start.get(at + 2..).unwrap_or_default();
        tag == 0x12 && at <= 16 && planes.iter().any(|plane| name.starts_with(plane))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_known_by_its_first_plane() {
        assert!(begins_with_plane(
            b"\x0a\x90\x03\x08\x01\x12\x0d/device:GPU:0"
        ));
        assert!(begins_with_plane(b"\x0a\x90\x03\x12\x09/host:CPU"));
        assert!(begins_with_plane(b"\x0a\x0c\x12\x10Task Environment"));
        assert!(!begins_with_plane(b"\x0a\x05\x08\x01\x12\x01a"));
        assert!(!begins_with_plane(b"/host:CPU"));
    }
}
