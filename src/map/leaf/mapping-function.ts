import { CallFault } from "../../model/call-result.ts";
import { cellTextOf } from "../../json/json-value.ts";
import { Failure } from "../../model/failure.ts";
import { placeOf } from "../../model/record.ts";
import type { Conversion } from "./conversion.ts";
import type { LeafContext } from "../compile-context.ts";
import type { LeafOptions } from "./leaf-options.ts";
import { didYouMean } from "../document/mapping-issues.ts";
import type { LeafNode } from "../node/mapping-node.ts";

/**
 * Compiles a leaf's call to a user's function. A failed call throws a Failure `mapping_invalid` that names the row.
 */
export function compileCall(
  name: string,
  options: LeafOptions,
  convert: Conversion,
  { document, values, issues, calls }: LeafContext,
): LeafNode["finish"] {
  const { names } = values.functions;
  if (!names.includes(name)) {
    const hint =
      document.functions === undefined
        ? "name the module that contains it: functions: ./functions.mjs"
        : didYouMean(name, names);
    issues.add([...options.path, "call"], `there is no function "${name}"`, hint);
    return () => undefined;
  }
  const place = { file: document.file, line: document.lineOf([...options.path, "call"]) };
  return (content, row) => {
    const text = typeof content === "string" ? content : JSON.stringify(content);
    const result = calls.resultOf(name, text, row, place);
    if (result instanceof CallFault) {
      const { file, line } = placeOf(row);
      const message = `the function "${name}" ${result.text} on the row at ${file}:${line}`;
      throw new Failure("mapping_invalid", message, { hint: result.hint, place });
    }
    if (result === undefined || result === null) return undefined;
    return convert(typeof result === "object" ? result : cellTextOf(result));
  };
}
