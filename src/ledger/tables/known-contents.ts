import type { KnownContent, SendComparison } from "../ledger.ts";
import type { RunRow } from "../runs/recorded-run.ts";
import { PLANNED_PUSHES } from "./planned-pushes.ts";
import type { Statement, Tables, Work } from "./tables.ts";

/** See `Ledger.knownContents`. */
export function* knownContents(tables: Tables, identities: readonly string[]): Work<ReadonlyMap<string, KnownContent>> {
  const rows = yield* tables.rows(SELECT_KNOWN, identities);
  return new Map(
    rows.map(({ identity, accepted, content, run, record, rowHash }) => {
      const known = accepted !== null && accepted.length > 0 ? accepted : content;
      // The content in the record's latest plan may differ from the accepted content.
      const isOfPlan = known !== null && content !== null && Buffer.compare(known, content) === 0;
      const planned = isOfPlan && run !== null && record !== null ? { run, record, rowHash: rowHash ?? undefined } : {};
      return [identity, { content: known ?? undefined, ...planned }];
    }),
  );
}

interface KnownColumns {
  readonly identity: string;
  readonly accepted: Uint8Array | null;
  readonly content: Uint8Array | null;
  readonly run: string | null;
  readonly record: number | null;
  readonly rowHash: number | null;
}

const select = (list: string, bytes: string, table: string, accepted: string): string => `
  select each.value as identity, ${accepted} as accepted, items.content, runs.name as run, items.record,
    items.row_hash as "rowHash"
  from ${list} as each inner join migrate.${table} as known on known.identity = ${bytes}
  left join migrate.items on items.run = known.planned_run and items.record = known.planned_record
  left join migrate.runs on runs.id = known.planned_run`;

const both = (list: string, bytes: string): string => `
  ${select(list, bytes, "records", "known.accepted_content")}
  union all ${select(list, bytes, "unsent", "null")}`;

/** A list of a statement cannot contain bytes, so the identities are in hexadecimal. */
const SELECT_KNOWN: Statement<KnownColumns> = {
  sql: {
    sqlite: both("json_each($1)", "unhex(each.value)"),
    postgres: both("(select unnest($1::text[]) as value)", "decode(each.value, 'hex')"),
  },
};

/** See `Ledger.compareToSend`. Costs nothing for the first push to a destination. */
export function* compareToSend(tables: Tables, { number, sends }: RunRow): Work<SendComparison | undefined> {
  if ((yield* tables.row(OTHER_PUSH, number)) === undefined) return undefined;
  const {
    total = 0,
    sent = 0,
    changed = 0,
  } = (yield* tables.row(sends ? COMPARE_PENDING : COMPARE_VALID, number)) ?? {};
  return { new: total - sent, changed, unchanged: sent - changed };
}

const OTHER_PUSH: Statement<{ found: number }> = {
  sql: `
  select 1 as found from migrate.runs as own
  inner join migrate.runs on runs.endpoint = own.endpoint and runs.supplier = own.supplier and runs.id <> own.id
  where own.id = $1 and ${PLANNED_PUSHES} limit 1`,
};

const compare = (toSend: string): Statement<{ total: number; sent: number; changed: number }> => ({
  sql: `
  select count(*) as total,
    count(*) filter (where records.attempts > 0 or records.accepted_content is not null
      or records.state = 'ambiguous') as sent,
    count(*) filter (where items.content <> coalesce(
      nullif(records.accepted_content, ''::bytea), case when records.attempts > 0 then records.content end)) as changed
  from migrate.items left join migrate.records on records.identity = items.identity
  where items.run = $1 and ${toSend}`,
});

/** Ambiguous records count as such, even if they are left to send. */
const COMPARE_PENDING = compare("items.status = 'pending' and coalesce(records.state, '') <> 'ambiguous'");
const COMPARE_VALID = compare("items.status = 'valid'");
