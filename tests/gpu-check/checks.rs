//! The checks, in their order: facts first, and what harms the context last.

mod activity;
mod clock;
mod faults;
mod graphs;
mod launches;
mod machine;
mod memory;
mod product;
mod raw_driver;
mod record;

use crate::report::Report;

/// One check.
pub struct Check {
    /// Its name.
    pub name: &'static str,
    /// Its limit.
    pub seconds: u64,
    /// Whether it asks what is so, rather than whether something is as it should be.
    pub is_a_question: bool,
    /// Makes it.
    pub run: fn(&mut Report) -> Result<(), String>,
}

const fn check(
    name: &'static str,
    seconds: u64,
    run: fn(&mut Report) -> Result<(), String>,
) -> Check {
    Check {
        name,
        seconds,
        is_a_question: false,
        run,
    }
}

const fn question(
    name: &'static str,
    seconds: u64,
    run: fn(&mut Report) -> Result<(), String>,
) -> Check {
    Check {
        is_a_question: true,
        ..check(name, seconds, run)
    }
}

/// Every check.
pub const CHECKS: &[Check] = &[
    question("facts", 15, machine::facts),
    check("backends", 30, product::backends),
    check("workloads", 90, product::workloads),
    check("conformance", 200, product::conformance),
    check("generated", 120, product::generated),
    question("errors", 60, product::errors),
    check("activity", 60, activity::check),
    question("default-streams", 30, activity::default_streams),
    question("held-back", 20, activity::held_back),
    question("raw", 30, raw_driver::check),
    check("record", 60, record::program),
    check("record-abrupt", 30, record::abrupt),
    question("record-torch", 90, record::torch),
    question("launches-plain", 20, launches::plain),
    question("launches-timed", 20, launches::timed),
    question("launches-kernels", 20, launches::kernels),
    question("launches-all", 20, launches::all),
    question("launches-flushed", 20, launches::flushed),
    question("graphs-nodes", 20, graphs::nodes),
    question("graphs-whole", 20, graphs::whole),
    question("graph-update", 20, graphs::update),
    question("replays-at-once", 20, graphs::at_once),
    question("memory", 20, memory::check),
    question("clock", 40, clock::check),
    check("losses", 60, product::losses),
    question("fault-trap", 15, faults::trap),
    question("fault-reset", 15, faults::reset),
    question("fault-context", 15, faults::context),
    question("fault-address", 15, faults::address),
    check("afterwards", 15, faults::afterwards),
];
