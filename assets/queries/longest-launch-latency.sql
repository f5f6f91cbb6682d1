-- Which operations began latest after their submission, and which call submitted them?
-- needs: spans
-- columns: run, rank, span_id, name, lane, ts, waited_ns, call_name, call_id
WITH p AS (SELECT 'kernel' AS kind)
SELECT k.run, k.rank, k.id AS span_id, k.name, k.lane, k.ts, k.ts - CASE WHEN k.enqueued < k.ts THEN k.enqueued ELSE c.ts END AS waited_ns, c.name AS call_name, c.id AS call_id
FROM spans k
JOIN spans c ON c.run = k.run AND c.rank = k.rank AND c.id = k.launch_id
WHERE k.kind = (SELECT kind FROM p)
ORDER BY waited_ns DESC, k.run, k.rank, k.id
LIMIT 50
