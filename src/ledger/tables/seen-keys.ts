import type { DestinationState } from "../migration-state.ts";
import { identitiesOf } from "../records/record-hashes.ts";
import type { Statement, Tables, Work } from "./tables.ts";

/** See `Ledger.unseenKeys`. */
export function* unseenKeys(
  tables: Tables,
  destinations: readonly Pick<DestinationState, "endpoint" | "supplier">[],
  keys: readonly string[],
): Work<readonly string[]> {
  let left = keys;
  for (const destination of destinations) {
    const identityOf = identitiesOf(destination);
    const byIdentity = new Map(left.map((key) => [Buffer.from(identityOf(key)).toString("hex"), key]));
    for (const { identity } of yield* tables.rows(SELECT_SEEN, [...byIdentity.keys()])) byIdentity.delete(identity);
    left = [...byIdentity.values()];
  }
  return left;
}

const selectSeen = (list: string, bytes: string): string => `
  select each.value as identity from ${list} as each
  where exists (select 1 from migrate.records where identity = ${bytes})
    or exists (select 1 from migrate.unsent where identity = ${bytes})
    or exists (select 1 from migrate.exclusions where identity = ${bytes} and undone_at is null)`;

/** A list parameter cannot contain bytes, so the identities are in hexadecimal. */
const SELECT_SEEN: Statement<{ readonly identity: string }> = {
  sql: {
    sqlite: selectSeen("json_each($1)", "unhex(each.value)"),
    postgres: selectSeen("(select unnest($1::text[]) as value)", "decode(each.value, 'hex')"),
  },
};
