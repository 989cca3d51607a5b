import type { Clock } from "../model/clock.ts";
import type { Settlement } from "../ledger/ledger.ts";
import { type Backlog, createBacklog } from "./backlog.ts";
import { carryAll } from "./courier.ts";
import { createHalt, type Halt } from "./halt.ts";
import { createJournal, type Journal } from "./journal.ts";
import { createPace, type Pace } from "./pace.ts";
import { intentFor } from "./parcel.ts";
import type { Sendable, UploadEnd, UploadOptions, UploadParts } from "./sendable.ts";

/**
 * Sends every record once: its intent is durable before its first byte leaves, and its outcome before this resolves.
 * Failures that end the run are returned, not thrown, together with what was done until then.
 * @param records what is to be sent and nothing else, in input order
 */
export async function upload(
  records: AsyncIterable<readonly Sendable[]>,
  parts: UploadParts,
  options: UploadOptions,
): Promise<UploadEnd> {
  const { ledger, clock, random, onProgress } = parts;
  const counts: Partial<Record<Settlement["status"], number>> = {};
  const halt = createHalt(options, clock);
  const journal = createJournal({ ledger, run: options.run, clock, onFailure: halt.stop });
  const pace = createPace(options, { clock, random, onChange: onProgress });
  const backlog = createBacklog();
  const onSaved = ({ status }: Settlement, inFlight: number): void => {
    counts[status] = (counts[status] ?? 0) + 1;
    onProgress({ kind: "outcome", status, inFlight });
  };

  const fed = feed(records, { backlog, journal, halt, pace, clock }).catch(halt.stop).finally(backlog.close);
  await Promise.all([fed, carryAll(parts, options, { backlog, pace, journal, halt, onSaved })]);
  const unsaved = await journal.close();
  return { ...halt.end(), counts, unsaved };
}

interface Feeding {
  readonly backlog: Backlog;
  readonly journal: Journal;
  readonly halt: Halt;
  readonly pace: Pace;
  readonly clock: Clock;
}

/**
 * Writes intents a little ahead of sending: never more than four times the records that may be in flight are neither
 * settled nor unclaimed, which bounds what a crash leaves ambiguous.
 */
async function feed(records: AsyncIterable<readonly Sendable[]>, feeding: Feeding): Promise<void> {
  const { halt } = feeding;
  const iterator = records[Symbol.asyncIterator]();
  for (;;) {
    const next = await Promise.race([iterator.next(), halt.stopped]);
    if (next === undefined || halt.stopping.aborted) break;
    if (next.done === true) return;
    await feedBatch(next.value, feeding);
  }
  iterator.return?.().catch(() => undefined);
}

async function feedBatch(batch: readonly Sendable[], { backlog, journal, halt, pace, clock }: Feeding): Promise<void> {
  for (let at = 0; at < batch.length;) {
    const ahead = 2 * pace.limit();
    while (!backlog.isBelow(ahead) && !halt.stopping.aborted) await backlog.changed();
    if (halt.stopping.aborted) return;
    const group = batch.slice(at, at + ahead);
    await journal.intend(group.map((sendable) => intentFor({ sendable, attempt: sendable.attempts + 1 }, clock)));
    backlog.take(group);
    at += group.length;
  }
}
