//! What is asked of the user about files: which to open or to write, and what becomes of texts that were not saved.

use super::WorkloadText;

/// What a path is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FilePurpose {
    /// To open it.
    Open,
    /// A folder, to open the captures in it as one.
    OpenFolder,
    /// The folder of a dataset, to show it.
    OpenDataset,
    /// A folder in which captures of a dataset are looked for.
    SearchCaptures,
    /// To open it together with the files of the capture on screen.
    Add,
    /// To write the capture to it.
    SaveCapture,
    /// To write a piece of the capture to it: what touches the selected range, or the view.
    SavePiece,
    /// To write what the capture comes to, as a page or as Markdown.
    Report,
    /// To write the chosen workload's text to it.
    SaveText,
    /// To write the capture or the view to it, for other tools.
    Export,
    /// To write a workload to it that does what the capture shows.
    Extract,
}

impl FilePurpose {
    /// Whether it is a folder that is asked for.
    pub const fn is_folder(self) -> bool {
        matches!(
            self,
            Self::OpenFolder | Self::OpenDataset | Self::SearchCaptures
        )
    }
}

/// A path that is asked for in a window of our own, because the system has no dialog for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileRequest {
    /// What it is asked for.
    pub purpose: FilePurpose,
    /// What a new file is called at first.
    pub name: String,
    /// What the files may end in; any where there are none.
    pub endings: Vec<String>,
}

/// What would throw away a text that was edited and not saved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UnsavedRisk {
    /// Closing the window, which forgets every text.
    Closing,
    /// Reading a workload again whose text was edited here.
    Replacing(Box<WorkloadText>),
}
