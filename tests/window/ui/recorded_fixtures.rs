//! Training steps that never ran, written as PyTorch and Nsight Systems write theirs: the same files on every machine.

use std::fmt::Write as _;

/// The stream of kernels, of copies, and of collectives.
const COMPUTE: u32 = 7;
const COPIES: u32 = 20;
const COLLECTIVES: u32 = 24;
const STEPS: usize = 5;

/// Work of the GPU, in microseconds.
pub struct Op {
    pub stream: u32,
    pub name: &'static str,
    pub start: u64,
    pub end: u64,
    pub number: u32,
}

/// A call of the host.
pub struct Call {
    pub name: &'static str,
    pub start: u64,
    pub end: u64,
    pub number: u32,
}

/// A stream that waits for what another recorded, by the numbers of the calls.
pub struct Wait {
    pub call: u32,
    pub stream: u32,
    pub on: u32,
    pub record: u32,
    pub event: u32,
}

/// What one rank did.
#[derive(Default)]
pub struct Rank {
    pub ops: Vec<Op>,
    pub calls: Vec<Call>,
    pub waits: Vec<Wait>,
    /// Parts of the program, from when to when.
    pub scopes: Vec<(String, u64, u64)>,
    host: u64,
    /// When each stream is free, in the order of the streams above.
    free: [u64; 3],
}

impl Rank {
    fn slot(&mut self, stream: u32) -> &mut u64 {
        &mut self.free[match stream {
            COMPUTE => 0,
            COPIES => 1,
            _ => 2,
        }]
    }

    fn call(&mut self, name: &'static str, length: u64) -> u32 {
        let number = self.calls.len() as u32 + 1;
        let start = self.host;
        self.host += length + 2;
        self.calls.push(Call {
            name,
            start,
            end: start + length,
            number,
        });
        number
    }

    fn run(&mut self, stream: u32, name: &'static str, length: u64) {
        let call = match stream {
            COPIES => "cudaMemcpyAsync",
            _ => "cudaLaunchKernel",
        };
        let number = self.call(call, 6);
        let start = self.host.max(*self.slot(stream));
        *self.slot(stream) = start + length;
        self.ops.push(Op {
            stream,
            name,
            start,
            end: start + length,
            number,
        });
    }

    /// Makes `stream` wait for all that `on` was given.
    fn wait(&mut self, stream: u32, on: u32) {
        let record = self.call("cudaEventRecord", 3);
        let call = self.call("cudaStreamWaitEvent", 3);
        let until = *self.slot(on);
        let free = self.slot(stream);
        *free = until.max(*free);
        self.waits.push(Wait {
            call,
            stream,
            on,
            record,
            event: self.waits.len() as u32 + 1,
        });
    }

    fn forward(&mut self, step: usize, slow: u64) {
        let begun = self.host;
        self.run(
            COPIES,
            "Memcpy HtoD (Pinned -> Device)",
            70 + 9 * (step as u64 % 3),
        );
        self.wait(COMPUTE, COPIES);
        for (name, length) in [
            ("ampere_sgemm_128x64_nn", 58),
            ("vectorized_elementwise_kernel<4, FillFunctor<float>>", 17),
            ("ampere_sgemm_128x64_tn", 64),
            ("softmax_warp_forward<float, 8>", 21),
        ] {
            self.run(COMPUTE, name, length * slow / 100);
        }
        self.wait(COLLECTIVES, COMPUTE);
        self.scopes
            .push((format!("step {step}"), begun, self.host + 12));
    }
}

/// Training steps of several ranks that exchange their gradients after each; the last but two is the slowest.
pub fn ranks(count: usize) -> Vec<Rank> {
    let mut ranks: Vec<Rank> = (0..count).map(|_| Rank::default()).collect();
    for (at, rank) in ranks.iter_mut().enumerate() {
        rank.host = 10 + 7 * at as u64 % 19;
    }
    for step in 0..STEPS {
        for (at, rank) in ranks.iter_mut().enumerate() {
            let slow = 100 + (at as u64 * 13 + step as u64 * 7) % 11;
            let late = if at + 3 == count.max(3) && count > 1 {
                35
            } else {
                0
            };
            rank.forward(step, slow + late);
            rank.run(COLLECTIVES, "ncclDevKernel_AllReduce_Sum_f32_RING_LL", 60);
        }
        // All of them end together, once the last has come.
        let last = ranks.iter().filter_map(|it| it.ops.last()).map(|it| it.end);
        let last = last.max().unwrap_or(0);
        for rank in &mut ranks {
            if let Some(op) = rank.ops.last_mut() {
                op.end = last;
            }
            *rank.slot(COLLECTIVES) = last;
            rank.wait(COMPUTE, COLLECTIVES);
            rank.run(COMPUTE, "multi_tensor_apply_kernel<AdamFunctor>", 33);
        }
    }
    for rank in &mut ranks {
        let end = rank.free.iter().copied().max().unwrap_or(0);
        let length = (end + 5).saturating_sub(rank.host);
        rank.call("cudaDeviceSynchronize", length);
    }
    ranks
}

