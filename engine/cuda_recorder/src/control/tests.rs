//! The page as another mapping of it sees it.

use super::*;

#[test]
fn what_the_recorder_writes_is_read_by_another_mapping() {
    let folder = tempfile::tempdir().unwrap();
    let limits = SegmentLimits {
        bytes: 7,
        nanos: 9,
        count: 5,
    };
    let own = ControlPage::create(folder.path(), CapturePurpose::Switched, limits).unwrap();
    let theirs = ControlPage::open(folder.path()).unwrap();
    assert_eq!(theirs.purpose(), CapturePurpose::Switched);
    assert_eq!((theirs.limits(), theirs.flips()), (limits, 0));
    assert_eq!(theirs.recorder(), std::process::id());
    assert!(ControlPage::is_held(folder.path()));
    for at in [10, 20, 30] {
        assert!(own.flip(at));
    }
    let open = |at| theirs.flips_at(at) % 2 == 1;
    assert!(!open(9) && open(10) && open(19) && !open(20) && !open(29) && open(1000));
    // What ends where a window opens touches it, and what begins where one closes does not.
    assert!(!theirs.touches(0, 9) && theirs.touches(0, 10) && theirs.touches(19, 25));
    assert!(!theirs.touches(20, 29) && theirs.touches(20, 30) && theirs.touches(5, 29));
    for at in 3..MOST_FLIPS {
        assert!(own.flip(at as u64 * 10));
    }
    assert!(!own.flip(u64::MAX), "the page is full");
    assert!(!ControlPage::is_abandoned(folder.path()));
    drop(own);
    assert!(!ControlPage::is_held(folder.path()));
    assert!(ControlPage::is_abandoned(folder.path()));
}

#[test]
fn what_is_no_page_is_not_mapped() {
    let folder = tempfile::tempdir().unwrap();
    assert!(ControlPage::open(folder.path()).is_err());
    assert!(!ControlPage::is_abandoned(folder.path()));
    std::fs::write(folder.path().join(CONTROL), vec![0; WORDS * 8]).unwrap();
    assert!(ControlPage::open(folder.path()).is_err());
    std::fs::write(folder.path().join(CONTROL), b"short").unwrap();
    assert!(ControlPage::open(folder.path()).is_err());
}

#[test]
fn what_is_done_is_counted_with_what_could_not_be_written() {
    let folder = tempfile::tempdir().unwrap();
    let own = ControlPage::create(
        folder.path(),
        CapturePurpose::Last,
        SegmentLimits::default(),
    );
    let (own, other) = (own.unwrap(), ControlPage::open(folder.path()).unwrap());
    for number in 1..=200 {
        own.note_asked();
        assert_eq!((other.asked(), other.done()), (number, number - 1));
        own.note_done(number % 3 != 0);
        assert_eq!(other.done(), number);
        for earlier in number.saturating_sub(62).max(1)..=number {
            assert_eq!(other.has_failed(earlier), earlier % 3 == 0, "{earlier}");
        }
    }
}
