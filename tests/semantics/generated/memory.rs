//! What is wrong with uses of memory that is allocated and freed in the order of streams (rules A33, A34).

use std::ops::Range;

use super::order::EnforcedOrder;
use super::text::{GeneratedCall, GeneratedWorkload};

/// What is wrong with a use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum FaultSort {
    /// It is used or freed, and nothing has allocated it.
    OfNothing,
    /// It may be used before it is allocated.
    BeforeAllocation,
    /// It is used after it was freed.
    AfterFree,
    /// It may be freed while it is used.
    WhileInUse,
    /// It is allocated while it is.
    AllocatedTwice,
    /// It is used or freed, and an abort dropped its allocation.
    AfterDrop,
}

/// Two calls of which one is wrong, or one that is wrong by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct MemoryFault {
    /// Which memory.
    pub buffer: usize,
    /// What is wrong.
    pub sort: FaultSort,
    /// The lines of the two, the lower first.
    pub lines: (u32, u32),
}

/// What an operation does to memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum MemoryUse {
    Allocates,
    Frees,
    Uses,
}

/// What is wrong with the memory of a workload of one host thread.
pub fn faults(workload: &GeneratedWorkload, order: &EnforcedOrder) -> Vec<MemoryFault> {
    let count = workload.counts.buffers + workload.counts.memories;
    let mut found = Vec::new();
    let memories = workload.counts.buffers..count;
    for runs in courses(order, memories.clone()) {
        for memory in memories.clone() {
            found.extend(faults_of(memory, order, &runs));
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// Courses that are looked at.
const MOST_COURSES: usize = 50_000;

/// What may happen: for each operation, whether it runs. Each abort drops what comes after some point of its stream.
fn courses(order: &EnforcedOrder, memories: Range<usize>) -> Vec<Vec<bool>> {
    let runs = order.operations.iter().map(|it| it.dropped_by.is_none());
    let mut courses: Vec<Vec<bool>> = vec![runs.collect()];
    for mut doubtful in order.doubtful() {
        // Whether others run makes no difference to memory.
        doubtful.retain(|&it| {
            let call = order.calls[order.operations[it].site].call;
            memories
                .clone()
                .any(|memory| use_of(memory, call).is_some())
        });
        let cut = |count: usize, runs: &Vec<bool>| {
            let mut runs = runs.clone();
            doubtful[count..].iter().for_each(|&it| runs[it] = false);
            runs
        };
        let all =
            (0..=doubtful.len()).flat_map(|count| courses.iter().map(move |it| cut(count, it)));
        courses = all.collect();
        assert!(
            courses.len() <= MOST_COURSES,
            "smaller workloads are enough"
        );
    }
    courses
}

fn use_of(buffer: usize, call: GeneratedCall) -> Option<MemoryUse> {
    match call {
        GeneratedCall::Allocate(of, _) if of == buffer => Some(MemoryUse::Allocates),
        GeneratedCall::Free(of, _) if of == buffer => Some(MemoryUse::Frees),
        GeneratedCall::Work(work, _) => {
            let mut copies = work.reads().into_iter().chain([work.writes()]);
            copies
                .any(|it| it.buffer == buffer && !it.is_host)
                .then_some(MemoryUse::Uses)
        }
        _ => None,
    }
}

/// The faults of one buffer in one course: uses in the order of their calls, each compared with the life that it belongs to.
fn faults_of(buffer: usize, order: &EnforcedOrder, runs: &[bool]) -> Vec<MemoryFault> {
    let mut found = Vec::new();
    let line = |operation: usize| order.calls[order.operations[operation].site].line;
    let mut say = |sort, first: usize, second: usize| {
        let (first, second) = (line(first), line(second));
        let lines = (first.min(second), first.max(second));
        found.push(MemoryFault {
            buffer,
            sort,
            lines,
        });
    };
    let is_before = |first: usize, second: usize| {
        let (first, second) = (&order.operations[first], &order.operations[second]);
        order.is_before(first.moments.1, second.moments.0)
    };
    let mut allocation: Option<usize> = None;
    let (mut frees, mut uses): (Vec<usize>, Vec<usize>) = (Vec::new(), Vec::new());
    // The latest allocation that was dropped since the memory was allocated or freed.
    let mut dropped: Option<usize> = None;
    for (place, operation) in order.operations.iter().enumerate() {
        let Some(what) = use_of(buffer, order.calls[operation.site].call) else {
            continue;
        };
        if !runs[place] {
            if what == MemoryUse::Allocates {
                dropped = Some(place);
            }
            continue;
        }
        let is_there = allocation.is_some() && frees.is_empty();
        let never_made = dropped.filter(|_| what != MemoryUse::Allocates && !is_there);
        if let Some(allocated) = never_made {
            say(FaultSort::AfterDrop, allocated, place);
        }
        // Either may be told then.
        let sort_of = |sort| {
            if never_made.is_some() {
                FaultSort::AfterDrop
            } else {
                sort
            }
        };
        if what != MemoryUse::Uses && (what == MemoryUse::Allocates || allocation.is_some()) {
            dropped = None;
        }
        if what == MemoryUse::Allocates {
            if let Some(first) = allocation.filter(|_| frees.is_empty()) {
                say(FaultSort::AllocatedTwice, first, place);
            }
            allocation = Some(place);
            frees.clear();
            uses.clear();
            continue;
        }
        if let Some(allocated) = allocation {
            if !is_before(allocated, place) {
                say(FaultSort::BeforeAllocation, allocated, place);
            }
            for &freed in &frees {
                say(sort_of(FaultSort::AfterFree), freed, place);
            }
        } else {
            say(sort_of(FaultSort::OfNothing), place, place);
            // Which of two that are both wrong is told, or of what earlier use, makes no difference.
            for &other in uses.iter().chain(&frees) {
                say(sort_of(FaultSort::OfNothing), other, place);
            }
        }
        if what == MemoryUse::Uses {
            uses.push(place);
            continue;
        }
        if allocation.is_some() {
            for &used in uses.iter().filter(|&&used| !is_before(used, place)) {
                say(FaultSort::WhileInUse, used, place);
            }
            // A second free is compared with what was used since the first.
            uses.clear();
        }
        frees.push(place);
    }
    found
}
