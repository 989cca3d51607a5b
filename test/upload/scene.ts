import type { Clock, Random } from "../../src/time/clock.ts";
import type { JsonObject } from "../../src/json/json-value.ts";
import type { Intent, AttemptOutcome } from "../../src/ledger/records/requests.ts";
import type { Ledger } from "../../src/ledger/ledger.ts";
import type { RequestResult, MaySend } from "../../src/platform/import/classified-request.ts";
import type { ImportClient } from "../../src/platform/import/import-client.ts";
import type { StepClient } from "../../src/platform/import/step-clients.ts";
import type { RecordToSend, UploadEnd, UploadEvent, UploadOptions } from "../../src/upload/upload-types.ts";
import { upload } from "../../src/upload/upload.ts";

/** Creates a clock whose time advances only when every asynchronous function sleeps. */
export function fakeClock(): Clock {
  let now = 0;
  const timers = new Set<{ readonly at: number; readonly wake: () => void }>();
  let ticking = false;
  const tick = async (): Promise<void> => {
    ticking = true;
    while (timers.size > 0) {
      for (let turn = 0; turn < 10; turn += 1) await new Promise(setImmediate);
      const [first] = [...timers].toSorted((a, b) => a.at - b.at);
      if (first === undefined) break;
      now = Math.max(now, first.at);
      first.wake();
    }
    ticking = false;
  };
  return {
    now: () => Date.UTC(2026, 0, 1) + now,
    monotonic: () => now,
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        const wake = (): void => {
          timers.delete(timer);
          signal?.removeEventListener("abort", wake);
          resolve();
        };
        const timer = { at: now + ms, wake };
        if (signal?.aborted === true) {
          resolve();
          return;
        }
        signal?.addEventListener("abort", wake);
        timers.add(timer);
        if (!ticking) void tick();
      }),
  };
}

/** A ledger in memory with the checks of the real ledger. */
export interface FakeLedger extends Pick<Ledger, "saveIntents" | "saveOutcomes"> {
  readonly states: ReadonlyMap<number, AttemptOutcome["status"] | "sending">;
  readonly attempts: ReadonlyMap<number, number>;
  readonly settlements: readonly AttemptOutcome[];
  readonly intentGroups: readonly (readonly Intent[])[];
  /** Returns the number of records with an intent but no outcome on disk: a crash now would leave them ambiguous. */
  readonly sending: () => number;
}

export interface LedgerFaults {
  readonly settle?: (call: number) => void;
  readonly intend?: (call: number) => void;
}

export function fakeLedger(faults: LedgerFaults = {}): FakeLedger {
  const states = new Map<number, AttemptOutcome["status"] | "sending">();
  const attempts = new Map<number, number>();
  const settlements: AttemptOutcome[] = [];
  const intentGroups: (readonly Intent[])[] = [];
  let settles = 0;
  const settleAll = (group: readonly AttemptOutcome[]): void => {
    settles += 1;
    faults.settle?.(settles);
    for (const settlement of group) {
      const { record, attempt, status } = settlement;
      if (states.get(record) !== "sending") throw new Error(`record ${record} is not being sent`);
      if (attempts.get(record) !== attempt) throw new Error(`record ${record}: not attempt ${attempt}`);
      states.set(record, status);
      settlements.push(settlement);
    }
  };
  return {
    states,
    attempts,
    settlements,
    intentGroups,
    sending: () => [...states.values()].filter((state) => state === "sending").length,
    async saveIntents(_, intents, settled = []) {
      await new Promise(setImmediate);
      faults.intend?.(intentGroups.length + 1);
      if (settled.length > 0) settleAll(settled);
      intentGroups.push(intents);
      for (const { record, attempt } of intents) {
        const state = states.get(record);
        if (state === "sending" || state === "accepted" || state === "ambiguous")
          throw new Error(`record ${record} is ${state}`);
        if (attempt !== (attempts.get(record) ?? 0) + 1) throw new Error(`record ${record}: attempt ${attempt}`);
        states.set(record, "sending");
        attempts.set(record, attempt);
      }
    },
    async saveOutcomes(_, group) {
      await new Promise(setImmediate);
      settleAll(group);
    },
  };
}

export interface SceneOptions extends Partial<UploadOptions> {
  readonly records?: number;
  /** Whether the platform deduplicates by business key. */
  readonly dedupes?: boolean;
  readonly ledger?: FakeLedger;
  readonly clock?: Clock;
  /** Default: always one half. */
  readonly random?: Random;
  readonly payload?: JsonObject;
  readonly source?: AsyncIterable<readonly RecordToSend[]>;
  readonly supplierOf?: (record: number) => string;
}

export interface Played {
  readonly end: UploadEnd;
  readonly ledger: FakeLedger;
  readonly events: readonly UploadEvent[];
  /** Record numbers in sending order. */
  readonly sent: readonly number[];
  readonly most: number;
  readonly clock: Clock;
}

