//! Tests of the reader on buffers that are whole, cut, and damaged.

use std::cell::Cell;

use super::*;
use crate::record::{CuptiKernel, CuptiLocation, CuptiTimes, SyncKind};

/// The strides of CUPTI 13.0, and of 12.1.
const NEW: &[(u32, u32)] = &[
    (1, 96),
    (2, 88),
    (4, 40),
    (5, 40),
    (8, 184),
    (9, 32),
    (10, 216),
    (17, 56),
    (22, 96),
    (36, 56),
    (37, 24),
    (38, 56),
    (39, 24),
    (49, 128),
    (51, 56),
    (52, 72),
];
const OLD: &[(u32, u32)] = &[
    (1, 88),
    (2, 88),
    (4, 40),
    (5, 40),
    (8, 176),
    (9, 16),
    (10, 208),
    (17, 40),
    (22, 96),
    (36, 24),
    (37, 24),
    (38, 40),
    (39, 24),
    (49, 120),
    (51, 48),
    (52, 64),
];

/// A record of `kind` with these numbers: where, how many bytes, what.
fn record(strides: &Strides, kind: u32, numbers: &[(usize, usize, u64)]) -> Vec<u8> {
    let mut bytes = vec![0; strides.get(kind).unwrap()];
    for (at, count, number) in [(0, 4, u64::from(kind))].iter().chain(numbers) {
        bytes[*at..at + count].copy_from_slice(&number.to_le_bytes()[..*count]);
    }
    bytes
}

fn read(strides: &Strides, bytes: &[u8]) -> CuptiBatch {
    let reader = CuptiBufferReader {
        strides,
        text: &|at| format!("text {at}"),
        function: &|is_runtime, number| format!("{is_runtime} {number}"),
    };
    reader.read(bytes)
}

#[test]
fn a_kernel_is_read_in_every_version() {
    for (known, priority) in [(OLD, None), (NEW, None), (&[(10, 248)][..], Some(-3))] {
        let strides = Strides::of(known);
        let mut numbers = vec![
            (16, 8, 100),
            (24, 8, 200),
            (40, 4, 1),
            (44, 4, 2),
            (48, 4, 3),
            (52, 4, 4),
            (64, 4, 5),
            (92, 4, 6),
            (104, 8, 77),
            (144, 8, 8),
            (156, 4, 9),
            (6, 2, 40),
        ];
        if priority.is_some() {
            numbers.push((216, 4, u64::from(-3_i32 as u32)));
        }
        let batch = read(&strides, &record(&strides, 10, &numbers));
        let [CuptiRecord::Kernel(it)] = batch.records.as_slice() else {
            panic!("{batch:?}");
        };
        assert_eq!(
            it.times,
            CuptiTimes {
                start: 100,
                end: 200
            }
        );
        assert_eq!(
            it.place,
            CuptiLocation {
                device: 1,
                context: 2,
                stream: 3
            }
        );
        assert_eq!((it.grid, it.block), ([4, 0, 0], [5, 0, 0]));
        assert_eq!((it.correlation, it.graph, it.graph_node), (6, 9, 8));
        assert_eq!(
            (it.name.as_str(), it.registers, it.priority),
            ("text 77", 40, priority)
        );
        assert_eq!(batch.unread, 0);
    }
}

#[test]
fn after_the_first_address_that_leads_nowhere_no_record_is_believed() {
    let strides = Strides::of(NEW);
    let (doubtful, followed) = (Cell::new(false), Cell::new(0));
    let reader = CuptiBufferReader {
        strides: &strides,
        text: &|address| {
            followed.set(followed.get() + 1);
            doubtful.set(doubtful.get() || address == 13);
            String::new()
        },
        function: &|_, _| String::new(),
    };
    let kernel = |name| record(&strides, 10, &[(104, 8, name)]);
    let read = |bytes: &[u8]| {
        let batch = reader.read_believed(bytes, || doubtful.get());
        (batch.records.len(), batch.unread)
    };
    assert_eq!(read(&kernel(77)), (1, 0));
    assert_eq!(
        read(&[kernel(77), kernel(13), kernel(77)].concat()),
        (0, 3 * 216)
    );
    let before = followed.get();
    assert_eq!((read(&kernel(77)), followed.get()), ((0, 216), before));
}

#[test]
fn what_newer_versions_tell_is_there_where_it_is() {
    let wait = [
        (4, 4, 2),
        (8, 8, 10),
        (16, 8, 20),
        (24, 4, 5),
        (32, 4, 7),
        (36, 4, 9),
    ];
    for (known, which) in [(OLD, None), (NEW, Some(41))] {
        let strides = Strides::of(known);
        let mut numbers = wait.to_vec();
        if which.is_some() {
            numbers.push((40, 8, 41));
        }
        let batch = read(&strides, &record(&strides, 38, &numbers));
        let [CuptiRecord::Sync(it)] = batch.records.as_slice() else {
            panic!("{batch:?}");
        };
        assert_eq!(
            (it.kind, it.stream, it.event),
            (SyncKind::StreamWaitEvent, Some(7), Some(9))
        );
        assert_eq!(it.sync, which);
    }
    let strides = Strides::of(NEW);
    let none = [
        (4, 4, 4),
        (32, 4, u64::from(u32::MAX)),
        (36, 4, u64::from(u32::MAX)),
        (40, 8, u64::from(u32::MAX)),
    ];
    let batch = read(&strides, &record(&strides, 38, &none));
    let [CuptiRecord::Sync(it)] = batch.records.as_slice() else {
        panic!("{batch:?}");
    };
    assert_eq!((it.stream, it.event, it.sync), (None, None, None));
}

