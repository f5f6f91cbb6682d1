//! Writes trace JSON as PyTorch's Kineto does: the same layout, the same order of rows, the same every time.
//!
//! Two host threads launch kernels on a compute stream, copies on a second stream that the first waits for, and
//! collectives on a third. As in Kineto, operators come first, then calls and the work they launched with the halves
//! of their flows, and metadata last, so the file is not in order of time.

use std::io::{self, Write};

/// What one round of the loop comes to, in events, on average.
const EVENTS: u64 = 6;
/// Nanoseconds between two rounds.
const ROUND: u64 = 10_000;
/// When it begins, in nanoseconds since 1970.
const BEGIN: u64 = 1_712_195_495_000_000_000;
const PROCESS: u32 = 4242;
const COMPUTE: usize = 0;
const COPY: usize = 1;
const COLLECTIVE: usize = 2;
const STREAMS: [u32; 3] = [7, 20, 24];

/// Writes a trace of about `events` events and returns how many they are.
pub fn write(events: u64, out: &mut impl Write) -> io::Result<u64> {
    let mut file = KinetoFile {
        out,
        count: 0,
        free: [0; 3],
    };
    file.head()?;
    let rounds = events / EVENTS;
    for round in 0..rounds {
        file.operators(round)?;
    }
    for round in 0..rounds {
        file.activity(round)?;
    }
    file.metadata()?;
    Ok(file.count)
}

struct KinetoFile<'a, W> {
    out: &'a mut W,
    count: u64,
    /// When each stream is free.
    free: [u64; 3],
}

/// A number that looks like chance and is the same every time.
fn chance(seed: u64) -> u64 {
    let mixed = seed
        .wrapping_add(0x9E37_79B9_7F4A_7C15)
        .wrapping_mul(0xBF58_476D_1CE4_E5B9);
    (mixed ^ mixed >> 27).wrapping_mul(0x94D0_49BB_1331_11EB) >> 33
}

fn micros(nanos: u64) -> String {
    format!("{}.{:03}", nanos / 1_000, nanos % 1_000)
}

fn kernel(number: u64) -> String {
    format!(
        "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_{number}<float>, std::array<char*, \
         3ul> >(int, at::native::CUDAFunctor_{number}<float>, std::array<char*, 3ul>)"
    )
}

fn thread(round: u64) -> u32 {
    PROCESS + u32::from(round % 4 == 3)
}

