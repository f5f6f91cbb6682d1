//! What tells one file's content from another's: a hash of 128 bits (XXH3), which guards against no forgery.

use std::fmt;
use std::fs::File;
use std::io;
use std::path::Path;

use twox_hash::XxHash3_128;

use super::file_blocks::read_blocks;
use super::table_writer::StopCheck;

/// The hash of a file's content.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ContentHash(String);

impl ContentHash {
    /// Reads a file. `is_stopped` is asked between blocks.
    ///
    /// # Errors
    /// It cannot be read, or `is_stopped` says so, which is an error of the kind `Interrupted`.
    pub fn of_file(path: &Path, is_stopped: &StopCheck<'_>) -> io::Result<Self> {
        let mut hasher = XxHash3_128::new();
        read_blocks(File::open(path)?, is_stopped, &mut |it| hasher.write(it))?;
        Ok(Self::from_number(hasher.finish_128()))
    }

    fn from_number(hash: u128) -> Self {
        Self(format!("xxh3-{hash:032x}"))
    }

    /// Its text, as files of a dataset have it.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Which of `count` shards a file is converted by: that of its path, as it is written, so that a further file moves no other.
pub fn shard_of(path: &str, count: u32) -> u32 {
    let hash = XxHash3_128::oneshot(path.as_bytes());
    (hash % u128::from(count.max(1))) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn content_is_told_apart_and_shards_stay() {
        let folder = tempfile::tempdir().unwrap();
        let hash = |name: &str, text: &str| {
            let path = folder.path().join(name);
            std::fs::write(&path, text).unwrap();
            ContentHash::of_file(&path, &|| false).unwrap()
        };
        let one = hash("a", "one");
        assert_eq!(one, hash("b", "one"));
        assert_ne!(one, hash("c", "two"));
        // What other programs say of the same bytes.
        assert_eq!(
            hash("d", "").as_str(),
            "xxh3-99aa06d3014798d86001c324468d497f"
        );
        let stopped = ContentHash::of_file(&folder.path().join("a"), &|| true);
        assert_eq!(stopped.unwrap_err().kind(), io::ErrorKind::Interrupted);
        let shards: Vec<u32> = (0..1_000)
            .map(|it| shard_of(&format!("rank{it}.json"), 4))
            .collect();
        for shard in 0..4 {
            let own = shards.iter().filter(|it| **it == shard).count();
            assert!((150..350).contains(&own), "{own}");
        }
    }
}
