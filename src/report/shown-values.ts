import { NON_FIELD_ERRORS, parseAttr } from "../json/attr.ts";
import type { JsonValue } from "../json/json-value.ts";
import type { Outcome } from "../model/outcome.ts";
import type { Place } from "../model/place.ts";
import type { Problem } from "../model/problem.ts";

/**
 * The values of a run that have problems. They are kept only in memory and only with `--show-values`. A report reads
 * the values from here, because the ledger contains no values. Several attrs may read one cell, so a value belongs to a
 * place and an attr. Only the first `MAX_VALUES` values are kept.
 */
export interface ShownValues {
  readonly noteValue: (place: Place, attr: string, value: JsonValue | undefined) => void;
  /** Returns the outcome with the known values of its problems. */
  fill(outcome: Outcome): Outcome;
}

const MAX_VALUES = 100_000;

export function createShownValues(): ShownValues {
  const values = new Map<string, string>();
  return {
    noteValue: (place, attr, value) => {
      if (value === undefined || values.size >= MAX_VALUES) return;
      values.set(keyOf(place, attr), typeof value === "string" ? value : JSON.stringify(value));
    },
    fill: (outcome) => ({ ...outcome, problems: outcome.problems.map((problem) => filled(problem, values)) }),
  };
}

function filled(problem: Problem, values: ReadonlyMap<string, string>): Problem {
  const value = problem.place && values.get(keyOf(problem.place, problem.attr));
  return value === undefined ? problem : { ...problem, value };
}

function keyOf(place: Place, attr: string): string {
  const path = parseAttr(attr).filter((segment) => segment !== NON_FIELD_ERRORS);
  return [place.file, place.line, place.columnNumber ?? place.pointer ?? "", path.join(".")].join("\n");
}
