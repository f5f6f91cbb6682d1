//! Segments that are read while they are written.

use cuda_recorder::{SegmentLimits, SegmentWriter};

use super::*;

fn fact(number: u32) -> Fact {
    Fact::Silent(number.to_string())
}

#[test]
fn segments_are_read_in_their_order_and_go() {
    let folder = tempfile::tempdir().unwrap();
    let limits = SegmentLimits {
        bytes: 1,
        ..SegmentLimits::default()
    };
    let mut writer = SegmentWriter::create(folder.path(), 7, limits, 0).unwrap();
    let name = SegmentName {
        stem: "7-0".to_owned(),
        number: 0,
    };
    let mut file = GrowingFile::open(folder.path(), name, true).unwrap();
    let mut facts = Vec::new();
    for number in 0..10 {
        writer.append(&fact(number)).unwrap();
        if number % 3 == 0 {
            while file.read(&mut |fact| facts.push(fact)) {}
        }
        if number % 2 == 0 {
            writer.begin_next(&Fact::Silent("front".to_owned()), 0);
        }
    }
    while file.read(&mut |fact| facts.push(fact)) {}
    file.finish();
    while file.read(&mut |fact| facts.push(fact)) {}
    facts.retain(|it| *it != Fact::Silent("front".to_owned()));
    assert_eq!(facts, (0..10).map(fact).collect::<Vec<_>>());
    assert_eq!(file.damage(), FactFileDamage::default());
    let left = std::fs::read_dir(folder.path()).unwrap().count();
    assert_eq!(left, 1, "the last one");
}
