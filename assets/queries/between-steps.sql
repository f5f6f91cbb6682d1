-- How much time lies between steps, where a loader would stall?
-- needs: steps
-- columns: run, rank, times, total_ns, worst_ns
WITH pairs AS (
  SELECT run, rank, ts - lag(ts + dur) OVER (PARTITION BY run, rank ORDER BY ts, step) AS between_ns
  FROM steps)
SELECT run, rank, count(between_ns) AS times, sum(between_ns) AS total_ns, max(between_ns) AS worst_ns
FROM pairs
GROUP BY run, rank
ORDER BY run, rank
