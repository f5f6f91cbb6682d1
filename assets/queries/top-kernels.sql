-- Which kernels take the most time, and which part of the time of all kernels is that?
-- needs: spans
-- columns: name, times, total_ns, least_ns, most_ns, percent
SELECT name, count(*) AS times, sum(dur) AS total_ns, min(dur) AS least_ns, max(dur) AS most_ns,
       sum(dur) * 1e2 / nullif(sum(sum(dur)) OVER (), 0) AS percent
FROM spans
WHERE kind = 'kernel'
GROUP BY name
ORDER BY total_ns DESC, name
LIMIT 20
