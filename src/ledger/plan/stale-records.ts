import type { LocalProblem } from "../../model/problem.ts";
import { cellPlace } from "../records/key-place.ts";
import type { PlannedPlace, PlanPolicy } from "../records/planned-item.ts";
import type { RunRow } from "../runs/recorded-run.ts";
import { statement, type Tables, type Work } from "../tables/tables.ts";
import { writeEach } from "./findings.ts";

/**
 * Marks records as `stale` if newer, different content for the same record was sent or skipped. Does not mark a record
 * whose content may already be on the platform. Content that was planned but never sent does not count, because the
 * platform cannot have it.
 * @param toSend condition and index for the records to compare, as in `known-records.ts`
 */
export function* refuseStale(
  tables: Tables,
  run: RunRow,
  policy: PlanPolicy,
  toSend: { readonly index: string; readonly known: string },
): Work<void> {
  if (policy.isDated !== true || policy.allowOlder === true) return;
  const selectStale = statement<PlannedPlace>(`
    select items.record, items.line, files.name as file
    from migrate.items ${toSend.index}
    inner join migrate.records on ${toSend.known} inner join migrate.files on files.id = items.file
    where items.as_of is not null and not (records.state = 'ambiguous' and records.content = items.content)
      and ${NEWER_IS_DIFFERENT}
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
    and newer.content <> items.content and (newer.status = 'skipped' or newer.attempt is not null))`;
