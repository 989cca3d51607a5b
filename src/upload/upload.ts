import type { AttemptOutcome } from "../ledger/ledger.ts";
import type { Clock } from "../time/clock.ts";
import type { SupplierBreakers } from "./breaker/supplier-breaker.ts";
import { createSupplierBreakers } from "./breaker/supplier-breaker.ts";
import { dispatchAll } from "./dispatcher.ts";
import type { LedgerWriter } from "./ledger-writer.ts";
import { createLedgerWriter } from "./ledger-writer.ts";
import type { RateControl } from "./rate/adaptive-concurrency.ts";
import { createRateControl } from "./rate/adaptive-concurrency.ts";
import { createStepLimits } from "./rate/step-limit.ts";
import { intentFor, newRecordState } from "./record-state.ts";
import type { SendQueue } from "./send-queue.ts";
import { createSendQueue } from "./send-queue.ts";
import type { Shutdown } from "./shutdown.ts";
import { createShutdown } from "./shutdown.ts";
import type { RecordToSend, UploadDependencies, UploadEnd, UploadOptions } from "./upload-types.ts";
import type { StepOrder } from "./workflow-position.ts";
import { createStepOrder } from "./workflow-position.ts";

/**
 * Uploads what is to be sent; where the run waits for closed import suppliers, again and again, until they have taken
 * their records, the time is over, or something else ends the run. What was taken in one round is gone from the next.
 * @param records opens what is still to be sent, in input order
 */
export async function upload(
  records: () => AsyncIterable<readonly RecordToSend[]>,
  dependencies: UploadDependencies,
  options: UploadOptions,
): Promise<UploadEnd> {
  const { clock, onProgress } = dependencies;
  const { waitForSupplier, drain } = options;
  const gates = createSupplierBreakers({ waits: waitForSupplier !== undefined, clock, onChange: onProgress });
  const until = clock.monotonic() + (waitForSupplier?.forMs ?? Number.POSITIVE_INFINITY);
  for (;;) {
    const end = await uploadRound(records(), { ...dependencies, gates }, options);
    if (!needsAnotherRound(end, gates)) return end;
    const waitMs = gates.failure() === undefined ? 0 : gates.untilProbe();
    if (clock.monotonic() + waitMs > until) return end;
    await clock.sleep(waitMs, drain);
    if (drain.aborted) return { reason: "drained", counts: end.counts, unsaved: end.unsaved };
  }
}

/** Records were left for an import supplier alone, and the run waits for it. */
function needsAnotherRound({ reason, failure }: UploadEnd, gates: SupplierBreakers): boolean {
  const left = gates.takeSkipped();
  if (!gates.waits || !left || reason === "drained") return false;
  return reason === "done" || failure?.message === gates.failure()?.message;
}

/**
 * Sends every record once: its intent is durable before its first byte leaves, and its outcome before this resolves.
 * Failures that end the run are returned, not thrown, together with what was done until then. Where an import supplier
 * takes nothing for now, its records are left `pending` and the others are sent.
 * @param records what is to be sent and nothing else, in input order
 * @param gates of the import suppliers, where several uploads share them
 */
