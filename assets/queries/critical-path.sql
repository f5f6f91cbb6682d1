-- What is the time from the first start to the last end made of?
-- needs: critical_path
-- columns: run, rank, reason, parts, total_ns, percent
SELECT run, rank, reason, count(*) AS parts, sum(dur) AS total_ns, sum(dur) * 1e2 / nullif(sum(sum(dur)) OVER (), 0) AS percent
FROM critical_path
GROUP BY run, rank, reason
ORDER BY total_ns DESC, run, rank, reason
