-- How many operations were submitted and not over: over time, at most, and how long there was none.
-- needs: spans
-- columns: run, rank, mean_depth, most_depth, empty_ns
WITH submitted AS (
  SELECT o.run, o.rank, CASE WHEN o.enqueued < o.ts THEN o.enqueued ELSE c.ts END AS began, o.ts + o.dur AS ended
  FROM spans o
  JOIN spans c ON c.run = o.run AND c.rank = o.rank AND c.id = o.launch_id),
changes AS (
  SELECT run, rank, began AS ts, 1 AS change
  FROM submitted
  UNION ALL
  SELECT run, rank, ended AS ts, -1 AS change
  FROM submitted),
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
