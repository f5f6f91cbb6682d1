-- Which operations ran on the critical path for longest, by name?
-- needs: critical_path
-- columns: run, rank, name, kind, parts, total_ns, longest_ns
SELECT c.run, c.rank, s.name, s.kind, count(*) AS parts, sum(c.dur) AS total_ns, max(c.dur) AS longest_ns
FROM critical_path c
JOIN spans s ON s.run = c.run AND s.rank = c.rank AND s.id = c.span_id
WHERE c.reason = 'run'
GROUP BY c.run, c.rank, s.name, s.kind
ORDER BY total_ns DESC, c.run, c.rank, s.name, s.kind
LIMIT 40
