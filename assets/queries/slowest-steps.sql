-- Which steps took longest, and by how much do ranks differ in them?
-- needs: steps
-- columns: run, rank, step, name, ts, dur, spread_ns
WITH placed AS (
  SELECT run, rank, step, name, ts, dur, row_number() OVER (PARTITION BY run, step ORDER BY dur DESC, rank) AS place,
         min(dur) OVER (PARTITION BY run, step) AS least_ns
  FROM steps)
SELECT run, rank, step, name, ts, dur, dur - least_ns AS spread_ns
FROM placed
WHERE place = 1
ORDER BY dur DESC, run, step
LIMIT 20
