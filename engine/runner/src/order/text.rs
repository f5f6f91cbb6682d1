//! What is found about the order of calls, in words: which calls, where they stand, and the least that mends it.

use order::{
    Actor, CallOrigin, CaptureScope, Hazard, HazardKind, HazardParty, HazardRelation, Meeting,
    RedundantWait, SharedResource,
};
use record::{SignalIndex, StreamIndex};
use workload::{Plan, StreamKind, StreamTraits};

/// What was looked for, and what came of it.
pub fn searched(found: usize, calls: u64, left: u64) -> String {
    let what = match found {
        0 => "no race on a buffer".to_owned(),
        1 => "a race on a buffer between one pair of calls".to_owned(),
        _ => format!("races on buffers between {found} pairs of calls"),
    };
    let rest = match left {
        0 => String::new(),
        _ => format!(", and {left} that never had their turn were not"),
    };
    format!("{what}, {calls} operations looked at{rest}")
}

/// Names both calls, their lines and streams, the buffer, and the least that mends it.
pub fn of_hazard(plan: &Plan, hazard: &Hazard) -> String {
    let (buffer, copy) = buffer_name(plan, hazard.buffer.0);
    let (first, second) = (call(plan, hazard.first), call(plan, hazard.second));
    let (before, after) = match hazard.kind {
        HazardKind::ReadAfterWrite => ("writes", "reads"),
        HazardKind::WriteAfterRead => ("reads", "overwrites"),
        HazardKind::WriteAfterWrite => ("writes", "overwrites"),
        HazardKind::FreeWhileInUse => ("uses", "frees"),
        HazardKind::UseAfterFree if hazard.relation != HazardRelation::Ordered => {
            let remedy = earlier_use(plan, hazard);
            return format!(
                "{second} uses {copy}{buffer}, and nothing makes it come before {first}, which frees it: {remedy}"
            );
        }
        HazardKind::UseAfterFree => ("frees", "uses"),
        HazardKind::UseBeforeAllocation => ("allocates", "uses"),
        HazardKind::ReuseOfMemory => ("uses the memory of", "takes over"),
        HazardKind::UseOfNothing | HazardKind::FreeOfNothing | HazardKind::SecondAllocation
            if aborted(plan, hazard).is_some() =>
        {
            return aborted(plan, hazard).unwrap_or_default();
        }
        HazardKind::UseOfNothing | HazardKind::FreeOfNothing
            if hazard.relation == HazardRelation::Lost =>
        {
            return lost(plan, hazard);
        }
        HazardKind::UseOfNothing => {
            return format!(
                "{second} uses {copy}{buffer}, and nothing has allocated it: allocate it before"
            );
        }
        HazardKind::FreeOfNothing => {
            return format!(
                "{second} frees {copy}{buffer}, and nothing has allocated it: remove it, or allocate the buffer before"
            );
        }
        HazardKind::SecondAllocation if hazard.relation == HazardRelation::Hosts => {
            return format!(
                "{second} allocates {copy}{buffer}, and so does {first}: nothing orders the calls of host {} and host {}, so \
                 it may be allocated twice without a free between; order them by signals, and free it between the two",
                host(plan, hazard.first.host),
                host(plan, hazard.second.host)
            );
        }
        HazardKind::SecondAllocation => {
            return format!(
                "{second} allocates {copy}{buffer}, which {first} allocated and nothing has freed: free it between the \
                 two, or remove the second"
            );
        }
    };
    if is_free(plan, hazard.first) && is_free(plan, hazard.second) {
        return format!(
            "{second} frees {copy}{buffer}, which {first} frees as well: remove one of the two, or allocate it between them"
        );
    }
    if hazard.relation == HazardRelation::Ordered {
        return format!(
            "{second} {after} {copy}{buffer} after {first}, which {before} it: free it after its last use, or allocate \
             it again between the two"
        );
    }
    let remedy = remedy(plan, hazard);
    let after = if after == "uses" && is_free(plan, hazard.second) {
        "frees"
    } else {
        after
    };
    format!(
        "{second} {after} {copy}{buffer}, and nothing makes it come after {first}, which {before} it: {remedy}"
    )
}

