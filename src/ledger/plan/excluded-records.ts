import type { RunRow } from "../runs/recorded-run.ts";
import { isExcluded } from "../tables/exclusions.ts";
import { exists, type Tables, type Work } from "../tables/tables.ts";

/**
 * Marks records of the plan as `excluded` if the user has excluded them from the migration, even if they are invalid.
 * Records that may have been processed become `ambiguous` instead. Does not mark accepted records whose content is
 * unchanged, because they become `skipped`.
 * @param toSend condition and index of the records to compare, as in `known-records.ts`; not used for a new plan
 */
export function* markExcluded(
  tables: Tables,
  { number, state }: RunRow,
  toSend: { readonly index: string; readonly status: string } = IN_NEW_PLAN,
): Work<void> {
  if (!(yield* exists(tables, ANY_EXCLUSION))) return;
  const { index, status } = state === "planning" ? IN_NEW_PLAN : toSend;
  const selected = `
    from migrate.items ${index} where items.run = $1 and ${status} and ${isExcluded("items")}
      and not exists (
        select 1 from migrate.records where records.identity = items.identity
          and records.state not in ('ambiguous', 'existing') and records.accepted_content = items.content)`;
  yield* tables.run(
    `delete from migrate.problems where run = $1 and attempt = 0 and record in (select items.record ${selected})`,
    number,
  );
  yield* tables.run(
    `update migrate.items set status = case when exists (
       select 1 from migrate.records where records.identity = items.identity and records.state = 'ambiguous'
     ) then 'ambiguous' else 'excluded' end
     where run = $1 and record in (select items.record ${selected})`,
    number,
  );
}

/** A new plan can also contain invalid records. No index covers them. */
const IN_NEW_PLAN = { index: "", status: "items.status in ('valid', 'pending', 'invalid', 'duplicate')" };

const ANY_EXCLUSION = "select 1 as found from migrate.exclusions where undone_at is null limit 1";
