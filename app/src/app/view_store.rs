//! What is kept of a capture from one opening to the next, by what its files hold: where the user was in it.

use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};

use super::App;
use crate::action::{Action, BookmarkAction};
use crate::state::KeptView;

/// So much of a file's beginning and of its end says which it is, besides its length.
const SAMPLE: u64 = 64 << 10;
/// So many captures are remembered; of more, those that were looked at longest ago are forgotten.
const MOST: usize = 200;

/// What says which capture it is: the files' lengths, beginnings and ends.
///
/// # Errors
/// A file cannot be read, such as a pipe that was read already.
pub fn content_key(paths: &[PathBuf]) -> std::io::Result<String> {
    let mut hash = FNV_OFFSET;
    for path in paths {
        sample(path, &mut hash)?;
    }
    Ok(format!("{hash:016x}"))
}

/// The offset and the prime of the 64-bit hash of Fowler, Noll and Vo (FNV-1a): the same in every version of the program.
const FNV_OFFSET: u64 = 0xcbf2_9ce4_8422_2325;
const FNV_PRIME: u64 = 0x0100_0000_01b3;

fn add(hash: &mut u64, bytes: &[u8]) {
    for byte in bytes {
        *hash = (*hash ^ u64::from(*byte)).wrapping_mul(FNV_PRIME);
    }
}

fn sample(path: &Path, hash: &mut u64) -> std::io::Result<()> {
    if !path.is_file() {
        return Err(std::io::Error::other("it is not a file"));
    }
    let mut file = File::open(path)?;
    let length = file.metadata()?.len();
    add(hash, &length.to_le_bytes());
    for start in [0, length.saturating_sub(SAMPLE)] {
        file.seek(SeekFrom::Start(start))?;
        let mut bytes = Vec::new();
        file.by_ref().take(SAMPLE).read_to_end(&mut bytes)?;
        add(hash, &bytes);
    }
    Ok(())
}

/// Where what is kept lies, one small file a capture.
#[derive(Clone, Debug, Default)]
pub struct KeptViews {
    folder: Option<PathBuf>,
}

impl KeptViews {
    /// Kept in this folder; nowhere where there is none.
    pub const fn new(folder: Option<PathBuf>) -> Self {
        Self { folder }
    }

    fn place(&self, key: &str) -> Option<PathBuf> {
        Some(self.folder.as_ref()?.join(format!("{key}.json")))
    }

    /// What was kept of the capture `key`.
    pub fn read(&self, key: &str) -> Option<KeptView> {
        let text = std::fs::read_to_string(self.place(key)?).ok()?;
        serde_json::from_str(&text).ok()
    }

    /// Keeps where the user is in the capture `key`.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn write(&self, key: &str, kept: &KeptView) -> std::io::Result<()> {
        let (Some(place), Some(folder)) = (self.place(key), &self.folder) else {
            return Ok(());
        };
        std::fs::create_dir_all(folder)?;
        std::fs::write(place, serde_json::to_string(kept)?)?;
        forget_oldest(folder)
    }
}

fn forget_oldest(folder: &Path) -> std::io::Result<()> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        files.push((entry.metadata()?.modified()?, entry.path()));
    }
    files.sort();
    let many = files.len().saturating_sub(MOST);
    files
        .into_iter()
        .take(many)
        .try_for_each(|(_, path)| std::fs::remove_file(path))
}

impl App {
    /// Keeps where the user is in the capture on screen, where it was read from files.
    pub(super) fn keep_view(&mut self) {
        let Some(key) = self.status.content.clone() else {
            return;
        };
        let kept = KeptView::of(&self.state);
        if let Err(error) = self.kept.write(&key, &kept) {
            self.tell(
                true,
                format!("Where you were in this capture could not be kept: {error}"),
            );
        }
    }

    /// The same for every capture that is open.
    pub(super) fn keep_views(&mut self) {
        let shown = self.shown_tab();
        for place in 0..self.status.tabs.len() {
            self.show_tab(place);
            self.keep_view();
        }
        self.show_tab(shown);
    }

    /// Marks what was marked in the capture on screen when it was last looked at, or else in its files; and goes where the
    /// user was then, unless they `look` elsewhere by now.
    pub(super) fn restore_view(&mut self, looks_elsewhere: bool) {
        let key = self.status.content.as_ref();
        let mut kept = key.and_then(|key| self.kept.read(key));
        let marked = kept.as_mut().and_then(|kept| kept.bookmarks.take());
        let marked = marked.unwrap_or_else(|| self.capture.bookmarks().to_vec());
        let marked = Action::Bookmark(BookmarkAction::Restore(marked));
        let kept = kept.filter(|_| !looks_elsewhere);
        let goes = kept.map(|kept| Action::RestoreView(Box::new(kept)));
        self.act(goes.into_iter().chain([marked]).collect(), None);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::AppState;

    #[test]
    fn a_capture_is_known_by_what_it_holds_and_not_by_its_name() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        for (name, text) in [
            ("a", "same"),
            ("b", "same"),
            ("c", "else"),
            ("d", "same, longer"),
        ] {
            std::fs::write(path(name), text).unwrap();
        }
        let key = |name: &str| content_key(&[path(name)]).unwrap();
        assert_eq!(key("a"), key("b"));
        assert!(key("a") != key("c") && key("a") != key("d"));
        assert!(content_key(&[folder.path().to_path_buf()]).is_err());
    }

    #[test]
    fn what_is_kept_is_read_again_and_the_oldest_forgotten() {
        let folder = tempfile::tempdir().unwrap();
        let kept = KeptViews::new(Some(folder.path().join("views")));
        let mut state = AppState::default();
        state.view.scroll = 40.0;
        let view = KeptView::of(&state);
        for at in 0..MOST + 3 {
            kept.write(&at.to_string(), &view).unwrap();
        }
        let last = (MOST + 2).to_string();
        assert_eq!(kept.read(&last), Some(view));
        assert_eq!(kept.read("unknown"), None);
        let files = std::fs::read_dir(folder.path().join("views")).unwrap();
        assert_eq!(files.count(), MOST);
        assert!(
            KeptViews::default()
                .write("a", &KeptView::of(&state))
                .is_ok()
        );
    }
}
