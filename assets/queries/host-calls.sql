-- Which calls of the host took the most time?
-- needs: spans
-- columns: name, times, total_ns, mean_ns, longest_ns
SELECT name, count(*) AS times, sum(dur) AS total_ns, sum(dur) * 1e0 / count(*) AS mean_ns, max(dur) AS longest_ns
FROM spans
WHERE kind = 'call'
GROUP BY name
ORDER BY total_ns DESC, name
LIMIT 40
