//! Placements as they are written: what they come to, and every mistake at its line.

use engine::workload::{Call, CollectiveCall, Document, WorkloadError};

fn errors(head: &str, call: &str) -> Vec<WorkloadError> {
    let source = format!(
        "about \"x\"\n{head}\nstream \"s\"\nbuffer \"x\" f32=8\nbuffer \"y\" f32=8\nhost \"main\" {{\n    {call}\n    work micros=1\n}}\n"
    );
    Document::check("x.kdl", &source)
}

const BARRIER: &str = "rank-barrier on=\"s\"";

/// The head of a workload, a call, the line of the mistake, and what is said of it.
const MISTAKES: &[(&str, &str, u32, &str)] = &[
    ("placement", BARRIER, 2, "this placement has no ranks"),
    (
        "placement ranks=0",
        BARRIER,
        2,
        "this placement has no ranks",
    ),
    ("placement { }", BARRIER, 2, "this placement has no ranks"),
    (
        "placement ranks=1000",
        BARRIER,
        2,
        "1000 is no number of ranks",
    ),
    (
        "placement ranks=1.5",
        BARRIER,
        2,
        "1.5 is no number of ranks",
    ),
    (
        "placement { machine \"a\" devices=\"0 1 0\"; }",
        BARRIER,
        2,
        "device 0 is placed twice: two ranks would overlap on it",
    ),
    (
        "placement { machine \"a\" devices=\"0 1\"; machine \"a\" devices=\"1 2\"; }",
        BARRIER,
        2,
        "device 1 of “a” is placed twice: two ranks would overlap on it",
    ),
    (
        "placement { machine \"a\" devices=\"zero\"; }",
        BARRIER,
        2,
        "“zero” is no device",
    ),
    (
        "placement ranks=2 { machine \"a\" devices=0; }",
        BARRIER,
        2,
        "this placement says twice how many ranks there are",
    ),
    (
        "placement ranks=2; placement ranks=3",
        BARRIER,
        2,
        "this is a second placement",
    ),
    (
        "fault \"kill\" rank=1",
        "work micros=1",
        2,
        "only a workload with a placement has ranks",
    ),
    (
        "placement ranks=2; fault \"burn\" rank=1",
        BARRIER,
        2,
        "there is no fault of a rank “burn”",
    ),
    (
        "signal \"g\"",
        BARRIER,
        7,
        "rank-barrier is for ranks, and this workload has no placement",
    ),
    (
        "signal \"g\"",
        "only 0 { work micros=1; }",
        7,
        "only a workload with a placement has ranks",
    ),
    (
        "placement ranks=2",
        "send \"x\" to=2 on=\"s\"",
        7,
        "there is no rank 2 here: there are 2, counted from 0",
    ),
    (
        "placement ranks=2",
        "send \"x\" to=0 on=\"s\"",
        7,
        "rank 0 sends to itself here",
    ),
    (
        "placement ranks=2",
        "all-gather \"x\" \"y\" on=\"s\"",
        7,
        "the parts of 2 ranks have 8 floats each, and the whole has 8",
    ),
    (
        "placement ranks=2",
        "all-reduce \"x\" by=\"median\" on=\"s\"",
        7,
        "there is no reduction “median”",
    ),
];

#[test]
fn mistakes_are_named_at_their_line() {
    for &(head, call, line, message) in MISTAKES {
        let found = errors(head, call);
        let is_there = found
            .iter()
            .any(|it| it.line == line && it.message.contains(message));
        assert!(is_there, "{head} / {call}: {found:#?}");
    }
}

#[test]
fn a_rank_has_its_own_calls_and_numbers() {
    let source = r#"
        about "Each sends to the next."
        placement { machine "left" devices="0 1"; machine "right" devices="3" at="me@there"; }
        buffer "x" f32="ranks * 2" init="rank"
        host "main" {
            except "ranks - 1" { send "x" to="rank + 1" }
            except 0 { receive "x" from="rank - 1" }
        }"#;
    let document = Document::parse("x", source).unwrap();
    assert!(
        document.parameters().is_empty(),
        "nobody but the engine sets these"
    );
    for rank in 0..3_u32 {
        let plan = document
            .plan(&[("rank".to_owned(), f64::from(rank))])
            .unwrap();
        let placement = plan.placement.as_ref().unwrap();
        assert_eq!(placement.ranks.len(), 3);
        assert_eq!(plan.buffers[0].len, 6);
        let whats: Vec<CollectiveCall> = plan
            .calls(0)
            .map(|placed| match placed.call {
                Call::Rank(what) => what,
                other => panic!("{other:?}"),
            })
            .collect();
        let partners: Vec<_> = whats.iter().map(|it| it.partner().unwrap()).collect();
        let wanted: &[u32] = [&[1][..], &[2, 0], &[1]][rank as usize];
        assert_eq!(partners, wanted, "rank {rank}");
        assert_eq!(placement.left_out.len(), 2 - wanted.len());
        // What ranks do together runs on a stream for that where none is named.
        assert!(
            plan.streams
                .iter()
                .all(|it| it.role.label() == "collective")
        );
    }
    let plan = document.plan(&[]).unwrap();
    let placement = plan.placement.unwrap();
    assert_eq!(
        placement.words(2),
        "parallel id 2 of 3: machine 1 (right), device 3"
    );
    assert_eq!(
        placement.map(),
        "machine 0 (left): 0→rank 0, 1→rank 1; machine 1 (right): 3→rank 2"
    );
}