/// Whether a call frees the buffer.
fn is_free(plan: &Plan, party: HazardParty) -> bool {
    let site = plan.sites.get(party.origin.site as usize);
    site.is_some_and(|site| site.verb == "free")
}

/// What the loss of the device has to do with memory that is not there.
fn lost(plan: &Plan, hazard: &Hazard) -> String {
    let (buffer, copy) = buffer_name(plan, hazard.buffer.0);
    let (first, second) = (call(plan, hazard.first), call(plan, hazard.second));
    let (does, remedy) = match hazard.kind {
        HazardKind::FreeOfNothing => (
            "frees",
            "remove it, or allocate the buffer anew before, once the device is opened anew",
        ),
        _ => (
            "uses",
            "allocate it anew before, once the device is opened anew",
        ),
    };
    format!(
        "{second} {does} {copy}{buffer}, which {first} allocated, and the loss of the device took it since: {remedy}"
    )
}

/// What an abort has to do with memory that is not there, or is there already.
fn aborted(plan: &Plan, hazard: &Hazard) -> Option<String> {
    let (abort, is_certain) = match hazard.relation {
        HazardRelation::Dropped(abort) => (abort, true),
        HazardRelation::MayBeDropped(abort) => (abort, false),
        _ => return None,
    };
    let (buffer, copy) = buffer_name(plan, hazard.buffer.0);
    let (first, second) = (call(plan, hazard.first), call(plan, hazard.second));
    let site = plan.sites.get(abort.site as usize);
    let line = site.map_or(0, |site| site.line);
    let by = format!("{} (line {line})", verb(plan, abort));
    let before = "synchronise with its stream before the abort, so that it is known to have run";
    Some(match (hazard.kind, is_certain) {
        (HazardKind::SecondAllocation, true) => format!(
            "{second} allocates {copy}{buffer}, which {first} allocated, and {by} dropped the free between the two: free it \
             after the abort"
        ),
        (HazardKind::SecondAllocation, false) => format!(
            "{second} allocates {copy}{buffer}, which may still be allocated by {first}: {by} drops what has not run by \
             then, and nobody knows what that is; synchronise with the stream before the abort, and free it between the two"
        ),
        (kind, is_certain) => {
            let does = match kind {
                HazardKind::FreeOfNothing => "frees",
                _ => "uses",
            };
            let (was, remedy) = if is_certain {
                ("was dropped", "allocate it after the abort")
            } else {
                ("may have been dropped", before)
            };
            format!(
                "{second} {does} {copy}{buffer}, and {first}, which allocates it, {was} by {by}: {remedy}"
            )
        }
    })
}

/// Whether what is called on one stream and then on the other comes in this order: they are one stream, or one is the legacy
/// default stream and the other a blocking one (rule A22).
fn keeps_order(plan: &Plan, one: StreamIndex, other: StreamIndex) -> bool {
    let traits = |it: StreamIndex| plan.streams.get(it.index()).map(|it| it.traits);
    let joins = |legacy: Option<StreamTraits>, blocking: Option<StreamTraits>| {
        legacy.is_some_and(|it| it.kind == StreamKind::Legacy)
            && blocking.is_some_and(|it| it.is_blocking)
    };
    let (first, second) = (traits(one), traits(other));
    one == other || joins(first, second) || joins(second, first)
}

/// The least that makes a use come before the free that is called before it, and after what that comes after.
fn earlier_use(plan: &Plan, hazard: &Hazard) -> String {
    let (Actor::Stream(frees), Actor::Stream(uses)) = (hazard.first.actor, hazard.second.actor)
    else {
        return "free it after its last use".to_owned();
    };
    let (freeing, using) = (stream(plan, frees.0), stream(plan, uses.0));
    let hosts = [hazard.first.host, hazard.second.host].map(|it| host(plan, it));
    match hazard.relation {
        HazardRelation::Nodes => {
            "inside the capture, free it after its last use, and let the free wait for that"
                .to_owned()
        }
        HazardRelation::Hosts if keeps_order(plan, frees, uses) => format!(
            "let host {} raise a signal after the use, and host {} await it before the free",
            hosts[1], hosts[0]
        ),
        HazardRelation::Hosts => format!(
            "record an event on {using} after the use, let host {} raise a signal after that and host {} await it, and let \
             {freeing} wait for the event before the free",
            hosts[1], hosts[0]
        ),
        _ => format!(
            "record an event on {freeing} in place of the free, and let {using} wait for it before the use; free it after \
             that, once {freeing} has waited for an event that is recorded on {using} after the use"
        ),
    }
}

