import { extname } from "node:path";
import { eachInventoryKey } from "../../job/inventory/inventory-keys.ts";
import type { Dependencies } from "../../job/dependencies.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import type { Run } from "../../ledger/records/run.ts";
import { openLedgerStore } from "../../ledger/open-ledger-store.ts";
import {
  type Exclusion,
  type ExclusionResult,
  identifiedRow,
  type RefusedExclusion,
  rowIdentity,
} from "../../ledger/records/exclusions.ts";
import { formatPlace } from "../../model/place.ts";
import { Failure } from "../../model/failure.ts";
import { openExisting } from "../../pipeline/run/restore-evidence.ts";
import { openRunJournal } from "../../pipeline/run/run-journal.ts";
import { readRunLedger } from "../../pipeline/run/run-ledger.ts";
import { originalCell } from "../../report/csv-text.ts";
import { canonicalKey } from "../../text/canonical-key.ts";
import { timestamp } from "../../time/clock.ts";

export interface ExcludeOptions {
  readonly ledger: string;
  readonly keys: readonly string[];
  /** A file with more keys: one per line, or the column `key` of a table. */
  readonly from?: string | undefined;
  /** Limits the command to records of this supplier or operation. */
  readonly supplier?: string | undefined;
  readonly operation?: string | undefined;
  /** The person who runs the command: `MIGRATE_OPERATOR`, or `user@host`. */
  readonly who: string;
}

export interface RecordName {
  /** The business key; for a row without a key, its place. */
  readonly key: string;
  /** The operation that creates the record. Absent for a row without a key. */
  readonly operation?: string | undefined;
  /** The import supplier of the record. Absent for a row without a key. */
  readonly supplier?: string | undefined;
}

/** Records, grouped by result. */
export interface ExcludedRecords extends Readonly<
  Record<"excluded" | "excludedBefore" | RefusedExclusion, readonly RecordName[]>
> {
  /** Excluded records that no push has included yet. */
  readonly unseen: readonly RecordName[];
}

/**
 * Excludes the records with these keys from the migration. An exclusion applies to every destination whose pushes have
 * included the key. If no push has included the key, the exclusion applies to the only destination in the ledger. The
 * place of an open row without a key (`accounts.csv:12`) excludes that row.
 * @throws Failure `usage`, without any change, for keys that could belong to several destinations, for keys whose
 * address is unknown, and for places with several rows
 */
export function excludeRecords(
  { reason, ...options }: ExcludeOptions & { readonly reason: string },
  dependencies: Dependencies,
): Promise<ExcludedRecords> {
  return withTargets(options, dependencies, async (ledger, targets, unseen) => {
    const at = timestamp(dependencies.clock);
    const { who } = options;
    const exclusions = targets.map(({ key, identity }): Exclusion => ({ key, identity, at, who, reason }));
    const results = await ledger.excludeRecords(exclusions);
    const recordsWith = (result: ExclusionResult): readonly RecordName[] =>
      targets.filter((_, index) => results[index] === result);
    const excluded = recordsWith("excluded");
    return {
      excluded,
      excludedBefore: recordsWith("excluded before"),
      accepted: recordsWith("accepted"),
      unsettled: recordsWith("unsettled"),
      unseen: excluded.filter(({ key }) => unseen.has(key)),
    };
  });
}

export interface EndedExclusions {
  readonly ended: readonly RecordName[];
  /** Keys that were not excluded. */
  readonly unknown: readonly string[];
}

/** Ends the exclusions of the records with these keys, so that pushes no longer omit the records. */
export function endExclusions(options: ExcludeOptions, dependencies: Dependencies): Promise<EndedExclusions> {
  return withTargets(options, dependencies, async (ledger, targets) => {
    const ended = await ledger.endExclusions(
      targets.map(({ identity }) => identity),
      { at: timestamp(dependencies.clock), who: options.who },
    );
    const found = targets.filter((_, index) => ended[index]);
    const foundKeys = new Set(found.map(({ key }) => key));
    const keys = new Set(targets.map(({ key }) => key));
    return { ended: found, unknown: [...keys].filter((key) => !foundKeys.has(key)) };
  });
}

export interface ListedExclusion extends Exclusion, RecordName {}

