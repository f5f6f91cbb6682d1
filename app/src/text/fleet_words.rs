//! What is said of a dataset on the screen and on the command line.

use engine::fleet::{FleetMeasure, FleetPicture};
use engine::time::Nanos;

use super::{counted, duration};

/// The name of a measure.
pub fn measure_words(measure: &FleetMeasure) -> String {
    match measure {
        FleetMeasure::StepTime => "Step time".to_owned(),
        FleetMeasure::Idle => "Idle time, all causes".to_owned(),
        FleetMeasure::IdleFor(reason) => format!("Idle time: {}", reason_words(reason)),
        FleetMeasure::CollectiveWait => "Wait in collectives".to_owned(),
    }
}

/// A cause of idle time, as the tab Why calls it.
fn reason_words(reason: &str) -> &str {
    match reason {
        "host" => "host late",
        "host_sync" => "host blocked",
        "rank_wait" => "other ranks",
        other => other,
    }
}

/// What the ranks' clocks allow to be said of stragglers.
pub fn clock_words(picture: &FleetPicture) -> String {
    if picture.captures < 2 {
        return String::new();
    }
    let off = match (picture.is_clock_shared, picture.clock_uncertainty) {
        (false, _) => return "Stragglers are unknown: not every capture says when it began, so times of ranks cannot be compared".to_owned(),
        (true, Some(off)) => format!(
            "By what captures say, clocks are off by up to {}; a rank that is late by less is not listed. Clocks of several \
             machines may differ by more",
            duration(Nanos(off))
        ),
        (true, None) => "How far clocks of ranks may be off is unknown: no capture says it".to_owned(),
    };
    if picture.impossible == 0 {
        return off;
    }
    let words = counted(picture.impossible, "collective operation");
    format!(
        "{off}. In {words} a rank was done before another one came: its clock is wrong, or captures do not begin with the same \
         operation"
    )
}

/// Why no straggler is listed.
pub const fn no_straggler(picture: &FleetPicture) -> &'static str {
    if picture.captures < 2 {
        "Stragglers are looked for among two ranks or more"
    } else if !picture.is_clock_shared {
        ""
    } else if picture.collectives > 0 {
        "No rank came last to a collective operation by more than clocks are off"
    } else {
        "The captures have no collective operations that ranks have in common, so nobody is known to have waited for another"
    }
}

/// Why no outlier is listed.
pub const fn no_outlier(picture: &FleetPicture) -> &'static str {
    if picture.steps.is_empty() {
        "No capture has steps, among which outliers are looked for"
    } else if picture.ranks_with_steps < 4 {
        "Outliers are looked for among four ranks or more"
    } else {
        "No step took a rank much longer than the others"
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::THIN;

    #[test]
    fn what_clocks_allow_is_said() {
        let mut picture = FleetPicture {
            captures: 2,
            is_clock_shared: true,
            ..FleetPicture::default()
        };
        assert!(clock_words(&picture).contains("unknown"));
        assert!(no_straggler(&picture).contains("no collective operations"));
        picture.clock_uncertainty = Some(12_000);
        assert!(clock_words(&picture).replace(THIN, " ").contains("12.0 µs"));
        picture.impossible = 3;
        assert!(clock_words(&picture).contains("In 3 collective operations a rank"));
        picture.collectives = 3;
        assert!(no_straggler(&picture).starts_with("No rank came last"));
        picture.is_clock_shared = false;
        assert!(clock_words(&picture).starts_with("Stragglers are unknown"));
        assert_eq!(no_straggler(&picture), "");
    }
}
