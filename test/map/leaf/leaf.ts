import { expect } from "vitest";
import type { FieldType } from "../../../src/contract/types/field-type.ts";
import type { MappingValues } from "../../../src/map/compile-context.ts";
import type { JsonValue } from "../../../src/json/json-value.ts";
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

export function leafError(leaf: string, type: FieldType = text, values?: MappingValues): string {
  const failure = failureOf(() => compile(`payload: { leaf: ${leaf} }`, object({ leaf: type }), values));
  expect(failure.code).toBe("mapping_invalid");
  return `${failure.message} | ${failure.hint ?? ""}`;
}
