import { canonicalJson } from "../json/json-value.ts";
import type { PriorContent } from "../ledger/records/requests.ts";
import type { StepClient } from "../platform/import/step-clients.ts";
import type { NewIntent } from "./ledger-writer.ts";
import type { Epoch } from "./rate/adaptive-concurrency.ts";
import type { WorkflowPosition } from "./workflow-position.ts";
import type { RecordToSend } from "./upload-types.ts";
import type { StepSlot } from "./rate/step-limit.ts";
import type { MonotonicClock, Sleeper } from "../time/clock.ts";

/** The progress of a record at its current step. */
export interface StepProgress {
  position: WorkflowPosition;
  /** Number of tries so far for the current request of the step, in this run. */
  tries: number;
  /** Number of polls since the polling interval was last reset. The interval doubles with each poll. */
  polls: number;
  /** Number of consecutive polls that found nothing. */
  notFoundCount: number;
}

/** A record with an intent and no outcome yet. */
export interface RecordState extends StepProgress {
  toSend: RecordToSend;
  /** The payload as canonical JSON in UTF-8. */
  json: Buffer;
  /** Number of the attempt with the latest intent. */
  attempt: number;
  /** Whether a request of this or an earlier run had no clear reply, so that the platform may have the record. */
  isAmbiguous: boolean;
  /** The content that the platform may have from earlier requests, including requests of this run. */
  prior: PriorContent;
  /** Whether the platform had already completed a step, perhaps with different content. */
  wasDoneBefore: boolean;
  /** The account number in the latest reply of this run that has one. */
  account: string | undefined;
  epoch: Epoch;
  /** Present while the step is polled. */
  patience: PollPatience | undefined;
  /** The request in flight, as counted by the limit of its step. */
  stepSlot: StepSlot | undefined;
}

export function newRecordState(toSend: RecordToSend, at: WorkflowPosition): RecordState {
  const { attempts, isAmbiguous } = toSend;
  return {
    toSend,
    json: toSend.json ?? Buffer.from(canonicalJson(toSend.payload)),
    ...atPosition(at),
    attempt: attempts + 1,
    isAmbiguous,
    prior: toSend.prior ?? (isAmbiguous ? "same" : "none"),
    wasDoneBefore: false,
    account: undefined,
    epoch: 0,
    patience: undefined,
    stepSlot: undefined,
  };
}

/** Copies the memory that the record shares with other records, because the record may wait for a long time. */
export function detach(state: RecordState): void {
  const { toSend } = state;
  if (toSend.detached === undefined) return;
  state.toSend = toSend.detached();
  state.json = state.toSend.json ?? Buffer.from(state.json);
}

/** Returns the state of a record at the start of a step. */
export function atPosition(position: WorkflowPosition): StepProgress {
  return { position, tries: 0, polls: 0, notFoundCount: 0 };
}

/** Notes that a request may have been processed. Call this only for a request that may create the record. */
export function noteUnclear(state: RecordState): void {
  state.isAmbiguous = true;
  if (state.prior === "none") state.prior = "same";
}

/** Notes that the platform had already completed the current step, and may therefore have different content. */
export function noteDoneBefore(state: RecordState): void {
  state.wasDoneBefore = true;
  if (state.prior === "none") state.prior = "other";
}

/**
 * Whether the record, if it is on the platform, must have this content: a request with this content had no clear reply,
 * and the platform cannot have any other content.
 */
export function isOwnContent({ prior }: RecordState): boolean {
  return prior === "same";
}

/** Whether the next request of the record creates nothing, so that repeating it is harmless. */
export function isIdempotent({ position }: StepProgress): boolean {
  return position.mode !== "send" || position.step.idempotent;
}

/**
 * Whether the completion of the current step settles an earlier request without a clear reply. It does not if that
 * request may belong to a later step, because an earlier run sent other content or the ledger lost the record's steps.
 */
export function settlesEarlierRequests({ position, toSend }: RecordState, firstStep: StepClient | undefined): boolean {
  if (position.mode === "send" && position.step.idempotent) return false;
  if (!toSend.isAmbiguous) return true;
  return toSend.prior !== "other" && (toSend.step !== undefined || position.step === firstStep);
}

export function intentFor(state: RecordState): NewIntent {
  const { attempt, isAmbiguous, position } = state;
  const { record, identity, content, rowHash } = state.toSend;
  const idempotent = isIdempotent(state) && !isAmbiguous;
  const { name } = position.step;
  return {
    record,
    identity,
    content,
    attempt,
    idempotent,
    isPoll: position.mode !== "send",
    rowHash,
    ...(name !== undefined && { step: name }),
  };
}

/** The remaining time for polling the status of one record (`patience` of `x-migrate-poll`). */
interface PollPatience {
  readonly isOver: () => boolean;
  readonly leftMs: () => number;
  /** Aborts when the time has expired. */
  readonly over: AbortSignal;
  /** Stops the timer. Call this when no further status is needed. */
  readonly end: () => void;
}

interface PatienceOptions {
  readonly ms: number;
  readonly clock: MonotonicClock & Sleeper;
  /** When this signal aborts, the timer stops, as with `end`. */
  readonly stopping: AbortSignal;
}

export function startPatience({ ms, clock, stopping }: PatienceOptions): PollPatience {
  const until = clock.monotonic() + ms;
  const over = new AbortController();
  const ended = new AbortController();
  const end = (): void => ended.abort();
  if (stopping.aborted) end();
  else stopping.addEventListener("abort", end, { once: true, signal: ended.signal });
  const wait = async (): Promise<void> => {
    await clock.sleep(ms, ended.signal);
    if (!ended.signal.aborted) over.abort();
  };
  void wait();
  return {
    isOver: () => over.signal.aborted || clock.monotonic() >= until,
    leftMs: () => Math.max(0, until - clock.monotonic()),
    over: over.signal,
    end,
  };
}
