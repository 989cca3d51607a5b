import { NON_FIELD_ERRORS } from "../../json/attr.ts";
import { Failure } from "../../model/failure.ts";
import type { PlatformProblem } from "../../model/problem.ts";
import type { ReplyClass } from "../../platform/reply/reply-class.ts";
import { UNSPECIFIED } from "../../platform/reply/reply-problems.ts";
import type { Clock } from "../../time/clock.ts";
import type { UploadEvent } from "../upload-types.ts";

/**
 * Which import suppliers take records just now. One that is Paused or Complete answers every record with an error
 * (specification 3): its gate closes, and nothing more is sent to it, whatever the others do. When the run is to wait
 * for it, one record at a time asks whether it is open again, at growing intervals.
 */
export interface SupplierBreakers {
  /** `probe`: this one record asks whether the supplier is open again; the others wait for its answer. */
  readonly admit: (supplier: string | undefined) => "yes" | "probe" | "no";
  /** False when the supplier has closed since the record was admitted. */
  readonly maySend: (supplier: string | undefined) => boolean;
  /** Learns from an answer, and gives it back as what it means: a closed supplier refuses no record for its data. */
  readonly interpret: (verdict: ReplyClass, supplier: string | undefined) => ReplyClass;
  /** The record has its outcome. */
  readonly recordDone: (supplier: string | undefined) => void;
  readonly isProbing: (supplier: string | undefined) => boolean;
  /** Why records were left; undefined while every supplier is open. */
  readonly failure: () => Failure | undefined;
  /** Whether records were passed over since this was last asked: the input has to be read again for them. */
  readonly takeSkipped: () => boolean;
  /** Milliseconds until the next probe is due. */
  readonly untilProbe: () => number;
  /** The run waits for closed suppliers. */
  readonly waits: boolean;
}

export function createSupplierBreakers(options: SupplierBreakerOptions): SupplierBreakers {
  const gates = new Map<string, SupplierBreaker>();
  let passedOver = false;

  const gateOf = (supplier = ""): SupplierBreaker => {
    const known = gates.get(supplier);
    if (known !== undefined) return known;
    const gate = createSupplierBreaker(supplier, options);
    gates.set(supplier, gate);
    return gate;
  };
  const shut = (): readonly SupplierBreaker[] => [...gates.values()].filter((gate) => gate.state() !== "open");

  return {
    waits: options.waits,
    admit(supplier) {
      const gate = gateOf(supplier);
      if (gate.state() === "open") return "yes";
      if (gate.startProbe()) return "probe";
      passedOver = true;
      return "no";
    },
    maySend(supplier) {
      const closed = gateOf(supplier).state() === "closed";
      passedOver ||= closed;
      return !closed;
    },
    interpret(verdict, supplier) {
      const meant = gateOf(supplier).interpret(verdict);
      passedOver ||= meant.kind === "blocked";
      return meant;
    },
    recordDone: (supplier) => gateOf(supplier).recordDone(),
    isProbing: (supplier) => gateOf(supplier).state() === "probing",
    failure: () => closedFailure(shut()),
    takeSkipped() {
      const before = passedOver;
      passedOver = false;
      return before;
    },
    untilProbe: () => Math.max(0, Math.min(...shut().map((gate) => gate.probeAt())) - options.clock.monotonic()),
  };
}

function closedFailure(closed: readonly SupplierBreaker[]): Failure | undefined {
  const [first] = closed;
  if (first === undefined) return undefined;
  const { code, toldByRow } = first.cause();
  const names = closed.map(({ supplier }) => supplier).filter((supplier) => supplier !== "");
  const several = names.length > 1;
  const who = several ? `the import suppliers ${names.join(", ")}` : ["the import supplier", ...names].join(" ");
  if (!toldByRow) {
    return new Failure("supplier_closed", `${who} ${several ? "take" : "takes"} no accounts for now (${code})`, {
      hint: "ask the platform's operator to set it to Ongoing, then run `migrate resume`",
    });
  }
  return new Failure(
    "platform_refused",
    `${EQUAL_REFUSALS} records in a row of ${who} were refused with ${code} and no field`,
    {
      hint: "this looks like the import supplier or the service, not the data; once that is mended, run `migrate resume`",
    },
  );
}

