//! Mistakes in calls about events, error branches and callbacks: each is named at its place, with what to write instead.

use engine::workload::Document;

/// Resources and calls that a faulty line is put among.
fn around(resource: &str, call: &str) -> String {
    format!(
        "stream \"s\"\nevent \"e\"\nevent \"p\" pool=\"pool\"\nevent-pool \"pool\" count=2\n\
         callback-thread \"calls\"\n{resource}\nhost \"main\" {{\n    {call}\n    work micros=1\n}}\n"
    )
}

/// Each mistake, as a resource or as a call, with a part of the message and of the help.
const MISTAKES: &[(&str, &str, &str, &str)] = &[
    ("event \"x\" kind=\"sink\"", "", "no kind “sink”", "“sync”"),
    (
        "event \"x\" kind=\"sync\" timing=#true",
        "",
        "something else than kind=",
        "leave timing= out",
    ),
    (
        "event \"x\" slot=\"now\"",
        "",
        "no moment “now”",
        "creation, record",
    ),
    (
        "event \"x\" pool=\"pol\"",
        "",
        "no event-pool “pol”",
        "“pool”",
    ),
    (
        "event \"x\" pool=\"pool\" timing=#true",
        "",
        "made as the pool's are",
        "event-pool",
    ),
    (
        "event-slots 0",
        "",
        "the number of event slots is 0",
        "from 1",
    ),
    (
        "event-slots 2\nevent-slots 3",
        "",
        "one number of slots",
        "keep one",
    ),
    (
        "event-slots 1\nevent \"x\" slot=\"creation\" count=2",
        "",
        "has 1 slots for them",
        "slot=\"record\"",
    ),
    (
        "stream \"t\" failure=\"go\"",
        "",
        "no failure mode “go”",
        "stop",
    ),
    (
        "",
        "elapsed \"e\"",
        "needs 2 arguments, and has 1",
        "elapsed \"start\" \"end\"",
    ),
    ("", "elapsed \"e\" \"f\"", "no event “f”", ""),
    ("", "acquire \"e\"", "an event of its own", "pool="),
    (
        "",
        "wait \"e\" on=\"s\" timeout-micros=-1",
        "this takes -1 µs",
        "write 0 to",
    ),
    (
        "",
        "synchronize-event \"e\" timeout-micros=1e9",
        "this takes 1000000000 µs",
        "a minute",
    ),
    (
        "",
        "subscribe \"cals\" stream=\"s\"",
        "no callback-thread “cals”",
        "“calls”",
    ),
    (
        "",
        "time \"t\" on=\"s\" { work micros=1 }\ntime \"t\" on=\"s\" { work micros=1 }",
        "“t.start” is declared already",
        "another name",
    ),
    (
        "",
        "try { work micros=1 }",
        "nothing takes the errors of this",
        "catch",
    ),
    (
        "",
        "catch { work micros=1 }",
        "this catch follows no try",
        "right behind a try",
    ),
    (
        "",
        "try { work micros=1 }\ncatch \"not-redy\"",
        "no error “not-redy”",
        "“not-ready”",
    ),
    (
        "",
        "try { work micros=1 }\ncatch\ncatch \"failed\"",
        "no error comes this far",
        "before the catch",
    ),
    (
        "",
        "try { work micros=1 }\ncatch \"failed\"\ncatch \"failed\"",
        "caught already",
        "join the two",
    ),
    (
        "",
        "query \"e\" strict=1",
        "neither #true nor #false",
        "#true",
    ),
    (
        "",
        "host-function \"f\" micros=1 on=\"s\" blocking=\"yes\"",
        "neither #true nor #false",
        "#true",
    ),
    ("", "reset \"e\"", "needs on=", "reset \"ready\""),
];

#[test]
fn every_mistake_is_named() {
    for (resource, call, message, help) in MISTAKES {
        let source = around(resource, call);
        let errors = Document::check("a.kdl", &source);
        let found = errors
            .iter()
            .any(|error| error.message.contains(message) && error.help.contains(help));
        assert!(found, "{resource} {call}\n{errors:#?}");
    }
}

#[test]
fn what_is_around_is_right() {
    let errors = Document::check("a.kdl", &around("", ""));
    assert!(errors.is_empty(), "{errors:#?}");
}
