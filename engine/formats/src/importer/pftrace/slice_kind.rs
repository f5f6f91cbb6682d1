//! What a slice is, by the words of its category and its name.

use record::SpanKind;

/// What a slice is, as far as its words say; the rest is for its track to say.
pub(super) fn of_slice(category: Option<&str>, name: &str) -> Option<SpanKind> {
    let category = category.unwrap_or_default().to_ascii_lowercase();
    let says = |word: &str| category.contains(word);
    if says("copy") {
        Some(copy(&name.to_ascii_lowercase()).unwrap_or(SpanKind::Copy))
    } else if says("memset") {
        Some(SpanKind::Fill)
    } else if says("kernel") {
        Some(SpanKind::Kernel)
    } else if says("api") || says("runtime") || says("driver") {
        let blocks = name.to_ascii_lowercase().contains("synchronize");
        Some(if blocks {
            SpanKind::Synchronize
        } else {
            SpanKind::Call
        })
    } else {
        None
    }
}

/// What a piece of work of a GPU is, by its name.
pub(in crate::importer) fn of_work(name: &str) -> SpanKind {
    let name = name.to_ascii_lowercase();
    if name.contains("memset") {
        SpanKind::Fill
    } else if name.contains("memcpy") || name.contains("memory_copy") {
        copy(&name).unwrap_or(SpanKind::Copy)
    } else {
        SpanKind::Kernel
    }
}

/// Which way a copy goes, where its name says it.
fn copy(name: &str) -> Option<SpanKind> {
    let says = |words: &[&str]| words.iter().any(|word| name.contains(word));
    if says(&["host_to_device", "hosttodevice", "htod", "h2d"]) {
        Some(SpanKind::Upload)
    } else if says(&["device_to_host", "devicetohost", "dtoh", "d2h"]) {
        Some(SpanKind::Download)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_say_what_a_slice_is() {
        let copy = of_slice(Some("rocm_memory_copy"), "MEMORY_COPY_HOST_TO_DEVICE");
        assert_eq!(copy, Some(SpanKind::Upload));
        assert_eq!(
            of_slice(Some("rocm_hip_api"), "hipStreamSynchronize"),
            Some(SpanKind::Synchronize)
        );
        assert_eq!(
            of_slice(Some("rocm_hip_api"), "hipMemcpyDtoH"),
            Some(SpanKind::Call)
        );
        assert_eq!(of_slice(Some("host"), "work"), None);
        assert_eq!(
            of_work("Memcpy DtoH (Device -> Pageable)"),
            SpanKind::Download
        );
        assert_eq!(of_work("saxpy"), SpanKind::Kernel);
    }
}
