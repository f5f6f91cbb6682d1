//! The guides that come with the program: how it is used, and what other systems call things.

/// What a guide is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GuideTopic {
    /// How Syncline is used, and what it goes by.
    Use,
    /// Another system: its names, ours, and what each looks like in the window.
    System,
}

/// A guide: a text that is read in the window, on the command line and beside the sources.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Guide {
    /// Its name, as commands use it: the file's, without `.md`.
    pub name: &'static str,
    /// What it is called in a list: a system as its makers write it.
    pub title: &'static str,
    /// What it is about.
    pub topic: GuideTopic,
    /// Its text: Markdown, of headings, paragraphs, lists, tables and code. A word of code that is the name of a bundled
    /// workload stands for that workload; a link to another guide's file stands for that guide.
    pub source: &'static str,
}

macro_rules! guides {
    ($($topic:ident { $($name:literal $title:literal)* })*) => {
        /// The list of guides, in the order in which they are offered.
        const GUIDES: &[Guide] = &[$($(Guide {
            name: $name,
            title: $title,
            topic: GuideTopic::$topic,
            source: include_str!(concat!("../../../assets/guides/", $name, ".md")),
        },)*)*];
    };
}

guides! {
    Use {
        "window" "The window"
        "workloads" "Bundled workloads"
        "lessons" "Lessons"
        "language" "Workload language"
        "order" "The order of calls"
        "causes" "Causes"
        "host-ranges" "Host ranges"
        "memory" "Memory"
        "threads" "Thread states"
        "sql" "SQL"
        "datasets" "Datasets"
        "semantics" "Rules"
        "captures" "Captures of other tools"
        "perfetto" "Perfetto"
        "backends" "Backends"
        "pipelines" "Pipelines"
        "losses" "Device loss"
        "machines" "Machines and ranks"
        "recording" "Recording"
        "python" "From Python"
        "install" "Installing"
        "keys" "Keys"
        "figures" "Figures"
    }
    System {
        "cuda" "CUDA"
        "oneflow" "OneFlow"
        "cuda-core" "cuda.core"
        "ascendcl" "AscendCL"
        "webgpu" "WebGPU"
        "warp" "NVIDIA Warp"
        "cuda-graphs" "CUDA graphs"
    }
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
