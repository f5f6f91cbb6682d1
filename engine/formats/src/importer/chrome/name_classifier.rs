//! What names say, worked out once for each.

use super::class::{ApiVerb, is_collective, kind_of_work};
use super::texts::ChromeTexts;
use record::SpanKind;

/// What a name says.
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
#[derive(Clone, Copy, Debug)]
pub(super) struct NameClass {
    /// If it is a call.
    pub verb: ApiVerb,
    /// If it is an operation on a stream.
    pub kind: SpanKind,
    /// Whether it is a copy or a fill by a name that only those have.
    pub names_copy: bool,
    /// Whether it is a call of a GPU's API by the way it begins.
    pub is_api: bool,
    /// Whether it is a function of Python by the way JAX's tracer calls it: `$file.py:7 name`.
    pub is_function: bool,
    /// Whether it is a step of PyTorch's profiler, which older files and those of Ascend tell like any operator.
    pub is_step: bool,
    /// Whether several devices do it together.
    pub collective: bool,
    /// Whether it is a copy to memory of the host that is not pinned, which blocks the call until it is complete.
    pub blocks_call: bool,
}

/// What all names say.
#[derive(Default)]
pub(super) struct NameClassifier {
    known: Vec<Option<NameClass>>,
}

impl NameClassifier {
    /// What a name says.
    pub fn of(&mut self, name: u32, texts: &ChromeTexts) -> NameClass {
        let at = name as usize;
        if let Some(Some(judged)) = self.known.get(at) {
            return *judged;
        }
        let text = texts.text(name);
        let judged = NameClass {
            verb: ApiVerb::of(text),
            kind: kind_of_work(text),
            names_copy: text.starts_with("[CUDA mem")
                || text.starts_with("Memcpy")
                || text.starts_with("Memset"),
            is_api: [
                "hip",
                "cuda",
                "AscendCL@",
                "acl",
                "urEnqueue",
                "urQueue",
                "urEvent",
                "zeCommand",
            ]
            .iter()
            .any(|it| text.starts_with(it)),
            is_function: text.starts_with('$') && text.contains(' '),
            is_step: text.starts_with("ProfilerStep#"),
            collective: is_collective(text),
            blocks_call: text.starts_with("Memcpy DtoH") && text.contains("-> Pageable"),
        };
        if at >= self.known.len() {
            self.known.resize(at + 1, None);
        }
        if let Some(slot) = self.known.get_mut(at) {
            *slot = Some(judged);
        }
        judged
    }
}
