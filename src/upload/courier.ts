import pLimit from "p-limit";
import type { Settlement } from "../ledger/ledger.ts";
import type { Answer } from "../platform/import-client.ts";
import type { Backlog } from "./backlog.ts";
import type { Halt } from "./halt.ts";
import type { Journal } from "./journal.ts";
import type { Pace } from "./pace.ts";
import { type Conclusion, conclude, intentFor, meanwhile, type Parcel, settlementFor } from "./parcel.ts";
import { createRetryBudget, decideRetry } from "./retry.ts";
import type { UploadOptions, UploadParts } from "./sendable.ts";
import { createWatch } from "./watch.ts";

export interface CourierTools {
  readonly backlog: Backlog;
  readonly pace: Pace;
  readonly journal: Journal;
  readonly halt: Halt;
  /** The record has its outcome, durably. */
  readonly onSaved: (settlement: Settlement, inFlight: number) => void;
}

const MAX_WAIT_MS = 5 * 60_000;

/**
 * Carries the backlog's records to the platform, as many at a time as the pace allows, and hands their outcomes to
 * the journal. Resolves when the backlog is over; once halted, what has not left yet is handed in as `pending`.
 */
export async function carryAll(parts: UploadParts, options: UploadOptions, tools: CourierTools): Promise<void> {
  const { backlog, pace, halt } = tools;
  const slots = pLimit(pace.limit());
  const deliver = createDelivery(parts, options, { ...tools, inFlight: () => slots.activeCount });
  halt.stopping.addEventListener("abort", backlog.notify);

  const obstacle = (): Promise<void> | undefined => {
    if (slots.concurrency !== pace.limit()) slots.concurrency = pace.limit();
    if (backlog.isIdle() || slots.activeCount >= slots.concurrency) return backlog.changed();
    return pace.hold(halt.stopping);
  };

  while (!halt.stopping.aborted && !backlog.isOver()) {
    const wait = obstacle();
    if (wait === undefined) void slots(deliver, backlog.next()).then(backlog.notify);
    else await wait;
  }
  while (!backlog.isOver()) {
    if (backlog.isIdle()) await backlog.changed();
    else await deliver(backlog.next());
  }
}

type Delivery = CourierTools & { readonly inFlight: () => number };

/** One record, one request, and what follows from its answer. Never rejects. */
function createDelivery(
  { client, clock, random }: UploadParts,
  options: UploadOptions,
  { backlog, pace, journal, halt, onSaved, inFlight }: Delivery,
): (parcel: Parcel | undefined) => Promise<void> {
  const budget = createRetryBudget();
  const watch = createWatch({ pace, budget, clock, maxWaitMs: options.maxWaitMs ?? MAX_WAIT_MS });

  const finish = (parcel: Parcel, conclusion: Conclusion, answer?: Answer): void => {
    const settlement = settlementFor(parcel, conclusion, { clock, answer });
    journal.settle(settlement, () => onSaved(settlement, inFlight()));
    backlog.drop();
  };

  const lose = (error: unknown): void => {
    halt.stop(error);
    backlog.drop();
  };

  /** The attempt is settled for what it is, and the record has a new one after a while. */
  const resend = async (parcel: Parcel, answer: Answer, afterMs: number): Promise<void> => {
    const settlement = settlementFor(parcel, meanwhile(answer), { clock, answer });
    const saved = new Promise<void>((resolve) => {
      journal.settle(settlement, resolve);
    });
    await clock.sleep(afterMs, halt.stopping);
    if (halt.stopping.aborted) {
      backlog.drop();
      await saved;
      onSaved(settlement, inFlight());
      return;
    }
    parcel.attempt += 1;
    await journal.intend([intentFor(parcel, clock)]);
    backlog.putBack(parcel);
  };

  const send = async (parcel: Parcel): Promise<void> => {
    parcel.ticket = pace.ticket();
    const answer = await client.send(parcel.sendable.payload, halt.killed);
    const failure = watch.learn(answer, parcel.ticket, inFlight());
    if (failure !== undefined) halt.stop(failure);
    if (answer.verdict.kind === "unsent" && !halt.stopping.aborted) {
      backlog.putBack(parcel);
      return;
    }
    parcel.tries += 1;
    const retry = decideRetry(answer, { tries: parcel.tries, dedupes: options.dedupes, budget, random });
    if (!retry.again || halt.stopping.aborted) finish(parcel, conclude(answer, parcel.sendable), answer);
    else resend(parcel, answer, retry.afterMs).catch(lose);
  };

  return async (parcel) => {
    if (parcel === undefined) return;
    if (halt.stopping.aborted) finish(parcel, { status: "pending", reason: "not sent" });
    else await send(parcel).catch(lose);
  };
}
