import type { Clock } from "../model/clock.ts";
import type { Settlement } from "../ledger/ledger.ts";
import { type Backlog, createBacklog } from "./backlog.ts";
import { carryAll } from "./courier.ts";
import { createHalt, type Halt } from "./halt.ts";
import { createJournal, type Journal } from "./journal.ts";
import { createPace, type Pace } from "./pace.ts";
import { intentFor, newParcel } from "./parcel.ts";
import { createRoute, type Route } from "./route.ts";
import type { Sendable, UploadEnd, UploadOptions, UploadParts } from "./sendable.ts";
import { createStepGates } from "./step-gates.ts";
import type { SupplierGates } from "./supplier-gates.ts";

/**
 * Sends every record once: its intent is durable before its first byte leaves, and its outcome before this resolves.
 * Failures that end the run are returned, not thrown, together with what was done until then. Where an import supplier
 * takes nothing for now, its records are left `pending` and the others are sent.
 * @param records what is to be sent and nothing else, in input order
 * @param gates of the import suppliers, where several uploads share them
 */
export async function upload(
  records: AsyncIterable<readonly Sendable[]>,
  parts: UploadParts & { readonly gates: SupplierGates },
  options: UploadOptions,
): Promise<UploadEnd> {
  const { ledger, clock, random, onProgress, gates } = parts;
  const counts: Partial<Record<Settlement["status"], number>> = {};
  const halt = createHalt(options, clock);
  const journal = createJournal({ ledger, run: options.run, clock, onFailure: halt.stop });
  const pace = createPace(options, { clock, random, onChange: onProgress });
  const backlog = createBacklog();
  const route = createRoute(parts.steps, options.until);
  const stepGates = createStepGates(pace.most, onProgress);
  const onSaved = ({ status }: Settlement, inFlight: number): void => {
    counts[status] = (counts[status] ?? 0) + 1;
    onProgress({ kind: "outcome", status, inFlight });
  };

  const feeding = { backlog, journal, halt, pace, clock, gates, route, oneSupplier: options.oneSupplier ?? false };
  const fed = feed(records, feeding).catch(halt.stop).finally(backlog.close);
  await Promise.all([
    fed,
    carryAll(parts, options, { backlog, pace, journal, halt, gates, stepGates, route, onSaved }),
  ]);
  const unsaved = await journal.close();
  return { ...closedIn(gates, halt.end()), counts, unsaved };
}

/** All was handled but what belongs to closed import suppliers. */
function closedIn(gates: SupplierGates, end: ReturnType<Halt["end"]>): ReturnType<Halt["end"]> {
  const failure = end.reason === "done" ? gates.failure() : undefined;
  return failure === undefined ? end : { reason: "stopped", failure };
}

interface Feeding {
  readonly backlog: Backlog;
  readonly journal: Journal;
  readonly halt: Halt;
  readonly pace: Pace;
  readonly clock: Clock;
  readonly gates: SupplierGates;
  readonly route: Route;
  readonly oneSupplier: boolean;
}

async function feed(records: AsyncIterable<readonly Sendable[]>, feeding: Feeding): Promise<void> {
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
async function feedBatch(batch: readonly Sendable[], feeding: Feeding): Promise<void> {
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
async function feedGroup(group: readonly Sendable[], feeding: Feeding): Promise<void> {
  const { backlog, journal, halt, gates, route, clock } = feeding;
  const answers = group.map(({ supplier }) => gates.admit(supplier));
  const admitted = group.filter((_, index) => answers[index] !== "no");
  if (admitted.length > 0) {
    const parcels = admitted.map((sendable) => newParcel(sendable, route.start(sendable)));
    await journal.intend(parcels.map((parcel) => intentFor(parcel, clock)));
    backlog.take(parcels);
  }
  const probes = group.filter((_, index) => answers[index] === "probe").map(({ supplier }) => supplier);
  while (probes.some(gates.isProbing) && !halt.stopping.aborted) await backlog.changed();
}
