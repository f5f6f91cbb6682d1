//! When segments are begun, and what they are called.

use super::super::FactDecoder;
use super::*;

fn fact(text: &str) -> Fact {
    Fact::Silent(text.to_owned())
}

#[test]
fn segments_are_begun_when_they_are_full_or_old() {
    let folder = tempfile::tempdir().unwrap();
    let limits = SegmentLimits {
        bytes: 40,
        nanos: 100,
        count: 0,
    };
    let mut writer = SegmentWriter::create(folder.path(), 7, limits, 1000).unwrap();
    assert!(!writer.is_full(5000), "an empty one is not old");
    writer.append(&fact("first")).unwrap();
    assert!(!writer.is_full(1099) && writer.is_full(1100));
    writer.append(&fact("long enough to fill it")).unwrap();
    assert!(writer.is_full(1000));
    writer.begin_next(&fact("front"), 1050);
    assert!(!writer.is_full(1149) && !writer.is_full(9000));
    writer.append(&fact("last")).unwrap();
    let read = |name: &str| {
        let bytes = std::fs::read(folder.path().join(name)).unwrap();
        let mut decoder = FactDecoder::default();
        decoder.push(&bytes);
        (decoder.by_ref().collect::<Vec<_>>(), decoder.begun())
    };
    let (facts, begun) = read("7-0-0.syncline-cupti");
    assert_eq!((facts.len(), begun), (2, 1000));
    let (facts, begun) = read("7-0-1.syncline-cupti");
    assert_eq!((facts, begun), (vec![fact("front"), fact("last")], 1050));
    // Another process of the same number.
    SegmentWriter::create(folder.path(), 7, limits, 0).unwrap();
    assert!(folder.path().join("7-1-0.syncline-cupti").exists());
}

#[test]
fn a_full_ring_is_waited_for() {
    let folder = tempfile::tempdir().unwrap();
    let limits = SegmentLimits {
        bytes: 1,
        nanos: 0,
        count: 3,
    };
    let goes_on = AtomicBool::new(false);
    let path = |number: u32| folder.path().join(format!("7-0-{number}.syncline-cupti"));
    let mut writer = SegmentWriter::create(folder.path(), 7, limits, 0).unwrap();
    std::thread::scope(|scope| {
        let writing = scope.spawn(|| {
            for at in 1..6 {
                writer.wait_for_room(&goes_on);
                writer.begin_next(&fact("front"), at);
            }
        });
        for number in 0..3 {
            while !path(number + 2).exists() {
                std::thread::yield_now();
            }
            assert!(!path(number + 3).exists(), "{number} is there still");
            std::fs::remove_file(path(number)).unwrap();
        }
        writing.join().unwrap();
    });
    assert!(path(5).exists());
    // Nobody lets one go: it goes on all the same, after a while; at once where the process ends.
    writer.wait_for_room(&goes_on);
    let began = Instant::now();
    writer.wait_for_room(&AtomicBool::new(true));
    assert!(began.elapsed() < PATIENCE / 2);
    writer.begin_next(&fact("front"), 9);
    assert!(path(6).exists());
}

#[test]
fn names_are_read_from_paths() {
    let name = SegmentName::of(Path::new("/a/7-1-12.syncline-cupti")).unwrap();
    assert_eq!((name.stem.as_str(), name.number), ("7-1", 12));
    let next = name.next().path(Path::new("/b"));
    assert_eq!(next, Path::new("/b/7-1-13.syncline-cupti"));
    for other in ["/a/control", "/a/7.syncline-cupti", "/a/7-x.syncline-cupti"] {
        assert_eq!(SegmentName::of(Path::new(other)), None);
    }
}
