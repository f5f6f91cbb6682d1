//! Names of host calls: without the version that CUPTI adds, and what sort of call each is.

use std::collections::HashMap;

use super::super::sqlite::{SqliteDraft, StringTable};
use record::{NameId, SpanKind};

/// What is known of a call by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NsightApi {
    pub name: NameId,
    pub kind: SpanKind,
    /// Whether it records an event.
    pub records: bool,
    /// Whether it makes a stream wait for one.
    pub waits: bool,
}

/// Every call that was met, by the file's number of its name.
#[derive(Debug, Default)]
pub(super) struct NsightCalls {
    known: HashMap<i64, NsightApi>,
    last: Option<(i64, NsightApi)>,
}

impl NsightCalls {
    /// What is known of the call of a name.
    pub fn get(
        &mut self,
        id: i64,
        strings: &StringTable,
        draft: &mut SqliteDraft<'_, '_>,
    ) -> NsightApi {
        if let Some((last, api)) = self.last
            && last == id
        {
            return api;
        }
        let api = *self.known.entry(id).or_insert_with(|| {
            let unknown = format!("string {id}");
            let text = clean(strings.text(id).unwrap_or(&unknown));
            NsightApi {
                name: draft.name(text),
                kind: kind(text),
                records: text.contains("EventRecord"),
                waits: text.contains("StreamWaitEvent"),
            }
        });
        self.last = Some((id, api));
        api
    }
}

/// A name without the version that CUPTI adds: `cudaLaunchKernel_v7000` is `cudaLaunchKernel`. A `_v2` belongs to
/// the name.
pub(super) fn clean(name: &str) -> &str {
    match name.rsplit_once("_v") {
        Some((start, version))
            if !start.is_empty()
                && version.len() >= 4
                && version.bytes().all(|it| it.is_ascii_digit()) =>
        {
            start
        }
        _ => name,
    }
}

/// What sort of call it is.
fn kind(name: &str) -> SpanKind {
    let blocks = ["cuda", "cu", "hip", "acl"]
        .iter()
        .any(|it| name.starts_with(it))
        && name.contains("Synchronize");
    if blocks {
        SpanKind::Synchronize
    } else {
        SpanKind::Call
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_not_part_of_a_name() {
        assert_eq!(clean("cudaStreamWaitEvent_v3020"), "cudaStreamWaitEvent");
        assert_eq!(
            clean("cudaStreamGetCaptureInfo_v2_v11030"),
            "cudaStreamGetCaptureInfo_v2"
        );
        assert_eq!(clean("cuMemAlloc_v2"), "cuMemAlloc_v2");
        assert_eq!(clean("my_value"), "my_value");
        assert_eq!(clean("_v12345"), "_v12345");
    }

    #[test]
    fn calls_that_block_are_known() {
        assert_eq!(kind("cudaDeviceSynchronize"), SpanKind::Synchronize);
        assert_eq!(kind("cuStreamSynchronize"), SpanKind::Synchronize);
        assert_eq!(kind("cudaEventQuery"), SpanKind::Call);
        assert_eq!(kind("mySynchronize"), SpanKind::Call);
    }
}
