-- When did each counter of memory have its highest value, and in which step?
-- needs: counters
-- columns: run, rank, counter, unit, value, ts, step
WITH placed AS (
  SELECT run, rank, counter, unit, ts, value, row_number() OVER (PARTITION BY run, rank, counter, unit ORDER BY value DESC, ts) AS place
  FROM counters
  WHERE lower(unit) LIKE '%byte%' OR lower(counter) LIKE '%memory%' OR lower(counter) LIKE '%bytes%')
SELECT p.run, p.rank, p.counter, p.unit, p.value, p.ts, max(s.step) AS step
FROM placed p
LEFT JOIN steps s ON s.run = p.run AND s.rank = p.rank AND p.ts >= s.ts AND p.ts < s.ts + s.dur
WHERE p.place = 1
GROUP BY p.run, p.rank, p.counter, p.unit, p.value, p.ts
ORDER BY p.run, p.rank, p.counter, p.unit
