-- What did the analyses find, the worst first?
-- needs: findings
-- columns: run, rank, finding, analysis, severity, text, span_id, ts, dur
SELECT run, rank, id AS finding, analysis, severity, text, span_id, ts, dur
FROM findings
ORDER BY id, run, rank
