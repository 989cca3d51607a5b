import type { LocalProblem } from "../../model/problem.ts";
import type { PlannedPlace, PlanPolicy } from "../records/planned-item.ts";
import { keyProblem } from "../records/key-place.ts";
import { REFUSED_KEY_CODES } from "../records/known-keys.ts";
import { PLAN_ATTEMPT } from "../records/stored-problem.ts";
import type { RunRow } from "../runs/recorded-run.ts";
import { type EachStatement, exists, statement, type Tables, type Work } from "../tables/tables.ts";
import { writeFindings } from "./findings.ts";

/**
 * Makes a record `skipped`, with a warning, if its row is the uncorrected version of an accepted record. This is the
 * case if the same content was `rejected` in an earlier run (or `invalid`, both there and in this plan), and a run that
 * began later has sent the accepted content, usually from corrected rejects. All other content is treated as a change:
 *
 * - content that was `invalid` because of its key, or because the platform had accepted other content (`unique`)
 * - content that is still the latest plan of the record, because the accepted content was re-imported from rejects of
 *   an older extract (`later-plans.ts`)
 * - any content of a record that was found to differ on the platform, because its accepted content is then empty
 */
export function* skipCorrected(tables: Tables, run: RunRow, policy: PlanPolicy): Work<void> {
  if (!(yield* exists(tables, EARLIER_RUN, run.number))) return;
  yield* tables.eachBatch(SELECT_OLDER, [run.number], function* skip(rows) {
    const records = rows.map(({ record }) => [record]);
    yield* tables.runEach(DELETE_ERRORS, run.number, records);
    const skipped = rows.map(({ record, account }) => [record, account]);
    yield* tables.runEach(SKIP, run.number, skipped);
    const findings = rows.map((row) => {
      const { record, acceptedAt } = row;
      const problem: LocalProblem = { ...keyProblem("warning", row, policy), code: "corrected_since", acceptedAt };
      return { record, problems: [problem] };
    });
    yield* writeFindings(tables, run, findings);
  });
}

const EARLIER_RUN = "select id from migrate.runs where id < $1 and command = 'push' limit 1";

const KEY_CODES: readonly LocalProblem["code"][] = ["duplicate_key", ...REFUSED_KEY_CODES];

/** SQL condition: the planned content was refused in an earlier run, and not because of its key or as a change. */
const IS_REFUSED = `runs.id < $1 and runs.started_at < candidates.accepted_at and items.content = candidates.content
  and (items.status = 'rejected' or items.status = 'invalid' and candidates.status = 'invalid' and not exists (
    select 1 from migrate.problems
    where problems.run = items.run and problems.record = items.record and problems.attempt = ${PLAN_ATTEMPT}
      and (problems.code in (${KEY_CODES.map((code) => `'${code}'`).join(", ")})
        or problems.code = 'unique' and problems.problem like '%"acceptedAt":%')))`;
const IS_ACCEPTED = "items.status = 'accepted' and items.content = candidates.accepted_content";

/**
 * Selects the older versions. Reads other runs only for accepted records that are invalid in the plan, or whose planned
 * content differs from their accepted content. Usually, there are no such records.
 */
const SELECT_OLDER = statement<PlannedPlace & { readonly acceptedAt: string; readonly account: string | null }>(`
  with candidates as materialized (
    select items.record, items.identity, items.content, items.status, items.file, items.line,
      records.accepted_content, records.accepted_at, records.account
    from migrate.items inner join migrate.records on records.identity = items.identity
    where items.run = $1 and items.status in ('valid', 'pending', 'invalid') and items.content is not null
      and records.accepted_content <> ''::bytea and records.accepted_at is not null and records.state <> 'ambiguous'
      and (items.status = 'invalid' or records.accepted_content <> items.content)
      and (records.planned_content is null or records.planned_content <> items.content)
  ), older as materialized (
    select candidates.record
    from migrate.runs
    inner join migrate.items on items.run = runs.id
    inner join candidates on candidates.identity = items.identity
    where exists (select 1 from candidates) and runs.id <> $1
    group by candidates.record
    having min(case when ${IS_REFUSED} then runs.id end) < max(case when ${IS_ACCEPTED} then runs.id end)
  )
  select candidates.record, files.name as file, candidates.line, candidates.accepted_at as "acceptedAt",
    candidates.account
  from candidates inner join migrate.files on files.id = candidates.file
  where candidates.record in (select record from older) order by candidates.record`);

const DELETE_ERRORS: EachStatement = {
  sqlite: `delete from problems where run = $1 and record = $2 and attempt = ${PLAN_ATTEMPT} and severity = 'error'`,
  postgres: `
    delete from migrate.problems
    where run = $1 and record = any($2::int[]) and attempt = ${PLAN_ATTEMPT} and severity = 'error'`,
};

const SKIP: EachStatement = {
  sqlite: "update items set status = 'skipped', account = $3 where run = $1 and record = $2",
  postgres: `
    update migrate.items set status = 'skipped', account = older.account
    from unnest($2::int[], $3::text[]) as older (record, account)
    where items.run = $1 and items.record = older.record`,
};
