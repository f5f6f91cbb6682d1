-- Which rank comes last to collective operations, how often, and how long do the others wait for it?
-- needs: collectives
-- columns: run, last_rank, times_last, lost_by_others_ns, worst_ns
WITH arrivals AS (
  SELECT run, grp, number, rank, ready, max(ready) OVER (PARTITION BY run, grp, number) AS last_ready,
         row_number() OVER (PARTITION BY run, grp, number ORDER BY ready DESC, rank, span_id) AS place
  FROM collectives
  WHERE number IS NOT NULL),
each_one AS (
  SELECT run, grp, number, sum(last_ready - ready) AS lost_ns, max(CASE WHEN place = 1 THEN rank END) AS last_rank
  FROM arrivals
  GROUP BY run, grp, number)
SELECT run, last_rank, count(*) AS times_last, sum(lost_ns) AS lost_by_others_ns, max(lost_ns) AS worst_ns
FROM each_one
GROUP BY run, last_rank
ORDER BY lost_by_others_ns DESC, run, last_rank
