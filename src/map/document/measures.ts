import { type AttrPath, parseAttr } from "../../json/attr.ts";
import { definedMembers } from "../../json/defined-members.ts";
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue, memberAt } from "../../json/json-value.ts";
import type { NumberSeparators } from "../leaf/number-text.ts";
import { listed } from "../../text/suggestion.ts";
import { asObject, type Issues, refuseUnknown } from "./mapping-issues.ts";

/** An amount that is added up over all records and compared between the sources and the platform. */
export interface Measure {
  readonly name: string;
  /** The path of the amount in payloads; `*` matches every item of a list. */
  readonly attr: AttrPath;
  /** Groups the sums by the value at this path; each `*` matches the same item as in `attr`. */
  readonly by?: AttrPath;
  /** The number format of the cells, if the mapping defines it. */
  readonly separators?: NumberSeparators;
}

/** Reads `measures: { balance: { attr: balance, sum: decimal, by: currency } }`. */
export function readMeasures(value: JsonValue | undefined, payload: JsonObject, issues: Issues): readonly Measure[] {
  if (value === undefined) return [];
  return Object.entries(asObject(value, ["measures"], issues) ?? {}).flatMap(([name, entry]) => {
    const path = ["measures", name];
    const object = asObject(entry, path, issues);
    if (object === undefined) return [];
    refuseUnknown(object, ["attr", "sum", "by"], path, issues);
    const { attr, sum, by } = object;
    if (sum !== undefined && sum !== "decimal") issues.add([...path, "sum"], `must be ${listed(["decimal"])}`);
    if (by !== undefined && typeof by !== "string") issues.add([...path, "by"], "must be an attr of the payload");
    if (typeof attr !== "string" || attr === "") {
      issues.add(path, "must name an attr of the payload: `attr: balance`");
      return [];
    }
    const measured = parseAttr(attr);
    const separators = separatorsOf(entryAt(payload, measured));
    const group = typeof by === "string" ? parseAttr(by) : undefined;
    return [{ name, attr: measured, ...definedMembers({ by: group, separators }) }];
  });
}

/** Returns the mapping's entry for an attr. If a list has several entries, returns the first. */
function entryAt(entry: JsonValue | undefined, [name, ...rest]: AttrPath): JsonValue | undefined {
  if (entry === undefined || name === undefined) return entry;
  if (name !== "*" && typeof name !== "number") return entryAt(memberAt(entry, name), rest);
  const first = isJsonArray(entry) ? entry[0] : entry;
  const item = isJsonObject(first) && isJsonObject(first["item"]) ? first["item"] : first;
  return entryAt(item, rest);
}

/**
 * Returns the number format of an entry, or undefined if it has no valid number format. Errors in `number` are reported
 * when the leaf is compiled.
 */
function separatorsOf(entry: JsonValue | undefined): NumberSeparators | undefined {
  const written = isJsonObject(entry) ? entry["number"] : undefined;
  if (!isJsonObject(written) || typeof written["decimal"] !== "string") return undefined;
  const { decimal, group } = written;
  return { decimal, ...(typeof group === "string" && { group }) };
}
