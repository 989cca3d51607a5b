import type { JsonValue } from "../json/json-value.ts";
import type { Outcome } from "../model/outcome.ts";
import type { Place } from "../model/place.ts";
import type { Problem } from "../model/problem.ts";

/**
 * The values of a run that have problems. They are kept only in memory and only with `--show-values`. A report reads
 * the values from here, because the ledger contains no values. Only the values of the first `MAX_PLACES` places are
 * kept.
 */
export interface ShownValues {
  readonly noteValue: (place: Place, value: JsonValue | undefined) => void;
  /** Returns the outcome with the known values of its problems. */
  fill(outcome: Outcome): Outcome;
}

const MAX_PLACES = 100_000;

export function createShownValues(): ShownValues {
  const values = new Map<string, string>();
  return {
    noteValue: (place, value) => {
      if (value === undefined || values.size >= MAX_PLACES) return;
      values.set(keyOf(place), typeof value === "string" ? value : JSON.stringify(value));
    },
    fill: (outcome) => ({ ...outcome, problems: outcome.problems.map((problem) => filled(problem, values)) }),
  };
}

function filled(problem: Problem, values: ReadonlyMap<string, string>): Problem {
  const value = problem.place && values.get(keyOf(problem.place));
  return value === undefined ? problem : { ...problem, value };
}

function keyOf(place: Place): string {
  return `${place.file}\n${place.line}\n${place.columnNumber ?? place.pointer ?? ""}`;
}