/** Whether one import supplier takes records just now, as its answers tell. */
interface SupplierBreaker {
  /** Empty where payloads name none. */
  readonly supplier: string;
  readonly state: () => "open" | "closed" | "probing";
  /** A closed gate lets one record through when its time has come. */
  readonly startProbe: () => boolean;
  /** Learns from an answer, and gives it back as what it means: a closed supplier refuses no record for its data. */
  readonly interpret: (verdict: ReplyClass) => ReplyClass;
  /** A record has its outcome; a probe that has taught nothing leaves the gate closed. */
  readonly recordDone: () => void;
  /** Monotonic milliseconds of the next probe. */
  readonly probeAt: () => number;
  /** What closed it: a code of the contract, or the code of five equal refusals. */
  readonly cause: () => { readonly code: string; readonly toldByRow: boolean };
}

interface SupplierBreakerOptions {
  /** The run waits for closed suppliers, and asks now and then. */
  readonly waits: boolean;
  readonly clock: Pick<Clock, "monotonic">;
  readonly onChange: (event: UploadEvent) => void;
}

/** Refusals in a row with the same code and no field. */
const EQUAL_REFUSALS = 5;
const MIN_PROBE_INTERVAL_MS = 2_000;
const MAX_PROBE_INTERVAL_MS = 120_000;

function createSupplierBreaker(supplier: string, { waits, clock, onChange }: SupplierBreakerOptions): SupplierBreaker {
  const row = createRefusalStreak();
  let state: ReturnType<SupplierBreaker["state"]> = "open";
  let code = "no code";
  let intervalMs = MIN_PROBE_INTERVAL_MS;
  let probeAt = 0;

  const close = (why: string): void => {
    if (state === "closed") return;
    intervalMs = state === "open" ? MIN_PROBE_INTERVAL_MS : Math.min(2 * intervalMs, MAX_PROBE_INTERVAL_MS);
    state = "closed";
    code = why;
    probeAt = clock.monotonic() + intervalMs;
    onChange({ kind: "supplier", supplier, open: false, code, ...(waits && { probeInMs: intervalMs }) });
  };
  const reopen = (): void => {
    if (state !== "probing") return;
    state = "open";
    onChange({ kind: "supplier", supplier, open: true });
  };

  return {
    supplier,
    state: () => state,
    startProbe() {
      if (!waits || state !== "closed" || clock.monotonic() < probeAt) return false;
      state = "probing";
      return true;
    },
    interpret(verdict) {
      if (verdict.kind === "blocked") close(verdict.problems[0]?.code ?? "no code");
      if (verdict.kind !== "accepted" && verdict.kind !== "rejected") return verdict;
      const refusal = verdict.kind === "rejected" ? codeWithoutField(verdict.problems) : undefined;
      if (verdict.kind === "rejected" && refusal !== undefined && refusal === row.refusalOfClosed()) {
        close(refusal);
        return { kind: "blocked", problems: verdict.problems };
      }
      if (row.add(refusal)) close(refusal ?? "");
      else reopen();
      return verdict;
    },
    recordDone() {
      if (state === "probing") close(code);
    },
    probeAt: () => probeAt,
    cause: () => ({ code, toldByRow: row.refusalOfClosed() === code }),
  };
}

interface RefusalStreak {
  /** True when this is one equal refusal too many. */
  readonly add: (refusal: string | undefined) => boolean;
  /** The code that came five times in a row, and means from then on that the supplier is closed. */
  readonly refusalOfClosed: () => string | undefined;
}

function createRefusalStreak(): RefusalStreak {
  let last: string | undefined;
  let length = 0;
  let told: string | undefined;
  return {
    add(refusal) {
      length = refusal !== undefined && refusal === last ? length + 1 : 1;
      last = refusal;
      if (refusal === undefined || length < EQUAL_REFUSALS) return false;
      told = refusal;
      return true;
    },
    refusalOfClosed: () => told,
  };
}

/** The code of a refusal that names no field: more likely about the import supplier or the service than the record. */
function codeWithoutField(problems: readonly PlatformProblem[]): string | undefined {
  const [only] = problems;
  if (only === undefined || problems.length > 1) return undefined;
  return only.attr === NON_FIELD_ERRORS && only.code !== UNSPECIFIED ? only.code : undefined;
}
