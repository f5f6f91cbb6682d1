-- What did each stream run, by kind of operation?
-- needs: lanes, spans
-- columns: run, rank, lane_id, lane, kind, times, total_ns, longest_ns
SELECT s.run, s.rank, s.lane_id, s.lane, s.kind, count(*) AS times, sum(s.dur) AS total_ns, max(s.dur) AS longest_ns
FROM spans s
JOIN lanes l ON l.run = s.run AND l.rank = s.rank AND l.lane_id = s.lane_id
WHERE l.grp = 'streams'
GROUP BY s.run, s.rank, s.lane_id, s.lane, s.kind
ORDER BY total_ns DESC, s.run, s.rank, s.lane, s.kind, s.lane_id
