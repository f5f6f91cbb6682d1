//! The reader of CUPTI's records against the real library's own, which needs no GPU, and the tests' stand-in against both.

use cuda_recorder::{ActivityKind, CuptiBatch, CuptiBufferReader, CuptiLibrary, Strides, walk};

use crate::house::program::stand_in;
use crate::semantics::nvidia::downloaded;

/// The real library, where `make test` has downloaded it.
fn real() -> Option<CuptiLibrary> {
    let path = downloaded()?.join("lib/libcupti.so.13");
    Some(CuptiLibrary::open(&path).unwrap())
}

/// Numbers without a pattern.
struct Noise(u32);

impl Noise {
    fn next(&mut self) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 17;
        self.0 ^= self.0 << 5;
        self.0
    }

    fn below(&mut self, end: usize) -> usize {
        self.next() as usize % end
    }
}

/// A record of `kind`, with any bytes behind that.
fn record(strides: &Strides, kind: u32, noise: &mut Noise) -> Vec<u8> {
    let mut bytes: Vec<u8> = kind.to_le_bytes().to_vec();
    bytes.resize_with(strides.get(kind).unwrap(), || noise.next() as u8);
    bytes
}

/// Every kind that the library knows how long it is.
fn known(strides: &Strides) -> Vec<u32> {
    (1..128)
        .filter(|kind| strides.get(*kind).is_some())
        .collect()
}

fn walked(strides: &Strides, bytes: &[u8]) -> Vec<(usize, u32)> {
    let mut found = Vec::new();
    walk(strides, bytes, |at, kind, _| found.push((at, kind)));
    found
}

#[test]
fn records_are_as_long_as_the_real_library_has_them() {
    let Some(real) = real() else { return };
    assert_eq!(real.version(), 130_001);
    assert_eq!(real.name(), "CUPTI of CUDA 13.0");
    // As the layouts of CUDA 13.0 are documented.
    let expected = [
        (10, 216),
        (1, 96),
        (2, 88),
        (22, 96),
        (38, 56),
        (36, 56),
        (4, 40),
        (5, 40),
        (17, 56),
        (51, 56),
    ];
    for (kind, bytes) in expected {
        assert_eq!(real.strides().get(kind), Some(bytes), "kind {kind}");
    }
    for kind in ActivityKind::ALL {
        assert!(real.strides().get(kind.number()).is_some(), "{kind}");
    }
    assert_eq!(known(real.strides()).len(), 39);
}

#[test]
fn the_stand_in_lays_records_out_as_the_real_library_does() {
    let stand_in = CuptiLibrary::open(&stand_in()).unwrap();
    assert!(stand_in.strides().get(10) == Some(216) && stand_in.version() == 130_001);
    let Some(real) = real() else { return };
    assert_eq!(stand_in.strides(), real.strides());
}

#[test]
fn buffers_are_walked_as_the_real_library_walks_them() {
    let Some(real) = real() else { return };
    let strides = real.strides();
    let kinds = known(strides);
    let mut noise = Noise(2_463_534_242);
    for round in 0..400 {
        let count = 1 + noise.below(30);
        let mut bytes = Vec::new();
        for _ in 0..count {
            let kind = kinds[noise.below(kinds.len())];
            bytes.extend(record(strides, kind, &mut noise));
        }
        assert_eq!(walked(strides, &bytes).len(), count);
        if round % 2 == 1 {
            // Cut, and in every fourth with a kind that is none.
            bytes.truncate(noise.below(bytes.len()));
            if round % 4 == 3
                && let Some((at, _)) = walked(strides, &bytes).last()
            {
                bytes[*at + noise.below(2)] ^= 0x80;
            }
        }
        assert_eq!(walked(strides, &bytes), real.walk(&bytes), "round {round}");
    }
}

#[test]
fn every_kind_of_record_is_read_from_bytes_of_the_real_lengths() {
    let Some(real) = real() else { return };
    let strides = real.strides();
    let mut noise = Noise(88_172_645);
    let reader = CuptiBufferReader {
        strides,
        text: &|_| "text".to_owned(),
        function: &|_, _| "function".to_owned(),
    };
    for kind in ActivityKind::ALL {
        let CuptiBatch {
            records, unread, ..
        } = reader.read(&record(strides, kind.number(), &mut noise));
        assert_eq!((records.len(), unread), (1, 0));
        assert!(
            !matches!(records[0], cuda_recorder::CuptiRecord::Other(_)),
            "{kind}"
        );
    }
}
