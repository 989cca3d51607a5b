import type { LocalProblem } from "../../model/problem.ts";
import { cellPlace } from "../records/key-place.ts";
import type { PlannedPlace, PlanPolicy } from "../records/planned-item.ts";
import type { RunRow } from "../runs/recorded-run.ts";
import { statement, type Tables, type Work } from "../tables/tables.ts";
import { writeEach } from "./findings.ts";

/** SQL for the records to compare with known records, and a hint for the SQLite index that finds them. */
interface Selection {
  readonly index: string;
  readonly known: string;
}

/**
 * Marks records as `stale` if newer, different content for the same record was sent or skipped. Does not mark a record
 * whose content may already be on the platform. Content that was planned but never sent does not count, because the
 * platform cannot have it. In a new plan, also marks invalid records, because older content need not be corrected.
 * @param toSend the records that may still be sent; not used for a new plan
 */
export function* refuseStale(tables: Tables, run: RunRow, policy: PlanPolicy, toSend: Selection): Work<void> {
  if (policy.isDated !== true || policy.allowOlder === true) return;
  const isNew = run.state === "planning";
  if (isNew) yield* tables.run(DELETE_PROBLEMS, run.number);
  const selectStale = statement<PlannedPlace>(`
    select items.record, items.line, files.name as file ${staleItems(isNew ? IN_NEW_PLAN : toSend)}
    order by items.record`);
  yield* writeEach(tables, run, selectStale, (row) => {
    const place = cellPlace(policy, row, "asOf");
    const problem: LocalProblem = { attr: policy.keyAttr, severity: "error", by: "local", place, code: "stale" };
    return { record: row.record, status: "stale", problems: [problem] };
  });
}

/**
 * SQL condition: different, newer content was sent or skipped. The condition holds even if the newest content matches
 * the content of this item. If the platform refused the newest content, it may still have the different content that
 * was sent in between.
 */
const NEWER_IS_DIFFERENT = `exists (
  select 1 from migrate.items as newer
  where newer.identity = items.identity and newer.as_of is not null and newer.as_of > items.as_of
    and newer.content <> coalesce(items.content, ''::bytea) and (newer.status = 'skipped' or newer.attempt is not null))`;

const staleItems = ({ index, known }: Selection): string => `
  from migrate.items ${index}
  inner join migrate.records on ${known} inner join migrate.files on files.id = items.file
  where items.as_of is not null and not (records.state = 'ambiguous' and records.content = items.content)
    and ${NEWER_IS_DIFFERENT}`;

/** No index covers the records of a new plan. */
const ofStatus = (statuses: string): Selection => ({
  index: "",
  known: `items.run = $1 and items.status in (${statuses}) and records.identity = items.identity`,
});

const IN_NEW_PLAN = ofStatus("'valid', 'pending', 'invalid'");

/** The errors in the content of an invalid record are irrelevant if the content is older. */
const DELETE_PROBLEMS = `
  delete from migrate.problems
  where run = $1 and attempt = 0 and record in (select items.record ${staleItems(ofStatus("'invalid'"))})`;
