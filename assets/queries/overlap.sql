-- How long did two streams of a device run at once, and which part of the time of the first is that?
-- needs: lane_overlap
-- columns: run, rank, lane, with_lane, both_ns, percent
WITH reach AS (
  SELECT run, rank, lane_id, ts, ts + dur AS over_at,
         max(ts + dur) OVER (PARTITION BY run, rank, lane_id ORDER BY ts, id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS reached
  FROM spans
  WHERE kind NOT IN ('event-wait', 'hold', 'synchronize', 'stall', 'join', 'callback', 'scope') AND state NOT IN ('cancelled', 'running')),
busy AS (
  SELECT run, rank, lane_id,
         sum(CASE WHEN reached IS NULL OR reached <= ts THEN over_at - ts WHEN over_at > reached THEN over_at - reached ELSE 0 END) AS busy_ns
  FROM reach
  GROUP BY run, rank, lane_id),
met AS (
  SELECT run, rank, lane_id, lane, with_lane, sum(dur) AS both_ns
  FROM lane_overlap
  GROUP BY run, rank, lane_id, lane, with_lane)
SELECT m.run, m.rank, m.lane, m.with_lane, m.both_ns, m.both_ns * 1e2 / nullif(b.busy_ns, 0) AS percent
FROM met m
JOIN busy b ON b.run = m.run AND b.rank = m.rank AND b.lane_id = m.lane_id
ORDER BY m.both_ns DESC, m.run, m.rank, m.lane, m.with_lane