/// The least that orders the two.
fn remedy(plan: &Plan, hazard: &Hazard) -> String {
    match (hazard.first.actor, hazard.second.actor) {
        _ if hazard.relation == HazardRelation::Nodes => {
            "inside the capture, record an event after the first, and wait for it before the second"
                .to_owned()
        }
        (Actor::Stream(first), Actor::Stream(second))
            if hazard.relation == HazardRelation::Hosts && keeps_order(plan, first, second) =>
        {
            format!(
                "let host {} raise a signal after the first, and host {} await it before the second",
                host(plan, hazard.first.host),
                host(plan, hazard.second.host)
            )
        }
        (Actor::Stream(first), Actor::Stream(second))
            if hazard.relation == HazardRelation::Hosts =>
        {
            format!(
                "record an event on {} after the first, let host {} raise a signal after that and host {} await it, and \
                 let {} wait for the event before the second",
                stream(plan, first.0),
                host(plan, hazard.first.host),
                host(plan, hazard.second.host),
                stream(plan, second.0)
            )
        }
        (Actor::Stream(first), Actor::Stream(second)) => format!(
            "record an event on {} after the first, and let {} wait for it before the second",
            stream(plan, first.0),
            stream(plan, second.0)
        ),
        (Actor::Stream(first), Actor::Host(_)) => {
            format!("synchronise {} between the two", stream(plan, first.0))
        }
        (Actor::Host(_), _) => "order the two host threads by a signal".to_owned(),
    }
}

/// Names two calls of host threads that nothing orders, and what both use.
pub fn of_meeting(plan: &Plan, meeting: &Meeting) -> String {
    let place = |(by, origin): (u32, CallOrigin)| {
        let site = plan.sites.get(origin.site as usize);
        let line = site.map_or(0, |site| site.line);
        format!(
            "{} (line {line}, host {})",
            verb(plan, origin),
            host(plan, by)
        )
    };
    let (first, second) = (place(meeting.first), place(meeting.second));
    let signal = |index: SignalIndex| {
        let signal = plan.signals.get(index.index());
        signal.map_or("?", |name| name)
    };
    let what = match meeting.resource {
        SharedResource::Stream(index) => format!("stream {}", stream(plan, index.0)),
        SharedResource::Event(index) => {
            let event = plan.events.get(index.index());
            format!("event {}", event.map_or("?", |event| &event.name))
        }
        SharedResource::Signal(index) => {
            return format!(
                "{first} and {second} both raise signal {}, and nothing orders the two host threads there: which of them \
                 raises it is chance, so whoever waits for it comes after what comes before both calls, and after nothing \
                 else; let each raise a signal of its own",
                signal(index)
            );
        }
        SharedResource::Buffer(index) => {
            let (buffer, copy) = buffer_name(plan, index.0);
            return format!(
                "{first} and {second} both use {copy}{buffer}, and nothing orders the two host threads there: which call \
                 comes first is chance, and the waits that are inserted keep to it, so what is computed is chance too; let one \
                 raise a signal after its call, and the other await it before its own"
            );
        }
        SharedResource::Graph(number) => {
            let graph = plan.graphs.get(number as usize);
            format!("graph {}", graph.map_or("?", |name| name))
        }
        SharedResource::RecordedLaunch(number) => {
            let launch = plan.recorded.get(number as usize);
            format!("recorded launch {}", launch.map_or("?", |it| &it.name))
        }
        SharedResource::Promise(number) => {
            let promise = plan.promises.get(number as usize);
            format!("promise {}", promise.map_or("?", |it| it))
        }
        SharedResource::ErrorScopes => "the stack of error scopes".to_owned(),
        SharedResource::Mapping(index) => {
            let buffer = plan.buffers.get(index.index());
            return format!(
                "{first} and {second} meet on buffer {}, and nothing orders the two host threads there: whether the buffer is \
                 mapped when it is used, which fails, is chance; let one raise a signal after its call, and the other await \
                 it before its own",
                buffer.map_or("?", |it| &it.name)
            );
        }
        SharedResource::Device => {
            return format!(
                "{first} and {second} meet, and nothing orders the two host threads there: one loses the device or opens it \
                 anew, and it is chance whether the other calls before or after that; let one raise a signal after its \
                 call, and the other await it before its own"
            );
        }
        SharedResource::Failure => {
            return format!(
                "{first} and {second} meet, and nothing orders the two host threads there: one makes the device fail or is \
                 told that it failed, after which every call is refused, and it is chance whether the other calls before or \
                 after that; let one raise a signal after its call, and the other await it before its own"
            );
        }
        SharedResource::Captures(scope) => {
            let otherwise = match scope {
                CaptureScope::Global => ", or begin the capture with mode=\"thread-local\"",
                CaptureScope::Blocking => ", or capture a stream with blocking=#false",
                CaptureScope::Any => "",
            };
            return format!(
                "{first} and {second} meet, and nothing orders the two host threads there: one begins or ends a capture, and \
                 while a stream captures the other is refused and leaves the capture without a graph; let one raise a signal \
                 after its call, and the other await it before its own{otherwise}"
            );
        }
        SharedResource::HeldStream(index) => {
            return format!(
                "{first} and {second} can wait for each other for ever: one holds a stream until signal {0}, the other \
                 waits for what comes behind that before {0} is raised or the hold dropped, and nothing orders the two calls, \
                 so it is chance which comes first; raise {0} before the wait, or let a further signal order the two",
                signal(index)
            );
        }
    };
    format!(
        "{first} and {second} both use {what}, and nothing orders the two host threads there: which call comes first is \
         chance, and what follows from it is observed and never enforced; let one raise a signal after its call, and the \
         other await it before its own"
    )
}