impl<W: Write> KinetoFile<'_, W> {
    fn head(&mut self) -> io::Result<()> {
        self.out.write_all(
            b"{\n  \"schemaVersion\": 1,\n  \"deviceProperties\": [\n    {\n      \"id\": 0, \"name\": \"NVIDIA \
              A100-SXM4-80GB\", \"totalGlobalMem\": 84987740160,\n      \"computeMajor\": 8, \"computeMinor\": 0,\n      \
              \"numSms\": 108\n    }\n  ],\n  \"distributedInfo\": {\"backend\": \"nccl\", \"rank\": 0, \"world_size\": \
              1},\n  \"displayTimeUnit\": \"ms\",\n  \"traceEvents\": [\n",
        )
    }

    fn next(&mut self) -> io::Result<()> {
        self.count += 1;
        self.out
            .write_all(if self.count == 1 { b"" } else { b",\n" })
    }

    fn operators(&mut self, round: u64) -> io::Result<()> {
        let begin = BEGIN + round * ROUND;
        let inner = begin + 500 + chance(round) % 400;
        for (depth, start, length) in [(0, begin, 9_000), (1, inner, 7_000)] {
            self.next()?;
            let name = [
                "aten::linear",
                "aten::addmm",
                "aten::mul",
                "aten::_to_copy",
                "autograd::engine::evaluate_function",
            ];
            let name = name
                .get((chance(round * 2 + depth) % 5) as usize)
                .unwrap_or(&"aten::add");
            write!(
                self.out,
                "  {{\n    \"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"{name}\", \"pid\": {PROCESS}, \"tid\": \
                 {},\n    \"ts\": {}, \"dur\": {},\n    \"args\": {{\n      \"External id\": {},\"Record function id\": 0, \
                 \"Ev Idx\": {}\n    }}\n  }}",
                thread(round),
                micros(start),
                micros(length),
                round * 2 + depth,
                round * 2 + depth,
            )?;
        }
        Ok(())
    }

    fn activity(&mut self, round: u64) -> io::Result<()> {
        let begin = BEGIN + round * ROUND + 2_000;
        let correlation = round * 4 + 1;
        match round % 16 {
            5 => {
                self.call("cudaMemcpyAsync", 41, round, correlation, begin)?;
                self.work(COPY, round, correlation, begin)?;
                self.call(
                    "cudaEventRecord",
                    135,
                    round,
                    correlation + 1,
                    begin + 2_000,
                )?;
                self.call(
                    "cudaStreamWaitEvent",
                    147,
                    round,
                    correlation + 2,
                    begin + 3_000,
                )?;
                self.wait(round, correlation, begin + 3_000)
            }
            11 => {
                self.call("cudaLaunchKernelExC", 430, round, correlation, begin)?;
                self.work(COLLECTIVE, round, correlation, begin)
            }
            _ => {
                self.call("cudaLaunchKernel", 211, round, correlation, begin)?;
                self.work(COMPUTE, round, correlation, begin)
            }
        }
    }

    fn call(
        &mut self,
        name: &str,
        cbid: u32,
        round: u64,
        correlation: u64,
        start: u64,
    ) -> io::Result<()> {
        self.next()?;
        write!(
            self.out,
            "  {{\n    \"ph\": \"X\", \"cat\": \"cuda_runtime\", \"name\": \"{name}\", \"pid\": {PROCESS}, \"tid\": \
             {},\n    \"ts\": {}, \"dur\": {},\n    \"args\": {{\n      \"External id\": {},      \"cbid\": {cbid}, \
             \"correlation\": {correlation}\n    }}\n  }}",
            thread(round),
            micros(start),
            micros(900 + chance(correlation) % 600),
            round * 2 + 1,
        )?;
        self.flow("s", PROCESS, thread(round), correlation, start)
    }

    fn flow(
        &mut self,
        phase: &str,
        process: u32,
        thread: u32,
        id: u64,
        time: u64,
    ) -> io::Result<()> {
        self.next()?;
        let end = if phase == "f" { ", \"bp\": \"e\"" } else { "" };
        write!(
            self.out,
            "  {{\n    \"ph\": \"{phase}\", \"id\": {id}, \"pid\": {process}, \"tid\": {thread}, \"ts\": {},\n    \
             \"cat\": \"ac2g\", \"name\": \"ac2g\"{end}\n  }}",
            micros(time),
        )
    }

    /// Runs something on a stream, after what is there already.
    fn work(
        &mut self,
        stream: usize,
        round: u64,
        correlation: u64,
        launched: u64,
    ) -> io::Result<()> {
        let length = 2_000 + chance(round ^ 0x5555) % 6_000;
        let free = self.free.get_mut(stream);
        let start = free.as_ref().map_or(0, |it| **it).max(launched + 3_000);
        if let Some(free) = free {
            *free = start + length;
        }
        let number = STREAMS.get(stream).copied().unwrap_or(0);
        self.next()?;
        if stream == COPY {
            self.copy(number, round, correlation, start, length)?;
        } else {
            self.kernel(number, round, correlation, start, length)?;
        }
        self.flow("f", 0, number, correlation, start)
    }

    fn copy(
        &mut self,
        stream: u32,
        round: u64,
        correlation: u64,
        start: u64,
        length: u64,
    ) -> io::Result<()> {
        write!(
            self.out,
            "  {{\n    \"ph\": \"X\", \"cat\": \"gpu_memcpy\", \"name\": \"Memcpy HtoD (Pinned -> Device)\", \"pid\": 0, \
             \"tid\": {stream},\n    \"ts\": {}, \"dur\": {},\n    \"args\": {{\n      \"External id\": {},      \
             \"device\": 0, \"context\": 1,      \"stream\": {stream}, \"correlation\": {correlation},      \"bytes\": \
             {}, \"memory bandwidth (GB/s)\": {:.6}\n    }}\n  }}",
            micros(start),
            micros(length),
            round * 2 + 1,
            length * 12,
            12.0 - (round % 7) as f64 / 64.0,
        )
    }

    fn kernel(
        &mut self,
        stream: u32,
        round: u64,
        correlation: u64,
        start: u64,
        length: u64,
    ) -> io::Result<()> {
        let kind = chance(round) % 150;
        let name = if stream == 24 {
            "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)".to_owned()
        } else {
            kernel(kind)
        };
        let grid = 1 + kind * 37 % 997;
        write!(
            self.out,
            "  {{\n    \"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"{name}\", \"pid\": 0, \"tid\": {stream},\n    \
             \"ts\": {}, \"dur\": {},\n    \"args\": {{\n      \"External id\": {},      \"queued\": 0, \"device\": 0, \
             \"context\": 1,      \"stream\": {stream}, \"correlation\": {correlation},      \"registers per thread\": \
             {},      \"shared memory\": {},      \"blocks per SM\": {:.6},      \"warps per SM\": {:.6},      \
             \"grid\": [{grid}, 1, 1],      \"block\": [{}, 1, 1],      \"est. achieved occupancy %\": {}\n    }}\n  }}",
            micros(start),
            micros(length),
            round * 2 + 1,
            16 + kind % 200,
            kind % 5 * 8192,
            grid as f64 / 108.0,
            grid as f64 * 4.0 / 108.0,
            128 << (kind % 3),
            kind % 100,
        )
    }

    /// The compute stream waits for the copy.
    fn wait(&mut self, round: u64, correlation: u64, start: u64) -> io::Result<()> {
        self.next()?;
        let event = 1 + round / 16 % 8;
        let (record, wait) = (correlation + 1, correlation + 2);
        write!(
            self.out,
            "  {{\n    \"ph\": \"X\", \"cat\": \"cuda_sync\", \"name\": \"Stream Wait Event\", \"pid\": 0, \"tid\": \
             7,\n    \"ts\": {}, \"dur\": 1.000,\n    \"args\": {{\n      \"External id\": {},      \"cuda_sync_kind\": \
             \"Stream Wait Event\",      \"wait_on_stream\": 20,      \"wait_on_cuda_event_record_corr_id\": \
             {record},      \"wait_on_cuda_event_id\": {event},      \"stream\": 7, \"correlation\": {wait},      \
             \"device\": 0, \"context\": 1\n    }}\n  }}",
            micros(start),
            round * 2 + 1,
        )
    }

    fn metadata(&mut self) -> io::Result<()> {
        let rows = [
            (
                "process_name",
                PROCESS,
                0,
                "\"name\": \"python3\"".to_owned(),
            ),
            (
                "process_labels",
                PROCESS,
                0,
                "\"labels\": \"CPU\"".to_owned(),
            ),
            ("process_name", 0, 0, "\"name\": \"python3\"".to_owned()),
            ("process_labels", 0, 0, "\"labels\": \"GPU 0\"".to_owned()),
            (
                "process_sort_index",
                0,
                0,
                "\"sort_index\": 5000000".to_owned(),
            ),
            (
                "thread_name",
                PROCESS,
                PROCESS,
                "\"name\": \"thread 4242 (python3)\"".to_owned(),
            ),
            (
                "thread_name",
                PROCESS,
                PROCESS + 1,
                "\"name\": \"thread 4243 (pt_autograd_0)\"".to_owned(),
            ),
        ];
        let streams = STREAMS
            .iter()
            .map(|it| ("thread_name", 0, *it, format!("\"name\": \"stream {it} \"")));
        for (name, process, thread, arguments) in rows.into_iter().chain(streams) {
            self.next()?;
            write!(
                self.out,
                "  {{\n    \"name\": \"{name}\", \"ph\": \"M\", \"ts\": {}, \"pid\": {process}, \"tid\": {thread},\n    \
                 \"args\": {{\n      {arguments}\n    }}\n  }}",
                micros(BEGIN),
            )?;
        }
        self.out
            .write_all(b"\n  ],\n  \"traceName\": \"generated.json\"\n}\n")
    }
}
