import type { JsonValue } from "../json/json-value.ts";
import type { Outcome } from "../model/outcome.ts";
import type { Place } from "../model/place.ts";
import type { Problem } from "../model/problem.ts";

/**
 * The offending values of a run, kept in memory only and only when the user asked to see them (`--show-values`):
 * the ledger holds none, so a report takes them from here. Bounded: the first places win.
 */
export interface ShownValues {
  noteValue(place: Place, value: JsonValue | undefined): void;
  /** The outcome with the values of its problems filled in, where they are known. */
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