export interface Request {
  readonly record: number;
  /** Counts from 1 over the whole upload. */
  readonly number: number;
  readonly inFlight: number;
  readonly signal: AbortSignal;
  readonly mayBeSent: MaySend | undefined;
  readonly clock: Clock;
}

/** Uploads records to a platform whose replies come from `answer`. */
export async function play(
  answer: (request: Request) => RequestResult | Promise<RequestResult>,
  options: SceneOptions = {},
): Promise<Played> {
  const { dedupes = false, random = () => 0.5, ...more } = options;
  const clock = options.clock ?? fakeClock();
  const ledger = options.ledger ?? fakeLedger();
  const events: UploadEvent[] = [];
  const sent: number[] = [];
  let inFlight = 0;
  let most = 0;
  const client: ImportClient = {
    async send(payload, signal, mayBeSent) {
      const record = Number(payload["record"]);
      if (ledger.states.get(record) !== "sending")
        throw new Error(`record ${record} left before its intent was on disk`);
      sent.push(record);
      inFlight += 1;
      most = Math.max(most, inFlight);
      try {
        return withOwnAccount(
          await answer({ record, number: sent.length, inFlight, signal, mayBeSent, clock }),
          record,
        );
      } finally {
        inFlight -= 1;
      }
    },
  };
  const never = new AbortController().signal;
  const end = await upload(
    () => options.source ?? unsettled(sendables(options.records ?? 20, options.payload), options.supplierOf, ledger),
    { ledger, steps: oneStep(client, dedupes), clock, random, onProgress: (event) => events.push(event) },
    { run: "run", concurrency: 4, oneSupplier: true, drain: never, abort: never, ...more },
  );
  return { end, ledger, events, sent, most, clock };
}

/** Replaces the account number A-1 with a different number for each record. */
export function withOwnAccount(result: RequestResult, record: number): RequestResult {
  const { replyClass } = result;
  if (replyClass.kind !== "accepted" || replyClass.account !== "A-1") return result;
  return { ...result, replyClass: { ...replyClass, account: `A-${record}` } };
}

/** Returns a workflow of one request. */
export function oneStep(client: ImportClient, dedupesByKey: boolean): readonly StepClient[] {
  return [{ ...client, idempotent: false, dedupesByKey }];
}

/** Yields the pending records of the ledger, like `sendable` of the real ledger. */
async function* unsettled(
  batches: AsyncIterable<readonly RecordToSend[]>,
  supplierOf: SceneOptions["supplierOf"],
  ledger: FakeLedger,
): AsyncGenerator<readonly RecordToSend[]> {
  for await (const batch of batches) {
    yield batch
      .filter(({ record }) => ["pending", undefined].includes(ledger.states.get(record)))
      .map((one) => ({ ...one, attempts: ledger.attempts.get(one.record) ?? 0, supplier: supplierOf?.(one.record) }));
  }
}

export async function* sendables(count: number, payload: JsonObject = {}): AsyncGenerator<readonly RecordToSend[]> {
  const size = 7;
  for (let at = 0; at < count; at += size) {
    yield Array.from({ length: Math.min(size, count - at) }, (_, index) => sendable(at + index + 1, payload));
    await new Promise(setImmediate);
  }
}

export function sendable(record: number, payload: JsonObject = {}): RecordToSend {
  return {
    record,
    identity: Uint8Array.of(record),
    content: Uint8Array.of(record),
    attempts: 0,
    isAmbiguous: false,
    payload: { record, ...payload },
    locate: (path) => ({ file: "accounts.csv", line: record + 1, column: path.join(".") }),
  };
}

export const ACCEPTED: RequestResult = { replyClass: { kind: "accepted", account: "A-1" }, http: 201, durationMs: 10 };
export const AMBIGUOUS: RequestResult = {
  replyClass: { kind: "ambiguous", reason: "HTTP 500", notFromApi: false },
  http: 500,
  durationMs: 10,
};
export const UNSENT: RequestResult = {
  replyClass: { kind: "unsent", code: "ECONNREFUSED", reason: "cannot reach https://localhost: ECONNREFUSED" },
  durationMs: 0,
};

export function busy(afterMs?: number): RequestResult {
  const retryAfter = afterMs === undefined ? {} : { afterMs };
  return {
    replyClass: { kind: "retry", reason: "HTTP 429", ...retryAfter },
    pushBack: { reason: "HTTP 429", ...retryAfter },
    http: 429,
    durationMs: 10,
  };
}

export function rejected(code: string, attr = "customers.0.phone", detail = "no"): RequestResult {
  return {
    replyClass: { kind: "rejected", problems: [{ attr, code, detail, severity: "error", by: "platform" }] },
    http: 400,
    durationMs: 10,
  };
}

/** Yields these records in one batch. */
export async function* given(...records: readonly RecordToSend[]): AsyncGenerator<readonly RecordToSend[]> {
  yield records;
}
