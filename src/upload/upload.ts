import { createSupplierBreakers, type SupplierBreakers } from "./breaker/supplier-breaker.ts";
import { dispatchAll } from "./send-record.ts";
import { enterPosition } from "./next-request.ts";
import { intentFor, newRecordState } from "./record-state.ts";
import { createRounds, type SendContext } from "./send-context.ts";
import type { RecordToSend, UploadDependencies, UploadEnd, UploadOptions } from "./upload-types.ts";

/**
 * Uploads the records. If the run waits for closed import suppliers, repeats rounds until all records are handled, the
 * maximum wait is exceeded, or another cause ends the run. The next round does not contain records that were already
 * handled.
 * @param records returns the records left to send, in input order
 */
export async function upload(
  records: () => AsyncIterable<readonly RecordToSend[]>,
  dependencies: UploadDependencies,
  options: UploadOptions,
): Promise<UploadEnd> {
  const { clock, onProgress } = dependencies;
  const { waitForSupplier, drain, share } = options;
  const breakers = createSupplierBreakers({
    waits: waitForSupplier !== undefined,
    clock,
    onChange: onProgress,
    ...(waitForSupplier !== undefined && { reported: () => share?.().suppliers ?? [] }),
  });
  const { forMs = Number.POSITIVE_INFINITY } = waitForSupplier ?? {};
  const newRound = createRounds(dependencies, options, breakers);
  let until = 0;
  let settled = -1;
  for (;;) {
    const end = await uploadRound(records(), newRound());
    if (!needsAnotherRound(end, breakers)) return end;
    // The limit applies to one uninterrupted wait, so it starts again after a round in which the platform accepted or
    // rejected records.
    if (settledIn(end) > settled) until = clock.monotonic() + forMs;
    settled = settledIn(end);
    do {
      const waitMs = breakers.failure() === undefined ? 0 : breakers.untilProbe();
      if (clock.monotonic() + waitMs > until) return end;
      await clock.sleep(waitMs, drain);
    } while (breakers.isProbedByOthers() && !drain.aborted);
    if (drain.aborted) return { reason: "drained", counts: end.counts, unsaved: end.unsaved };
  }
}

function settledIn({ counts: { accepted = 0, rejected = 0 } }: UploadEnd): number {
  return accepted + rejected;
}

/** Whether records were skipped only because of a closed import supplier that the run waits for. */
function needsAnotherRound({ reason, failure }: UploadEnd, breakers: SupplierBreakers): boolean {
  const left = breakers.takeSkippedSuppliers();
  if (!breakers.waits || !left || reason === "drained") return false;
  return reason === "done" || failure?.message === breakers.failure()?.message;
}

/**
 * Sends every record once. The intent of a record is durable before its first byte is sent, and its outcome is durable
 * before this resolves. If a failure ends the run, returns it with the counts so far instead of throwing it. Skips the
 * records of a closed import supplier and sends all others.
 * @param records exactly the records to send, in input order
 */
async function uploadRound(records: AsyncIterable<readonly RecordToSend[]>, context: SendContext): Promise<UploadEnd> {
  const { counts, ledgerWriter, queue, shutdown, supplierBreakers } = context;
  const fed = feed(records, context).catch(shutdown.stop).finally(queue.close);
  await Promise.all([fed, dispatchAll(context)]);
  const unsaved = await ledgerWriter.close();
  const end = shutdown.end();
  const failure = end.reason === "done" ? supplierBreakers.failure() : undefined;
  return { ...(failure === undefined ? end : { reason: "stopped", failure }), counts, unsaved };
}

async function feed(records: AsyncIterable<readonly RecordToSend[]>, context: SendContext): Promise<void> {
  const { options, shutdown, supplierBreakers } = context;
  const iterator = records[Symbol.asyncIterator]();
  for (;;) {
    const next = await untilAborted(iterator.next(), shutdown.stopping);
    if (next === undefined || shutdown.stopping.aborted) break;
    if (next.done === true) return;
    await feedBatch(next.value, context);
    if (options.oneSupplier === true && next.value.length > 0 && supplierBreakers.failure() !== undefined) break;
  }
  iterator.return?.().catch(() => undefined);
}

/**
 * Resolves with the value, or with undefined when the signal aborts. `Promise.race` would keep every batch in memory
 * until the other promise settles, which happens only at the end of the upload.
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
 * Writes intents slightly ahead of sending. Apart from up to `MAX_WAITING` waiting records, the number of records with
 * an intent but no outcome is at most four times the concurrency limit. This limits the number of records that a crash
 * leaves ambiguous.
 */
async function feedBatch(batch: readonly RecordToSend[], context: SendContext): Promise<void> {
  const { queue, rate, shutdown } = context;
  for (let at = 0; at < batch.length;) {
    const limit = rate.limit();
    while (queue.room(limit) === 0 && !shutdown.stopping.aborted) await queue.changed();
    if (shutdown.stopping.aborted) return;
    const group = batch.slice(at, at + queue.room(limit));
    await feedGroup(group, context);
    at += group.length;
  }
}

/**
 * Queues the records whose import suppliers are open, and the probes of closed suppliers. Waits for the replies to the
 * probes.
 */
async function feedGroup(group: readonly RecordToSend[], context: SendContext): Promise<void> {
  const { ledgerWriter, queue, shutdown, stepOrder, supplierBreakers } = context;
  const admissions = group.map(({ supplier }) => supplierBreakers.admit(supplier));
  const admitted = group.filter((_, index) => admissions[index] !== "no");
  if (admitted.length > 0) {
    const states = admitted.map((toSend) => newRecordState(toSend, stepOrder.start(toSend)));
    await ledgerWriter.saveIntents(states.map(intentFor));
    for (const state of states) enterPosition(state, state.position, context);
    queue.take(states);
  }
  const probes = group.filter((_, index) => admissions[index] === "probe").map(({ supplier }) => supplier);
  while (probes.some(supplierBreakers.isProbing) && !shutdown.stopping.aborted) await queue.changed();
}
