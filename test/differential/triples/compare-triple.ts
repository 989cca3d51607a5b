import { type Job, openJob } from "../../../src/job/job.ts";
import type { SendableItem } from "../../../src/ledger/records/requests.ts";
import { unpackItems } from "../../../src/ledger/packed/packed-items.ts";
import { checkedRecords } from "../../../src/migrate.ts";
import { Failure } from "../../../src/model/failure.ts";
import type { ItemSettings, PlannedBatch } from "../../../src/pipeline/plan/plan-items.ts";
import { planItems } from "../../../src/pipeline/plan/plan-records.ts";
import type { KeptPayloads } from "../../../src/pipeline/send/kept-payloads.ts";
import {
  groupsOfRows,
  isBarePayload,
  type PayloadGroup,
  payloadReader,
} from "../../../src/pipeline/send/payload-group.ts";
import { rereadPayloads } from "../../../src/pipeline/send/reread-payloads.ts";
import { recordsToSend } from "../../../src/pipeline/send/records-to-send.ts";
import { checkChunksHere } from "../../../src/pipeline/threads/check-in-threads.ts";
import { type Compare, type Difference, collectDifferences } from "./compare-lines.ts";
import { compareNdjson } from "./compare-ndjson.ts";
import { bodyWriter, placesIn } from "./sent-record.ts";
import { SUPPLIER, type Triple, writeAsNdjson, writeTriple } from "./triple.ts";

const { signal } = new AbortController();

/**
 * Every triple is planned and sent on each path. Each of the other comparisons takes just as long, so it covers only
 * one in this many triples.
 */
const TURNS = 3;
/** For one in this many records, the places of the values are compared. */
const PLACES_EVERY = 4;

export interface Comparison {
  /** Why the contract or the mapping was rejected. Absent if the records were compared. */
  readonly refused?: string;
  readonly records: number;
  readonly valid: number;
  /** Records that the fast path validated without building a row. */
  readonly fast: number;
  /** Records whose request bodies were compared. */
  readonly bodies: number;
  /** Records that were compared with NDJSON records. */
  readonly ndjson: number;
  readonly differences: readonly Difference[];
}

const NOTHING = { records: 0, valid: 0, fast: 0, bodies: 0, ndjson: 0, differences: [] };

const VALIDATE: ItemSettings = { purpose: { kind: "validate" } };
const PUSH: ItemSettings = { purpose: { kind: "send", endpoint: "POST localhost/things", supplier: SUPPLIER } };

/** Writes the triple to the folder and compares every path of its records within one thread. */
export async function compareTriple(triple: Triple, folder: string): Promise<Comparison> {
  writeTriple(folder, triple);
  const job = await openTriple(folder, "mapping.json");
  if (job instanceof Failure) return { ...NOTHING, refused: job.message };
  try {
    return await compareJob(job, triple, folder);
  } finally {
    await job.input.close();
  }
}

async function openTriple(folder: string, mapping: string): Promise<Job | Failure> {
  const settings = { folder, contract: ["contract.json"], mapping, sources: [], namedSources: {}, supplier: SUPPLIER };
  const clock = { now: () => 0, monotonic: () => 0, sleep: () => Promise.resolve() };
  return openJob(settings, { temporaryFolder: `${folder}/temp`, notice: () => undefined, clock }).catch(
    (error: unknown) => {
      if (error instanceof Failure) return error;
      throw error;
    },
  );
}

async function openNdjson(folder: string, triple: Triple): Promise<Job | undefined> {
  const mapping = writeAsNdjson(folder, triple);
  const job = mapping === undefined ? undefined : await openTriple(folder, mapping);
  return job instanceof Failure ? undefined : job;
}

async function compareJob(job: Job, triple: Triple, folder: string): Promise<Comparison> {
  const { compare, found: differences } = collectDifferences();
  let made = 0;
  const map: Job["mapping"]["map"] = (row) => {
    made += 1;
    return job.mapping.map(row);
  };
  const counted = { ...job, mapping: { ...job.mapping, map } };
  const rowsOnly = { ...job, mapping: { ...job.mapping, payloadNode: undefined } };

  const pushed = await planByChunks(counted, PUSH);
  const fast = pushed.items.length - made;
  const rowPush = await planByChunks(rowsOnly, PUSH);
  compare("push, fast path / row path", pushed.lines, rowPush.lines);
  const turn = triple.seed % TURNS;
  if (turn === 0) {
    const marks = await planByChunks(job, VALIDATE);
    compare("validate, fast path / row path", marks.lines, (await planByChunks(rowsOnly, VALIDATE)).lines);
  }
  if (turn === 1) {
    const readByRow = await planOf(planItems(checkedRecords(job, { signal, shownValues: undefined }), job, PUSH));
    compare("push, chunks / rows", withoutPayloads(rowPush.lines), readByRow.lines);
  }
  const isWhole = pushed.failure === undefined;
  const sent = isWhole ? await compareSent(job, { plan: pushed, sendsInvalid: turn === 1 }, compare) : 0;
  const ndjson = isWhole && turn === 2 ? await compareNdjson(job, await openNdjson(folder, triple), compare) : 0;
  const valid = pushed.items.filter(({ status }) => status === "valid").length;
  return { records: pushed.items.length, valid, fast, bodies: sent, ndjson, differences };
}

interface Plan {
  readonly items: readonly ReturnType<typeof unpackItems>[number][];
  /** Keyed by record number. */
  readonly payloads: ReadonlyMap<number, string>;
  /** One line per record, followed by lines about the whole plan. */
  readonly lines: readonly string[];
  readonly failure: string | undefined;
}

