-- How evenly do the kernels of one name run: half, nine of ten and all of them take no longer than this.
-- needs: spans
-- columns: name, times, p50_ns, p90_ns, most_ns
WITH p AS (SELECT 10 AS least_times),
placed AS (
  SELECT name, dur, row_number() OVER (PARTITION BY name ORDER BY dur) AS place, count(*) OVER (PARTITION BY name) AS times
  FROM spans
  WHERE kind = 'kernel')
SELECT name, max(times) AS times, min(CASE WHEN place * 100 >= times * 50 THEN dur END) AS p50_ns,
       min(CASE WHEN place * 100 >= times * 90 THEN dur END) AS p90_ns, max(dur) AS most_ns
FROM placed
WHERE times >= (SELECT least_times FROM p)
GROUP BY name
ORDER BY most_ns DESC, name
LIMIT 40
