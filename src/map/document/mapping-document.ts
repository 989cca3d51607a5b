import { parseAttr, type AttrPath } from "../../json/attr.ts";
import { definedMembers } from "../../json/defined-members.ts";
import { Failure } from "../../model/failure.ts";
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from "../../json/json-value.ts";
import { type AddressableDocument, parseDocument, type TextMembers } from "../../contract/document/yaml-document.ts";
import type { RowChoice, RowOrder } from "../../model/source-spec.ts";
import { hasOnlyLeafOptions } from "../leaf/leaf-options.ts";
import { SOURCE_PROPERTIES } from "../schema/source-schema.ts";
import { readJoinColumns, readRowChoice, readRowOrder } from "./row-options.ts";
import { readSourceMoment, type SourceMoment } from "./source-moment.ts";
import { type Measure, readMeasures } from "./measures.ts";
import { asObject, collectIssues, refuseUnknown, scalarText, scalarTexts, type Issues } from "./mapping-issues.ts";

/** A mapping file whose structure has been validated. The payload's entries are later compiled against the contract. */
export interface MappingDocument extends AddressableDocument {
  readonly operation?: string;
  /** The attr of the business key in the payload. */
  readonly key?: AttrPath;
  /**
   * The operation whose records must be accepted first. `key`: the attr of this payload that contains the key of such a
   * record; absent if it is the business key.
   */
  readonly after?: { readonly operation: string; readonly key?: AttrPath };
  /** In document order; empty if the mapping describes one unnamed source. */
  readonly sources: ReadonlyMap<string, SourceEntry>;
  readonly payload: JsonObject;
  /** Fields that the bodies of steps have in addition to the payload, by step name. */
  readonly steps: ReadonlyMap<string, JsonObject>;
  /** Values in the path, query and headers of requests, by parameter name. */
  readonly parameters: JsonObject;
  /** The amounts that `migrate proof` adds up. */
  readonly measures: readonly Measure[];
  /** Path of the module with the functions, as written in the mapping. */
  readonly functions?: string;
  /** Paths of all lookup tables that leaves refer to, as written in the mapping. */
  readonly lookupFiles: readonly string[];
}

export interface SourceEntry {
  /** As written in the mapping, relative to its folder; absent if the command line specifies the files. */
  readonly files?: readonly string[];
  /** The sheet to read from the workbooks of the source. */
  readonly sheet?: string;
  readonly key?: string;
  readonly parent?: string;
  readonly on?: string;
  /** The column of the parent that `on` refers to; absent if `on` refers to the parent's key. */
  readonly parentKey?: string;
  readonly orderBy?: RowOrder;
  readonly distinct?: boolean;
  readonly pick?: RowChoice;
  /** Column names by 1-based column number. They replace the names in the header. */
  readonly rename?: ReadonlyMap<number, string>;
  readonly asOf?: SourceMoment;
}

/**
 * Reads a mapping (YAML or JSON). Throws a Failure `mapping_invalid` that lists all structural errors: unknown keys
 * (with suggestions), wrong types, and a missing payload.
 */
export function readMapping(source: { readonly file: string; readonly text: string }): MappingDocument {
  const { value, ...document } = parseDocument(source, "mapping_invalid", WORDS_OF_CELLS);
  const { file } = document;
  const issues = collectIssues(document);
  if (value === null) {
    throw new Failure("mapping_invalid", `${file}: this file is empty`, {
      hint: "docs/mapping.md begins with an example of a mapping",
      place: { file, line: 1 },
    });
  }
  const top = asObject(value, [], issues) ?? {};
  refuseUnknown(top, MAPPING_KEYS, [], issues);
  const operation = textAt(top, "operation", [], issues);
  const key = textAt(top, "key", [], issues);
  const functions = textAt(top, "functions", [], issues);
  const after = readAfter(top["after"], issues);
  const sources = readSources(top["sources"], issues);
  const payload = readPayload(top, issues);
  const steps = readSteps(top["steps"], issues);
  const parameters = top["parameters"] === undefined ? {} : (asObject(top["parameters"], ["parameters"], issues) ?? {});
  const measures = readMeasures(top["measures"], payload, issues);
  issues.raise();
  return {
    ...document,
    measures,
    sources,
    payload,
    steps,
    parameters,
    ...definedMembers({ operation, after, functions, key: key === undefined ? undefined : parseAttr(key) }),
    lookupFiles: [...new Set([payload, ...steps.values(), parameters].flatMap(lookupFilesIn))],
  };
}

/**
 * The options whose values are compared with cells. These values are read as text, exactly as written:
 * `in: [TRUE, 1.10]`.
 */
const WORDS_OF_CELLS: TextMembers = new Map([
  ["in", "column"],
  ["true", "from"],
  ["false", "from"],
]);

const MAPPING_KEYS = [
  "operation",
  "after",
  "key",
  "sources",
  "payload",
  "steps",
  "parameters",
  "measures",
  "functions",
] as const;

