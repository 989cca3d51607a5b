import { NON_FIELD_ERRORS } from "../model/attr.ts";
import type { Clock } from "../model/clock.ts";
import { Failure } from "../model/failure.ts";
import type { PlatformProblem } from "../model/problem.ts";
import { UNSPECIFIED } from "../platform/reply-problems.ts";
import type { Verdict } from "../platform/verdict.ts";
import type { UploadEvent } from "./sendable.ts";

/**
 * Which import suppliers take records just now. One that is Paused or Complete answers every record with an error
 * (specification 3): its gate closes, and nothing more is sent to it, whatever the others do. When the run is to wait
 * for it, one record at a time asks whether it is open again, at growing intervals.
 */
export interface SupplierGates {
  /** `probe`: this one record asks whether the supplier is open again; the others wait for its answer. */
  readonly admit: (supplier: string | undefined) => "yes" | "probe" | "no";
  /** False when the supplier has closed since the record was admitted. */
  readonly mayLeave: (supplier: string | undefined) => boolean;
  /** Learns from an answer, and gives it back as what it means: a closed supplier refuses no record for its data. */
  readonly judge: (verdict: Verdict, supplier: string | undefined) => Verdict;
  /** The record has its outcome; a probe that has taught nothing leaves the gate closed. */
  readonly over: (supplier: string | undefined) => void;
  readonly isProbing: (supplier: string | undefined) => boolean;
  /** Why records were left; undefined while every supplier is open. */
  readonly failure: () => Failure | undefined;
  /** Whether records were passed over since this was last asked: the input has to be read again for them. */
  readonly takePassedOver: () => boolean;
  /** Milliseconds until the next probe is due. */
  readonly untilProbe: () => number;
  /** The run waits for closed suppliers. */
  readonly waits: boolean;
}

export interface GateOptions {
  readonly waits: boolean;
  readonly clock: Pick<Clock, "monotonic">;
  readonly onChange: (event: UploadEvent) => void;
}

/** Refusals in a row with the same code and no field. */
const SAME_REFUSALS = 5;
const FIRST_PROBE_MS = 2_000;
const LAST_PROBE_MS = 120_000;

export function createSupplierGates({ waits, clock, onChange }: GateOptions): SupplierGates {
  const gates = new Map<string, Gate>();
  let passedOver = false;

  const gateOf = (supplier = ""): Gate => {
    const gate = gates.get(supplier) ?? newGate(supplier);
    gates.set(supplier, gate);
    return gate;
  };
  const shut = (): readonly Gate[] => [...gates.values()].filter(({ state }) => state !== "open");

  const close = (gate: Gate, code: string): void => {
    if (gate.state === "closed") return;
    gate.intervalMs = gate.state === "open" ? FIRST_PROBE_MS : Math.min(2 * gate.intervalMs, LAST_PROBE_MS);
    gate.state = "closed";
    gate.code = code;
    gate.probeAt = clock.monotonic() + gate.intervalMs;
    const { supplier } = gate;
    onChange({ kind: "supplier", supplier, open: false, code, ...(waits && { probeInMs: gate.intervalMs }) });
  };
  const reopen = (gate: Gate): void => {
    gate.state = "open";
    onChange({ kind: "supplier", supplier: gate.supplier, open: true });
  };

  return {
    waits,
    admit(supplier) {
      const gate = gateOf(supplier);
      if (gate.state === "open") return "yes";
      if (waits && gate.state === "closed" && clock.monotonic() >= gate.probeAt) {
        gate.state = "probing";
        return "probe";
      }
      passedOver = true;
      return "no";
    },
    mayLeave(supplier) {
      if (gateOf(supplier).state !== "closed") return true;
      passedOver = true;
      return false;
    },
    judge(verdict, supplier) {
      const gate = gateOf(supplier);
      const closing = closingCode(verdict, gate);
      if (closing !== undefined && "problems" in verdict) {
        close(gate, closing);
        passedOver = true;
        return { kind: "blocked", problems: verdict.problems ?? [] };
      }
      if (verdict.kind !== "accepted" && verdict.kind !== "rejected") return verdict;
      if (countRefusal(gate, verdict)) close(gate, gate.lastRefusal ?? "");
      else if (gate.state === "probing") reopen(gate);
      return verdict;
    },
    over(supplier) {
      const gate = gateOf(supplier);
      if (gate.state === "probing") close(gate, gate.code);
    },
    isProbing: (supplier) => gateOf(supplier).state === "probing",
    failure: () => closedFailure(shut()),
    takePassedOver() {
      const before = passedOver;
      passedOver = false;
      return before;
    },
    untilProbe: () => Math.max(0, Math.min(...shut().map(({ probeAt }) => probeAt)) - clock.monotonic()),
  };
}

interface Gate {
  readonly supplier: string;
  state: "open" | "closed" | "probing";
  /** What closed it last. */
  code: string;
  /** Five equal refusals told that it is closed, and no code that the contract knows. */
  toldByRow: boolean;
  lastRefusal: string | undefined;
  refusals: number;
  /** Monotonic milliseconds. */
  probeAt: number;
  intervalMs: number;
}

function newGate(supplier: string): Gate {
  return {
    supplier,
    state: "open",
    code: "no code",
    toldByRow: false,
    lastRefusal: undefined,
    refusals: 0,
    probeAt: 0,
    intervalMs: FIRST_PROBE_MS,
  };
}

/** The code that says this supplier takes nothing: by the contract's word, or because it has said so five times. */
function closingCode(verdict: Verdict, gate: Gate): string | undefined {
  if (verdict.kind === "blocked") return verdict.problems[0]?.code ?? "no code";
  const refusal = verdict.kind === "rejected" ? codeAlone(verdict.problems) : undefined;
  return gate.toldByRow && refusal === gate.code ? refusal : undefined;
}

/** True when this is one equal refusal too many. */
function countRefusal(gate: Gate, verdict: Extract<Verdict, { kind: "accepted" | "rejected" }>): boolean {
  const refusal = verdict.kind === "rejected" ? codeAlone(verdict.problems) : undefined;
  gate.refusals = refusal !== undefined && refusal === gate.lastRefusal ? gate.refusals + 1 : 1;
  gate.lastRefusal = refusal;
  if (refusal === undefined || gate.refusals < SAME_REFUSALS) return false;
  gate.toldByRow = true;
  return true;
}

/** The code of a refusal that names no field: more likely about the import supplier or the service than the record. */
function codeAlone(problems: readonly PlatformProblem[]): string | undefined {
  const [only] = problems;
  if (only === undefined || problems.length > 1) return undefined;
  return only.attr === NON_FIELD_ERRORS && only.code !== UNSPECIFIED ? only.code : undefined;
}

function closedFailure(closed: readonly Gate[]): Failure | undefined {
  const [first] = closed;
  if (first === undefined) return undefined;
  const names = closed.map(({ supplier }) => supplier).filter((supplier) => supplier !== "");
  const who =
    names.length > 1 ? `the import suppliers ${names.join(", ")}` : ["the import supplier", ...names].join(" ");
  if (!first.toldByRow) {
    return new Failure(
      "supplier_closed",
      `${who} ${names.length > 1 ? "take" : "takes"} no accounts for now (${first.code})`,
      { hint: "ask the platform's operator to set it to Ongoing, then run `migrate resume`" },
    );
  }
  const message = `${SAME_REFUSALS} records in a row of ${who} were refused with ${first.code} and no field`;
  return new Failure("platform_refused", message, {
    hint: "this looks like the import supplier or the service, not the data; once that is mended, run `migrate resume`",
  });
}
