import type { Destination } from "../migration-state.ts";
import { hexOf, identitiesOf, OPEN_PARAMETER } from "../records/record-hashes.ts";
import { overIdentities, statement, type Tables, type Work } from "./tables.ts";

export function* unseenKeys(
  tables: Tables,
  destinations: readonly Destination[],
  keys: readonly string[],
): Work<readonly string[]> {
  let left = keys;
  for (const destination of destinations) {
    const byIdentity = new Map(
      [...(yield* identitiesByKey(tables, destination, left))].flatMap(([key, known]) =>
        known.map((identity) => [hexOf(identity), key] as const),
      ),
    );
    const seen = yield* tables.rows(SELECT_SEEN, [...byIdentity.keys()]);
    const seenKeys = new Set(seen.map(({ identity }) => byIdentity.get(identity)));
    left = left.filter((key) => !seenKeys.has(key));
  }
  return left;
}

const SELECT_SEEN = statement<{ readonly identity: string }>(
  overIdentities(
    (list, bytes) => `
  select each.value as identity from ${list}
  where exists (select 1 from migrate.records where identity = ${bytes})
    or exists (select 1 from migrate.unsent where identity = ${bytes})
    or exists (select 1 from migrate.exclusions where identity = ${bytes} and undone_at is null)`,
  ),
);

export function* identitiesByKey(
  tables: Tables,
  destination: Destination,
  keys: readonly string[],
): Work<ReadonlyMap<string, readonly Uint8Array[]>> {
  if (!destination.endpoint.includes(OPEN_PARAMETER)) {
    const identityOf = identitiesOf(destination);
    return new Map(keys.map((key) => [key, [identityOf(key)]]));
  }
  const given = new Map(keys.map((key) => [tables.writtenKey(key), key]));
  const found = new Map<string, Uint8Array[]>();
  const { endpoint, supplier } = destination;
  for (const { key, identity } of yield* tables.rows(SELECT_PLANNED, endpoint, supplier, [...given.keys()])) {
    const name = given.get(key) ?? key;
    found.set(name, [...(found.get(name) ?? []), new Uint8Array(identity)]);
  }
  return found;
}

/** Reads all items of the pushes, because there is no index of keys. */
const SELECT_PLANNED = statement<{ readonly key: string; readonly identity: Uint8Array }>(`
  select distinct items.key, items.identity
  from migrate.runs inner join migrate.items on items.run = runs.id
  where runs.command = 'push' and runs.endpoint = $1 and runs.supplier = $2
    and items.identity is not null and items.key = any($3)`);