/// A rank as `torch.profiler` writes it, with the waits of streams.
pub fn kineto(rank: &Rank, number: usize, world: usize) -> String {
    let mut text = format!(
        r#"{{"schemaVersion":1,"baseTimeNanoseconds":1700000000000000000,"deviceProperties":[{{"id":0,"name":"NVIDIA A100"}}],
"distributedInfo":{{"backend":"nccl","rank":{number},"world_size":{world}}},"traceEvents":[
{{"ph":"M","name":"thread_name","pid":900,"tid":901,"args":{{"name":"main"}}}}"#
    );
    for (name, start, end) in &rank.scopes {
        let length = end - start;
        let _ = write!(
            text,
            ",\n{{\"ph\":\"X\",\"cat\":\"user_annotation\",\"name\":\"{name}\",\"pid\":900,\"tid\":901,\"ts\":{start},\"dur\":{length}}}"
        );
    }
    for call in &rank.calls {
        let (name, start, number) = (call.name, call.start, call.number);
        let length = call.end - start;
        let _ = write!(
            text,
            ",\n{{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"{name}\",\"pid\":900,\"tid\":901,\"ts\":{start},\"dur\":{length},\
             \"args\":{{\"correlation\":{number}}}}}"
        );
    }
    for (order, op) in rank.ops.iter().enumerate() {
        let (name, start, stream, number) = (op.name, op.start, op.stream, op.number);
        let length = op.end - start;
        let (kind, more) = match stream {
            COPIES => ("gpu_memcpy", r#","bytes":4194304"#.to_owned()),
            COLLECTIVES => (
                "kernel",
                format!(
                    ",\"Collective name\":\"allreduce\",\"Process Group Name\":\"0\",\"Group size\":{world},\"In msg nelems\":{},\
                     \"dtype\":\"Float\"",
                    1 << 20
                ),
            ),
            _ => ("kernel", format!(",\"grid\":[{},1,1]", 64 + order)),
        };
        let _ = write!(
            text,
            ",\n{{\"ph\":\"X\",\"cat\":\"{kind}\",\"name\":\"{name}\",\"pid\":0,\"tid\":{stream},\"ts\":{start},\"dur\":{length},\
             \"args\":{{\"device\":0,\"stream\":{stream},\"correlation\":{number}{more}}}}}"
        );
    }
    for wait in &rank.waits {
        let call = &rank.calls[wait.call as usize - 1];
        let (start, number, stream) = (call.start, call.number, wait.stream);
        let (on, record, event) = (wait.on, wait.record, wait.event);
        let _ = write!(
            text,
            ",\n{{\"ph\":\"X\",\"cat\":\"cuda_sync\",\"name\":\"Stream Wait Event\",\"pid\":0,\"tid\":{stream},\"ts\":{start},\"dur\":1,\
             \"args\":{{\"cuda_sync_kind\":\"Stream Wait Event\",\"wait_on_stream\":{on},\"wait_on_cuda_event_record_corr_id\":{record},\
             \"wait_on_cuda_event_id\":{event},\"stream\":{stream},\"correlation\":{number},\"device\":0}}}}"
        );
    }
    text + "]}\n"
}

/// The process and its thread, as Nsight Systems numbers them.
const PROCESS: u64 = 900 << 24;
const THREAD: u64 = PROCESS + 901;

/// A rank as Nsight Systems exports it: the script that makes the database.
pub fn nsight(rank: &Rank) -> String {
    let mut names: Vec<&str> = Vec::new();
    let mut script = String::from(crate::formats::databases::nsight::TABLES);
    let mut id = |name: &'static str| {
        let known = names.iter().position(|it| *it == name);
        known.unwrap_or_else(|| {
            names.push(name);
            names.len() - 1
        }) + 1
    };
    for call in &rank.calls {
        let (name, number) = (id(call.name), call.number);
        let (start, end) = (call.start * 1000, call.end * 1000);
        let _ = writeln!(
            script,
            "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES ({start}, {end}, 0, {THREAD}, {number}, {name}, 0);"
        );
    }
    for op in &rank.ops {
        let (name, number, stream) = (id(op.name), op.number, op.stream);
        let (start, end) = (op.start * 1000, op.end * 1000);
        let place = format!("({start}, {end}, 0, 1, {stream}, {number}, {PROCESS}");
        let _ = if stream == COPIES {
            writeln!(
                script,
                "INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES {place}, 4194304, 1, 1, 2);"
            )
        } else {
            writeln!(
                script,
                "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES {place}, {name}, {name}, 32, 64, 1, 1, 256, 1, 1, 0, 0, NULL);"
            )
        };
    }
    for wait in &rank.waits {
        let call = &rank.calls[wait.call as usize - 1];
        let (start, end, number) = (call.start * 1000, call.end * 1000, call.number);
        let (stream, on, record, event) = (wait.stream, wait.on, wait.record, wait.event);
        let _ = writeln!(
            script,
            "INSERT INTO CUPTI_ACTIVITY_KIND_CUDA_EVENT VALUES (0, 0, 1, {on}, {record}, {PROCESS}, {event}, {event});
INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION VALUES ({start}, {end}, 0, 1, {stream}, {number}, {PROCESS}, 2, {event}, {event});"
        );
    }
    for (name, start, end) in &rank.scopes {
        let (start, end) = (start * 1000, end * 1000);
        let _ = writeln!(
            script,
            "INSERT INTO NVTX_EVENTS VALUES ({start}, {end}, 59, '{name}', {THREAD}, NULL, 0, NULL, NULL);"
        );
    }
    for (at, name) in names.iter().enumerate() {
        let number = at + 1;
        let _ = writeln!(script, "INSERT INTO StringIds VALUES ({number}, '{name}');");
    }
    let _ = write!(
        script,
        "INSERT INTO PROCESSES VALUES ({PROCESS}, 900, '/usr/bin/python3');
INSERT INTO TARGET_INFO_GPU VALUES (1, 0, 'NVIDIA A100', 108, 80000000000, 'GA100');
INSERT INTO TARGET_INFO_CUDA_DEVICE VALUES (0, 0, 900);
INSERT INTO META_DATA_EXPORT VALUES ('EXPORT_PRODUCT_VERSION', '2026.2.1');"
    );
    script
}
