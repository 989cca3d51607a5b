import { expect } from "vitest";
import type { FieldType } from "../../../src/contract/types/field-type.ts";
import type { MappingValues } from "../../../src/map/compile-context.ts";
import type { JsonValue } from "../../../src/json/json-value.ts";
import type { LocalProblem } from "../../../src/model/problem.ts";
import { compile, failureOf, object, rowOf, text } from "../rows.ts";

export type Cells = Readonly<Record<string, string>>;

/** Maps one row with a leaf in YAML flow style. Returns the value, then the codes of its problems. */
export function mapLeaf(
  leaf: string,
  type: FieldType,
  cells: Cells,
  values?: MappingValues,
): readonly (JsonValue | undefined)[] {
  const mapped = compile(`payload: { leaf: ${leaf} }`, object({ leaf: type }), values).map(rowOf(cells));
  return [mapped.payload["leaf"], ...mapped.problems.map((problem) => problem.code)];
}

/** Maps one row with a leaf in YAML flow style. Returns the problems. */
export function leafProblems(leaf: string, type: FieldType, cells: Cells): readonly LocalProblem[] {
  return compile(`payload: { leaf: ${leaf} }`, object({ leaf: type })).map(rowOf(cells)).problems;
}

export function leafError(leaf: string, type: FieldType = text, values?: MappingValues): string {
  const failure = failureOf(() => compile(`payload: { leaf: ${leaf} }`, object({ leaf: type }), values));
  expect(failure.code).toBe("mapping_invalid");
  return `${failure.message} | ${failure.hint ?? ""}`;
}

/** Returns the only error of a leaf as "<path of the entry>: <error>", and the hint without the excerpt. */
export function leafIssue(
  leaf: string,
  type: FieldType = text,
  values?: MappingValues,
): { readonly error: string; readonly hint: string } {
  const { message, hint = "" } = failureOf(() => compile(`payload: { leaf: ${leaf} }`, object({ leaf: type }), values));
  expect(message).toMatch(/^mapping\.yaml:1:\d+: payload\..*$/);
  return { error: message.replace(/^mapping\.yaml:1:\d+: payload\./, ""), hint: hint.replace(/^[^]*\n/, "") };
}
