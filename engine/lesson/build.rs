//! Lists the files of the bundled lessons, each with its text.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let root = root.join("../../assets/lessons");
    writeln!(io::stdout(), "cargo::rerun-if-changed={}", root.display())?;
    let mut list = String::from("&[\n");
    let mut folders = vec![root.clone()];
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder)? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else {
                files.push(path);
            }
        }
    }
    files.sort();
    for file in files {
        let name = file.strip_prefix(&root).unwrap_or(&file);
        let name: Vec<_> = name.iter().map(|part| part.to_string_lossy()).collect();
        let file = fs::canonicalize(&file)?;
        let file = file.to_string_lossy();
        let _ = writeln!(list, "({:?}, include_str!({file:?})),", name.join("/"));
    }
    list.push(']');
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default());
    fs::write(Path::new(&out).join("lessons.rs"), list)
}
