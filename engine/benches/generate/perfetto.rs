//! Writes a Perfetto file as other tools do: packets of one writer, interned names, threads and streams under their process
//! and device, calls that launch kernels by arrows.

use engine::perfetto::proto::{
    AnnotationValue, CLEARED, DebugAnnotation, InternedData, InternedName, NEEDS_STATE,
    ProcessDescriptor, ThreadDescriptor, TracePacket, TrackDescriptor, TrackEvent, event_type,
};
use prost::Message as _;

/// What a round of the loop comes to: an operator, a call and a kernel, each with a begin and an end.
const PACKETS: u64 = 6;
/// Nanoseconds between two rounds.
const ROUND: u64 = 10_000;
const THREADS: u64 = 4;
const STREAMS: u64 = 8;
/// Names of operators, of calls and of kernels.
const OPERATORS: u64 = 60;
const CALLS: u64 = 3;
const KERNELS: u64 = 200;
const PROCESS: u64 = 1;
const DEVICE: u64 = 2;

/// A file of about so many packets.
pub fn file(packets: u64) -> Vec<u8> {
    let mut out = Vec::new();
    describe(&mut out);
    let rounds = packets / PACKETS;
    for round in 0..=rounds {
        // The kernel of the round before runs while the next is called: packets are in order of time.
        let now = 1_000_000_000 + round * ROUND;
        let thread = 100 + round / 64 % THREADS;
        let stream = 200 + round % STREAMS;
        let launched = 200 + round.wrapping_sub(1) % STREAMS;
        begin(
            &mut out,
            (now, thread),
            1 + round % OPERATORS,
            &[(1, round)],
            None,
        );
        if round > 0 {
            end(&mut out, (now + 500, launched));
        }
        let call = 100 + round % CALLS;
        begin(
            &mut out,
            (now + 1_000, thread),
            call,
            &[(2, round)],
            Some((round, false)),
        );
        end(&mut out, (now + 3_000, thread));
        end(&mut out, (now + 4_000, thread));
        let kernel = 200 + round * 7 % KERNELS;
        let fields = [(2, round), (3, stream), (4, 16 + round % 200)];
        begin(
            &mut out,
            (now + 6_000, stream),
            kernel,
            &fields,
            Some((round, true)),
        );
    }
    out
}

fn put(out: &mut Vec<u8>, packet: &TracePacket) {
    out.push(10);
    // A vector takes whatever is written.
    let _ = packet.encode_length_delimited(out);
}

/// What stands before all events: threads, streams and texts.
fn describe(out: &mut Vec<u8>) {
    let mut described = |descriptor: TrackDescriptor| {
        put(
            out,
            &TracePacket {
                trusted_packet_sequence_id: Some(1),
                track_descriptor: Some(descriptor),
                ..TracePacket::default()
            },
        );
    };
    described(TrackDescriptor {
        uuid: Some(PROCESS),
        process: Some(ProcessDescriptor {
            pid: Some(4242),
            ..ProcessDescriptor::default()
        }),
        ..TrackDescriptor::default()
    });
    described(TrackDescriptor {
        uuid: Some(DEVICE),
        name: Some("GPU 0".to_owned()),
        ..TrackDescriptor::default()
    });
    for thread in 0..THREADS {
        described(TrackDescriptor {
            uuid: Some(100 + thread),
            parent_uuid: Some(PROCESS),
            thread: Some(ThreadDescriptor {
                pid: Some(4242),
                tid: Some(4242 + i64::try_from(thread).unwrap_or(0)),
                ..ThreadDescriptor::default()
            }),
            ..TrackDescriptor::default()
        });
    }
    for stream in 0..STREAMS {
        described(TrackDescriptor {
            uuid: Some(200 + stream),
            parent_uuid: Some(DEVICE),
            name: Some(format!("stream {stream}")),
            ..TrackDescriptor::default()
        });
    }
    let text = |iid: u64, name: String| InternedName {
        iid: Some(iid),
        name: Some(name),
    };
    let operators = (0..OPERATORS).map(|it| text(1 + it, format!("aten::operator_{it}")));
    let calls = ["cudaLaunchKernel", "cudaMemcpyAsync", "cudaMemsetAsync"];
    let calls = (100..).zip(calls).map(|(iid, it)| text(iid, it.to_owned()));
    let kernels = (0..KERNELS).map(|it| {
        let name = format!("void at::native::vectorized_elementwise_kernel<4, at::native::Functor{it}<float> >(int)");
        text(200 + it, name)
    });
    let fields = ["External id", "correlation", "stream", "registers"];
    let fields = (1..).zip(fields).map(|(iid, it)| text(iid, it.to_owned()));
    let categories = ["cpu_op", "cuda_runtime", "kernel"];
    let categories = (1..)
        .zip(categories)
        .map(|(iid, it)| text(iid, it.to_owned()));
    put(
        out,
        &TracePacket {
            trusted_packet_sequence_id: Some(1),
            sequence_flags: Some(CLEARED),
            interned_data: Some(InternedData {
                event_names: operators.chain(calls).chain(kernels).collect(),
                event_categories: categories.collect(),
                debug_annotation_names: fields.collect(),
                ..InternedData::default()
            }),
            ..TracePacket::default()
        },
    );
}

fn event(out: &mut Vec<u8>, time: u64, event: TrackEvent) {
    put(
        out,
        &TracePacket {
            timestamp: Some(time),
            trusted_packet_sequence_id: Some(1),
            sequence_flags: Some(NEEDS_STATE),
            track_event: Some(event),
            ..TracePacket::default()
        },
    );
}

/// A slice begins: its name and its fields by the numbers of their texts, and an arrow with whether it ends here.
fn begin(
    out: &mut Vec<u8>,
    (time, lane): (u64, u64),
    name: u64,
    fields: &[(u64, u64)],
    arrow: Option<(u64, bool)>,
) {
    let category = match name {
        200.. => 3,
        100.. => 2,
        _ => 1,
    };
    let fields = fields.iter().map(|&(iid, value)| DebugAnnotation {
        name_iid: Some(iid),
        value: Some(AnnotationValue::Int(i64::try_from(value).unwrap_or(0))),
        ..DebugAnnotation::default()
    });
    let through = arrow.filter(|it| !it.1).map(|it| it.0);
    let ending = arrow.filter(|it| it.1).map(|it| it.0);
    event(
        out,
        time,
        TrackEvent {
            r#type: Some(event_type::BEGIN),
            track_uuid: Some(lane),
            category_iids: vec![category],
            name_iid: Some(name),
            debug_annotations: fields.collect(),
            flow_ids: through.into_iter().collect(),
            terminating_flow_ids: ending.into_iter().collect(),
            ..TrackEvent::default()
        },
    );
}

fn end(out: &mut Vec<u8>, (time, lane): (u64, u64)) {
    event(
        out,
        time,
        TrackEvent {
            r#type: Some(event_type::END),
            track_uuid: Some(lane),
            ..TrackEvent::default()
        },
    );
}
