-- When did each lane begin and end, and with what?
-- needs: spans
-- columns: run, rank, lane_id, lane, first_name, ts, last_name, over_ns, spans
WITH ends AS (
  SELECT run, rank, lane_id, lane, min(ts) AS first_ns, max(ts) AS last_ns, max(ts + dur) AS over_ns, count(*) AS spans
  FROM spans
  GROUP BY run, rank, lane_id, lane)
SELECT e.run, e.rank, e.lane_id, e.lane, min(CASE WHEN s.ts = e.first_ns THEN s.name END) AS first_name, e.first_ns AS ts,
       max(CASE WHEN s.ts = e.last_ns THEN s.name END) AS last_name, e.over_ns, e.spans
FROM ends e
JOIN spans s ON s.run = e.run AND s.rank = e.rank AND s.lane_id = e.lane_id AND s.ts IN (e.first_ns, e.last_ns)
GROUP BY e.run, e.rank, e.lane_id, e.lane, e.first_ns, e.over_ns, e.spans
ORDER BY e.run, e.rank, e.lane_id
