import { hash } from "node:crypto";
import { ACCOUNT_FIELDS } from "../../contract/operations/documented-reply.ts";
import type { Operation } from "../../contract/operations/operation.ts";
import type { AttrPath } from "../../json/attr.ts";
import {
  type JsonObject,
  type JsonValue,
  isJsonArray,
  isJsonObject,
  isJsonScalar,
  valueAt,
} from "../../json/json-value.ts";
import {
  alternativesIn,
  flattenSchema,
  impliedType,
  objectAt,
  requiredNames,
  sharedTypes,
  takesNull,
  valuesOf,
} from "../judge/openapi-schema.ts";
import type { Reply } from "../sandbox-reply.ts";
import { withValue } from "./workflow-steps.ts";

/**
 * Returns a function that converts a successful reply to the documented form. It keeps a documented status, and
 * replaces any other status with the first documented 2xx status. The body follows the schema of that status. Each
 * member has its value from the reply or, if there is none, from the request. A required member without a value gets
 * the documented example, default or first permitted value, otherwise a value of its type.
 * @param number of the returned function: the account number, instead of a generated one
 */
export function documentedForm(
  document: JsonObject,
  operation: Pick<Operation, "method" | "path" | "outcomes">,
): (success: Reply, request: readonly JsonValue[], number: string) => Reply {
  const documented = documentedSuccesses(document, operation);
  const places = [
    ...operation.outcomes.flatMap(({ account }) => (account === undefined ? [] : [account])),
    ...ACCOUNT_FIELDS,
  ];
  return (success, request, number) => {
    const [first] = documented;
    if (first === undefined || success.status >= 300) return success;
    const { status, schema } = documented.find((one) => one.status === success.status) ?? first;
    if (schema === undefined) return { ...success, status };
    const form = (own: JsonValue): JsonValue => {
      const sources = [own, ...request, otherNames(own)];
      const { value } = builtValue(schema, { document, sources, depth: 0 });
      const generated = places.filter((place) => sources.every((source) => valueAt(source, place) === undefined));
      return generated.reduce((built, place) => withNumber(built, place, number), value);
    };
    const { body } = success;
    const isListOfItems = isJsonArray(body) && typeOf(flattenSchema(document, schema)) !== "array";
    return { ...success, status, body: isListOfItems ? body.map(form) : withOwnMembers(form(body), body) };
  };
}

/** Returns the account number under the other names that replies use for it. */
function otherNames(own: JsonValue): JsonObject {
  const account = isJsonObject(own) ? own["account_number"] : undefined;
  return account === undefined ? {} : { kraken_account_number: account, number: account };
}

/** Replaces a generated account number, because `migrate` does not accept the same number for two records. */
function withNumber(body: JsonValue, place: AttrPath, number: string): JsonValue {
  const generated = valueAt(body, place);
  const digits = number.slice(2).toLowerCase();
  if (!isJsonObject(body)) return body;
  if (typeof generated === "number") return withValue(body, place, Number.parseInt(digits, 16));
  if (typeof generated !== "string") return body;
  return withValue(body, place, UUID.test(generated) ? generated.slice(0, -12) + digits.padStart(12, "0") : number);
}

const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/;

interface DocumentedSuccess {
  readonly status: number;
  readonly schema: JsonObject | undefined;
}

/**
 * Returns the documented 2xx replies, in document order. Omits `2XX` and `default`, because they name no single status.
 */
function documentedSuccesses(
  document: JsonObject,
  { method, path }: Pick<Operation, "method" | "path">,
): readonly DocumentedSuccess[] {
  const responses = objectAt(document, document, ["paths", path, method.toLowerCase(), "responses"]) ?? {};
  return Object.keys(responses)
    .filter((name) => /^2\d\d$/.test(name))
    .map((name) => {
      const schema = objectAt(document, responses, [name, "content", "application/json", "schema"]);
      return { status: Number(name), schema };
    });
}

/** Adds the sandbox's own members, such as the status of a note. Reply schemas are open, so the members are valid. */
function withOwnMembers(built: JsonValue, own: JsonValue): JsonValue {
  return isJsonObject(built) && isJsonObject(own) ? { ...own, ...built } : built;
}

interface BuildContext {
  readonly document: JsonObject;
  /** Values at the same path in the reply and in the request. The preferred value comes first. */
  readonly sources: readonly JsonValue[];
  readonly depth: number;
}

interface Built {
  readonly value: JsonValue;
  /** Whether `value` contains a value from one of the sources. */
  readonly isKnown: boolean;
}

/** Maximum nesting of a generated value. Schemas may be recursive. */
const MAX_DEPTH = 8;

function builtValue(schema: JsonObject, context: BuildContext): Built {
  const { document, depth } = context;
  const parts = flattenSchema(document, schema);
  const { options = [], rest = [] } = alternativesIn(parts) ?? {};
  const [option] = options;
  if (option !== undefined && depth <= MAX_DEPTH) {
    return builtValue({ allOf: [option, ...rest] }, { ...context, depth: depth + 1 });
  }
  const type = typeOf(parts);
  if (type === "object") return builtObject(parts, context);
  if (type === "array") return builtList(parts, context);
  const known = context.sources.find(
    (value) => isJsonScalar(value) && fitsType(value, type, takesNull(document, schema)),
  );
  return known === undefined ? { value: sampleScalar(parts, type), isKnown: false } : { value: known, isKnown: true };
}

