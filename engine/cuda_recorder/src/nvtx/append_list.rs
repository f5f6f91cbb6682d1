//! Lists that only grow and take no lock: a lock that another thread holds while a process forks stays locked in the child,
//! which writes a file of its own and needs what was defined before.
#![expect(
    unsafe_code,
    reason = "nodes are leaked and reached by pointers that are only ever set once"
)]

use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};

use super::definition::NvtxDefinition;

/// A list to which every thread may add.
pub struct AppendList<T: 'static> {
    latest: AtomicPtr<AppendNode<T>>,
}

/// An item, and those before it.
struct AppendNode<T> {
    item: T,
    before: *const Self,
}

// SAFETY: items are handed out as shared references alone, from any thread, and are never dropped.
unsafe impl<T: Send + Sync> Sync for AppendList<T> {}

impl<T> AppendList<T> {
    /// An empty list.
    pub const fn new() -> Self {
        Self {
            latest: AtomicPtr::new(ptr::null_mut()),
        }
    }

    /// Adds an item. What is written after this on any thread finds it.
    pub fn add(&self, item: T) {
        let before = self.latest.load(Ordering::Acquire);
        let node = Box::into_raw(Box::new(AppendNode { item, before }));
        let mut expected = before;
        while let Err(other) =
            self.latest
                .compare_exchange_weak(expected, node, Ordering::AcqRel, Ordering::Acquire)
        {
            // SAFETY: nobody else has the node yet.
            unsafe { (*node).before = other };
            expected = other;
        }
    }

    /// Its items, the latest first.
    pub fn iter(&self) -> impl Iterator<Item = &'static T> + use<T> {
        let mut at: *const AppendNode<T> = self.latest.load(Ordering::Acquire);
        std::iter::from_fn(move || {
            // SAFETY: a node in the list is whole and stays as long as the process.
            let node: &'static AppendNode<T> = unsafe { at.as_ref() }?;
            at = node.before;
            Some(&node.item)
        })
    }
}

static DEFINITIONS: AppendList<NvtxDefinition> = AppendList::new();

/// Adds a definition.
pub fn define(definition: NvtxDefinition) {
    DEFINITIONS.add(definition);
}

/// How far the definitions were read.
#[derive(Debug, Default)]
pub struct DefinitionReader {
    last: Option<&'static NvtxDefinition>,
}

impl DefinitionReader {
    /// The definitions since the last time, oldest first.
    pub fn take_new(&mut self) -> Vec<NvtxDefinition> {
        let last = self.last;
        let is_new = |it: &&'static NvtxDefinition| last.is_none_or(|last| !ptr::eq(last, *it));
        let mut new: Vec<_> = DEFINITIONS.iter().take_while(is_new).collect();
        self.last = new.first().copied().or(last);
        new.reverse();
        new.into_iter().cloned().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn definitions_are_read_once_and_in_order() {
        let name = |name: &str| NvtxDefinition::Text {
            text: 1_000_000,
            string: name.to_owned(),
        };
        let is_ours = |it: &NvtxDefinition| matches!(it, NvtxDefinition::Text { text, .. } if *text == 1_000_000);
        let mut reader = DefinitionReader::default();
        reader.take_new();
        define(name("a"));
        define(name("b"));
        let mut found = reader.take_new();
        found.retain(is_ours);
        assert_eq!(found, [name("a"), name("b")]);
        assert!(reader.take_new().iter().all(|it| !is_ours(it)));
        let mut all = DefinitionReader::default().take_new();
        all.retain(is_ours);
        assert_eq!(all, [name("a"), name("b")], "a child reads them anew");
    }
}
