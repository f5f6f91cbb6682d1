-- What waited longest, and what for?
-- needs: waits
-- columns: run, rank, kind, waited_ns, ts, span_id, waiting, waited_for, for_id
WITH p AS (SELECT 100000 AS least_ns)
SELECT w.run, w.rank, w.kind, w.dur AS waited_ns, w.ts, w.span_id, s.name AS waiting, f.name AS waited_for, w.for_id
FROM waits w
JOIN spans s ON s.run = w.run AND s.rank = w.rank AND s.id = w.span_id
LEFT JOIN spans f ON f.run = w.run AND f.id = w.for_id
WHERE w.dur >= (SELECT least_ns FROM p)
ORDER BY waited_ns DESC, w.run, w.rank, w.span_id, w.ts
LIMIT 50