async function uploadRound(
  records: AsyncIterable<readonly RecordToSend[]>,
  dependencies: UploadDependencies & { readonly gates: SupplierBreakers },
  options: UploadOptions,
): Promise<UploadEnd> {
  const { ledger, clock, random, onProgress, gates: supplierBreakers } = dependencies;
  const counts: Partial<Record<AttemptOutcome["status"], number>> = {};
  const shutdown = createShutdown(options, clock);
  const ledgerWriter = createLedgerWriter({ ledger, run: options.run, clock, onFailure: shutdown.stop });
  const rate = createRateControl(options, { clock, random, onChange: onProgress });
  const queue = createSendQueue();
  const stepOrder = createStepOrder(dependencies.steps, options.until);
  const stepLimits = createStepLimits(rate.maximum, onProgress);
  const onSaved = ({ status }: AttemptOutcome, inFlight: number): void => {
    counts[status] = (counts[status] ?? 0) + 1;
    onProgress({ kind: "outcome", status, inFlight });
  };

  const feeding = {
    backlog: queue,
    journal: ledgerWriter,
    halt: shutdown,
    pace: rate,
    clock,
    gates: supplierBreakers,
    route: stepOrder,
    oneSupplier: options.oneSupplier ?? false,
  };
  const fed = feed(records, feeding).catch(shutdown.stop).finally(queue.close);
  await Promise.all([
    fed,
    dispatchAll(dependencies, options, {
      queue,
      rate,
      ledgerWriter,
      shutdown,
      supplierBreakers,
      stepLimits,
      stepOrder,
      onSaved,
    }),
  ]);
  const unsaved = await ledgerWriter.close();
  return { ...closedIn(supplierBreakers, shutdown.end()), counts, unsaved };
}

/** All was handled but what belongs to closed import suppliers. */
function closedIn(gates: SupplierBreakers, end: ReturnType<Shutdown["end"]>): ReturnType<Shutdown["end"]> {
  const failure = end.reason === "done" ? gates.failure() : undefined;
  return failure === undefined ? end : { reason: "stopped", failure };
}

interface Feeding {
  readonly backlog: SendQueue;
  readonly journal: LedgerWriter;
  readonly halt: Shutdown;
  readonly pace: RateControl;
  readonly clock: Clock;
  readonly gates: SupplierBreakers;
  readonly route: StepOrder;
  readonly oneSupplier: boolean;
}

async function feed(records: AsyncIterable<readonly RecordToSend[]>, feeding: Feeding): Promise<void> {
  const { halt, gates, oneSupplier } = feeding;
  const iterator = records[Symbol.asyncIterator]();
  for (;;) {
    const next = await untilAborted(iterator.next(), halt.stopping);
    if (next === undefined || halt.stopping.aborted) break;
    if (next.done === true) return;
    await feedBatch(next.value, feeding);
    if (oneSupplier && next.value.length > 0 && gates.failure() !== undefined) break;
  }
  iterator.return?.().catch(() => undefined);
}

/**
 * What the promise gives, or undefined as soon as the signal aborts. No `Promise.race`: that keeps every batch it was
 * ever given for as long as the promise lives that it races against, which is the whole upload.
 */
function untilAborted<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value | undefined> {
  return new Promise((resolve, reject) => {
    const stop = (): void => resolve(undefined);
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop);
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop));
  });
}

/**
 * Writes intents a little ahead of sending: never more than four times the records that may be in flight are neither
 * settled nor unclaimed, which bounds what a crash leaves ambiguous.
 */
async function feedBatch(batch: readonly RecordToSend[], feeding: Feeding): Promise<void> {
  const { backlog, halt, pace } = feeding;
  for (let at = 0; at < batch.length;) {
    const ahead = 2 * pace.limit();
    while (!backlog.isBelow(ahead) && !halt.stopping.aborted) await backlog.changed();
    if (halt.stopping.aborted) return;
    const group = batch.slice(at, at + ahead);
    await feedGroup(group, feeding);
    at += group.length;
  }
}

/** Takes the records whose import suppliers are open; a probe goes alone, and is waited for. */
async function feedGroup(group: readonly RecordToSend[], feeding: Feeding): Promise<void> {
  const { backlog, journal, halt, gates, route, clock } = feeding;
  const answers = group.map(({ supplier }) => gates.admit(supplier));
  const admitted = group.filter((_, index) => answers[index] !== "no");
  if (admitted.length > 0) {
    const states = admitted.map((sendable) => newRecordState(sendable, route.start(sendable)));
    await journal.saveIntents(states.map((state) => intentFor(state, clock)));
    backlog.take(states);
  }
  const probes = group.filter((_, index) => answers[index] === "probe").map(({ supplier }) => supplier);
  while (probes.some(gates.isProbing) && !halt.stopping.aborted) await backlog.changed();
}
