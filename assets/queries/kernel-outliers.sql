-- Which kernels took several times as long as the median of their name?
-- needs: spans
-- columns: run, rank, span_id, name, ts, dur, median_ns
WITH p AS (SELECT 3 AS least_times_median),
placed AS (
  SELECT run, rank, id, name, ts, dur, row_number() OVER (PARTITION BY name ORDER BY dur) AS place,
         count(*) OVER (PARTITION BY name) AS times
  FROM spans
  WHERE kind = 'kernel'),
middle AS (
  SELECT name, min(CASE WHEN place * 2 >= times THEN dur END) AS median_ns
  FROM placed
  GROUP BY name)
SELECT k.run, k.rank, k.id AS span_id, k.name, k.ts, k.dur, m.median_ns
FROM placed k
JOIN middle m ON m.name = k.name
WHERE k.dur > m.median_ns * (SELECT least_times_median FROM p)
ORDER BY k.dur DESC, k.run, k.rank, k.id
LIMIT 50
