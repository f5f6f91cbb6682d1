-- How long did operations and blocking calls wait, all together, by the kind of what they waited for?
-- needs: waits
-- columns: run, rank, kind, waits, waited_ns, longest_ns
SELECT run, rank, kind, count(*) AS waits, sum(dur) AS waited_ns, max(dur) AS longest_ns
FROM waits
GROUP BY run, rank, kind
ORDER BY waited_ns DESC, run, rank, kind
