//! Calls that waited for everything in a scope: what had ended when one returned is waited for no more by one that begins later.

use std::collections::HashMap;

use super::frontier::SubmissionScope;
use super::order::SubmittedOperation;

/// So many calls back one is looked for that had returned: those of other threads may still have been under way.
const MOST_BACK: usize = 64;

/// A call that had returned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ReturnedCall {
    /// Its number.
    pub order: i64,
    /// When it returned.
    pub end: i64,
}

impl ReturnedCall {
    /// Whether it had seen an operation end. What was submitted before the call and ran on after it belonged to another device, of
    /// which the file does not say that it was not meant.
    pub fn has_seen(&self, operation: &SubmittedOperation) -> bool {
        operation.order <= self.order && operation.end() <= self.end
    }
}

/// Every call that waited for all of a scope, by scope in the order of their numbers.
#[derive(Debug, Default)]
pub(crate) struct ReturnedCalls {
    scopes: HashMap<SubmissionScope, Vec<ReturnedCall>>,
}

impl ReturnedCalls {
    /// The last call before this one that had returned when this one began, and notes this one; `times` are when it began and
    /// returned, where that is known.
    pub fn before(
        &mut self,
        scope: SubmissionScope,
        (order, times): (i64, Option<(i64, i64)>),
    ) -> Option<ReturnedCall> {
        let (start, end) = times?;
        let calls = self.scopes.entry(scope).or_default();
        let at = calls.partition_point(|it| it.order < order);
        let mut earlier = calls.iter().take(at).rev().take(MOST_BACK);
        let found = earlier.find(|it| it.end <= start).copied();
        calls.insert(at, ReturnedCall { order, end });
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use record::SpanId;

    #[test]
    fn what_a_call_that_is_under_way_will_see_is_not_seen_yet() {
        let (scope, mut calls) = ((1, None), ReturnedCalls::default());
        let mut before = |order, times| calls.before(scope, (order, times)).map(|it| it.order);
        assert_eq!(before(10, Some((100, 500))), None);
        // Another thread calls meanwhile, and then both call again.
        assert_eq!(before(11, Some((120, 510))), None);
        assert_eq!(before(20, Some((505, 600))), Some(10));
        assert_eq!(before(21, Some((520, 610))), Some(11));
        assert_eq!(before(30, None), None);
        let call = ReturnedCall {
            order: 10,
            end: 500,
        };
        let operation = |order, end| SubmittedOperation::new(order, (0, end), SpanId(0));
        assert!(call.has_seen(&operation(9, 500)));
        assert!(!call.has_seen(&operation(9, 501)) && !call.has_seen(&operation(11, 400)));
    }
}
