import { Failure } from "../../model/failure.ts";
import type { JsonValue } from "../../json/json-value.ts";
import { isCsvRow, placeOf, type Row } from "../../model/record.ts";
import type { Conversion } from "./conversion.ts";
import type { LeafContext } from "../compile-context.ts";
import type { LeafOptions } from "./leaf-options.ts";
import { didYouMean } from "../document/mapping-issues.ts";
import type { LeafNode } from "../node/mapping-node.ts";

/** Calls a user's function for a leaf. What it throws ends in a Failure `mapping_invalid` that names the row. */
export function compileCall(
  name: string,
  options: LeafOptions,
  convert: Conversion,
  context: LeafContext,
): LeafNode["finish"] {
  const call = context.values.functions.get(name);
  if (call === undefined) {
    const known = [...context.values.functions.keys()];
    const hint =
      context.document.functions === undefined
        ? "name the module that holds it: functions: ./functions.mjs"
        : didYouMean(name, known);
    context.issues.add([...options.path, "call"], `there is no function "${name}"`, hint);
    return () => undefined;
  }
  const place = { file: context.document.file, line: context.document.lineOf([...options.path, "call"]) };
  return (content, row) => {
    const text = typeof content === "string" ? content : JSON.stringify(content);
    let returned: unknown;
    try {
      returned = call(text, viewOf(row));
    } catch (error) {
      const { file, line } = placeOf(row);
      const message = `the function "${name}" failed on the row at ${file}:${line}`;
      throw new Failure("mapping_invalid", message, { hint: "mend the function", place, cause: error });
    }
    if (returned === undefined || returned === null || returned === "") return undefined;
    if (isJson(returned)) return convert(typeof returned === "object" ? returned : String(returned));
    const message = `the function "${name}" gave back something that is no JSON value`;
    const hint = "it has to give back text, a number, true, false or nothing, and not a promise";
    throw new Failure("mapping_invalid", message, { hint, place });
  };
}

/** The row by column; what a row of CSV lacks is "". */
function viewOf(row: Row): Readonly<Record<string, JsonValue>> {
  if (!isCsvRow(row)) return row.value;
  const cells: Record<string, JsonValue> = Object.create(null);
  for (const [name, index] of row.table.columnIndex) cells[name] = row.cells[index] ?? "";
  return cells;
}

function isJson(value: unknown): value is JsonValue {
  if (value === null || typeof value === "string" || typeof value === "boolean") return true;
  if (typeof value === "number") return Number.isFinite(value);
  if (Array.isArray(value)) return value.every(isJson);
  if (typeof value !== "object") return false;
  const isPlain = Object.getPrototypeOf(value) === Object.prototype || Object.getPrototypeOf(value) === null;
  return isPlain && Object.values(value).every(isJson);
}
