//! How the stand-in's CUPTI is to misbehave, for tests: `SYNCLINE_STAND_IN_CUPTI` holds words with commas between them.

use std::sync::LazyLock;

const VARIABLE: &str = "SYNCLINE_STAND_IN_CUPTI";

static MODE: LazyLock<Vec<String>> = LazyLock::new(|| {
    let asked = std::env::var(VARIABLE).unwrap_or_default();
    asked.split(',').map(str::to_owned).collect()
});

fn is(word: &str) -> bool {
    MODE.iter().any(|it| it == word)
}

/// `busy`: somebody else listens.
pub fn is_busy() -> bool {
    is("busy")
}

/// `unfit`: it does not come to the driver.
pub fn is_unfit() -> bool {
    is("unfit")
}

/// `mute`: nothing is told of what ran on the device.
pub fn is_mute() -> bool {
    is("mute")
}

/// `untimed`: what ran on the device is told without times.
pub fn is_untimed() -> bool {
    is("untimed")
}

/// `nameless`: nobody is told which node of a graph is which.
pub fn is_nameless() -> bool {
    is("nameless")
}

/// `drop=N`: each N-th record is dropped.
pub fn dropped_each() -> Option<usize> {
    let all = MODE.iter().filter_map(|it| it.strip_prefix("drop="));
    all.filter_map(|it| it.parse().ok()).find(|each| *each > 0)
}