function typeOf(parts: readonly JsonObject[]): string | undefined {
  return sharedTypes(parts)?.find((name) => name !== "null") ?? impliedType(parts);
}

function builtObject(parts: readonly JsonObject[], context: BuildContext): Built {
  const { document, sources, depth } = context;
  if (depth > MAX_DEPTH) return { value: {}, isKnown: false };
  const required = new Set(parts.flatMap(requiredNames));
  const properties = propertiesOf(parts);
  const members = new Map<string, Built>();
  for (const [name, schema] of properties) {
    const own = sources.flatMap((source) => memberOf(source, name));
    if (own.length === 0 && !required.has(name)) continue;
    const given = own.length === 0 && isObject(schema, document) ? sources : own;
    const built = builtValue(schema, { document, sources: given, depth: depth + 1 });
    if (built.isKnown || required.has(name)) members.set(name, built);
  }
  const all = isAnyKnown(members) ? members : new Map([...members, ...optionalRecord(properties, context)]);
  return {
    value: Object.fromEntries([...all].map(([name, { value }]) => [name, value])),
    isKnown: isAnyKnown(all),
  };
}

function memberOf(source: JsonValue, name: string): readonly JsonValue[] {
  const member = isJsonObject(source) ? source[name] : undefined;
  return member === undefined ? [] : [member];
}

function isAnyKnown(members: ReadonlyMap<string, Built>): boolean {
  return [...members.values()].some(({ isKnown }) => isKnown);
}

/**
 * Returns the optional top-level members of a reply that contain known values. Such a member may be the record itself.
 */
function optionalRecord(
  properties: ReadonlyMap<string, JsonObject>,
  { document, sources, depth }: BuildContext,
): readonly (readonly [name: string, member: Built])[] {
  if (depth > 0) return [];
  return [...properties]
    .filter(([, schema]) => isObject(schema, document))
    .map(([name, schema]) => [name, builtValue(schema, { document, sources, depth: depth + 1 })] as const)
    .filter(([, { isKnown }]) => isKnown);
}

function propertiesOf(parts: readonly JsonObject[]): ReadonlyMap<string, JsonObject> {
  const found = new Map<string, JsonObject>();
  for (const { properties } of parts) {
    for (const [name, schema] of Object.entries(isJsonObject(properties) ? properties : {})) {
      const before = found.get(name);
      if (isJsonObject(schema) && schema["writeOnly"] !== true) {
        found.set(name, before === undefined ? schema : { allOf: [before, schema] });
      }
    }
  }
  return found;
}

function isObject(schema: JsonObject, document: JsonObject): boolean {
  return typeOf(flattenSchema(document, schema)) === "object";
}

function builtList(parts: readonly JsonObject[], { document, sources, depth }: BuildContext): Built {
  const items = parts.map((part) => part["items"]).find(isJsonObject);
  const given = sources.find(isJsonArray);
  if (given !== undefined) {
    const build = (item: JsonValue): JsonValue =>
      items === undefined
        ? item
        : withOwnMembers(builtValue(items, { document, sources: [item], depth: depth + 1 }).value, item);
    return { value: given.map(build), isKnown: given.length > 0 };
  }
  const needsItem = items !== undefined && parts.some(({ minItems }) => typeof minItems === "number" && minItems > 0);
  if (!needsItem || depth > MAX_DEPTH) return { value: [], isKnown: false };
  const { value, isKnown } = builtValue(items, { document, sources, depth: depth + 1 });
  return { value: [value], isKnown };
}

function fitsType(value: JsonValue, type: string | undefined, allowsNull: boolean): boolean {
  if (value === null) return allowsNull;
  if (type === undefined) return true;
  if (type === "integer") return Number.isInteger(value);
  return typeof value === type;
}

function sampleScalar(parts: readonly JsonObject[], type: string | undefined): JsonValue {
  const given = parts.flatMap((part) => [part["example"], part["default"], valuesOf(part)?.[0]]);
  const sample = given.find((value) => value !== undefined && value !== null && isJsonScalar(value));
  if (sample !== undefined) return sample;
  if (type === "boolean") return false;
  if (type === "number" || type === "integer") return minimumOf(parts);
  const format = parts.map((part) => part["format"]).find((name) => typeof name === "string");
  return SAMPLE_TEXTS[String(format)] ?? sampleText(parts);
}

function minimumOf(parts: readonly JsonObject[]): number {
  const minimums = parts.flatMap(({ minimum }) => (typeof minimum === "number" ? [minimum] : []));
  return Math.max(1, ...minimums);
}

function sampleText(parts: readonly JsonObject[]): string {
  const minimums = parts.flatMap(({ minLength }) => (typeof minLength === "number" ? [minLength] : []));
  return "sandbox".padEnd(Math.min(Math.max(0, ...minimums), 1000), "x");
}

const DIGEST = hash("sha256", "sandbox");

const SAMPLE_TEXTS: Readonly<Record<string, string>> = {
  date: "2026-01-31",
  "date-time": "2026-01-31T09:30:00Z",
  decimal: "1.00",
  email: "sandbox@example.com",
  time: "09:30:00",
  uri: "https://example.com/sandbox",
  uuid: `${DIGEST.slice(0, 8)}-${DIGEST.slice(8, 12)}-4${DIGEST.slice(13, 16)}-8${DIGEST.slice(17, 20)}-${DIGEST.slice(20, 32)}`,
};
