//! Which nodes of graphs the calling thread makes: CUPTI's records name nodes by numbers of its own, and those that run are
//! copies of those that were captured.
#![expect(
    unsafe_code,
    reason = "CUPTI hands facts over as pointers to structs of its own"
)]

use std::cell::RefCell;
use std::ffi::c_void;
use std::ptr;

use super::functions::CuptiFunctions;

/// Facts that are told of, in CUPTI's domain of resources (`CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED` and `…_CLONED`).
pub const MADE: (u32, u32) = (3, 13);
/// The other.
pub const CLONED: (u32, u32) = (3, 20);

/// What came to be of a node, by the numbers that CUPTI gives nodes (`cuptiGetGraphNodeId`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NodeOrigin {
    /// It was made.
    Made(u64),
    /// It was made as the copy of another: so are the nodes of a graph that is made ready to run.
    Cloned {
        /// The other.
        of: u64,
        /// It.
        own: u64,
    },
}

/// What CUPTI hands over with a fact about resources (`CUpti_ResourceData`).
#[repr(C)]
struct ResourceFact {
    _context: *mut c_void,
    _handle: *mut c_void,
    more: *const GraphFact,
}

/// What it points to where the fact is about graphs (`CUpti_GraphData`), as far as it is read.
#[repr(C)]
struct GraphFact {
    _first: *mut c_void,
    _second: *mut c_void,
    node: *mut c_void,
    original_node: *mut c_void,
}

thread_local! {
    static NODES: RefCell<Option<Vec<NodeOrigin>>> = const { RefCell::new(None) };
}

/// Calls `call`, and answers which nodes of graphs the driver made for it on this thread, in the order in which it did.
pub fn watching<T>(call: impl FnOnce() -> T) -> (T, Vec<NodeOrigin>) {
    let before = NODES.replace(Some(Vec::new()));
    let made = call();
    (made, NODES.replace(before).unwrap_or_default())
}

/// Notes a fact that CUPTI tells of, on the thread that made the node.
pub fn note(functions: &CuptiFunctions, is_clone: bool, more: *const c_void) {
    let is_watched = NODES.with_borrow(Option::is_some);
    let Some(number) = functions.node_number.filter(|_| is_watched) else {
        return;
    };
    // SAFETY: with these facts CUPTI hands over this struct, which points to the other; both last for this call.
    let Some(graph) = (unsafe { more.cast::<ResourceFact>().as_ref() })
        // SAFETY: the same.
        .and_then(|it| unsafe { it.more.as_ref() })
    else {
        return;
    };
    let number = |node: *mut c_void| {
        let mut found = 0;
        // SAFETY: the node lives, and one number is written.
        let answer = unsafe { number(node, ptr::from_mut(&mut found)) };
        (answer == 0 && !node.is_null()).then_some(found)
    };
    let node = if is_clone {
        let both = number(graph.original_node).zip(number(graph.node));
        both.map(|(of, own)| NodeOrigin::Cloned { of, own })
    } else {
        number(graph.node).map(NodeOrigin::Made)
    };
    NODES.with_borrow_mut(|all| {
        if let Some(all) = all {
            all.extend(node);
        }
    });
}
