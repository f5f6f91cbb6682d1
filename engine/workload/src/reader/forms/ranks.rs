//! Where a workload runs.

use super::{about, rule, with};
use crate::verb::{BlockRule, WordRule};

/// What says where a workload runs.
pub(super) const RANKS: [WordRule; 2] = [
    about(
        "Where it runs: so many processes on this machine, or in its block machines with devices. Formulas know `rank` and `ranks`. `timeout-millis` is how long a rank waits for another, and `again=#true` lets all ranks begin again, in new processes, where one is lost.",
        with(
            BlockRule::May,
            rule(
                "placement",
                (0, 0),
                0,
                &["ranks", "timeout-millis", "again"],
                "placement ranks=4",
            ),
        ),
    ),
    about(
        "Does something to a rank on purpose: `kill` ends its process, `stop` stops it, `slow` lets it sleep for a millisecond before each step of a collective operation; at once, in the middle of its collective operation of this number, counted from 1, or so many microseconds after the run began.",
        rule(
            "fault",
            (1, 1),
            1,
            &["rank", "collective", "at-micros"],
            "fault \"kill\" rank=2 collective=3",
        ),
    ),
];

/// The machines of a placement.
pub(crate) const PLACEMENT: &[WordRule] = &[rule(
    "machine",
    (1, 1),
    1,
    &["devices", "at"],
    "machine \"left\" devices=\"0 1\" at=\"user@host\"",
)];
