//! Reads any text as a workload, and plans what reads without an error.
#![no_main]

use workload::Document;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return;
    };
    match Document::parse("fuzz.kdl", text) {
        Ok(document) => drop(document.plan(&[])),
        Err(errors) => assert!(!errors.is_empty()),
    }
});
