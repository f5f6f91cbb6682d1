//! What is read of pickles, and what is refused.

use super::*;

/// The number that a dictionary of one pair has for its key `a`.
fn a(bytes: &[u8]) -> Option<i64> {
    let pickle = Pickle::read(bytes).unwrap();
    pickle.number_of(pickle.root(), "a")
}

#[test]
fn every_spelling_of_a_number_is_read() {
    assert_eq!(a(b"\x80\x04}\x8c\x01aK\x07s."), Some(7));
    assert_eq!(a(b"\x80\x02}X\x01\0\0\0aM\x01\x02s."), Some(513));
    assert_eq!(a(b"\x80\x02}X\x01\0\0\0aJ\xff\xff\xff\xffs."), Some(-1));
    assert_eq!(
        a(b"\x80\x02}X\x01\0\0\0a\x8a\x05\0\0\0\0\x01s."),
        Some(1 << 32)
    );
    assert_eq!(a(b"\x80\x02}X\x01\0\0\0a\x8a\x01\xfes."), Some(-2));
}

#[test]
fn what_is_remembered_is_named_again_and_not_copied() {
    // [x, x] with x = [1], remembered at 0.
    let pickle = Pickle::read(b"\x80\x02](]q\0K\x01ah\0e.").unwrap();
    let [first, second] = pickle.list(pickle.root()) else {
        panic!("two parts");
    };
    assert_eq!(first, second);
    assert_eq!(pickle.integer(pickle.list(*first)[0]), Some(1));
}

#[test]
fn remarks_on_types_by_pytorch_itself_are_passed_over() {
    let bytes =
        b"\x80\x02ctorch.jit._pickle\nrestore_type_tag\n}X\x01\0\0\0aK\x07sX\x01\0\0\0t\x86R.";
    assert_eq!(a(bytes), Some(7));
}

#[test]
fn nothing_is_called() {
    let error = |bytes: &[u8]| Pickle::read(bytes).err().unwrap().to_string();
    let said = error(b"cos\nsystem\n(S'true'\ntR.");
    assert!(
        said.contains("os.system") && said.contains("byte 0"),
        "{said}"
    );
    let said = error(b"\x80\x04\x8c\x02os\x8c\x06system\x93)R.");
    assert!(said.contains("os.system"), "{said}");
    let said = error(b"(i__main__\nA\n.");
    assert!(said.contains("INST"), "{said}");
}

#[test]
fn what_is_cut_or_damaged_says_where() {
    let whole = b"\x80\x04}\x8c\x01aK\x07s.";
    for end in 0..3 {
        let cut = Pickle::read(&whole[..end]).err();
        assert!(matches!(cut, Some(PickleError::Cut(_))), "{end}: {cut:?}");
    }
    for end in 3..whole.len() {
        let cut = Pickle::read(&whole[..end]).unwrap();
        assert_eq!(cut.cut(), Some(end));
        let found = cut.number_of(cut.root(), "a");
        assert_eq!(found, (end >= 8).then_some(7), "{end}");
    }
    // A list in a dictionary, both of them open.
    let open = Pickle::read(b"\x80\x04}(\x8c\x01a](K\x01K\x02").unwrap();
    assert_eq!(open.list_of(open.root(), "a").len(), 2);
    assert!(matches!(
        Pickle::read(b"\x80\x04K\x01h\x05."),
        Err(PickleError::Damaged { at: 4, .. })
    ));
    assert!(Pickle::read(b"\x80\x04r\xff\xff\xff\xff.").is_err());
    assert!(Pickle::read(b"\x80\x04X\xff\xff\xff\xff.").is_err());
    assert!(Pickle::read(b"\x80\x04a.").is_err());
    assert!(Pickle::read(b"e.").is_err());
}
