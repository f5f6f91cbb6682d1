//! A database as Nsight Systems exports it: two processes, streams that wait for each other, and what programs say.

/// The tables, with no more columns than are read.
pub const TABLES: &str = "
CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE PROCESSES (globalPid INTEGER, pid INTEGER, name TEXT);
CREATE TABLE ThreadNames (nameId INTEGER NOT NULL, priority INTEGER, globalTid INTEGER);
CREATE TABLE TARGET_INFO_SESSION_START_TIME (utcEpochNs INTEGER NOT NULL);
CREATE TABLE TARGET_INFO_GPU (vmId INTEGER, id INTEGER NOT NULL, name TEXT, smCount INTEGER, totalMemory INTEGER,
  chipName TEXT);
CREATE TABLE TARGET_INFO_CUDA_DEVICE (gpuId INTEGER, cudaId INTEGER, pid INTEGER);
CREATE TABLE TARGET_INFO_CUDA_STREAM (streamId INTEGER, processId INTEGER, contextId INTEGER, priority INTEGER,
  flag INTEGER);
CREATE TABLE META_DATA_EXPORT (name TEXT NOT NULL, value TEXT);
CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER, end INTEGER, eventClass INTEGER, globalTid INTEGER,
  correlationId INTEGER, nameId INTEGER, returnValue INTEGER);
