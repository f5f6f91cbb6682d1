-- How long is it from the submission of a kernel to its start, where the capture tells: half, nine of ten and 99 of 100 take no longer.
-- needs: spans
-- columns: run, rank, launches, p50_ns, p90_ns, p99_ns, most_ns
WITH waited AS (
  SELECT k.run, k.rank, k.ts - CASE WHEN k.enqueued < k.ts THEN k.enqueued ELSE c.ts END AS ns
  FROM spans k
  LEFT JOIN spans c ON c.run = k.run AND c.rank = k.rank AND c.id = k.launch_id
  WHERE k.kind = 'kernel' AND (k.enqueued < k.ts OR c.ts IS NOT NULL)),
placed AS (
  SELECT run, rank, ns, row_number() OVER (PARTITION BY run, rank ORDER BY ns) AS place, count(*) OVER (PARTITION BY run, rank) AS times
  FROM waited)
SELECT run, rank, max(times) AS launches, min(CASE WHEN place * 100 >= times * 50 THEN ns END) AS p50_ns,
       min(CASE WHEN place * 100 >= times * 90 THEN ns END) AS p90_ns, min(CASE WHEN place * 100 >= times * 99 THEN ns END) AS p99_ns,
       max(ns) AS most_ns
FROM placed
GROUP BY run, rank
ORDER BY run, rank
