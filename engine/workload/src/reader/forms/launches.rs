//! What recorded launches and graphs take.

use super::{Block, Rule, rule, with};

/// What `set-all` gives, in the order of the kernel's arguments.
pub(in super::super) const VALUES: &[Rule] = &[
    rule("buffer", (1, 2), 0, &[], "buffer \"x\" i"),
    rule("number", (1, 1), 0, &[], "number 2.0"),
];

/// What a host thread does with them.
pub(super) const LAUNCHES: [Rule; 10] = [
    with(
        Block::May,
        rule(
            "record-launch",
            (2, 2),
            0,
            &["label"],
            "record-launch \"step\" \"saxpy\" { read \"x\"; write \"y\"; set \"a\" 2 }",
        ),
    ),
    rule(
        "set",
        (2, 3),
        0,
        &["buffer", "label"],
        "set \"step\" \"a\" 3.0",
    ),
    with(
        Block::Must,
        rule(
            "set-all",
            (1, 2),
            0,
            &["label"],
            "set-all \"step\" { buffer \"x\"; buffer \"y\"; number 3.0 }",
        ),
    ),
    rule(
        "set-dimensions",
        (2, 2),
        0,
        &["label"],
        "set-dimensions \"step\" 512",
    ),
    rule(
        "relaunch",
        (1, 2),
        1,
        &["on", "label"],
        "relaunch \"step\" on=\"compute\"",
    ),
    rule(
        "begin-capture",
        (1, 2),
        0,
        &["mode", "label"],
        "begin-capture \"compute\" mode=\"global\"",
    ),
    rule(
        "end-capture",
        (2, 2),
        0,
        &["label"],
        "end-capture \"compute\" \"step\"",
    ),
    rule("instantiate", (1, 2), 0, &["label"], "instantiate \"step\""),
    rule("update", (1, 2), 0, &["label"], "update \"step\""),
    rule(
        "replay",
        (1, 2),
        1,
        &["on", "label"],
        "replay \"step\" on=\"compute\"",
    ),
];