CREATE TABLE OSRT_API (start INTEGER, end INTEGER, eventClass INTEGER, globalTid INTEGER, nameId INTEGER,
  returnValue INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, end INTEGER, deviceId INTEGER, contextId INTEGER,
  streamId INTEGER, correlationId INTEGER, globalPid INTEGER, demangledName INTEGER, shortName INTEGER,
  registersPerThread INTEGER, gridX INTEGER, gridY INTEGER, gridZ INTEGER, blockX INTEGER, blockY INTEGER,
  blockZ INTEGER, staticSharedMemory INTEGER, dynamicSharedMemory INTEGER, graphNodeId INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INTEGER, end INTEGER, deviceId INTEGER, contextId INTEGER,
  streamId INTEGER, correlationId INTEGER, globalPid INTEGER, bytes INTEGER, copyKind INTEGER, srcKind INTEGER,
  dstKind INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET (start INTEGER, end INTEGER, deviceId INTEGER, contextId INTEGER,
  streamId INTEGER, correlationId INTEGER, globalPid INTEGER, value INTEGER, bytes INTEGER, memKind INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION (start INTEGER, end INTEGER, deviceId INTEGER, contextId INTEGER,
  streamId INTEGER, correlationId INTEGER, globalPid INTEGER, syncType INTEGER, eventId INTEGER, eventSyncId INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_CUDA_EVENT (timestamp INTEGER, deviceId INTEGER, contextId INTEGER, streamId INTEGER,
  correlationId INTEGER, globalPid INTEGER, eventId INTEGER, eventSyncId INTEGER);
CREATE TABLE NVTX_EVENTS (start INTEGER, end INTEGER, eventType INTEGER, text TEXT, globalTid INTEGER, textId INTEGER,
  domainId INTEGER, int64Value INTEGER, jsonText TEXT);
CREATE TABLE SCHED_EVENTS (start INTEGER, cpu INTEGER);
";

/// The processes 5 and 6, and a thread of each.
pub const GLOBALS: &[(&str, i64)] = &[
    (":P5", 5 << 24),
    (":P6", 6 << 24),
    (":T5", (5 << 24) + 51),
    (":U5", (5 << 24) + 52),
    (":T6", (6 << 24) + 61),
    (":NONE", 4_294_967_295),
];

/// The rows. Times are nanoseconds; numbers of calls are the same in both processes.
const ROWS: &str = "
INSERT INTO StringIds VALUES (1, 'cudaLaunchKernel_v7000'), (2, 'cudaMemcpyAsync_v3020'),
  (3, 'cudaEventRecord_v3020'), (4, 'cudaStreamWaitEvent_v3020'), (5, 'cudaStreamSynchronize_v3020'),
  (6, 'cudaDeviceSynchronize_v3020'), (7, 'cudaEventQuery_v3020'), (8, 'cudaGraphLaunch_v10000'),
  (9, 'cudaMemsetAsync_v3020'), (10, 'void gemm<float>(float*)'), (11, 'gemm'), (12, 'ncclDevKernel_AllReduce'),
  (13, 'worker'), (14, 'ioctl'), (15, 'forward'), (16, 'cudaEventSynchronize_v3020');
INSERT INTO PROCESSES VALUES (:P5, 5, '/usr/bin/python3'), (:P6, 6, '/usr/bin/python3');
INSERT INTO ThreadNames VALUES (13, 50, :U5), (14, 10, :U5);
INSERT INTO TARGET_INFO_SESSION_START_TIME VALUES (1700000000000000000);
INSERT INTO TARGET_INFO_GPU VALUES (1, 0, 'Alpha', 108, 80000000000, 'GA100'), (1, 1, 'Beta', 108, 80000000000, 'GA100');
INSERT INTO TARGET_INFO_CUDA_DEVICE VALUES (0, 0, 5), (1, 0, 6);
INSERT INTO TARGET_INFO_CUDA_STREAM VALUES (7, 5, 1, 0, 3), (8, 5, 1, 4294967291, 2), (99, 5, 1, 0, 2);
INSERT INTO META_DATA_EXPORT VALUES ('EXPORT_PRODUCT_VERSION', '2025.5.1');
INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES
  (100, 120, 0, :T5, 1, 2, 0), (130, 150, 0, :T5, 2, 3, 0), (160, 170, 0, :T5, 3, 4, 0), (180, 200, 0, :T5, 4, 1, 0),
  (210, 220, 0, :T5, 5, 3, 0), (230, 240, 0, :T5, 6, 4, 0), (250, 270, 0, :T5, 7, 1, 0), (280, 400, 0, :T5, 8, 5, 0),
  (410, 430, 0, :T5, 9, 8, 0), (440, 445, 0, :T5, 10, 7, 600), (450, 700, 0, :T5, 11, 6, 0),
  (710, 720, 0, :T5, 12, 3, 0), (730, 800, 0, :T5, 13, 16, 0), (810, 820, 0, :T5, 14, 9, 719),
  (105, 125, 0, :T6, 1, 1, 0), (230, 240, 0, :T6, 6, 4, 0);
INSERT INTO OSRT_API VALUES (135, 140, 0, :U5, 14, -1);
INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES
  (220, 300, 0, 1, 7, 4, :P5, 10, 11, 32, 8, 4, 1, 256, 1, 1, 1024, 512, NULL),
  (310, 350, 0, 1, 8, 7, :P5, 12, 12, 32, 1, 1, 1, 256, 1, 1, 0, 0, NULL),
  (440, 480, 0, 1, 7, 9, :P5, 10, 11, 32, 8, 4, 1, 256, 1, 1, 0, 0, 71),
  (460, 520, 0, 1, 7, 9, :P5, 10, 11, 32, 8, 4, 1, 256, 1, 1, 0, 0, 72),
  (530, 525, 0, 1, 7, 9, :P5, 10, 11, 32, 8, 4, 1, 256, 1, 1, 0, 0, 73),
  (130, 190, 0, 1, 7, 1, :P6, 10, 11, 32, 8, 4, 1, 256, 1, 1, 0, 0, NULL);
INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (125, 155, 0, 1, 20, 1, :P5, 4096, 1, 1, 2);
INSERT INTO CUPTI_ACTIVITY_KIND_MEMSET VALUES (850, 860, 0, 1, 7, 4711, :P5, 0, 64, 2);
INSERT INTO CUPTI_ACTIVITY_KIND_CUDA_EVENT VALUES
  (156, 0, 1, 20, 2, :P5, 1, 500), (0, 0, 1, 7, 5, :P5, 1, 501), (0, 0, 1, 7, 12, :P5, 1, 502);
INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION VALUES
  (161, 169, 0, 1, 7, 3, :P5, 2, 1, 500), (231, 239, 0, 1, 8, 6, :P5, 2, 1, NULL),
  (281, 399, 0, 1, 7, 8, :P5, 3, :NONE, 0), (441, 444, 0, 1, :NONE, 10, :P5, 1, 1, 501),
  (451, 699, 0, 1, :NONE, 11, :P5, 4, :NONE, 0), (731, 799, 0, 1, :NONE, 13, :P5, 1, 1, 502),
  (231, 239, 0, 1, 99, 6, :P6, 2, 3, 900), (900, 950, 0, 1, 7, 5000, :P5, 3, :NONE, 0);
INSERT INTO NVTX_EVENTS VALUES
  (-40, NULL, 75, 'Torch', :T5, NULL, 3, NULL, NULL), (90, 420, 59, NULL, :T5, 15, 0, NULL, NULL),
  (95, 275, 59, 'layer', :T5, NULL, 3, 42, NULL), (405, NULL, 34, 'mark', :T5, NULL, 0, NULL, '{}'),
  (900, NULL, 60, 'open', :T5, NULL, 0, NULL, NULL);
INSERT INTO SCHED_EVENTS VALUES (1, 1), (2, 1);
";

/// The script that makes it.
pub fn script() -> String {
    let mut rows = ROWS.to_owned();
    for (name, number) in GLOBALS {
        rows = rows.replace(name, &number.to_string());
    }
    format!("{TABLES}{rows}")
}

/// Its bytes.
pub fn sample() -> Vec<u8> {
    super::build::database(&script())
}
