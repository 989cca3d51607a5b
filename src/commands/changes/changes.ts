import { hash } from "node:crypto";
import type { Dependencies } from "../../job/dependencies.ts";
import { endpointOf } from "../../job/endpoint.ts";
import { type Job, requireKey, withJob } from "../../job/job.ts";
import type { JobSettings } from "../../job/settings/job-settings.ts";
import type { TargetSettings } from "../../job/settings/platform-settings.ts";
import { withStandardInput } from "../../job/standard-input.ts";
import { hostOf } from "../../job/target-connection.ts";
import { differingAttrs } from "../../json/differing-attrs.ts";
import type { KnownContent, PlannedItem } from "../../ledger/records/planned-item.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import { openLedgerStore } from "../../ledger/open-ledger-store.ts";
import { contentHash, hexOf } from "../../ledger/records/record-hashes.ts";
import { compileSentForm } from "../../map/node/sent-form.ts";
import { checkedRecords } from "../../migrate.ts";
import type { MappedRecord } from "../../model/record.ts";
import { createItemBuilder } from "../../pipeline/plan/plan-items.ts";
import { canonicalKey } from "../../text/canonical-key.ts";
import { type EarlierPayloads, type PayloadReader, openEarlierPayloads } from "./earlier-payloads.ts";
import { unlessEmpty } from "../../pipeline/run/run-ledger.ts";

/**
 * - `mapping`: only the mapping, the contract or the lists have changed. With the setup of the earlier run, the current
 *   rows still produce the earlier content. If that setup is lost, only a single-row record whose row is unchanged can
 *   have this result.
 * - `duplicate`: an earlier record in the sources has the same key, so the record is not compared.
 */
type ChangeResult = "new" | "changed" | "mapping" | "same" | "removed" | "duplicate";

interface ComparedContent {
  readonly result: ChangeResult;
  /** The attrs whose values differ, for `changed` and `mapping`; absent if they are unknown. */
  readonly attrs?: readonly string[];
}

/** The result of comparing a record with its content in the ledger. */
export interface Change extends ComparedContent {
  readonly key: string;
  /** The place of the record. For a removed record, its place in the run that sent it. */
  readonly source: { readonly file: string; readonly line: number | undefined };
}

export interface ChangesOptions {
  readonly job: JobSettings;
  readonly target: TargetSettings;
  readonly ledger: string;
}

export interface ChangesSummary {
  readonly counts: Readonly<Record<ChangeResult, number>>;
  readonly invalid: number;
  /** The number of records that cannot be compared, because they have no business key. */
  readonly withoutKey: number;
  /** The number of `changed` and `mapping` records whose earlier payload could not be rebuilt. */
  readonly unknownAttrs: number;
  /** False if removed records could not be found because only some records of the sources were read. */
  readonly hasRemoved: boolean;
  /** False if the user stopped the command. */
  readonly isComplete: boolean;
}

/**
 * Reads and maps the sources, compares the records with the ledger, and passes the results to `add` in batches.
 * Changes nothing.
 */
export async function changes(
  { job: settings, target, ledger: locator }: ChangesOptions,
  dependencies: Dependencies,
  add: (batch: readonly Change[]) => Promise<void> | void,
): Promise<ChangesSummary> {
  const read = await withStandardInput(settings, dependencies.temporaryFolder, dependencies);
  return withJob(read, dependencies, async (job) => {
    requireKey(job.mapping);
    const store = await openLedgerStore(locator, dependencies);
    const ledger = await unlessEmpty(() => store.read());
    return compareWithLedger({ job, target, ledger, dependencies, add }).finally(() => ledger?.close());
  });
}

interface Comparing {
  readonly job: Job;
  readonly target: TargetSettings;
  readonly ledger: Ledger | undefined;
  readonly dependencies: Dependencies;
  readonly add: (batch: readonly Change[]) => Promise<void> | void;
}

/** The platform and the supplier whose records are compared. */
interface Destination {
  readonly endpoint: string;
  readonly supplier: string;
  readonly target: string;
}

async function compareWithLedger(comparing: Comparing): Promise<ChangesSummary> {
  const { job, target, ledger, dependencies, add } = comparing;
  const { supplier = "", only, limit } = job.settings;
  // The command does not connect to the platform, so a local platform needs no --allow-insecure-loopback.
  const host = hostOf({ ...target, allowInsecureLoopback: true });
  const destination = { endpoint: endpointOf(target.baseUrl, job.operation), supplier, target: host };
  const counts = { new: 0, changed: 0, mapping: 0, same: 0, removed: 0, duplicate: 0 };
  const found = { invalid: 0, withoutKey: 0, unknownAttrs: 0 };
  const keys = createKeySet();
  const addAll = async (batches: AsyncIterable<readonly Change[]>): Promise<void> => {
    for await (const batch of batches) {
      for (const { result, attrs } of batch) {
        counts[result] += 1;
        if ((result === "changed" || result === "mapping") && attrs === undefined) found.unknownAttrs += 1;
      }
      await add(batch);
    }
  };
  await addAll(comparedRecords(comparing, destination, { keys, found }));
  const isComplete = !dependencies.drain.aborted;
  if (!isComplete)
    dependencies.notice("stopped before all records were compared, so the list is incomplete: run the command again");
  const hasRemoved = isComplete && only === undefined && limit === undefined;
  if (hasRemoved && ledger !== undefined) await addAll(removedRecords(ledger, destination, keys));
  return { counts, ...found, hasRemoved, isComplete };
}

