//! Counters of GPUs: what they are called, in which unit they count, and their values.

use crate::importer::pftrace::other_tools::ForeignFile;
use crate::perfetto::proto::gpu::{GpuCounterEvent, GpuCounterSpec};

/// Units by their number.
const UNITS: &[&str] = &[
    "",
    "bit",
    "kbit",
    "Mbit",
    "Gbit",
    "Tbit",
    "Pbit",
    "B",
    "kB",
    "MB",
    "GB",
    "TB",
    "PB",
    "Hz",
    "kHz",
    "MHz",
    "GHz",
    "THz",
    "PHz",
    "ns",
    "µs",
    "ms",
    "s",
    "min",
    "h",
    "vertices",
    "pixels",
    "triangles",
    "mW",
    "W",
    "kW",
    "J",
    "V",
    "A",
    "°C",
    "°F",
    "K",
    "%",
    "primitives",
    "fragments",
    "instructions",
];

impl ForeignFile {
    /// Takes names or values of a GPU's counters.
    pub(in super::super) fn gpu_counters(&mut self, time: i64, event: GpuCounterEvent) {
        let gpu = event.gpu_id.unwrap_or(0);
        for spec in event.counter_descriptor.into_iter().flat_map(|it| it.specs) {
            let number = spec.counter_id.unwrap_or(0);
            let place = self.tracks.gauge(gpu, number);
            let unit = unit(&spec);
            let name = spec.name.unwrap_or_else(|| format!("counter {number}"));
            self.tracks.name_gauge(place, name, unit);
        }
        for counter in event.counters {
            let track = self.tracks.gauge(gpu, counter.counter_id.unwrap_or(0));
            let whole = counter.int_value.map(|value| value as f64);
            let value = counter.double_value.or(whole).unwrap_or(0.0);
            self.items.count((time, track), value, 0);
        }
    }
}

/// Each numerator over each denominator.
fn unit(spec: &GpuCounterSpec) -> String {
    let names = |units: &[i32]| {
        let known = units.iter().filter_map(|&unit| {
            let unit = UNITS.get(usize::try_from(unit).ok()?)?;
            Some(*unit).filter(|unit| !unit.is_empty())
        });
        known.collect::<Vec<_>>().join("·")
    };
    let above = names(&spec.numerator_units);
    let below = names(&spec.denominator_units);
    match (above.is_empty(), below.is_empty()) {
        (_, true) => above,
        (true, false) => format!("1/{below}"),
        (false, false) => format!("{above}/{below}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_written_as_fractions() {
        let of = |above: &[i32], below: &[i32]| {
            unit(&GpuCounterSpec {
                numerator_units: above.to_vec(),
                denominator_units: below.to_vec(),
                ..GpuCounterSpec::default()
            })
        };
        assert_eq!(of(&[27], &[21, 21]), "triangles/ms·ms");
        assert_eq!(of(&[], &[22]), "1/s");
        assert_eq!(of(&[7], &[]), "B");
        assert_eq!(of(&[99, -1], &[0]), "");
    }
}
