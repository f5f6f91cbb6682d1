-- Which kinds of dependencies does the capture hold, how are they known, and how far apart are their ends?
-- needs: dependencies
-- columns: kind, basis, times, least_ns, most_ns
SELECT d.kind, d.basis, count(*) AS times, min(e.ts - c.ts) AS least_ns, max(e.ts - c.ts) AS most_ns
FROM dependencies d
JOIN spans c ON c.run = d.run AND c.id = d.cause_id
JOIN spans e ON e.run = d.run AND e.rank = d.rank AND e.id = d.effect_id
GROUP BY d.kind, d.basis
ORDER BY times DESC, d.kind, d.basis
