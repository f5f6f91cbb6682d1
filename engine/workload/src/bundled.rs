//! The workloads that come with the program.

/// A workload that comes with the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BundledWorkload {
    /// Its name, as commands use it: the file's, without `.kdl`.
    pub name: &'static str,
    /// Its name for people.
    pub title: &'static str,
    /// Its text.
    pub source: &'static str,
}

/// Bundled workloads that teach one thing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WorkloadGroup {
    /// What they teach.
    pub name: &'static str,
    /// The workloads, the one to read first first.
    pub workloads: &'static [BundledWorkload],
}

macro_rules! workload {
    ($name:literal $title:literal) => {
        BundledWorkload {
            name: $name,
            title: $title,
            source: include_str!(concat!("../../../assets/workloads/", $name, ".kdl")),
        }
    };
}

macro_rules! bundled {
    ($($group:literal { $($name:literal $title:literal)* })*) => {
        /// The groups, in the order in which they are best read.
        const GROUPS: &[WorkloadGroup] = &[$(WorkloadGroup {
            name: $group,
            workloads: &[$(workload!($name $title),)*],
        },)*];

        /// The list of what is bundled: that of the groups, one after the other.
        const BUNDLED: &[BundledWorkload] = &[$($(workload!($name $title),)*)*];
    };
}

bundled! {
    "First steps" {
        "single-stream" "Single stream"
        "two-streams" "Two streams"
        "fork-join" "Fork and join"
        "diamond" "Diamond"
    }
    "Events" {
        "never-recorded" "Never recorded"
        "three-answers" "Three answers"
        "timing-scope" "Timing scope"
        "event-pool" "Event pool"
        "event-kinds" "Event kinds"
        "last-error" "Last error"
    }
    "Waits and races" {
        "ways-to-wait" "Ways to wait"
        "missing-wait" "Missing wait"
        "read-too-early" "Read too early"
        "timeouts" "Timeouts and aborts"
        "callback-thread" "Callback thread"
        "gate" "Gate"
        "two-hosts" "Two hosts"
        "join-streams" "Join streams"
        "legacy-stream" "Legacy default stream"
        "automatic-waits" "Automatic waits"
    }
    "Overlap" {
        "double-buffer" "Double buffer"
        "three-stage-pipeline" "Three-stage pipeline"
        "heat" "Heat"
        "n-body" "N-body"
    }
    "Graphs" {
        "recorded-launch" "Recorded launch"
        "relaunch-two-streams" "Relaunch on two streams"
        "graph-fork-join" "Graph: fork and join"
        "graph-update" "Graph: update"
        "graph-events" "Graph: events and memory"
        "capture-mistakes" "Mistakes while capturing"
    }
    "Memory" {
        "stream-ordered-memory" "Stream-ordered memory"
        "reduction-tree" "Reduction tree"
        "tile-matmul" "Tile matrix product"
        "histogram" "Histogram"
    }
    "Pipelines" {
        "pipeline-stutter" "Pipeline stutter"
        "compile-storm" "Compile storm"
        "broken-shader" "Broken shader"
    }
    "Loss" {
        "loss-and-recovery" "Loss and recovery"
        "loss-during-compile" "Loss during a compile"
        "loss-with-promises" "Loss with promises pending"
        "two-editions" "Two editions"
    }
    "Ranks" {
        "data-parallel" "Ranks: data parallel"
        "rank-pipeline" "Ranks: pipeline"
        "straggler" "Ranks: a straggler"
        "rank-that-dies" "Ranks: one that dies"
        "two-machines" "Ranks: two machines"
    }
    "Machines" {
        "instructions" "Instructions of a machine"
        "lazy-streams" "Lazy streams"
        "back-pressure" "Back-pressure"
    }
}

/// The workloads that come with the program, in the order in which they are best read.
pub fn bundled() -> &'static [BundledWorkload] {
    BUNDLED
}

/// The same, by what they teach: one group after the other is [`bundled`].
pub fn bundled_groups() -> &'static [WorkloadGroup] {
    GROUPS
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::Path;

    use super::*;
    use crate::Document;

    #[test]
    fn the_list_is_the_folder() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../assets/workloads");
        let files: BTreeSet<String> = std::fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        let listed: BTreeSet<String> = BUNDLED
            .iter()
            .map(|found| format!("{}.kdl", found.name))
            .collect();
        assert_eq!(files, listed);
        assert_eq!(listed.len(), BUNDLED.len(), "a name is listed twice");
    }

    #[test]
    fn every_one_plans_at_both_ends_of_every_slider() {
        for found in BUNDLED {
            let document = Document::parse(found.name, found.source)
                .unwrap_or_else(|errors| panic!("{}", shown(&errors)));
            let plan = document
                .plan(&[])
                .unwrap_or_else(|errors| panic!("{}", shown(&errors)));
            assert!(
                !plan.expectations.is_empty(),
                "{} expects nothing",
                found.name
            );
            assert!(
                document.about().len() > 60,
                "{} does not say what it shows",
                found.name
            );
            for parameter in document.parameters() {
                assert!(
                    !parameter.about.is_empty(),
                    "{}: {}",
                    found.name,
                    parameter.name
                );
                for value in [parameter.min, parameter.max] {
                    document
                        .plan(&[(parameter.name.clone(), value)])
                        .unwrap_or_else(|errors| panic!("{}", shown(&errors)));
                }
            }
        }
    }

    fn shown(errors: &[crate::WorkloadError]) -> String {
        let lines: Vec<String> = errors.iter().map(ToString::to_string).collect();
        lines.join("\n")
    }
}
