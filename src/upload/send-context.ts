import type { AttemptOutcome } from "../ledger/records/requests.ts";
import type { StepClient } from "../platform/import/step-clients.ts";
import type { Clock, Random } from "../time/clock.ts";
import { type AccountNumbers, createAccountNumbers } from "./account-numbers.ts";
import { type CircuitBreaker, createCircuitBreaker } from "./breaker/circuit-breaker.ts";
import type { SupplierBreakers } from "./breaker/supplier-breaker.ts";
import { createLedgerWriter, type LedgerWriter } from "./ledger-writer.ts";
import { createRateControl, type RateControl } from "./rate/adaptive-concurrency.ts";
import { createStepLimits, type StepLimits } from "./rate/step-limit.ts";
import { createRetryBudget, type RetryBudget } from "./retry.ts";
import { createSendQueue, type SendQueue } from "./send-queue.ts";
import type { EndCause, UploadDependencies, UploadEnd, UploadOptions } from "./upload-types.ts";
import { createStepOrder, type StepOrder } from "./workflow-position.ts";
import { setMaxListeners } from "node:events";
import { Failure } from "../model/failure.ts";

/** State shared by all rounds of an upload. */
interface UploadContext {
  readonly options: UploadOptions;
  readonly steps: readonly StepClient[];
  readonly clock: Clock;
  readonly random: Random;
  readonly rate: RateControl;
  readonly stepLimits: StepLimits;
  readonly stepOrder: StepOrder;
  readonly retryBudget: RetryBudget;
  readonly accountNumbers: AccountNumbers;
  readonly supplierBreakers: SupplierBreakers;
  readonly counts: UploadEnd["counts"];
  /** Counts an outcome, once it is durable. */
  readonly onSaved: (outcome: AttemptOutcome) => void;
}

/** State shared by all records of one round of an upload. */
export interface SendContext extends UploadContext {
  readonly queue: SendQueue;
  readonly circuitBreaker: CircuitBreaker;
  readonly shutdown: Shutdown;
  readonly ledgerWriter: LedgerWriter;
}

const MAX_WAIT_MS = 5 * 60_000;

/**
 * Returns a function that creates the context of the next round. All rounds share the pauses, the rates, the retry
 * budget and the account numbers.
 */
export function createRounds(
  { ledger, steps, clock, random, onProgress }: UploadDependencies,
  options: UploadOptions,
  supplierBreakers: SupplierBreakers,
): () => SendContext {
  const counts: Partial<Record<AttemptOutcome["status"], number>> = {};
  const rate = createRateControl(options, { clock, random, onChange: onProgress });
  const stepLimits = createStepLimits(rate.maximum, onProgress);
  const retryBudget = createRetryBudget();
  const limits = {
    maxWaitMs: options.maxWaitMs ?? MAX_WAIT_MS,
    firstWaitMs: options.firstWaitMs,
    contact: { isMade: false },
  };
  const kept: UploadContext = {
    options,
    steps,
    clock,
    random,
    rate,
    stepLimits,
    stepOrder: createStepOrder(steps, options.until),
    retryBudget,
    accountNumbers: createAccountNumbers(options.accountOwner),
    supplierBreakers,
    counts,
    onSaved({ status, durationMs }) {
      counts[status] = (counts[status] ?? 0) + 1;
      onProgress({ kind: "outcome", status, inFlight: stepLimits.inFlight(), durationMs });
    },
  };
  return () => {
    const shutdown = createShutdown(options, clock);
    return {
      ...kept,
      shutdown,
      queue: createSendQueue(),
      circuitBreaker: createCircuitBreaker({ rate, budget: retryBudget, clock, ...limits }),
      ledgerWriter: createLedgerWriter({ ledger, run: options.run, clock, onFailure: shutdown.stop }),
    };
  };
}

/** Ends an upload early, because of the user, a failure or a bug. The first cause counts. */
interface Shutdown {
  /** Aborts when no more requests may be started. */
  readonly stopping: AbortSignal;
  /** Aborts when requests in flight must be cancelled. */
  readonly aborted: AbortSignal;
  /** Ends the upload because of an error, which is a Failure or a bug. */
  readonly stop: (error: unknown) => void;
  /**
   * Call this when the upload has ended.
   * @throws the error that stopped the upload, if it is a bug
   */
  readonly end: () => EndCause;
}

const GRACE_MS = 30_000;

function createShutdown({ drain, abort }: UploadOptions, clock: Clock): Shutdown {
  const stopping = new AbortController();
  const aborted = new AbortController();
  const ended = new AbortController();
  // Every record that waits for a retry adds a listener.
  setMaxListeners(0, stopping.signal, aborted.signal);
  let error: unknown;

  stopping.signal.addEventListener("abort", () => {
    void clock.sleep(GRACE_MS, ended.signal).then(() => aborted.abort());
  });
  const abortAll = (): void => {
    stopping.abort();
    aborted.abort();
  };
  onAbort(drain, () => stopping.abort(), ended.signal);
  onAbort(abort, abortAll, ended.signal);

  return {
    stopping: stopping.signal,
    aborted: aborted.signal,
    stop(cause) {
      if (!stopping.signal.aborted) error = cause;
      stopping.abort();
    },
    end() {
      ended.abort();
      if (!stopping.signal.aborted) return { reason: "done" };
      if (error === undefined) return { reason: "drained" };
      if (error instanceof Failure) return { reason: "stopped", failure: error };
      throw error;
    },
  };
}

function onAbort(signal: AbortSignal, act: () => void, until: AbortSignal): void {
  if (signal.aborted) act();
  else signal.addEventListener("abort", act, { once: true, signal: until });
}
