import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import type { Contract } from "../../src/contract/contract.ts";
import type { Operation } from "../../src/contract/operations/operation.ts";
import { loadContract } from "../../src/contract/load-contract.ts";
import { isJsonArray, isJsonObject, valueAt, type JsonObject, type JsonValue } from "../../src/json/json-value.ts";
import { OPERATORS, overlayTexts, type Operator } from "../overlays/shipped-overlay.ts";

export { OPERATORS, type Operator };

/** Folder of two operators' published documents (MIGRATE_SHARED). The documents are not part of the project. */
const shared = process.env["MIGRATE_SHARED"] ?? path.resolve(import.meta.dirname, "../../../shared");
const folder = path.join(shared, "contracts");

/** Whether the documents exist. If they do not, their tests are skipped. */
export const DOCUMENTS_EXIST: boolean = existsSync(folder);

export function documentText(operator: Operator): string {
  return readFileSync(path.join(folder, `${operator}-data-import.openapi.yml`), "utf8");
}

const loaded = new Map<string, Contract>();

/**
 * Loads the unchanged document, the document with an overlay that declares the wrapping of the asynchronous API, or the
 * document with its shipped overlays, which also declare the wrapping. Each variant is loaded only once.
 */
export function loadDocument(operator: Operator, overlay?: "wrapped" | "shipped"): Contract {
  const name = `${operator} ${overlay}`;
  const contract = loaded.get(name) ?? loadAgain(operator, overlay);
  loaded.set(name, contract);
  return contract;
}

function loadAgain(operator: Operator, overlay?: "wrapped" | "shipped"): Contract {
  const document = { file: `${operator}.yml`, text: documentText(operator) };
  if (overlay === "shipped") return loadContract([document, ...overlayTexts(operator)]);
  return loadContract(overlay === undefined ? [document] : [document, { file: "wrap.yml", text: WRAPPED }]);
}

const WRAPPED = `
overlay: 1.0.0
info: { title: How the asynchronous generation is wrapped, version: "1" }
actions:
  - { target: "$.paths['/v2/data-import/accounts/validate/'].post", update: { x-migrate-wrap: payload } }
  - { target: "$.paths['/v2/data-import/accounts/'].post", update: { x-migrate-wrap: payload } }
`;

export interface Example {
  /** For example `gb V1 Create Transactions: ExamplePayload`. */
  readonly title: string;
  readonly operation: Operation;
  readonly payload: JsonObject;
}

export function exampleRequests(operator: Operator, contract: Contract): readonly Example[] {
  return contract.operations.flatMap((operation) => {
    const place = ["paths", operation.path, operation.method.toLowerCase(), "requestBody", "content"];
    const examples = valueAt(contract.document, [...place, "application/json", "examples"]);
    return Object.entries(isJsonObject(examples) ? examples : {}).flatMap(([name, example]) => {
      const payload: JsonValue | undefined = isJsonObject(example) ? example["value"] : undefined;
      if (!isJsonObject(payload)) return [];
      return [{ title: `${operator} ${operation.id}: ${name}`, operation, payload }];
    });
  });
}

/**
 * Adds the supply type to meter points of examples that omit it. The supply type determines the allowed fields, and is
 * part of the name of the example.
 */
export function withSupplyTypes({ title, payload }: Example): JsonObject {
  const [, market = "", commodity] = /Example(Unmetered|Embedded)?(Electricity|Gas|Water)Payload$/.exec(title) ?? [];
  if (commodity === undefined) return payload;
  const supplyType = [market, commodity].filter(Boolean).join("_").toUpperCase();
  const typed = (point: JsonValue): JsonValue => (isJsonObject(point) ? { supply_type: supplyType, ...point } : point);
  const addresses = itemsOf(payload["supply_addresses"]).map((address) =>
    isJsonObject(address) ? { ...address, meter_points: itemsOf(address["meter_points"]).map(typed) } : address,
  );
  return { ...payload, supply_addresses: addresses };
}

function itemsOf(list: JsonValue | undefined): readonly JsonValue[] {
  return isJsonArray(list) ? list : [];
}

/** Returns the operator's example requests in separate files, keyed by operation and example. */
export function sampleRequests(operator: Operator): ReadonlyMap<string, JsonValue> {
  return new Map(
    sampleFiles().flatMap((file): readonly [string, JsonValue][] => {
      const [, operation, name] = new RegExp(`^${operator}\\.(.+)\\.request\\.(.+)\\.json$`).exec(file) ?? [];
      return operation === undefined || name === undefined ? [] : [[`${operation} ${name}`, sample(file)]];
    }),
  );
}

/** Returns example requests of other operators by file name. */
export function foreignRequests(): readonly (readonly [file: string, data: JsonValue])[] {
  const files = sampleFiles().filter((file) => /-docs\..+\.request\./.test(file));
  return files.map((file) => [file, sample(file)]);
}

/** Returns the codes of the operator's published validators, and whether each can be checked before sending. */
export function judgedCodes(operator: Operator): ReadonlyMap<string, boolean> {
  const codes = new Map<string, boolean>();
  for (const line of readFileSync(path.join(folder, "rules.tsv"), "utf8").split("\n")) {
    const [document, , , code, decidable] = line.split("\t");
    if (document !== operator || code === undefined) continue;
    codes.set(code, codes.get(code) === true || decidable?.startsWith("payload") === true);
  }
  return codes;
}

function sampleFiles(): readonly string[] {
  return DOCUMENTS_EXIST ? readdirSync(path.join(folder, "samples")) : [];
}

function sample(file: string): JsonValue {
  const data: JsonValue = JSON.parse(readFileSync(path.join(folder, "samples", file), "utf8"));
  return data;
}
