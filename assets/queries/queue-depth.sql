-- How many operations were submitted and not over: over time, at most, and how long there was none.
-- needs: spans
-- columns: run, rank, mean_depth, most_depth, empty_ns
WITH changes AS (
  SELECT run, rank, enqueued AS ts, 1 AS change
  FROM spans
  WHERE launch_id IS NOT NULL
  UNION ALL
  SELECT run, rank, ts + dur AS ts, -1 AS change
  FROM spans
  WHERE launch_id IS NOT NULL),
moments AS (
  SELECT run, rank, ts, sum(change) AS change
  FROM changes
  GROUP BY run, rank, ts),
depths AS (
  SELECT run, rank, ts, sum(change) OVER (PARTITION BY run, rank ORDER BY ts ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS depth,
         lead(ts) OVER (PARTITION BY run, rank ORDER BY ts) - ts AS ns
  FROM moments)
SELECT run, rank, sum(depth * ns) * 1e0 / nullif(sum(ns), 0) AS mean_depth, max(depth) AS most_depth,
       sum(CASE WHEN depth = 0 AND ns IS NOT NULL THEN ns ELSE 0 END) AS empty_ns
FROM depths
GROUP BY run, rank
ORDER BY run, rank
