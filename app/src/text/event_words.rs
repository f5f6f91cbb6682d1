//! What is said of events.

use engine::capture::Capture;
use engine::record::Event;

/// What an event was made with, as far as the capture tells.
pub fn made_with(capture: &Capture, event: &Event) -> String {
    let options = if event.options.is_some() {
        capture.name(event.options)
    } else {
        ""
    };
    match (event.timing, options) {
        (true, "") => "timing".to_owned(),
        (true, options) => format!("timing, {options}"),
        (false, options) => options.to_owned(),
    }
}
