import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { init, type InitResult } from "../../../src/commands/init/init.ts";
import type { Dependencies } from "../../../src/job/dependencies.ts";
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from "../../../src/json/json-value.ts";
import { readMapping } from "../../../src/map/document/mapping-document.ts";
import { systemClock } from "../../../src/time/system-clock.ts";
import { projectFile } from "../../e2e/cli.ts";
import { temporaryFolder } from "../../temporary-folder.ts";

export interface InitScene {
  readonly result: InitResult;
  readonly out: string;
  readonly mapping: string;
  readonly config: string;
}

export async function runInit(options: {
  readonly sources: readonly string[];
  readonly contract: readonly string[];
  readonly operation?: string;
  readonly supplier?: string;
  readonly encoding?: string;
  readonly corrections?: string;
  readonly root?: string;
  readonly key?: string;
  /** Aborted by Ctrl-C. */
  readonly signal?: AbortSignal;
}): Promise<InitScene> {
  const out = temporaryFolder();
  const { signal = new AbortController().signal, root, key, ...settings } = options;
  const job = { folder: process.cwd(), namedSources: {}, ...settings };
  const result = await init(
    { job, out, root, key, configSchema: {} },
    { ...initDependencies(temporaryFolder()), drain: signal },
  );
  const text = (name: string): string => readFileSync(path.join(out, name), "utf8");
  return { result, out, mapping: text("mapping.yaml"), config: text("migrate.yaml") };
}

export const CONTRACT: readonly string[] = [projectFile("fixtures/contract/contract.yaml")];

export function initOf(
  files: Readonly<Record<string, string | Uint8Array>>,
  encoding?: string,
  chosen: { readonly root?: string; readonly key?: string } = {},
): Promise<InitScene> {
  const folder = temporaryFolder();
  for (const [name, content] of Object.entries(files)) writeFile(folder, name, content);
  return runInit({
    sources: Object.keys(files).map((name) => path.join(folder, name)),
    contract: CONTRACT,
    operation: "import-account",
    supplier: "SANDBOX",
    ...chosen,
    ...(encoding !== undefined && { encoding }),
  });
}

/**
 * Drafts a mapping for a contract with these properties.
 * @param key the business key, which the contract does not require
 */
export function initOfProperties(
  properties: JsonObject,
  files: Readonly<Record<string, string>>,
  options: { readonly key: string; readonly required?: readonly string[]; readonly keyColumn?: string },
): Promise<InitScene> {
  const { key, required = [], keyColumn } = options;
  const schema = { type: "object", properties: { [key]: { type: "string" }, ...properties }, required };
  const post = {
    "x-migrate-key": key,
    requestBody: { content: { "application/json": { schema } } },
    responses: {},
  };
  const contract = { openapi: "3.1.0", info: { title: "t", version: "1" }, paths: { "/records/": { post } } };
  const folder = temporaryFolder({ ...files, "contract.json": JSON.stringify(contract) });
  return runInit({
    sources: Object.keys(files).map((name) => path.join(folder, name)),
    contract: [path.join(folder, "contract.json")],
    ...(keyColumn !== undefined && { key: keyColumn }),
  });
}

function writeFile(folder: string, name: string, content: string | Uint8Array): void {
  writeFileSync(path.join(folder, name), content);
}

function unexpected(): never {
  throw new Error("init used an unexpected dependency");
}

export function initDependencies(temporary: string): Dependencies {
  return {
    notice: () => undefined,
    onProgress: () => undefined,
    drain: new AbortController().signal,
    abort: new AbortController().signal,
    clock: systemClock,
    random: Math.random,
    secrets: unexpected,
    storeCredentials: unexpected,
    userAgent: "test",
    canAsk: false,
    ask: unexpected,
    copyStandardInput: unexpected,
    screen: { colour: false, width: 80 },
    temporaryFolder: path.join(temporary, "temp"),
    rescueFolder: temporary,
    stateFolder: () => path.join(temporary, "state"),
  };
}

/**
 * Returns the mapping of every leaf by its attr, such as `customers.*.given_name`. Options such as `upper`, `trim` and
 * `default` are omitted, because they cannot be inferred from an extract.
 */
export function leavesOf(file: string, text: string): ReadonlyMap<string, JsonObject> {
  const { payload } = readMapping({ file, text });
  const leaves = new Map<string, JsonObject>();
  collect(payload, "", leaves);
  return leaves;
}

const OPTIONS = new Set(["from", "value", "lookup", "date", "datetime", "zone", "true", "false", "number"]);
const OPERATOR_CHOICES = new Set(["upper", "lower", "trim", "otherwise", "default"]);

function collect(entry: JsonValue, at: string, leaves: Map<string, JsonObject>): void {
  if (isJsonArray(entry)) for (const item of entry) collect(item, `${at}.*`, leaves);
  else if (!isJsonObject(entry)) leaves.set(at, { from: entry });
  else if (entry["each"] !== undefined) collect(entry["item"] ?? {}, `${at}.*`, leaves);
  else if (isLeaf(entry)) {
    leaves.set(at, Object.fromEntries(Object.entries(entry).filter(([name]) => !OPERATOR_CHOICES.has(name))));
  } else for (const [name, field] of Object.entries(entry)) collect(field, at === "" ? name : `${at}.${name}`, leaves);
}

function isLeaf(entry: JsonObject): boolean {
  const names = Object.keys(entry);
  const hasOrigin = names.includes("from") || names.includes("value");
  return hasOrigin && names.every((name) => OPTIONS.has(name) || OPERATOR_CHOICES.has(name));
}

export interface Comparison {
  /** Leaves that are mapped as in the hand-written mapping. */
  readonly right: readonly string[];
  /** Leaves that are mapped differently, or not mapped. */
  readonly wrong: readonly string[];
  /** Mapped leaves that the hand-written mapping does not have. */
  readonly more: readonly string[];
}

/**
 * Compares two mappings. Compares lookup tables only by the codes in the extract, because other codes cannot be
 * inferred.
 */
export function compareLeaves(
  wanted: ReadonlyMap<string, JsonObject>,
  guessed: ReadonlyMap<string, JsonObject>,
): Comparison {
  const isRight = (attr: string): boolean => same(wanted.get(attr), guessed.get(attr));
  return {
    right: [...wanted.keys()].filter(isRight),
    wrong: [...wanted.keys()].filter((attr) => !isRight(attr)),
    more: [...guessed.keys()].filter((attr) => !wanted.has(attr)),
  };
}

function same(wanted: JsonObject | undefined, guessed: JsonObject | undefined): boolean {
  if (wanted === undefined || guessed === undefined) return false;
  const { lookup, ...others } = wanted;
  const { lookup: table, ...guessedOthers } = guessed;
  if (JSON.stringify(sorted(others)) !== JSON.stringify(sorted(guessedOthers))) return false;
  if (!isJsonObject(lookup) || !isJsonObject(table)) return lookup === table;
  return Object.entries(table).every(([code, choice]) => lookup[code] === choice);
}

function sorted(entry: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(entry).toSorted(([one], [other]) => one.localeCompare(other)));
}
