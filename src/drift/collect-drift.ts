import { attrPattern } from "../json/attr.ts";
import type { Outcome } from "../model/outcome.ts";
import type { Place } from "../model/place.ts";
import type { Problem } from "../model/problem.ts";
import { type KnownRule, type RuleProposal } from "./rule-advice.ts";

/** A difference between the platform and local validation. */
export interface Drift {
  /** `missed`: rejected by the platform but valid locally. `strict`: invalid locally but accepted by the platform. */
  readonly kind: "missed" | "strict";
  readonly code: string;
  /** The attr with list indexes as `*`. */
  readonly attr: string;
  readonly count: number;
  /** The first occurrence: the cell, or the record's row. */
  readonly example: Place;
  /** For `missed`: the documented rule for this code, if any, and a proposed rule if the contract has none. */
  readonly known?: KnownRule;
  readonly proposal?: RuleProposal;
}

/** Advice for a code that local validation missed. */
export type Advise = (code: string, attr: string) => Pick<Drift, "known" | "proposal">;

/** Maximum number of distinct attrs and codes, to limit memory for any platform. */
const MAX_KINDS = 2000;

/**
 * Collects the drift of outcomes, most frequent first. Records that were rejected without an error code (a closed
 * supplier, an existing key) cause no drift.
 */
export async function collectDrift(
  outcomes: AsyncIterable<readonly Outcome[]>,
  advise: Advise,
): Promise<readonly Drift[]> {
  const found = new Map<string, Drift>();
  for await (const batch of outcomes) {
    for (const outcome of batch) for (const [kind, problem] of driftOf(outcome)) note(found, outcome, kind, problem);
  }
  return [...found.values()]
    .map((drift) => (drift.kind === "strict" ? drift : { ...drift, ...advise(drift.code, drift.attr) }))
    .toSorted((one, other) => other.count - one.count || (one.code < other.code ? -1 : 1));
}

type Found = readonly [kind: Drift["kind"], problem: Problem];

function driftOf({ status, problems }: Outcome): readonly Found[] {
  if (status === "rejected") return missed(problems).map((problem) => ["missed", problem] as const);
  if (status !== "accepted") return [];
  return problems.filter(isLocalError).map((problem) => ["strict", problem] as const);
}

/** Problems that the platform reported and local validation did not report for the same attr. */
function missed(problems: readonly Problem[]): readonly Problem[] {
  const known = new Set(problems.filter(({ by }) => by === "local").map(({ attr, code }) => `${attr} ${code}`));
  return problems.filter(({ by, attr, code }) => by === "platform" && !known.has(`${attr} ${code}`));
}

/**
 * Whether the problem predicts a rejection. `coerced` and `near_duplicate_key` do not, so they are no drift if the
 * record is accepted.
 */
function isLocalError({ by, code }: Problem): boolean {
  return by === "local" && code !== "coerced" && code !== "near_duplicate_key";
}

function note(found: Map<string, Drift>, outcome: Outcome, ...[kind, problem]: Found): void {
  const { code, place = outcome.source } = problem;
  const attr = attrPattern(problem.attr);
  const key = `${kind} ${code} ${attr}`;
  const known = found.get(key);
  if (known === undefined && found.size >= MAX_KINDS) return;
  found.set(key, { ...(known ?? { kind, code, attr, example: place }), count: (known?.count ?? 0) + 1 });
}
