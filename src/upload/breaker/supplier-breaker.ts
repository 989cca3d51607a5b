import { NON_FIELD_ERRORS } from "../../json/attr.ts";
import { Failure } from "../../model/failure.ts";
import { getOrAdd } from "../../model/groups.ts";
import type { PlatformProblem } from "../../model/problem.ts";
import type { ReplyClass } from "../../platform/reply/reply-class.ts";
import { UNSPECIFIED } from "../../platform/reply/reply-problems.ts";
import type { MonotonicClock } from "../../time/clock.ts";
import { SAME_FINDING_MS, type ReportedSupplier, type UploadEvent } from "../upload-types.ts";

/**
 * Circuit breakers for the import suppliers. If a supplier is Paused or Complete, the platform replies to every record
 * of that supplier with an error (API specification 3). The supplier's circuit then opens, and its records are no
 * longer sent. Other suppliers are not affected. If the run waits for the supplier, single records probe it at growing
 * intervals.
 */
export interface SupplierBreakers {
  /**
   * Whether to send the next record of a supplier. `probe`: this record tests whether the supplier accepts records
   * again, and the other records wait for the reply.
   */
  readonly admit: (supplier: string | undefined) => "yes" | "probe" | "no";
  /** False if the circuit opened after the record was admitted. */
  readonly maySend: (supplier: string | undefined) => boolean;
  /**
   * Updates the circuit and returns the reply class to use. A refused record whose supplier is closed becomes
   * `blocked`, not `rejected`.
   */
  readonly interpret: (replyClass: ReplyClass, supplier: string | undefined) => ReplyClass;
  /** Call this when the record has an outcome. */
  readonly recordDone: (supplier: string | undefined) => void;
  readonly isProbing: (supplier: string | undefined) => boolean;
  /** Returns the failure that explains why records were not sent; undefined while every supplier accepts records. */
  readonly failure: () => Failure | undefined;
  /** Whether records were skipped since the last call. Skipped records require another pass over the input. */
  readonly takeSkippedSuppliers: () => boolean;
  /** Returns the milliseconds until the next probe, or until the next check for results from other workers. */
  readonly untilProbe: () => number;
  /** Whether other workers probe all closed suppliers. */
  readonly isProbedByOthers: () => boolean;
  /** Whether the run waits for closed suppliers. */
  readonly waits: boolean;
}

export function createSupplierBreakers(options: SupplierBreakerOptions): SupplierBreakers {
  const { waits, clock, reported = () => [] } = options;
  const breakers = new Map<string, SupplierBreaker>();
  let hasSkipped = false;

  const breakerOf = (supplier = ""): SupplierBreaker =>
    getOrAdd(breakers, supplier, () => createSupplierBreaker(supplier, options));
  const reportOf = (name: string): ReportedSupplier | undefined => reported().find(({ supplier }) => supplier === name);
  const tripped = (): readonly SupplierBreaker[] => {
    for (const breaker of breakers.values()) breaker.apply(reportOf(breaker.supplier));
    return [...breakers.values()].filter((breaker) => breaker.state() !== "closed");
  };
  const isProbedByOthers = (): boolean => {
    const closed = tripped();
    return closed.length > 0 && closed.every(({ supplier }) => reportOf(supplier)?.isProbedHere === false);
  };

  return {
    waits,
    admit(supplier) {
      const breaker = breakerOf(supplier);
      breaker.apply(reportOf(breaker.supplier));
      if (breaker.state() === "closed") return "yes";
      if (reportOf(breaker.supplier)?.isProbedHere !== false && breaker.startProbe()) return "probe";
      hasSkipped = true;
      return "no";
    },
    maySend(supplier) {
      const isOpen = breakerOf(supplier).state() === "open";
      hasSkipped ||= isOpen;
      return !isOpen;
    },
    interpret(replyClass, supplier) {
      const interpreted = breakerOf(supplier).interpret(replyClass);
      hasSkipped ||= interpreted.kind === "blocked";
      return interpreted;
    },
    recordDone: (supplier) => breakerOf(supplier).recordDone(),
    isProbing: (supplier) => breakerOf(supplier).state() === "half-open",
    failure: () => closedFailure(tripped()),
    takeSkippedSuppliers() {
      const skipped = hasSkipped;
      hasSkipped = false;
      return skipped;
    },
    untilProbe: () =>
      isProbedByOthers()
        ? LISTEN_MS
        : Math.max(0, Math.min(...tripped().map((breaker) => breaker.probeAt())) - clock.monotonic()),
    isProbedByOthers,
  };
}

function closedFailure(closed: readonly SupplierBreaker[]): Failure | undefined {
  const [first] = closed;
  if (first === undefined) return undefined;
  const { code, isFromStreak } = first.cause();
  const names = closed.map(({ supplier }) => supplier).filter((supplier) => supplier !== "");
  const several = names.length > 1;
  const who = several ? `the import suppliers ${names.join(", ")}` : ["the import supplier", ...names].join(" ");
  if (!isFromStreak) {
    return new Failure(
      "supplier_closed",
      `${who} ${several ? "accept" : "accepts"} no accounts at the moment (${code})`,
      {
        hint: `ask the platform's operator to set ${several ? "them" : "it"} to Ongoing, then run \`migrate resume\``,
      },
    );
  }
  return new Failure(
    "platform_refused",
    `${EQUAL_REFUSALS} consecutive records of ${who} were refused with ${code}, and no reply named a field`,
    {
      hint: "the cause is probably the import supplier or the service, not the data; once it is fixed, run `migrate resume`",
    },
  );
}

