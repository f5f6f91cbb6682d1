//! Engines in other processes: the same captures, true endings, links that drop and come back, and odd far ends.
#![cfg(unix)]

mod consent;
mod drops;
mod ssh;
mod view;
mod workers;
mod wrong_far_ends;

pub use ssh::Server;

use engine::runner::RunRequest;
use engine::runner::far::WorkerTarget;
use engine::workload::bundled;

use crate::house::program::syncline;
use crate::semantics::conformance::BRISK;

/// A worker on this machine, of the program under test.
fn here() -> WorkerTarget {
    WorkerTarget {
        name: "here".to_owned(),
        command: vec![syncline().into(), "worker".into()],
        can_drop: false,
        silence: std::time::Duration::from_mins(1),
        shares_clock: false,
    }
}

/// A bundled workload on `backend`.
fn request(name: &str, backend: &str) -> RunRequest {
    let found = bundled().iter().find(|it| it.name == name).unwrap();
    RunRequest {
        name: name.to_owned(),
        source: found.source.to_owned(),
        backend: backend.to_owned(),
        paced: BRISK,
        ..RunRequest::default()
    }
}

/// A workload that goes on for `rounds` short rounds.
fn long(rounds: usize) -> RunRequest {
    let source = format!(
        r#"
        about "Goes on for a while."
        stream "s"
        host "main" {{
            repeat {rounds} index="i" {{
                host-function "tick" on="s" micros=200
                synchronize-stream "s"
            }}
        }}"#
    );
    RunRequest {
        name: "long".to_owned(),
        source,
        backend: "cpu".to_owned(),
        ..RunRequest::default()
    }
}
