-- Of which sizes are copies, and how quick are those of each size? Small ones cost their start.
-- needs: spans
-- columns: kind, bytes, times, total_ns, mean_ns, gb_per_s
SELECT kind, bytes, count(*) AS times, sum(dur) AS total_ns, sum(dur) * 1e0 / count(*) AS mean_ns,
       bytes * count(*) * 1e0 / nullif(sum(dur), 0) AS gb_per_s
FROM spans
WHERE kind IN ('upload', 'download', 'copy') AND bytes IS NOT NULL
GROUP BY kind, bytes
ORDER BY total_ns DESC, kind, bytes
LIMIT 50
