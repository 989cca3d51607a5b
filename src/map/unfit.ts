import type { JsonValue } from "../model/json.ts";
import type { Expected, WrittenForm } from "../model/problem.ts";

/** Why a cell cannot become what its attr needs. */
export type UnfitFinding =
  | { readonly code: "invalid"; readonly expected: Expected; readonly written?: WrittenForm }
  | { readonly code: "invalid_choice"; readonly choices: readonly string[] };

/** What a cell becomes that cannot become what it should: it stays as it is, with the reason. */
export class Unfit {
  readonly kept: JsonValue;
  readonly finding: UnfitFinding;

  constructor(kept: JsonValue, finding: UnfitFinding) {
    this.kept = kept;
    this.finding = finding;
  }
}

export function notA(expected: Expected, kept: JsonValue, written?: WrittenForm): Unfit {
  return new Unfit(kept, { code: "invalid", expected, ...(written && { written }) });
}
