-- Which rank comes last to collective operations, how often, and how long do the others wait for it?
-- needs: collectives
-- columns: run, last_rank, times_last, lost_by_others_ns, worst_ns, ts
WITH clocks AS (
  SELECT run, count(*) AS captures, count(clock_origin_ns) AS known, max(coalesce(clock_uncertainty_ns, 0)) AS off_ns
  FROM captures
  WHERE spans > 0
  GROUP BY run),
arrivals AS (
  SELECT c.run, c.grp, c.number, c.rank, c.ready, k.off_ns,
         max(c.ready) OVER (PARTITION BY c.run, c.grp, c.number) AS last_ready,
         row_number() OVER (PARTITION BY c.run, c.grp, c.number ORDER BY c.ready DESC, c.rank, c.span_id) AS place
  FROM collectives c
  JOIN clocks k ON k.run = c.run
  WHERE c.number IS NOT NULL AND (k.captures = 1 OR k.known = k.captures)),
each_one AS (
  SELECT run, grp, number, off_ns, last_ready, sum(last_ready - ready) AS lost_ns,
         max(CASE WHEN place = 1 THEN rank END) AS last_rank, max(CASE WHEN place = 2 THEN ready END) AS next_ready
  FROM arrivals
  GROUP BY run, grp, number, off_ns, last_ready
  HAVING min(rank) < max(rank)),
late AS (
  SELECT run, last_rank, last_ready, lost_ns,
         row_number() OVER (PARTITION BY run, last_rank ORDER BY lost_ns DESC, last_ready) AS place
  FROM each_one
  WHERE last_ready - next_ready > off_ns)
SELECT run, last_rank, count(*) AS times_last, sum(lost_ns) AS lost_by_others_ns, max(lost_ns) AS worst_ns,
       min(CASE WHEN place = 1 THEN last_ready END) AS ts
FROM late
GROUP BY run, last_rank
ORDER BY lost_by_others_ns DESC, run, last_rank
