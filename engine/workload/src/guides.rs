//! The guides that come with the program: what another system calls things, and what they are called here.

/// A guide for people who know another system: its names, ours, and what each looks like in the window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Guide {
    /// Its name, as commands use it: the file's, without `.md`.
    pub name: &'static str,
    /// The system, as its makers write it.
    pub title: &'static str,
    /// Its text: Markdown, of headings, paragraphs, lists, tables and code within a line. A word of code that is the
    /// name of a bundled workload stands for that workload.
    pub source: &'static str,
}

macro_rules! guides {
    ($($name:literal $title:literal)*) => {
        /// The list of guides, in the order in which they are offered.
        const GUIDES: &[Guide] = &[$(Guide {
            name: $name,
            title: $title,
            source: include_str!(concat!("../../../assets/guides/", $name, ".md")),
        },)*];
    };
}

guides! {
    "cuda" "CUDA"
    "oneflow" "OneFlow"
    "cuda-core" "cuda.core"
    "ascendcl" "AscendCL"
    "webgpu" "WebGPU"
    "warp" "NVIDIA Warp"
    "cuda-graphs" "CUDA graphs"
    "causes" "Causes"
    "order" "The order of calls"
    "perfetto" "Perfetto"
}

/// The guides that come with the program, in the order in which they are offered.
pub fn guides() -> &'static [Guide] {
    GUIDES
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::Path;

    use super::*;

    #[test]
    fn the_list_is_the_folder() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../assets/guides");
        let files: BTreeSet<String> = std::fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        let listed: BTreeSet<String> = GUIDES
            .iter()
            .map(|guide| format!("{}.md", guide.name))
            .collect();
        assert_eq!(files, listed);
        assert_eq!(listed.len(), GUIDES.len(), "a name is listed twice");
    }
}