type BreakerState = "closed" | "open" | "half-open";

/**
 * The circuit of one import supplier: closed while the supplier accepts records, half-open during a probe, otherwise
 * open.
 */
interface SupplierBreaker {
  /** Empty if payloads do not name a supplier. */
  readonly supplier: string;
  readonly state: () => BreakerState;
  /** Returns true when the next probe is due, and makes the circuit half-open. */
  readonly startProbe: () => boolean;
  /** Does the same as `SupplierBreakers.interpret` for a record of this supplier. */
  readonly interpret: (replyClass: ReplyClass) => ReplyClass;
  /** Call this when the record has an outcome. If the outcome of a probe is inconclusive, the circuit opens again. */
  readonly recordDone: () => void;
  /** Applies a newer state that another worker found. */
  readonly apply: (finding: ReportedSupplier | undefined) => void;
  /** Returns the time of the next probe, in milliseconds on the monotonic clock. */
  readonly probeAt: () => number;
  /**
   * Returns the reason why the circuit opened: the code of a reply that reports a closed supplier, or the code of
   * `EQUAL_REFUSALS` equal refusals.
   */
  readonly cause: () => { readonly code: string; readonly isFromStreak: boolean };
}

interface SupplierBreakerOptions {
  /** Whether the run waits for closed suppliers and probes them. */
  readonly waits: boolean;
  readonly clock: MonotonicClock;
  /** Returns the findings of other workers of the run. */
  readonly reported?: (() => readonly ReportedSupplier[]) | undefined;
  readonly onChange: (event: UploadEvent) => void;
}

const LISTEN_MS = 1_000;

/** Number of consecutive refusals with the same code and without a field after which the circuit opens. */
const EQUAL_REFUSALS = 5;
const MIN_PROBE_INTERVAL_MS = 2_000;
const MAX_PROBE_INTERVAL_MS = 120_000;

function createSupplierBreaker(supplier: string, { waits, clock, onChange }: SupplierBreakerOptions): SupplierBreaker {
  const streak = createRefusalStreak();
  let state: BreakerState = "closed";
  let code = "no code";
  let intervalMs = MIN_PROBE_INTERVAL_MS;
  let probeAt = 0;
  let changedAt = Number.NEGATIVE_INFINITY;

  const open = (why: string, reportedAt?: number): void => {
    if (state === "open") return;
    changedAt = reportedAt ?? clock.monotonic();
    intervalMs = state === "closed" ? MIN_PROBE_INTERVAL_MS : Math.min(2 * intervalMs, MAX_PROBE_INTERVAL_MS);
    state = "open";
    code = why;
    probeAt = clock.monotonic() + intervalMs;
    const next = { ...(waits && { probeInMs: intervalMs }), ...(reportedAt !== undefined && { reportedAt }) };
    onChange({ kind: "supplier", supplier, open: false, code, ...next });
  };
  const close = (reportedAt?: number): void => {
    if (state === "closed" || (state === "open" && reportedAt === undefined)) return;
    changedAt = reportedAt ?? clock.monotonic();
    state = "closed";
    onChange({ kind: "supplier", supplier, open: true, ...(reportedAt !== undefined && { reportedAt }) });
  };

  return {
    supplier,
    state: () => state,
    startProbe() {
      if (!waits || state !== "open" || clock.monotonic() < probeAt) return false;
      state = "half-open";
      return true;
    },
    interpret(replyClass) {
      if (replyClass.kind === "blocked") open(replyClass.problems[0]?.code ?? "no code");
      if (replyClass.kind !== "accepted" && replyClass.kind !== "rejected") return replyClass;
      const refusal = replyClass.kind === "rejected" ? codeWithoutField(replyClass.problems) : undefined;
      if (replyClass.kind === "rejected" && refusal !== undefined && refusal === streak.refusalOfClosed()) {
        open(refusal);
        return { kind: "blocked", problems: replyClass.problems };
      }
      if (streak.add(refusal)) open(refusal ?? "");
      else close();
      return replyClass;
    },
    recordDone() {
      if (state === "half-open") open(code);
    },
    apply(finding) {
      if (finding === undefined || finding.at <= changedAt + SAME_FINDING_MS || state === "half-open") return;
      if (finding.open) close(finding.at);
      else if (state === "closed") open(finding.code ?? "no code", finding.at);
    },
    probeAt: () => probeAt,
    cause: () => ({ code, isFromStreak: streak.refusalOfClosed() === code }),
  };
}

function createRefusalStreak() {
  let last: string | undefined;
  let length = 0;
  let repeated: string | undefined;
  return {
    /** Returns true when the limit of equal refusals is reached. */
    add(refusal: string | undefined): boolean {
      length = refusal !== undefined && refusal === last ? length + 1 : 1;
      last = refusal;
      if (refusal === undefined || length < EQUAL_REFUSALS) return false;
      repeated = refusal;
      return true;
    },
    /** Returns the code that was repeated. From then on, this code means that the supplier is closed. */
    refusalOfClosed: () => repeated,
  };
}

/**
 * Returns the code of a refusal that names no field; undefined for any other refusal. A refusal without a field is more
 * likely to concern the supplier or the service than the record.
 */
function codeWithoutField(problems: readonly PlatformProblem[]): string | undefined {
  const [only] = problems;
  if (only === undefined || problems.length > 1) return undefined;
  return only.attr === NON_FIELD_ERRORS && only.code !== UNSPECIFIED ? only.code : undefined;
}
