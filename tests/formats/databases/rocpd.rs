//! A database as rocprofv3 writes it: tables named after their process, and addresses of streams and events.

/// The number that ends the names of tables.
pub const OWNER: &str = "c9461b86ce360421f36afe0c0ce27408";

/// Tables and rows; `@` stands for the number that ends a table's name.
const SCRIPT: &str = "
CREATE TABLE rocpd_string@ (id INTEGER PRIMARY KEY, string TEXT);
CREATE TABLE rocpd_info_process@ (id INTEGER PRIMARY KEY, pid INTEGER, command TEXT);
CREATE TABLE rocpd_info_thread@ (id INTEGER PRIMARY KEY, tid INTEGER, name TEXT);
CREATE TABLE rocpd_info_agent@ (id INTEGER PRIMARY KEY, type TEXT, type_index INTEGER, name TEXT, product_name TEXT);
CREATE TABLE rocpd_info_queue@ (id INTEGER PRIMARY KEY, name TEXT);
CREATE TABLE rocpd_info_stream@ (id INTEGER PRIMARY KEY, name TEXT);
CREATE TABLE rocpd_info_kernel_symbol@ (id INTEGER PRIMARY KEY, display_name TEXT, kernel_name TEXT);
CREATE TABLE rocpd_info_pmc@ (id INTEGER PRIMARY KEY, name TEXT, units TEXT, agent_id INTEGER);
CREATE TABLE rocpd_event@ (id INTEGER PRIMARY KEY, category_id INTEGER, stack_id INTEGER);
CREATE TABLE rocpd_region@ (id INTEGER PRIMARY KEY, pid INTEGER, tid INTEGER, start BIGINT, end BIGINT,
  name_id INTEGER, event_id INTEGER);
CREATE TABLE rocpd_arg@ (id INTEGER PRIMARY KEY, event_id INTEGER, name TEXT, value TEXT);
CREATE TABLE rocpd_kernel_dispatch@ (id INTEGER PRIMARY KEY, pid INTEGER, agent_id INTEGER, kernel_id INTEGER,
  dispatch_id INTEGER, queue_id INTEGER, stream_id INTEGER, start BIGINT, end BIGINT, event_id INTEGER,
  grid_size_x INTEGER, grid_size_y INTEGER, grid_size_z INTEGER, workgroup_size_x INTEGER, workgroup_size_y INTEGER,
  workgroup_size_z INTEGER, group_segment_size INTEGER);
CREATE TABLE rocpd_memory_copy@ (id INTEGER PRIMARY KEY, pid INTEGER, start BIGINT, end BIGINT, name_id INTEGER,
  dst_agent_id INTEGER, src_agent_id INTEGER, size INTEGER, queue_id INTEGER, stream_id INTEGER, event_id INTEGER);
CREATE TABLE rocpd_sample@ (id INTEGER PRIMARY KEY, timestamp BIGINT, event_id INTEGER);
CREATE TABLE rocpd_pmc_event@ (id INTEGER PRIMARY KEY, event_id INTEGER, pmc_id INTEGER, value REAL);
CREATE VIEW kernels AS WITH RECURSIVE endless(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM endless) SELECT n FROM endless;
INSERT INTO rocpd_string@ VALUES (1, 'HIP_RUNTIME_API'), (2, 'hipLaunchKernel'), (3, 'hipMemcpyAsync'),
  (4, 'hipEventRecord'), (5, 'hipStreamWaitEvent'), (6, 'hipStreamSynchronize'), (7, 'hipDeviceSynchronize'),
  (8, 'MEMORY_COPY_HOST_TO_DEVICE'), (9, 'KERNEL_DISPATCH');
INSERT INTO rocpd_info_process@ VALUES (5, 5, '/opt/transpose --big');
INSERT INTO rocpd_info_thread@ VALUES (1, 51, 'Thread 51');
INSERT INTO rocpd_info_agent@ VALUES (1, 'CPU', 0, 'cpu', 'CPU'), (2, 'GPU', 0, 'gfx942', 'MI300');
INSERT INTO rocpd_info_queue@ VALUES (1, 'Queue 1');
INSERT INTO rocpd_info_stream@ VALUES (1, 'Stream 1'), (2, 'Stream 2');
INSERT INTO rocpd_info_kernel_symbol@ VALUES (1, 'transpose(int*)', '_Z9transposePi');
INSERT INTO rocpd_info_pmc@ VALUES (1, 'device_power', 'W', 2), (2, 'SQ_WAVES', '', 2);
INSERT INTO rocpd_event@ VALUES (1, 1, 101), (2, 1, 102), (3, 1, 103), (4, 1, 104), (5, 1, 105), (6, 1, 106),
  (11, 9, 101), (14, 9, 104), (20, 1, 0);
INSERT INTO rocpd_region@ VALUES (1, 5, 1, 1000100, 1000120, 3, 1), (2, 5, 1, 1000130, 1000140, 4, 2),
  (3, 5, 1, 1000150, 1000160, 5, 3), (4, 5, 1, 1000170, 1000190, 2, 4), (5, 5, 1, 1000200, 1000400, 6, 5),
  (6, 5, 1, 1000410, 1000500, 7, 6);
INSERT INTO rocpd_arg@ VALUES (1, 1, 'stream', '0x10'), (2, 2, 'event', '0xe1'), (3, 2, 'stream', '0x10'),
  (4, 3, 'stream', '0x20'), (5, 3, 'event', '0xe1'), (6, 4, 'stream', '0x20'), (7, 5, 'stream', '0x20'),
  (8, 999, 'stray', '1');
INSERT INTO rocpd_kernel_dispatch@ VALUES (1, 5, 2, 1, 1, 1, 2, 1000250, 1000350, 14, 64, 1, 1, 8, 8, 1, 2048);
INSERT INTO rocpd_memory_copy@ VALUES (1, 5, 1000125, 1000240, 8, 2, 1, 4096, 1, 1, 11);
INSERT INTO rocpd_sample@ VALUES (1, 1000300, 20);
INSERT INTO rocpd_pmc_event@ VALUES (1, 20, 1, 250.5), (2, 14, 2, 64.0);
";

/// The script that makes it.
pub fn script() -> String {
    SCRIPT.replace('@', &format!("_{OWNER}"))
}

/// Its bytes.
pub fn sample() -> Vec<u8> {
    super::build::database(&script())
}