function textAt(object: JsonObject, name: string, path: AttrPath, issues: Issues): string | undefined {
  const value = object[name];
  if (value === undefined || (typeof value === "string" && value !== "")) return value;
  return issues.add([...path, name], value === "" ? "must not be empty" : "must be a string");
}

/**
 * Reads `after: stage-account`, or `after: { operation: ..., key: ... }`, where `key` is the attr that contains the key
 * of the other operation's record.
 */
function readAfter(value: JsonValue | undefined, issues: Issues): MappingDocument["after"] {
  if (value === undefined) return undefined;
  if (typeof value === "string" && value !== "") return { operation: value };
  const object = isJsonObject(value) ? value : {};
  refuseUnknown(object, ["operation", "key"], ["after"], issues);
  const operation = textAt(object, "operation", ["after"], issues);
  const key = textAt(object, "key", ["after"], issues);
  if (object["operation"] === undefined) issues.add(["after"], "must name an operation");
  return { operation: operation ?? "", ...(key !== undefined && { key: parseAttr(key) }) };
}

function readPayload(top: JsonObject, issues: Issues): JsonObject {
  const payload = top["payload"];
  if (isJsonObject(payload)) return payload;
  if (payload === undefined) issues.add([], "the mapping has no payload");
  else issues.add(["payload"], "must be an object that mirrors the payload");
  return {};
}

function readSteps(value: JsonValue | undefined, issues: Issues): ReadonlyMap<string, JsonObject> {
  const entries = value === undefined ? {} : (asObject(value, ["steps"], issues) ?? {});
  return new Map(
    Object.entries(entries).flatMap(([name, entry]) => {
      const object = asObject(entry, ["steps", name], issues);
      return object === undefined ? [] : [[name, object] as const];
    }),
  );
}

function readSources(value: JsonValue | undefined, issues: Issues): ReadonlyMap<string, SourceEntry> {
  const sources = new Map<string, SourceEntry>();
  if (value === undefined) return sources;
  for (const [name, entry] of Object.entries(asObject(value, ["sources"], issues) ?? {})) {
    const path = ["sources", name];
    const object = entry === null ? {} : asObject(entry, path, issues);
    if (object !== undefined) sources.set(name, readSource(object, path, issues));
  }
  return sources;
}

function readSource(object: JsonObject, path: AttrPath, issues: Issues): SourceEntry {
  refuseUnknown(object, Object.keys(SOURCE_PROPERTIES), path, issues);
  const files = scalarTexts(object["files"]);
  if (object["files"] !== undefined && files === undefined) {
    issues.add([...path, "files"], "must be a path, a glob, or a list of them");
  }
  const { distinct } = object;
  if (distinct !== undefined && typeof distinct !== "boolean")
    issues.add([...path, "distinct"], "must be true or false");
  return definedMembers({
    files,
    sheet: textAt(object, "sheet", path, issues),
    key: textAt(object, "key", path, issues),
    parent: textAt(object, "parent", path, issues),
    ...readJoinColumns(object["on"], [...path, "on"], issues),
    orderBy: readRowOrder(object["orderBy"], [...path, "orderBy"], issues),
    distinct: distinct === true ? true : undefined,
    pick: readRowChoice(object["pick"], [...path, "pick"], issues),
    rename: readRename(object["rename"], [...path, "rename"], issues),
    asOf: readSourceMoment(object["asOf"], [...path, "asOf"], issues),
  });
}

/** Reads `rename: { 4: NOTES }`, which identifies columns by number, because some columns have no name. */
function readRename(
  value: JsonValue | undefined,
  path: AttrPath,
  issues: Issues,
): ReadonlyMap<number, string> | undefined {
  if (value === undefined) return undefined;
  const renamed = new Map<number, string>();
  for (const [number, name] of Object.entries(asObject(value, path, issues) ?? {})) {
    if (!/^[1-9]\d{0,5}$/.test(number)) {
      issues.add([...path, number], "must be the number of a column", "columns are counted from 1: { 4: NOTES }");
    } else if (typeof name !== "string" || name.trim() === "")
      issues.add([...path, number], "must be a name (a string)");
    else renamed.set(Number(number), name);
  }
  return renamed;
}

/**
 * Finds the lookup files that must be read. The contract is not known at this point. Treats every object with `from`, a
 * `lookup` file and no names other than leaf options as a leaf. If the object is a payload object whose fields have
 * these names, an unnecessary file is read.
 */
function lookupFilesIn(entry: JsonValue): readonly string[] {
  if (isJsonArray(entry)) return entry.flatMap(lookupFilesIn);
  if (!isJsonObject(entry)) return [];
  const lookup = scalarText(entry["lookup"]);
  const isLeaf = entry["from"] !== undefined && hasOnlyLeafOptions(entry);
  return isLeaf && lookup !== undefined ? [lookup] : Object.values(entry).flatMap(lookupFilesIn);
}