#[test]
fn a_kind_that_is_not_known_is_gone_over_and_one_without_a_length_ends_the_buffer() {
    let strides = Strides::of(&[(33, 152), (4, 40), (10, 100)]);
    let mut bytes = record(&strides, 33, &[]);
    // Shorter than any kernel that there was.
    bytes.extend(record(&strides, 10, &[]));
    bytes.extend(record(&strides, 4, &[(4, 4, 307)]));
    bytes.extend([99, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3]);
    let batch = read(&strides, &bytes);
    assert_eq!(
        batch.records[..2],
        [CuptiRecord::Other(33), CuptiRecord::Other(10)]
    );
    let CuptiRecord::Api(it) = &batch.records[2] else {
        panic!("{batch:?}");
    };
    assert_eq!((it.function, it.name.as_str()), (307, "false 307"));
    assert_eq!((batch.records.len(), batch.unread), (3, 11));
}

/// A buffer with a record of every kind, all bytes set.
fn full(strides: &Strides) -> Vec<u8> {
    let kinds = ActivityKind::ALL.iter().map(|kind| kind.number());
    kinds
        .flat_map(|kind| {
            let mut bytes = record(strides, kind, &[]);
            bytes[4..].fill(0xa5);
            bytes
        })
        .collect()
}

#[test]
fn a_buffer_that_is_cut_anywhere_gives_what_is_before_the_cut() {
    let strides = Strides::of(NEW);
    let bytes = full(&strides);
    let whole = read(&strides, &bytes);
    assert_eq!(
        (whole.records.len(), whole.unread),
        (ActivityKind::ALL.len(), 0)
    );
    for end in 0..bytes.len() {
        let cut = read(&strides, &bytes[..end]);
        assert_eq!(cut.records, whole.records[..cut.records.len()]);
        assert!(cut.records.len() < whole.records.len() && cut.unread < 216);
    }
}

proptest::proptest! {
    #[test]
    fn no_bytes_are_too_odd(
        flips in proptest::collection::vec((0_usize..1500, proptest::num::u8::ANY), 0..40),
        lengths in proptest::collection::vec((0_u32..60, 0_u32..300), 0..20),
        start in 0_usize..16,
    ) {
        let mut bytes = full(&Strides::of(NEW));
        for (at, byte) in flips {
            if let Some(place) = bytes.get_mut(at) {
                *place = byte;
            }
        }
        let known: Vec<(u32, u32)> = NEW.iter().copied().chain(lengths).collect();
        let batch = read(&Strides::of(&known), &bytes[start..]);
        proptest::prop_assert!(batch.unread <= bytes.len() as u64);
    }
}

/// What CUPTI 13.0 wrote on an H100: fifty times a kernel on one stream, an event, another stream's wait for it, and a kernel
/// there. Nobody has the texts that its addresses led to.
const REAL: &[u8] = include_bytes!("../../../../tests/data/cupti-13-h100.bin");

/// Of its records those of a kind.
fn real<'a, T>(batch: &'a CuptiBatch, of_kind: fn(&'a CuptiRecord) -> Option<T>) -> Vec<T> {
    batch.records.iter().filter_map(of_kind).collect()
}

const fn kernel_of(record: &CuptiRecord) -> Option<&CuptiKernel> {
    match record {
        CuptiRecord::Kernel(kernel) => Some(kernel),
        _ => None,
    }
}

#[test]
fn a_buffer_of_a_real_device_is_read_whole() {
    let batch = read(&Strides::of(NEW), REAL);
    assert_eq!(batch.unread, 0);
    let is_other = |it: &CuptiRecord| matches!(it, CuptiRecord::Other(_));
    assert!(!batch.records.iter().any(is_other));
    let kernels = real(&batch, kernel_of);
    assert_eq!(kernels.len(), 100);
    for kernel in kernels {
        let length = kernel.times.end - kernel.times.start;
        assert!((10_000..20_000).contains(&length), "{kernel:?}");
    }
}

#[test]
fn waits_of_a_real_device_keep_their_order() {
    let batch = read(&Strides::of(NEW), REAL);
    let kernels = real(&batch, kernel_of);
    let events = real(&batch, |it| match it {
        CuptiRecord::Event(event) => Some((event.sync, event)),
        _ => None,
    });
    let events: std::collections::HashMap<_, _> = events.into_iter().collect();
    let waits = real(&batch, |it| match it {
        CuptiRecord::Sync(sync) if sync.kind == SyncKind::StreamWaitEvent => Some(sync),
        _ => None,
    });
    assert_eq!((events.len(), waits.len()), (50, 50));
    for wait in waits {
        let event = events[&wait.sync];
        let on = |stream| {
            kernels
                .iter()
                .filter(move |it| Some(it.place.stream) == stream)
        };
        let before = on(Some(event.stream)).filter(|it| it.correlation < event.correlation);
        let cause = before.max_by_key(|it| it.correlation).unwrap();
        let after = on(wait.stream).filter(|it| it.correlation > wait.correlation);
        let effect = after.min_by_key(|it| it.correlation).unwrap();
        assert!(
            cause.times.end <= effect.times.start,
            "{cause:?} {effect:?}"
        );
    }
}
