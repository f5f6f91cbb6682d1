//! Mistakes in what streams and memory are like, and in the calls on them.

use super::only;

/// What is wrong with streams and memory, each at its place.
const STREAMS: &[(&str, &str, &str)] = &[
    ("stream \"d\" kind=\"legasy\"", "\"legasy\"", "“legacy”"),
    (
        "stream \"d\" kind=\"legacy\" blocking=#false",
        "#false",
        "leave it out",
    ),
    (
        "stream \"d\" kind=\"per-thread\" count=2",
        "2",
        "leave it out",
    ),
    (
        "stream \"d\" kind=\"legacy\"; stream \"f\" kind=\"legacy\"",
        "stream",
        "keep one",
    ),
    (
        "stream \"d\" role=\"lazy-jobs\"",
        "\"lazy-jobs\"",
        "“lazy-job”",
    ),
    ("stream \"d\" blocking=1", "1", "#true"),
    (
        "buffer \"z\" f32=4 memory=\"pined\"",
        "\"pined\"",
        "“pinned”",
    ),
    (
        "synchronization \"automatik\"",
        "\"automatik\"",
        "“automatic”",
    ),
    (
        "synchronization \"least\"; synchronization \"manual\"",
        "synchronization",
        "keep one",
    ),
    ("machine high=4 low=9", "9", "make it smaller"),
    ("machine threads=\"mani\"", "\"mani\"", "“many”"),
    ("machine low=9", "machine", "machine high=64 low=32"),
    (
        "event \"f\" timing=#true interprocess=#true",
        "#true",
        "INTERPROCESS together with DISABLE_TIMING",
    ),
    (
        "host \"h\" { wait-stream \"s\" }",
        "wait-stream",
        "wait-stream \"copy\" on=",
    ),
    (
        "host \"h\" { wait-stream \"t\" on=\"s\" }",
        "t",
        "declared: s",
    ),
    (
        "host \"h\" { allocate \"x\" on=\"s\" }",
        "allocate \"x\" on=\"s\"",
        "memory=\"stream-ordered\"",
    ),
    ("host \"h\" { record \"e\" }", "record", "on="),
    ("host \"h\" { upload }", "upload", "upload \"x\""),
];

#[test]
fn mistakes_in_streams_and_memory() {
    let rest = "stream \"s\"\nevent \"e\"\nbuffer \"x\" f32=4\nhost \"main\" { work micros=1 }\n";
    for (line, marked, help) in STREAMS {
        let found = only(&format!("{rest}{line}\n"));
        assert_eq!(
            (found.0, found.1.as_str()),
            (5, *marked),
            "{line}: {found:?}"
        );
        assert!(found.3.contains(help), "{line}: {found:?}");
    }
}
