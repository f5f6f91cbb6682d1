//! What collective operations are called.

use workload::{Collective, Place, Plan};

/// What an operation is about: its call, and in a loop the buffer or the rank that it names this time.
pub fn about(what: Collective, place: Place) -> u64 {
    let (read, written) = what.buffers();
    let buffer = read.or(written).map_or(0, |it| it.0);
    let rank = what.partner().unwrap_or(0);
    (u64::from(place.call) << 32) | u64::from((buffer << 8) ^ rank)
}

/// An operation, and what it is about.
pub fn text(plan: &Plan, what: Collective) -> String {
    let (read, written) = what.buffers();
    let buffer = read.or(written);
    let name = buffer.and_then(|it| plan.buffers.get(it.index()));
    let name = name.map_or("", |it| it.name.as_str());
    match what {
        Collective::Barrier => what.verb().to_owned(),
        Collective::Send { to, .. } => format!("send {name} to rank {to}"),
        Collective::Receive { from, .. } => format!("receive {name} from rank {from}"),
        Collective::Broadcast { root, .. } => format!("broadcast {name} of rank {root}"),
        _ => format!("{} {name}", what.verb()),
    }
}