/** Returns the exclusions in force, by key. Changes nothing. */
export async function listExclusions(locator: string, dependencies: Dependencies): Promise<readonly ListedExclusion[]> {
  return readRunLedger(await openLedgerStore(locator, dependencies), async (ledger) => {
    const exclusions = await ledger.exclusions();
    const keys = [...new Set(exclusions.map(({ key }) => key))];
    const destinations = new Map<string, Pick<Run, "operation" | "supplier">>();
    for (const run of latestPushes(await ledger.runs(), {})) {
      const { operation, supplier } = run;
      for (const identities of (await ledger.identitiesByKey(run, keys)).values())
        for (const identity of identities) destinations.set(identity.join(), { operation, supplier });
    }
    return exclusions.map((each) => ({ ...each, ...destinations.get(each.identity.join()) }));
  });
}

/** A record at one destination. */
interface TargetRecord extends RecordName {
  readonly identity: Uint8Array;
}

/**
 * Calls `work` with the records that the options select. Keeps the ledger open exclusively, so that no run can send
 * records at the same time.
 * @throws Failure `ledger_outdated` if the ledger is an older copy, which may lack a request for one of the records
 */
async function withTargets<Result>(
  options: ExcludeOptions,
  dependencies: Dependencies,
  work: (ledger: Ledger, targets: readonly TargetRecord[], unseen: ReadonlySet<string>) => Promise<Result>,
): Promise<Result> {
  const given = await keysOf(options, dependencies);
  const store = await openLedgerStore(options.ledger, dependencies);
  const open = (): Promise<Ledger> => store.write("exclude", { create: false });
  const ledger = await openExisting(store, open, dependencies);
  try {
    await openRunJournal(store, ledger, dependencies);
    const destinations = destinationsOf(await ledger.runs(), options);
    const { keys, seen } = await seenKeys(given, { ledger, destinations });
    const notSeen = keys.filter((key) => !seen.has(key));
    const targets = [...(await rowsAt(notSeen, { ledger, destinations }))];
    const places = new Set(targets.map(({ key }) => key));
    const unseen = notSeen.filter((key) => !places.has(key));
    if (unseen.length > 0 && destinations.length > 1) throw severalDestinations(unseen, destinations);
    for (const destination of destinations) {
      const own = keys.filter((key) => !places.has(key) && (seen.get(key) ?? destinations).includes(destination));
      const { operation, supplier } = destination;
      for (const [key, identities] of await ledger.identitiesByKey(destination, own))
        targets.push(...identities.map((identity) => ({ key, operation, supplier, identity })));
    }
    const known = new Set(targets.map(({ key }) => key));
    const unknown = keys.filter((key) => !known.has(key));
    if (unknown.length > 0) throw unknownAddress(unknown);
    return await work(ledger, targets, new Set(unseen));
  } finally {
    await ledger.close();
  }
}

interface LedgerDestinations {
  readonly ledger: Ledger;
  readonly destinations: readonly Run[];
}

/**
 * Returns the keys, and the destinations whose pushes have included each of them. A table may contain a key as the CSV
 * outputs of `migrate` show it (`'+4477` for `+4477`). If pushes have included only the original key, returns the
 * original key instead.
 */
async function seenKeys(
  { keys, shown }: GivenKeys,
  { ledger, destinations }: LedgerDestinations,
): Promise<{ readonly keys: readonly string[]; readonly seen: ReadonlyMap<string, readonly Run[]> }> {
  const originals = new Map([...shown].map((key) => [key, canonicalKey(originalCell(key))]));
  const all = [...new Set([...keys, ...originals.values()])];
  const seen = new Map<string, Run[]>();
  for (const destination of destinations) {
    const unseen = new Set(await ledger.unseenKeys([destination], all));
    for (const key of all) if (!unseen.has(key)) seen.set(key, [...(seen.get(key) ?? []), destination]);
  }
  const chosen = keys.map((key) => {
    const original = originals.get(key);
    return original !== undefined && !seen.has(key) && seen.has(original) ? original : key;
  });
  return { keys: [...new Set(chosen)], seen };
}

/**
 * Returns the rows without a key at these places: open rows of the destinations, and excluded rows.
 * @throws Failure `usage` for a place with several open rows of one push, such as the only line of a JSON file
 */
