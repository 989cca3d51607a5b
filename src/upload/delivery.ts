import type { Settlement } from "../ledger/ledger.ts";
import type { Failure } from "../model/failure.ts";
import type { Answer } from "../platform/import-client.ts";
import type { Backlog } from "./backlog.ts";
import type { Halt } from "./halt.ts";
import type { Journal } from "./journal.ts";
import type { Pace } from "./pace.ts";
import {
  type Conclusion,
  conclude,
  interrupted,
  intentFor,
  type Parcel,
  settlementFor,
  waiting,
  withDoubt,
} from "./parcel.ts";
import { createRetryBudget, decideRetry } from "./retry.ts";
import type { UploadOptions, UploadParts } from "./sendable.ts";
import type { SupplierGates } from "./supplier-gates.ts";
import { createWatch } from "./watch.ts";

export interface DeliveryTools {
  readonly backlog: Backlog;
  readonly pace: Pace;
  readonly journal: Journal;
  readonly halt: Halt;
  readonly gates: SupplierGates;
  /** The record has its outcome, durably. */
  readonly onSaved: (settlement: Settlement) => void;
  /** Requests under way. */
  readonly inFlight: () => number;
}

/** Takes one record from the backlog. Never rejects. */
type Delivery = (parcel: Parcel | undefined) => Promise<void>;

const MAX_WAIT_MS = 5 * 60_000;

/** One record, one request, and what follows from its answer; once halted, `pending` without a request. */
export function createDelivery(parts: UploadParts, options: UploadOptions, tools: DeliveryTools): Delivery {
  const { client, clock, random } = parts;
  const { backlog, pace, journal, halt, gates, onSaved, inFlight } = tools;
  const budget = createRetryBudget();
  const watch = createWatch({ pace, budget, clock, maxWaitMs: options.maxWaitMs ?? MAX_WAIT_MS });

  const finish: Finish = (parcel, conclusion, answer) => {
    const settlement = settlementFor(parcel, withDoubt(conclusion, parcel), { clock, answer });
    journal.settle(settlement, () => onSaved(settlement));
    gates.over(parcel.sendable.supplier);
    backlog.drop();
  };
  const lose = (error: unknown): void => {
    halt.stop(error);
    backlog.drop();
  };
  const nobodyTakes = (): Failure | undefined =>
    options.oneSupplier === true && !gates.waits ? gates.failure() : undefined;
  const resend = createResend(parts, tools, finish);

  const send = async (parcel: Parcel): Promise<void> => {
    parcel.ticket = pace.ticket();
    const { payload, supplier } = parcel.sendable;
    const sent = await client.send(payload, halt.killed);
    const answer = { ...sent, verdict: gates.judge(sent.verdict, supplier) };
    const failure = watch.learn(answer, parcel.ticket, inFlight()) ?? nobodyTakes();
    if (failure !== undefined) halt.stop(failure);
    if (answer.verdict.kind === "unsent" && !halt.stopping.aborted) {
      backlog.putBack(parcel);
      return;
    }
    parcel.tries += 1;
    if (answer.verdict.kind === "ambiguous") parcel.inDoubt = true;
    const retry = decideRetry(answer, { tries: parcel.tries, dedupes: options.dedupes, budget, random });
    if (!retry.again)
      finish(parcel, gates.waits ? waiting(conclude(answer, parcel)) : conclude(answer, parcel), answer);
    else resend(parcel, answer, retry.afterMs).catch(lose);
  };

  return async (parcel) => {
    if (parcel === undefined) return;
    const held = halt.stopping.aborted || !gates.mayLeave(parcel.sendable.supplier);
    if (held) finish(parcel, { status: "pending", reason: "not sent" }, undefined);
    else await send(parcel).catch(lose);
  };
}

type Finish = (parcel: Parcel, conclusion: Conclusion, answer: Answer | undefined) => void;

/**
 * The attempt is settled as `pending`, and the record has a new one after a while. A refused attempt is settled at
 * once; a record in doubt stays in doubt until its next attempt is due, which a crash in between must not hide.
 */
function createResend(
  { clock }: UploadParts,
  { journal, backlog, halt, onSaved }: DeliveryTools,
  finish: Finish,
): (parcel: Parcel, answer: Answer, afterMs: number) => Promise<void> {
  return async (parcel, answer, afterMs) => {
    const { inDoubt } = parcel;
    if (inDoubt) await clock.sleep(afterMs, halt.stopping);
    if (halt.stopping.aborted) {
      finish(parcel, interrupted(answer), answer);
      return;
    }
    const settlement = settlementFor(parcel, { ...interrupted(answer), status: "pending" }, { clock, answer });
    const saved = new Promise<void>((resolve) => {
      journal.settle(settlement, resolve);
    });
    if (!inDoubt) await clock.sleep(afterMs, halt.stopping);
    if (halt.stopping.aborted) {
      backlog.drop();
      await saved;
      onSaved(settlement);
      return;
    }
    parcel.attempt += 1;
    await journal.intend([intentFor(parcel, clock)]);
    backlog.putBack(parcel);
  };
}
