import type { FieldType } from "../../contract/types/field-type.ts";
import { isJsonObject } from "../../json/json-value.ts";
import type { LeafContext } from "../compile-context.ts";
import type { LeafOptions } from "./leaf-options.ts";

/**
 * Records which strings a leaf's cell can contain, if the mapping and the contract list all of them: the codes of a
 * lookup, the words for true and false, or the contract's choices. Does nothing if there are several columns, or if the
 * cell is split or changed by `replace`. With `upper` or `lower`, the case of the cell can differ from the case of the
 * string.
 */
export function noteCellChoices(options: LeafOptions, type: FieldType, { columns, values }: LeafContext): void {
  const { from, join, split, replace } = options;
  const [column] = from;
  if (column === undefined || from.length > 1 || (join ?? split) !== undefined || replace.length > 0) return;
  const texts = knownTexts(options, type, values);
  if (texts !== undefined) {
    columns.limit(
      column,
      texts.filter((text) => text !== ""),
    );
  }
}

function knownTexts(
  { transform }: LeafOptions,
  type: FieldType,
  { lookups }: LeafContext["values"],
): readonly string[] | undefined {
  if (transform === undefined) return type.kind === "choice" ? type.choices.map(String) : undefined;
  if (transform.kind === "boolean") return [...transform.true, ...transform.false];
  if (transform.kind !== "lookup" || transform.otherwise === "keep") return undefined;
  const { table } = transform;
  return isJsonObject(table) ? Object.keys(table) : [...(lookups.get(table)?.keys() ?? [])];
}
