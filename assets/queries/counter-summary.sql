-- Which counters are there, how many samples have they, and between which values do they lie?
-- needs: counters
-- columns: run, rank, counter, unit, samples, least, most
SELECT run, rank, counter, unit, count(*) AS samples, min(value) AS least, max(value) AS most
FROM counters
GROUP BY run, rank, counter, unit
ORDER BY run, rank, counter, unit
