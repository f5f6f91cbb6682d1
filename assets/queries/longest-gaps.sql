-- Where did streams run nothing for longest, what came before, and what after?
-- needs: gaps
-- columns: run, rank, lane, ts, dur, reason, before_name, after_name, span_id
WITH p AS (SELECT 100000 AS least_ns)
SELECT g.run, g.rank, g.lane, g.ts, g.dur, g.reason, b.name AS before_name, a.name AS after_name, g.after_id AS span_id
FROM gaps g
LEFT JOIN spans b ON b.run = g.run AND b.rank = g.rank AND b.id = g.before_id
LEFT JOIN spans a ON a.run = g.run AND a.rank = g.rank AND a.id = g.after_id
WHERE g.dur >= (SELECT least_ns FROM p)
ORDER BY g.dur DESC, g.run, g.rank, g.lane, g.ts
LIMIT 50