type Keep = KeptPayloads["keep"];

function planByChunks(job: Job, items: ItemSettings): Promise<Plan> {
  const inChunks = job.input.chunked ?? job.input.joined;
  if (inChunks === undefined)
    return planOf(planItems(checkedRecords(job, { signal, shownValues: undefined }), job, items));
  const payloads = new Map<number, string>();
  let before = 0;
  const keep: Keep = (_chunk, records, packed) => {
    const payloadOf = payloadReader(packed, before + 1);
    for (let record = before + 1; record <= before + records; record += 1) {
      const payload = payloadOf(record)?.toString();
      if (payload !== undefined) payloads.set(record, payload);
    }
    before += records;
  };
  const batches = checkChunksHere(job, inChunks, {
    items,
    shownValues: undefined,
    signal,
    keep: isBarePayload(job) ? keep : undefined,
  });
  return planOf(batches, payloads);
}

async function planOf(
  batches: AsyncIterable<PlannedBatch>,
  payloads: ReadonlyMap<number, string> = new Map(),
): Promise<Plan> {
  const items: Plan["items"][number][] = [];
  const whole: string[] = [];
  const invalid: number[] = [];
  let failure: string | undefined;
  try {
    for await (const batch of batches) {
      const first = items.length;
      items.push(...unpackItems(batch.items));
      invalid.push(...batch.invalid.map((position) => first + position));
      whole.push(...batch.excluded.map(({ position, row }) => JSON.stringify([first + position, row])));
      whole.push(...batch.fileCells.map(({ position, ...found }) => JSON.stringify([first + position, found])));
    }
  } catch (error) {
    failure = String(error);
  }
  const lines = items.map((item) => `${JSON.stringify(item, hex)}${PAYLOAD}${payloads.get(item.record) ?? ""}`);
  return { items, payloads, failure, lines: [...lines, ...whole, JSON.stringify(invalid), failure ?? ""] };
}

const PAYLOAD = " payload ";

/** Removes payloads from lines, because the row path keeps no payloads. */
function withoutPayloads(lines: readonly string[]): readonly string[] {
  return lines.map((line) =>
    line.includes(PAYLOAD) ? line.slice(0, line.lastIndexOf(PAYLOAD) + PAYLOAD.length) : line,
  );
}

function hex(_name: string, value: unknown): unknown {
  return value instanceof Uint8Array ? Buffer.from(value).toString("hex") : value;
}

/**
 * Reads the records a second time, on the row path and on the fast path. Compares the request bodies of both paths with
 * each other and with the payloads kept from the first reading.
 */
async function compareSent(
  job: Job,
  { plan, sendsInvalid }: { readonly plan: Plan; readonly sendsInvalid: boolean },
  compare: Compare,
): Promise<number> {
  const plannedItems = itemsToSend(sendsInvalid ? await planByChunks(job, { ...PUSH, sendInvalid: true }) : plan);
  const sendable = async (_run: string, first: number, last: number): Promise<readonly SendableItem[]> =>
    plannedItems.filter(({ record }) => record >= first && record <= last);
  const handle = { ledger: { sendable }, run: { id: "run" } };
  const bodyOf = bodyWriter(job);
  const sentFrom = async (groups: AsyncIterable<PayloadGroup>): Promise<ReadonlyMap<number, readonly string[]>> => {
    const sent = new Map<number, readonly string[]>();
    const batches = recordsToSend(groups, { job, handle });
    for await (const batch of batches) {
      for (const record of batch) {
        sent.set(record.record, [
          await bodyOf(record),
          record.supplier ?? "",
          ...(record.record % PLACES_EVERY === 0 ? placesIn(record) : []),
        ]);
      }
    }
    return sent;
  };
  const byRows = await sentFrom(groupsOfRows(job.input.records())).catch(failedReading);
  const byBytes = await sentFrom(rereadPayloads(job)(signal)).catch(failedReading);
  compare("sent, second reading by bytes / by rows", asLines(byBytes), asLines(byRows));
  compare(
    "sent, second reading / planned",
    [...byRows.keys()].map(String),
    plannedItems.map(({ record }) => String(record)),
  );
  const kept = [...plan.payloads];
  const wrap = job.operation.wrap;
  const wrapped = (payload: string): string => (wrap === undefined ? payload : `{${JSON.stringify(wrap)}:${payload}}`);
  compare(
    "sent, kept payloads / by rows",
    kept.map(([record, payload]) => `${record} ${wrapped(payload)}`),
    kept.map(([record]) => `${record} ${byRows.get(record)?.[0] ?? ""}`),
  );
  return byRows.size;
}

function asLines(sent: ReadonlyMap<number, readonly string[]>): readonly string[] {
  return [...sent].map((one) => JSON.stringify(one));
}

/** Returns a failure of the second reading as a line, so that it counts as a difference. */
function failedReading(error: unknown): ReadonlyMap<number, readonly string[]> {
  if (error instanceof Failure) return new Map([[0, [String(error)]]]);
  throw error;
}

function itemsToSend({ items }: Plan): readonly SendableItem[] {
  return items.flatMap(({ record, identity, content, status }): readonly SendableItem[] =>
    status === "valid" && identity !== undefined && content instanceof Uint8Array
      ? [{ record, identity, content, attempts: 0, isAmbiguous: false, prior: "none" }]
      : [],
  );
}
