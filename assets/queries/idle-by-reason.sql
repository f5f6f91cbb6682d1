-- How long did each stream run nothing, and why?
-- needs: gaps
-- columns: run, rank, lane_id, lane, reason, gaps, idle_ns, longest_ns
SELECT run, rank, lane_id, lane, reason, count(*) AS gaps, sum(dur) AS idle_ns, max(dur) AS longest_ns
FROM gaps
GROUP BY run, rank, lane_id, lane, reason
ORDER BY idle_ns DESC, run, rank, lane, reason, lane_id
