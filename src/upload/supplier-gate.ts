import { NON_FIELD_ERRORS } from "../model/attr.ts";
import type { Clock } from "../model/clock.ts";
import type { PlatformProblem } from "../model/problem.ts";
import { UNSPECIFIED } from "../platform/reply-problems.ts";
import type { Verdict } from "../platform/verdict.ts";
import type { UploadEvent } from "./sendable.ts";

/** Whether one import supplier takes records just now, as its answers tell. */
export interface SupplierGate {
  /** Empty where payloads name none. */
  readonly supplier: string;
  readonly state: () => "open" | "closed" | "probing";
  /** A closed gate lets one record through when its time has come. */
  readonly startProbe: () => boolean;
  /** Learns from an answer, and gives it back as what it means: a closed supplier refuses no record for its data. */
  readonly judge: (verdict: Verdict) => Verdict;
  /** A record has its outcome; a probe that has taught nothing leaves the gate closed. */
  readonly over: () => void;
  /** Monotonic milliseconds of the next probe. */
  readonly probeAt: () => number;
  /** What closed it: a code of the contract, or the code of five equal refusals. */
  readonly cause: () => { readonly code: string; readonly toldByRow: boolean };
}

export interface GateOptions {
  /** The run waits for closed suppliers, and asks now and then. */
  readonly waits: boolean;
  readonly clock: Pick<Clock, "monotonic">;
  readonly onChange: (event: UploadEvent) => void;
}

/** Refusals in a row with the same code and no field. */
export const SAME_REFUSALS = 5;
const FIRST_PROBE_MS = 2_000;
const LAST_PROBE_MS = 120_000;

export function createSupplierGate(supplier: string, { waits, clock, onChange }: GateOptions): SupplierGate {
  const row = createRow();
  let state: ReturnType<SupplierGate["state"]> = "open";
  let code = "no code";
  let intervalMs = FIRST_PROBE_MS;
  let probeAt = 0;

  const close = (why: string): void => {
    if (state === "closed") return;
    intervalMs = state === "open" ? FIRST_PROBE_MS : Math.min(2 * intervalMs, LAST_PROBE_MS);
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
    judge(verdict) {
      if (verdict.kind === "blocked") close(verdict.problems[0]?.code ?? "no code");
      if (verdict.kind !== "accepted" && verdict.kind !== "rejected") return verdict;
      const refusal = verdict.kind === "rejected" ? codeAlone(verdict.problems) : undefined;
      if (verdict.kind === "rejected" && refusal !== undefined && refusal === row.told()) {
        close(refusal);
        return { kind: "blocked", problems: verdict.problems };
      }
      if (row.add(refusal)) close(refusal ?? "");
      else reopen();
      return verdict;
    },
    over() {
      if (state === "probing") close(code);
    },
    probeAt: () => probeAt,
    cause: () => ({ code, toldByRow: row.told() === code }),
  };
}

interface RefusalRow {
  /** True when this is one equal refusal too many. */
  readonly add: (refusal: string | undefined) => boolean;
  /** The code that came five times in a row, and means from then on that the supplier is closed. */
  readonly told: () => string | undefined;
}

function createRow(): RefusalRow {
  let last: string | undefined;
  let length = 0;
  let told: string | undefined;
  return {
    add(refusal) {
      length = refusal !== undefined && refusal === last ? length + 1 : 1;
      last = refusal;
      if (refusal === undefined || length < SAME_REFUSALS) return false;
      told = refusal;
      return true;
    },
    told: () => told,
  };
}

/** The code of a refusal that names no field: more likely about the import supplier or the service than the record. */
function codeAlone(problems: readonly PlatformProblem[]): string | undefined {
  const [only] = problems;
  if (only === undefined || problems.length > 1) return undefined;
  return only.attr === NON_FIELD_ERRORS && only.code !== UNSPECIFIED ? only.code : undefined;
}
