-- How much was moved in which direction, and how quickly? Bytes a nanosecond are GB/s.
-- needs: spans
-- columns: run, rank, kind, times, moved_bytes, total_ns, gb_per_s
SELECT run, rank, kind, count(*) AS times, sum(bytes) AS moved_bytes, sum(dur) AS total_ns, sum(bytes) * 1e0 / nullif(sum(dur), 0) AS gb_per_s
FROM spans
WHERE kind IN ('upload', 'download', 'copy', 'fill') AND bytes IS NOT NULL
GROUP BY run, rank, kind
ORDER BY moved_bytes DESC, run, rank, kind
