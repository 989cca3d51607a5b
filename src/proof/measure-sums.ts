import { createDecimalSum, type DecimalSum, isDecimalText, isSameDecimal } from "../json/decimal-arithmetic.ts";
import { formatAttr } from "../json/attr.ts";
import type { Measure } from "../map/document/measures.ts";
import type { MeasureProof, MeasureSums } from "../model/proof.ts";
import { plainText } from "../text/plain-text.ts";

/** One amount at each stage that it reached. A missing member means that the amount did not reach that stage. */
export interface TracedAmount {
  readonly by?: string;
  readonly source?: string;
  readonly payload?: string;
  readonly sent?: string;
  readonly accepted?: string;
  readonly platform?: string;
  readonly unreadable: boolean;
}

export interface MeasureTotals {
  readonly add: (amount: TracedAmount) => void;
  readonly proof: () => MeasureProof;
}

const STAGES = ["source", "payload", "sent", "accepted", "platform"] as const;
type Stage = (typeof STAGES)[number];

/** Maximum number of groups. Values of the `by` attr beyond this limit share one sum. */
const MAX_GROUPS = 1000;
const OTHERS = "(others)";

/** @param withPlatform whether the platform was also queried for amounts */
export function createMeasureTotals(measure: Measure, withPlatform: boolean): MeasureTotals {
  const groups = new Map<string | undefined, Readonly<Record<Stage, DecimalSum>>>();
  let unreadable = 0;
  const groupOf = (by: string | undefined): Readonly<Record<Stage, DecimalSum>> => {
    const name = by !== undefined && !groups.has(by) && groups.size >= MAX_GROUPS ? OTHERS : by;
    const known = groups.get(name) ?? newGroup();
    groups.set(name, known);
    return known;
  };
  return {
    add: (amount) => {
      if (amount.unreadable) unreadable += 1;
      const group = groupOf(amount.by);
      for (const stage of STAGES) {
        const text = amount[stage];
        if (text !== undefined && isDecimalText(text)) group[stage].add(text);
      }
    },
    proof: () => ({
      name: measure.name,
      attr: formatAttr(measure.attr),
      ...(measure.by !== undefined && { by: formatAttr(measure.by) }),
      unreadable,
      sums: [...groups]
        .toSorted(([one = ""], [other = ""]) => (one < other ? -1 : 1))
        .map(([by, group]) => sumsOf(by, group, withPlatform)),
    }),
  };
}

/** Whether the amount is the same at every stage. */
export function isWhole(amount: TracedAmount, withPlatform: boolean): boolean {
  const stages = STAGES.filter((stage) => withPlatform || stage !== "platform");
  const { source } = amount;
  return (
    !amount.unreadable &&
    source !== undefined &&
    stages.every((stage) => {
      const text = amount[stage];
      return text !== undefined && isDecimalText(text) && isSameDecimal(text, source);
    })
  );
}

function newGroup(): Readonly<Record<Stage, DecimalSum>> {
  return {
    source: createDecimalSum(),
    payload: createDecimalSum(),
    sent: createDecimalSum(),
    accepted: createDecimalSum(),
    platform: createDecimalSum(),
  };
}

function sumsOf(
  by: string | undefined,
  group: Readonly<Record<Stage, DecimalSum>>,
  withPlatform: boolean,
): MeasureSums {
  return {
    ...(by !== undefined && { by: plainText(by, 120) }),
    source: group.source.text(),
    payloads: group.payload.text(),
    sent: group.sent.text(),
    accepted: group.accepted.text(),
    ...(withPlatform && { platform: group.platform.text() }),
  };
}
