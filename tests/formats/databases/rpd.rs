//! A database as rocmProfileData writes it.

const SCRIPT: &str = "
CREATE TABLE rocpd_string (id INTEGER PRIMARY KEY, string VARCHAR(4096));
CREATE TABLE rocpd_api (id INTEGER PRIMARY KEY, pid INTEGER, tid INTEGER, start INTEGER, end INTEGER,
  apiName_id INTEGER, args_id INTEGER);
CREATE TABLE rocpd_op (id INTEGER PRIMARY KEY, gpuId INTEGER, queueId INTEGER, sequenceId INTEGER, start INTEGER,
  end INTEGER, description_id INTEGER, opType_id INTEGER);
CREATE TABLE rocpd_api_ops (id INTEGER PRIMARY KEY, api_id INTEGER, op_id INTEGER);
CREATE TABLE rocpd_kernelapi (api_ptr_id INTEGER PRIMARY KEY, stream VARCHAR(18), gridX INTEGER, gridY INTEGER,
  gridZ INTEGER, workgroupX INTEGER, workgroupY INTEGER, workgroupZ INTEGER);
CREATE TABLE rocpd_copyapi (api_ptr_id INTEGER PRIMARY KEY, stream VARCHAR(18), size INTEGER);
CREATE TABLE rocpd_monitor (id INTEGER PRIMARY KEY, deviceType VARCHAR(16), deviceId INTEGER, monitorType VARCHAR(16),
  start INTEGER, end INTEGER, value VARCHAR(255));
CREATE TABLE rocpd_metadata (id INTEGER PRIMARY KEY, tag VARCHAR(64), value VARCHAR(64));
INSERT INTO rocpd_string VALUES (1, ''), (2, 'hipLaunchKernel'), (3, 'hipMemcpyAsync'), (4, 'UserMarker'),
  (5, 'forward'), (6, 'KernelExecution'), (7, 'gemm(float*)'), (8, 'CopyHostToDevice'), (9, 'hipStreamSynchronize'),
  (10, 'stream=0x20'), (11, 'hipDeviceSynchronize');
INSERT INTO rocpd_api VALUES (1, 5, 51, 7000100, 7000120, 3, 1), (2, 5, 51, 7000130, 7000150, 2, 1),
  (3, 5, 51, 7000090, 7000160, 4, 5), (4, 5, 51, 7000170, 7000300, 9, 10), (5, 5, 52, 7000310, 7000320, 11, 1);
INSERT INTO rocpd_op VALUES (1, 0, 0, 1, 7000125, 7000180, 1, 8), (2, 0, 1, 2, 7000190, 7000290, 7, 6),
  (3, 0, 1, 3, 7000400, 7000410, 7, 6);
INSERT INTO rocpd_api_ops VALUES (1, 1, 1), (2, 2, 2);
INSERT INTO rocpd_kernelapi VALUES (2, '0x20', 8, 1, 1, 256, 1, 1);
INSERT INTO rocpd_copyapi VALUES (1, '0x10', 4096);
INSERT INTO rocpd_monitor VALUES (1, 'gpu', 0, 'sclk', 7000000, 7000500, '1700');
";

/// The script that makes it.
pub fn script() -> String {
    SCRIPT.to_owned()
}

/// Its bytes.
pub fn sample() -> Vec<u8> {
    super::build::database(&script())
}
