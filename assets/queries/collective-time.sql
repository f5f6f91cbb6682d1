-- How long do collective operations of each size take, and at which rate does a rank put its bytes in?
-- needs: collectives
-- columns: name, bytes, times, total_ns, least_ns, most_ns, gb_per_s
SELECT name, bytes, count(*) AS times, sum(dur) AS total_ns, min(dur) AS least_ns, max(dur) AS most_ns,
       sum(bytes) * 1e0 / nullif(sum(dur), 0) AS gb_per_s
FROM collectives
GROUP BY name, bytes
ORDER BY total_ns DESC, name, bytes