/// Names a wait that adds nothing, and why.
pub fn of_redundant(plan: &Plan, wait: &RedundantWait) -> String {
    let party = |origin, index| HazardParty {
        origin,
        actor: Actor::Stream(index),
        host: 0,
    };
    let (waits, records) = (
        call(plan, party(wait.wait, wait.stream)),
        call(plan, party(wait.record, wait.from)),
    );
    let own = stream(plan, wait.stream.0);
    let why = if wait.stream == wait.from {
        format!("{own} runs in order, and its record, {records}, is on it as well")
    } else {
        format!("{own} comes after its record, {records}, already")
    };
    format!("{waits} adds nothing: {why}; remove it")
}

fn host(plan: &Plan, index: u32) -> &str {
    let found = plan.hosts.get(index as usize);
    found.map_or("?", |host| &host.name)
}

fn verb(plan: &Plan, origin: CallOrigin) -> String {
    let site = plan.sites.get(origin.site as usize);
    let (verb, label) = site.map_or(("call", ""), |site| (site.verb, site.label.as_str()));
    match label {
        "" => verb.to_owned(),
        label => format!("{verb} “{label}”"),
    }
}

/// `launch saxpy (line 14, on compute)`.
fn call(plan: &Plan, party: HazardParty) -> String {
    let name = verb(plan, party.origin);
    let place = match party.actor {
        Actor::Stream(index) => format!("on {}", stream(plan, index.0)),
        Actor::Host(by) => format!("by host {}", host(plan, by)),
    };
    format!("{name} (line {}, {place})", line(plan, party))
}

pub fn line(plan: &Plan, party: HazardParty) -> u32 {
    let site = plan.sites.get(party.origin.site as usize);
    site.map_or(0, |site| site.line)
}

fn stream(plan: &Plan, index: u32) -> &str {
    let found = plan.streams.get(index as usize);
    found.map_or("?", |stream| &stream.name)
}

/// The name of a buffer, and whether it is its copy on the host: see [`super::uses`].
pub fn buffer_name(plan: &Plan, number: u32) -> (&str, &'static str) {
    let found = plan.buffers.get(number as usize / 2);
    let copy = if number % 2 == 1 {
        "the host's copy of "
    } else {
        ""
    };
    (found.map_or("?", |buffer| &buffer.name), copy)
}
