//! Opens the window.

fn main() -> anyhow::Result<()> {
    let files = std::env::args_os().skip(1).map(Into::into).collect();
    app::app::open_window(files)
}