async function rowsAt(
  places: readonly string[],
  { ledger, destinations }: LedgerDestinations,
): Promise<readonly TargetRecord[]> {
  const wanted = new Set(places.filter((place) => /:\d+$/.test(place)));
  if (wanted.size === 0) return [];
  const runs = await ledger.runs();
  const names = new Set(destinations.map(destinationName));
  const chosen = new Set(runs.filter((run) => names.has(destinationName(run))).map(({ id }) => id));
  const excluded = await ledger.exclusions();
  const found: TargetRecord[] = excluded.filter(
    ({ key, identity }) => wanted.has(key) && chosen.has(identifiedRow(identity)?.run ?? ""),
  );
  const rows = new Set<string>();
  for await (const batch of ledger.openRecords()) {
    for (const { key, run, record, source } of batch) {
      const place = formatPlace(source);
      if (key !== undefined || !chosen.has(run) || !wanted.has(place)) continue;
      if (rows.has(`${run} ${place}`))
        throw new Failure("usage", `several open rows without a key begin at ${place}; nothing was changed`, {
          hint: "write each row on its own line, push the file again, and exclude the row by its new place",
        });
      rows.add(`${run} ${place}`);
      found.push({ key: place, identity: rowIdentity({ run, record }) });
    }
  }
  return found;
}

interface GivenKeys {
  /** The distinct keys, in their canonical form. */
  readonly keys: readonly string[];
  /** The keys that come from a table. */
  readonly shown: ReadonlySet<string>;
}

async function keysOf({ keys, from }: ExcludeOptions, { temporaryFolder }: Dependencies): Promise<GivenKeys> {
  const all = new Set(keys.map(canonicalKey));
  const shown = new Set<string>();
  if (from !== undefined) {
    const isTable = [".csv", ".tsv", ".xlsx"].includes(extname(from).toLowerCase());
    const file = isTable ? { file: from, column: "key" } : from;
    await eachInventoryKey(file, temporaryFolder, async (found) => {
      for (const { key } of found) {
        all.add(key);
        if (isTable) shown.add(key);
      }
    });
  }
  if (all.size > 0) return { keys: [...all], shown };
  const [message, hint] =
    from === undefined
      ? ["no keys are given", "pass the keys of the records, or --from <file> with one key per line"]
      : [`${from} contains no key`, "write one key per line, or use a table with a column named key"];
  throw new Failure("usage", message, { hint });
}

function destinationName({ endpoint, supplier }: Run): string {
  return JSON.stringify([endpoint, supplier]);
}

/** Returns the latest push or dry run of each destination, latest first. */
function latestPushes(
  runs: readonly Run[],
  { supplier, operation }: Pick<ExcludeOptions, "supplier" | "operation">,
): readonly Run[] {
  const found = new Map<string, Run>();
  for (const run of runs) {
    if (run.command !== "push") continue;
    if ((supplier ?? run.supplier) !== run.supplier || (operation ?? run.operation) !== run.operation) continue;
    const name = destinationName(run);
    if (!found.has(name)) found.set(name, run);
  }
  return [...found.values()];
}

function destinationsOf(runs: readonly Run[], options: ExcludeOptions): readonly Run[] {
  const found = latestPushes(runs, options);
  if (found.length > 0) return found;
  throw new Failure("run_unknown", "the ledger has no push that these records could belong to", {
    hint: "an exclusion applies to the target and supplier of a push: check --supplier and --operation, or start with `migrate push --dry-run`",
  });
}

/**
 * Returns the failure for keys without a known address. The address of a record, and therefore its identity, may depend
 * on its rows.
 */
function unknownAddress(keys: readonly string[]): Failure {
  return new Failure("usage", `no push or dry run has included ${firstOf(keys)}; nothing was changed`, {
    hint: "the request URL of these records depends on their rows, so run `migrate push --dry-run` with these rows first",
  });
}

function firstOf(keys: readonly string[]): string {
  return `${keys.slice(0, 3).join(", ")}${keys.length > 3 ? ` and ${keys.length - 3} more` : ""}`;
}

function severalDestinations(keys: readonly string[], destinations: readonly Run[]): Failure {
  const listed = destinations.map(({ target, supplier, operation }) => [operation, target, supplier].join(" ").trim());
  return new Failure(
    "usage",
    `no push has included ${firstOf(keys)}, and the ledger has several destinations; nothing was changed`,
    {
      hint: `choose one with --operation or --supplier, or name keys that a push has included. The destinations: ${listed.join("; ")}`,
    },
  );
}
