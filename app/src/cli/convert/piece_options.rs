//! Which piece of a capture is converted, and whether its words are replaced.

use clap::Args;
use engine::capture::Capture;
use engine::exporter::{self, PieceLanes, PieceRequest};
use engine::record::Group;
use engine::time::{Interval, Nanos};
use regex_lite::Regex;

use crate::cli::range::TimeRange;
use crate::cli::{CliFailure, OutputStreams};
use crate::timeline::lane_match;

/// So many lanes are named where none matches.
const MOST_NAMED: usize = 12;

/// What of the captures is written, and in whose words.
#[derive(Debug, Args)]
pub struct PieceOptions {
    /// Only what touches this stretch, such as 10ms..12.5ms or 300us..: spans are kept whole, and a stub stands for each span
    /// outside that something in it depends on
    #[arg(long, value_name = "START..END", allow_hyphen_values = true, value_parser = crate::cli::range::parse, conflicts_with = "to")]
    pub range: Option<TimeRange>,
    /// Only lanes and counters whose name, or that of their device or group (host, device, streams, counters), this matches
    /// somewhere, whatever the case: what the window's field for lanes takes, such as 'stream 7|host'
    #[arg(long, value_name = "REGEX", value_parser = lanes, conflicts_with = "to")]
    pub lanes: Option<LanePattern>,
    /// Of host threads only calls down to this depth; 1 is the outermost
    #[arg(long, value_name = "DEPTH", value_parser = clap::value_parser!(u32).range(1..), conflicts_with = "to")]
    pub depth: Option<u32>,
    /// Replace names, paths, arguments and texts by stable words, such as kernel 17 and host b; times, kinds and names of API
    /// calls stay
    #[arg(long, conflicts_with = "to")]
    pub anonymize: bool,
}

/// Which lanes are wanted, and how that was written.
#[derive(Clone, Debug)]
pub struct LanePattern {
    filter: Regex,
    text: String,
}

fn lanes(text: &str) -> Result<LanePattern, String> {
    let filter = lane_match::pattern(text);
    let filter = filter.map_err(|error| {
        format!("it is no regular expression ({error}); write a part of a lane's name, such as 'stream 7|host'")
    })?;
    Ok(LanePattern {
        filter,
        text: text.to_owned(),
    })
}

impl PieceOptions {
    /// The part of a capture that is asked for, in the words that are; tells what was cut and replaced.
    pub(super) fn apply(
        &self,
        capture: Capture,
        streams: &mut OutputStreams<'_>,
    ) -> Result<Capture, CliFailure> {
        let request = self.request(&capture)?;
        let mut made = capture;
        let mut notes = Vec::new();
        if request.asks() {
            let bookmarks = made.bookmarks().to_vec();
            let piece = exporter::piece((&made, &bookmarks), &request);
            let piece = piece.map_err(CliFailure::Wrong)?;
            notes.push(piece.counts.note(&request));
            made = piece.capture;
        }
        if self.anonymize {
            let replaced = exporter::anonymize(&made, &notes);
            notes.push(replaced.note);
            made = replaced.capture;
        }
        for note in &notes {
            writeln!(streams.err, "syncline: {note}")?;
        }
        Ok(made)
    }

    fn request(&self, capture: &Capture) -> Result<PieceRequest, CliFailure> {
        let all = capture.extent().unwrap_or_default();
        let all = Interval {
            start: all.start,
            end: all.end + Nanos(1),
        };
        let within = self.range.map(|range| range.within(all)).transpose()?;
        let lanes = self.lanes.as_ref().map(|it| it.find(capture)).transpose()?;
        // What a lane was called is one of the words that are replaced.
        let lanes = lanes.map(|lanes| PieceLanes {
            pattern: if self.anonymize {
                String::new()
            } else {
                lanes.pattern
            },
            ..lanes
        });
        Ok(PieceRequest {
            within,
            lanes,
            depth: self.depth,
        })
    }
}

impl LanePattern {
    fn find(&self, capture: &Capture) -> Result<PieceLanes, CliFailure> {
        let (lanes, counters) = lane_match::find(capture, &self.filter);
        if lanes.is_empty() && counters.is_empty() {
            return Err(CliFailure::Wrong(self.matches_nothing(capture)));
        }
        Ok(PieceLanes {
            lanes,
            counters,
            pattern: self.text.clone(),
        })
    }

    fn matches_nothing(&self, capture: &Capture) -> String {
        let order = capture.lane_order();
        let named = order.iter().take(MOST_NAMED);
        let mut named: Vec<String> = named
            .map(|it| capture.lane_title(*it).into_owned())
            .collect();
        if order.len() > MOST_NAMED {
            named.push(format!(
                "and {} more, which `syncline info` lists",
                order.len() - MOST_NAMED
            ));
        }
        let groups: Vec<&str> = Group::ALL.iter().map(|it| it.label()).collect();
        format!(
            "“{}” matches no lane and no counter: what it may match are the names of lanes, of their devices, and the groups {}; \
             the lanes are {}",
            self.text,
            groups.join(", "),
            named.join(", ")
        )
    }
}
