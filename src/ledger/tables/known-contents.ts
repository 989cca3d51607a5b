import type { KnownContent, SendComparison } from "../records/planned-item.ts";
import type { RunRow } from "../runs/recorded-run.ts";
import { PLANNED_PUSHES } from "./planned-records.ts";
import { exists, overIdentities, type Statement, statement, type Tables, type Work } from "./tables.ts";

export function* knownContents(tables: Tables, identities: readonly string[]): Work<ReadonlyMap<string, KnownContent>> {
  const known = new Map<string, KnownContent>();
  const others: string[] = [];
  for (const { identity, accepted, content, ...planned } of yield* tables.rows(SELECT_KNOWN, identities)) {
    const latest = accepted !== null && accepted.length > 0 ? accepted : content;
    // The content in the record's latest plan may differ from the content accepted by the platform.
    const isOfPlan = isSame(latest, content);
    known.set(identity, { content: latest ?? undefined, ...(isOfPlan && placeOf(planned)) });
    if (!isOfPlan) others.push(identity);
  }
  if (others.length === 0) return known;
  for (const { identity, ...accepted } of yield* tables.rows(SELECT_ACCEPTED, others)) {
    known.set(identity, { content: known.get(identity)?.content, ...placeOf(accepted) });
  }
  return known;
}

function isSame(one: Uint8Array | null, other: Uint8Array | null): boolean {
  return one !== null && other !== null && Buffer.compare(one, other) === 0;
}

interface PlaceColumns {
  readonly run: string | null;
  readonly record: number | null;
  readonly rowHash: number | null;
}

interface KnownColumns extends PlaceColumns {
  readonly identity: string;
  readonly accepted: Uint8Array | null;
  readonly content: Uint8Array | null;
}

function placeOf({ run, record, rowHash }: PlaceColumns): Omit<KnownContent, "content"> {
  return run === null || record === null ? {} : { run, record, rowHash: rowHash ?? undefined };
}

const select = (list: string, bytes: string, table: string, accepted: string): string => `
  select each.value as identity, ${accepted} as accepted, items.content, runs.name as run, items.record,
    items.row_hash as "rowHash"
  from ${list} inner join migrate.${table} as known on known.identity = ${bytes}
  left join migrate.items on items.run = known.planned_run and items.record = known.planned_record
  left join migrate.runs on runs.id = known.planned_run`;

const both = (list: string, bytes: string): string => `
  ${select(list, bytes, "records", "known.accepted_content")}
  union all ${select(list, bytes, "unsent", "null")}`;

const SELECT_KNOWN = statement<KnownColumns>(overIdentities(both));

/**
 * Selects the runs that sent the accepted content, the latest run last. Finds them by the account, because `items` and
 * `attempts` have no index on identities.
 */
const SELECT_ACCEPTED = statement<PlaceColumns & { readonly identity: string }>(
  overIdentities(
    (list, bytes) => `
  select each.value as identity, runs.name as run, items.record, items.row_hash as "rowHash"
  from ${list} inner join migrate.records as known on known.identity = ${bytes}
  inner join migrate.attempts on attempts.account = known.account and attempts.identity = known.identity
  inner join migrate.items on items.run = attempts.run and items.record = attempts.record
  inner join migrate.runs on runs.id = items.run
  where items.content = known.accepted_content order by runs.id`,
  ),
);

/** For the first push to a destination, this costs only one short query. */
export function* compareToSend(tables: Tables, { number, sends }: RunRow): Work<SendComparison | undefined> {
  if (!(yield* exists(tables, OTHER_PUSH, number))) return undefined;
  const { counts, unclear } = sends ? COMPARE_PENDING : COMPARE_VALID;
  const found = (yield* tables.row(counts, number)) ?? { records: 0, sent: 0, changed: 0, unclear: 0 };
  const others = found.unclear === 0 ? undefined : yield* tables.row(unclear, number);
  const [sent, changed] = [found.sent + (others?.sent ?? 0), found.changed + (others?.changed ?? 0)];
  return { new: found.records - sent, changed, unchanged: sent - changed };
}

const OTHER_PUSH = `
  select 1 as found from migrate.runs as own
  inner join migrate.runs on runs.endpoint = own.endpoint and runs.supplier = own.supplier and runs.id <> own.id
  where own.id = $1 and ${PLANNED_PUSHES} limit 1`;

/**
 * SQL condition: the last attempt may have ended before its request was sent. In this case, only the table `attempts`
 * shows whether an earlier request was sent.
 */
const IS_UNCLEAR = "records.state = 'pending' and records.attempts > 0 and records.step is null";
/** SQL condition: the record was sent. Uses `coalesce`, because a record without a row in `records` was not sent. */
const WAS_SENT = `records.accepted_content is not null or coalesce(records.state, 'pending') <> 'pending'
  or records.step is not null`;

interface Comparison {
  readonly counts: Statement<{ records: number; sent: number; changed: number; unclear: number }>;
  /**
   * Counts the unclear records that were sent, among the records that `counts` counts. Unclear records are rare: about
   * one for each request that was in flight when a run was interrupted.
   */
  readonly unclear: Statement<{ sent: number; changed: number }>;
}

const compare = (items: string, toSend: string): Comparison => ({
  counts: statement(`
    select count(*) as records, count(*) filter (where ${WAS_SENT}) as sent,
      count(*) filter (where (${WAS_SENT}) and items.content <> coalesce(
        nullif(records.accepted_content, ''::bytea), case when records.attempts > 0 then records.content end)) as changed,
      count(*) filter (where records.accepted_content is null and ${IS_UNCLEAR}) as unclear
    from ${items} left join migrate.records on records.identity = items.identity
    where items.run = $1 and ${toSend}`),
  unclear: statement(`
    with unclear as materialized (
      select items.identity, items.content
      from ${items} inner join migrate.records on records.identity = items.identity
      where items.run = $1 and ${toSend} and records.accepted_content is null and ${IS_UNCLEAR}
    ), requests as materialized (
      select attempts.identity, items.content,
        row_number() over (partition by attempts.identity order by attempts.attempt desc) as latest
      from migrate.attempts
      inner join migrate.items on items.run = attempts.run and items.record = attempts.record
      where attempts.identity in (select identity from unclear)
        and (attempts.http is not null or attempts.status not in ('pending', 'sending'))
    )
    select count(*) as sent, count(*) filter (where requests.content <> unclear.content) as changed
    from unclear inner join requests on requests.identity = unclear.identity and requests.latest = 1`),
});

/** Omits ambiguous records, because they are counted as ambiguous even if they are left to send. */
const COMPARE_PENDING = compare(
  "migrate.items /*+ indexed by items_open */",
  "items.status = 'pending' and coalesce(records.state, '') <> 'ambiguous'",
);
const COMPARE_VALID = compare("migrate.items", "items.status = 'valid'");
