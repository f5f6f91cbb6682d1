//! Where a workload runs, and what its ranks call together.

use super::{Block, Rule, rule, with};

/// What says where a workload runs.
pub(super) const RANKS: [Rule; 2] = [
    with(
        Block::May,
        rule(
            "placement",
            (0, 0),
            0,
            &["ranks", "timeout-millis", "again"],
            "placement ranks=4",
        ),
    ),
    rule(
        "fault",
        (1, 1),
        1,
        &["rank", "collective", "at-micros"],
        "fault \"kill\" rank=2 collective=3",
    ),
];

/// The machines of a placement.
pub(in super::super) const PLACEMENT: &[Rule] = &[rule(
    "machine",
    (1, 1),
    1,
    &["devices", "at"],
    "machine \"left\" devices=\"0 1\" at=\"user@host\"",
)];

/// What ranks call together, and what some of them call alone.
pub(super) const COLLECTIVES: [Rule; 9] = [
    rule(
        "all-reduce",
        (1, 2),
        0,
        &["by", "on", "label"],
        "all-reduce \"x\" by=\"mean\"",
    ),
    rule(
        "all-gather",
        (2, 2),
        0,
        &["on", "label"],
        "all-gather \"part\" \"whole\"",
    ),
    rule(
        "reduce-scatter",
        (2, 2),
        0,
        &["by", "on", "label"],
        "reduce-scatter \"whole\" \"part\"",
    ),
    rule(
        "broadcast",
        (1, 2),
        0,
        &["root", "on", "label"],
        "broadcast \"x\" root=0",
    ),
    rule(
        "send",
        (1, 2),
        1,
        &["to", "on", "label"],
        "send \"x\" to=\"rank + 1\"",
    ),
    rule(
        "receive",
        (1, 2),
        1,
        &["from", "on", "label"],
        "receive \"x\" from=\"rank - 1\"",
    ),
    rule("rank-barrier", (0, 0), 0, &["on", "label"], "rank-barrier"),
    with(Block::Must, rule("only", (1, 1), 0, &[], "only 0 { … }")),
    with(
        Block::Must,
        rule("except", (1, 1), 0, &[], "except 0 { … }"),
    ),
];