/** For each record with a key, compares the record with the ledger, and adds the key to `keys`. */
async function* comparedRecords(
  { job, ledger, dependencies }: Comparing,
  { endpoint, supplier }: Destination,
  { keys, found }: { readonly keys: KeySet; readonly found: { invalid: number; withoutKey: number } },
): AsyncGenerator<readonly Change[]> {
  const itemsOf = createItemBuilder(job, { purpose: { kind: "send", endpoint, supplier }, newKeys: true });
  const earlier = ledger && openEarlierPayloads(job, { ledger, dependencies });
  try {
    for await (const records of checkedRecords(job, { signal: dependencies.drain })) {
      const { items } = itemsOf(records);
      const identities = items.flatMap(({ identity }) => (identity === undefined ? [] : [hexOf(identity)]));
      const known = (await ledger?.knownContents(identities)) ?? new Map<string, KnownContent>();
      const batch: Change[] = [];
      for (const [index, item] of items.entries()) {
        const { key, identity, status, file, line } = item;
        if (status === "invalid") found.invalid += 1;
        const record = records[index];
        if (record === undefined || key === undefined || identity === undefined) {
          found.withoutKey += 1;
          continue;
        }
        const source = { file, line };
        if (!keys.add(key)) {
          batch.push({ key, result: "duplicate", source });
          continue;
        }
        const compared = await compareRecord(item, record, known.get(hexOf(identity)), { job, earlier });
        batch.push({ key, ...compared, source });
      }
      yield batch;
    }
  } finally {
    await earlier?.close();
  }
}

async function compareRecord(
  item: PlannedItem,
  record: MappedRecord,
  known: KnownContent | undefined,
  { job, earlier }: { readonly job: Job; readonly earlier: EarlierPayloads | undefined },
): Promise<ComparedContent> {
  if (known === undefined || earlier === undefined) return { result: "new" };
  if (isEqual(known.content, item.content)) return { result: "same" };
  const { run, rowHash } = known;
  const { payload } = compileSentForm(job.operation)(record);
  if (run === undefined || known.record === undefined) return { result: "changed" };
  const bySetup = await payloadWith(await earlier.bySetup(run), record.number, known);
  if (bySetup.kind === "same") return { result: "mapping", attrs: differingAttrs(bySetup.payload, payload) };
  // If the setup of the run is lost, only a single-row record can be recognised as unchanged.
  const isSameRow = rowHash === item.rowHash && job.plan.children.length === 0 && record.row.uncorrected === undefined;
  if (bySetup.kind === "unknown" && isSameRow) return { result: "mapping" };
  const before = await payloadWith(await earlier.ofRun(run), known.record, known);
  if (before.kind !== "same") return { result: "changed" };
  return { result: "changed", attrs: differingAttrs(before.payload, payload) };
}

type RebuiltPayload =
  | { readonly kind: "same"; readonly payload: MappedRecord["payload"] }
  | { readonly kind: "different" | "unknown" };

/** Rebuilds the payload of a record and compares it with the known content. */
async function payloadWith(
  reader: PayloadReader | undefined,
  number: number,
  { content }: KnownContent,
): Promise<RebuiltPayload> {
  if (reader === undefined) return { kind: "unknown" };
  const rebuilt = await reader.at(number);
  if (rebuilt === undefined) return { kind: "unknown" };
  const { payload, parameters } = rebuilt;
  return isEqual(content, contentHash(payload, parameters)) ? { kind: "same", payload } : { kind: "different" };
}

function isEqual(one: Uint8Array | undefined, other: PlannedItem["content"]): boolean {
  return one !== undefined && other instanceof Uint8Array && Buffer.compare(one, other) === 0;
}

async function* removedRecords(
  ledger: Ledger,
  { endpoint, supplier, target }: Destination,
  keys: KeySet,
): AsyncGenerator<readonly Change[]> {
  const listed = createKeySet();
  for (const run of await ledger.runs()) {
    if (run.command !== "push" || run.dryRun) continue;
    if (run.endpoint !== endpoint || run.supplier !== supplier || run.target !== target) continue;
    for await (const outcomes of ledger.outcomes(run.id, { statuses: ["accepted"] })) {
      yield outcomes.flatMap(({ key, source }): readonly Change[] =>
        key === undefined || keys.has(key) || !listed.add(key)
          ? []
          : [{ key, result: "removed", source: { file: source.file, line: source.line } }],
      );
    }
  }
}

/**
 * A set of business keys that needs 16 to 32 bytes per key. It stores 64 bits of the SHA-256 of each key. The
 * probability that any two of a million keys share these 64 bits is below 1 in 10 million.
 */
interface KeySet {
  /** Returns false if the set already contains the key. */
  readonly add: (key: string) => boolean;
  readonly has: (key: string) => boolean;
}

export function createKeySet(): KeySet {
  let slots = new BigUint64Array(1024);
  let used = 0;
  const placeOf = (fingerprint: bigint): number => {
    const mask = slots.length - 1;
    let at = Number(fingerprint & 0xffffffffn) & mask;
    while (slots[at] !== 0n && slots[at] !== fingerprint) at = (at + 1) & mask;
    return at;
  };
  const grow = (): void => {
    const before = slots;
    slots = new BigUint64Array(before.length * 2);
    for (const fingerprint of before) if (fingerprint !== 0n) slots[placeOf(fingerprint)] = fingerprint;
  };
  return {
    add(key) {
      const fingerprint = fingerprintOf(key);
      const at = placeOf(fingerprint);
      if (slots[at] === fingerprint) return false;
      slots[at] = fingerprint;
      used += 1;
      if (used * 2 > slots.length) grow();
      return true;
    },
    has: (key) => {
      const fingerprint = fingerprintOf(key);
      return slots[placeOf(fingerprint)] === fingerprint;
    },
  };
}

/** The fingerprint of a key. It is never 0, because 0 represents an empty slot. */
function fingerprintOf(key: string): bigint {
  return hash("sha256", canonicalKey(key), "buffer").readBigUInt64LE() || 1n;
}
