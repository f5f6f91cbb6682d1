-- How long are the steps of each rank?
-- needs: steps
-- columns: run, rank, steps, least_ns, mean_ns, most_ns
SELECT run, rank, count(*) AS steps, min(dur) AS least_ns, sum(dur) * 1e0 / count(*) AS mean_ns, max(dur) AS most_ns
FROM steps
GROUP BY run, rank
ORDER BY run, rank
