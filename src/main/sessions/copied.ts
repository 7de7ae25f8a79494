/**
 * The runs that hold what forks took over, as a subquery: everything of it stands in one run, which began and was over in
 * the moment in which the fork was made.
 */
export const COPIED_RUNS = `
  SELECT run.id FROM runs AS run JOIN sessions AS fork ON fork.id = run.session_id
  WHERE CASE WHEN json_valid(fork.origin) THEN json_extract(fork.origin, '$.kind') = 'fork' END
    AND run.started_at = fork.created_at AND run.ended_at = fork.created_at`;
