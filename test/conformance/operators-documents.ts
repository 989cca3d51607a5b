import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import type { Contract } from "../../src/contract/contract.ts";
import type { Operation } from "../../src/contract/operations/operation.ts";
import { loadContract } from "../../src/contract/load-contract.ts";
import { isJsonArray, isJsonObject, valueAt, type JsonObject, type JsonValue } from "../../src/json/json-value.ts";
import { OPERATORS, overlayTexts, type Operator } from "../overlays/shipped-overlay.ts";

export { OPERATORS, type Operator };

/** What two operators publish; it is not part of the project (MIGRATE_SHARED). */
const shared = process.env["MIGRATE_SHARED"] ?? path.resolve(import.meta.dirname, "../../../shared");
const folder = path.join(shared, "contracts");

/** False where the documents are not there: tests over them are skipped, and show as such. */
export const ARE_THERE: boolean = existsSync(folder);

export function documentText(operator: Operator): string {
  return readFileSync(path.join(folder, `${operator}-data-import.openapi.yml`), "utf8");
}

/**
 * The document as it is, with an overlay that says how the asynchronous generation is wrapped, or with the overlays that
 * the package ships for it, which say that too.
 */
export function loadDocument(operator: Operator, overlay?: "wrapped" | "shipped"): Contract {
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
  /** `gb V1 Create Transactions: ExamplePayload`. */
  readonly title: string;
  readonly operation: Operation;
  readonly payload: JsonObject;
}

/** The example requests inside a document. */
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
 * Some examples leave out the supply type of their meter points, without which nobody knows what these may hold. The
 * names of the examples tell it.
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

/** The operator's example requests that stand in files of their own: operation and example in the name, and the data. */
export function sampleRequests(operator: Operator): ReadonlyMap<string, JsonValue> {
  return new Map(
    sampleFiles().flatMap((file): readonly [string, JsonValue][] => {
      const [, operation, name] = new RegExp(`^${operator}\\.(.+)\\.request\\.(.+)\\.json$`).exec(file) ?? [];
      return operation === undefined || name === undefined ? [] : [[`${operation} ${name}`, sample(file)]];
    }),
  );
}

/** Requests that other operators show in their documentation, by the name of the file. */
export function foreignRequests(): readonly (readonly [file: string, data: JsonValue])[] {
  const files = sampleFiles().filter((file) => /-docs\..+\.request\./.test(file));
  return files.map((file) => [file, sample(file)]);
}

/** The codes that the operator's published validators raise, and whether one of these can be decided before sending. */
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
  return ARE_THERE ? readdirSync(path.join(folder, "samples")) : [];
}

function sample(file: string): JsonValue {
  const data: JsonValue = JSON.parse(readFileSync(path.join(folder, "samples", file), "utf8"));
  return data;
}
