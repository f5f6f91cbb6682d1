-- How long did the device of each rank run anything at all, of the time from its first operation to its last?
-- needs: spans
-- columns: run, rank, busy_ns, extent_ns, percent
WITH reach AS (
  SELECT run, rank, ts, ts + dur AS over_at,
         max(ts + dur) OVER (PARTITION BY run, rank ORDER BY ts, id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS reached
  FROM spans
  WHERE kind IN ('kernel', 'copy', 'upload', 'download', 'fill', 'collective')),
parts AS (
  SELECT run, rank, ts, over_at,
         CASE WHEN reached IS NULL OR reached <= ts THEN over_at - ts WHEN over_at > reached THEN over_at - reached ELSE 0 END AS fresh_ns
  FROM reach)
SELECT run, rank, sum(fresh_ns) AS busy_ns, max(over_at) - min(ts) AS extent_ns,
       sum(fresh_ns) * 1e2 / nullif(max(over_at) - min(ts), 0) AS percent
FROM parts
GROUP BY run, rank
ORDER BY run, rank
