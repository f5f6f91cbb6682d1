-- What are steps made of on the device, by kind of operation?
-- needs: steps
-- columns: run, rank, kind, spans, total_ns, a_step_ns
SELECT run, rank, kind, count(*) AS spans, sum(dur) AS total_ns, sum(dur) * 1e0 / count(DISTINCT step) AS a_step_ns
FROM spans
WHERE step IS NOT NULL AND launch_id IS NOT NULL
GROUP BY run, rank, kind
ORDER BY total_ns DESC, run, rank, kind
