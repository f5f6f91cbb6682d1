-- Which kernel follows which on its stream most often, and how much time lies between them?
-- needs: spans
-- columns: name, next_name, times, between_ns
WITH pairs AS (
  SELECT name, lead(name) OVER (PARTITION BY run, rank, lane_id ORDER BY ts, id) AS next_name,
         lead(ts) OVER (PARTITION BY run, rank, lane_id ORDER BY ts, id) - (ts + dur) AS ns
  FROM spans
  WHERE kind = 'kernel')
SELECT name, next_name, count(*) AS times, sum(ns) AS between_ns
FROM pairs
WHERE next_name IS NOT NULL
GROUP BY name, next_name
ORDER BY times DESC, between_ns DESC, name, next_name
LIMIT 40
