//! Reads any bytes as JSON of trace events, and results of rocprofv3, and shows what is in them.
#![no_main]

use std::ops::ControlFlow;

use capture::Capture;
use formats::importer::{Source, open_source};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Ok(source) = Source::from_bytes("fuzz.json", bytes.to_vec()) else {
        return;
    };
    let mut capture = Capture::new();
    let receipt = open_source(&source, &mut |batch| {
        capture.apply(batch.records);
        ControlFlow::Continue(())
    });
    if let Ok(receipt) = receipt {
        // What is dropped is told.
        assert!(receipt.dropped == 0 || !capture.problems().is_empty());
    }
});
