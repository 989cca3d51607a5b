import { Failure } from "../model/failure.ts";
import type { Verdict } from "../platform/verdict.ts";
import { createSupplierGate, type GateOptions, SAME_REFUSALS, type SupplierGate } from "./supplier-gate.ts";

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
  /** The record has its outcome. */
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

export function createSupplierGates(options: GateOptions): SupplierGates {
  const gates = new Map<string, SupplierGate>();
  let passedOver = false;

  const gateOf = (supplier = ""): SupplierGate => {
    const known = gates.get(supplier);
    if (known !== undefined) return known;
    const gate = createSupplierGate(supplier, options);
    gates.set(supplier, gate);
    return gate;
  };
  const shut = (): readonly SupplierGate[] => [...gates.values()].filter((gate) => gate.state() !== "open");

  return {
    waits: options.waits,
    admit(supplier) {
      const gate = gateOf(supplier);
      if (gate.state() === "open") return "yes";
      if (gate.startProbe()) return "probe";
      passedOver = true;
      return "no";
    },
    mayLeave(supplier) {
      const closed = gateOf(supplier).state() === "closed";
      passedOver ||= closed;
      return !closed;
    },
    judge(verdict, supplier) {
      const meant = gateOf(supplier).judge(verdict);
      passedOver ||= meant.kind === "blocked";
      return meant;
    },
    over: (supplier) => gateOf(supplier).over(),
    isProbing: (supplier) => gateOf(supplier).state() === "probing",
    failure: () => closedFailure(shut()),
    takePassedOver() {
      const before = passedOver;
      passedOver = false;
      return before;
    },
    untilProbe: () => Math.max(0, Math.min(...shut().map((gate) => gate.probeAt())) - options.clock.monotonic()),
  };
}

function closedFailure(closed: readonly SupplierGate[]): Failure | undefined {
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
    `${SAME_REFUSALS} records in a row of ${who} were refused with ${code} and no field`,
    {
      hint: "this looks like the import supplier or the service, not the data; once that is mended, run `migrate resume`",
    },
  );
}
