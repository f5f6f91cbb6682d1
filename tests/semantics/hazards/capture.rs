//! Cases of calls that are captured into a graph: what comes after what.

use std::collections::HashMap;

use engine::order::{NodeIndex, Topology};
use engine::record::StreamIndex;

use super::case::{Case, Expected, Op};

/// Each relation of a case that does not hold.
pub fn misses(case: &Case) -> Vec<String> {
    let mut streams: Vec<&str> = Vec::new();
    let mut nodes: HashMap<&str, NodeIndex> = HashMap::new();
    let mut graph = Topology::default();
    let mut stream = |name| {
        let known = streams.iter().position(|it| *it == name);
        let place = known.unwrap_or_else(|| {
            streams.push(name);
            streams.len() - 1
        });
        StreamIndex(place as u32)
    };
    for op in &case.ops {
        match op {
            Op::CaptureBegin { stream: name } => graph = Topology::begin(stream(name)),
            Op::Node { id, stream: name } => {
                nodes.insert(id, graph.node(stream(name)));
            }
            Op::WaitStream {
                stream: name,
                other,
            } => graph.wait(stream(name), stream(other)),
            Op::FreeNode { id, alloc, .. } => {
                let free = graph.free(nodes[alloc.as_str()]);
                nodes.insert(id, free);
            }
            Op::CaptureEnd { .. } => {}
            other => panic!("{}: {other:?} is no part of a capture", case.name),
        }
    }
    let expected = case.expected.iter();
    let missed = expected.flat_map(|expected| missed(&graph, &nodes, expected));
    missed.collect()
}

fn missed(graph: &Topology, nodes: &HashMap<&str, NodeIndex>, expected: &Expected) -> Vec<String> {
    let Expected::Relation { rel, a, b } = expected else {
        return vec![format!("{expected:?} is no relation")];
    };
    let pairs = a
        .each()
        .into_iter()
        .flat_map(|a| b.each().into_iter().map(move |b| (a, b)));
    let holds = |a: &str, b: &str| {
        let (a, b) = (nodes[a], nodes[b]);
        match rel.as_str() {
            "depends" => graph.depends(a, b),
            "independent" => graph.is_independent(a, b),
            "available" => graph.is_available(a, b),
            "freed" => graph.is_freed(a, b),
            "inaccessible" => !graph.depends(b, a),
            other => panic!("unknown relation {other}"),
        }
    };
    let missed = pairs.filter(|(a, b)| !holds(a, b));
    missed.map(|(a, b)| format!("{a} {rel} {b}")).collect()
}
