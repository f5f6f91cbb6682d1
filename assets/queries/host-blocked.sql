-- How long were host threads in calls that synchronise, by call?
-- needs: spans
-- columns: run, rank, lane_id, lane, name, times, blocked_ns, longest_ns
SELECT run, rank, lane_id, lane, name, count(*) AS times, sum(dur) AS blocked_ns, max(dur) AS longest_ns
FROM spans
WHERE kind = 'synchronize'
GROUP BY run, rank, lane_id, lane, name
ORDER BY blocked_ns DESC, run, rank, lane, name, lane_id
