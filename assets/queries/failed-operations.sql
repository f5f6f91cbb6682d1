-- What failed, was cancelled, was lost or still runs?
-- needs: spans
-- columns: run, rank, span_id, name, kind, lane, state, ts, dur
SELECT run, rank, id AS span_id, name, kind, lane, state, ts, dur
FROM spans
WHERE state <> 'completed'
ORDER BY ts, run, rank, id
LIMIT 100
