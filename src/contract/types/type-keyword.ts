import type { AttrPath } from "../../json/attr.ts";
import { isJsonArray, type JsonValue } from "../../json/json-value.ts";
import { readKeywords, type Compilation, type Located, type SchemaNode } from "./schema-node.ts";
import { didYouMean } from "../../text/suggestion.ts";
import { definedMembers } from "../../json/defined-members.ts";

/** The type names of JSON Schema. */
const SCHEMA_TYPES = ["string", "number", "integer", "boolean", "object", "array", "null"] as const;
export type SchemaType = (typeof SCHEMA_TYPES)[number];

export interface SchemaTypes {
  /**
   * The types that the schema allows, without null. Undefined if the schema does not restrict the type or allows only
   * null (`nullOnly`); empty if the types of its parts exclude each other.
   */
  readonly allowed: readonly SchemaType[] | undefined;
  readonly nullOnly: boolean;
  /** The format that a type alias such as `datetime` implies. */
  readonly format?: string;
  readonly path: AttrPath;
}

/** Returns the types that all parts allow. Reports contradictions and unknown type names. */
export function typesOf(parts: readonly SchemaNode[], { findings, contradict }: Compilation): SchemaTypes {
  const declared = readKeywords(parts, "type").map((located) => declaredTypes(located, findings));
  const known = declared.filter((types) => types.names.length > 0);
  const path = [...known, ...parts][0]?.path ?? [];
  const shared = known.map((types) => types.names).reduce<readonly SchemaType[] | undefined>(sharedTypes, undefined);
  const isEmpty = shared?.length === 0;
  const allowed = shared?.filter((name) => name !== "null") ?? [];
  if (isEmpty) contradict("the types are mutually exclusive", path);
  const format = known.find((types) => types.format !== undefined)?.format;
  return {
    allowed: allowed.length === 0 && !isEmpty ? undefined : allowed,
    nullOnly: allowed.length === 0 && shared?.includes("null") === true,
    path,
    ...definedMembers({ format }),
  };
}

export function isNullOnly(parts: readonly SchemaNode[]): boolean {
  const types = readKeywords(parts, "type").flatMap(({ value }) => listOf(value));
  if (types.length > 0 && types.every((type) => type === null || type === "null")) return true;
  const constants = readKeywords(parts, "const").map(({ value }) => value);
  const choices = [...readKeywords(parts, "enum").flatMap(({ value }) => listOf(value)), ...constants];
  return choices.length > 0 && choices.every((choice) => choice === null);
}

function listOf(value: JsonValue): readonly JsonValue[] {
  return isJsonArray(value) ? value : [value];
}

/** Whether a choice other than null has one of the types. */
export function isOfType(choice: JsonValue, allowed: readonly SchemaType[] | undefined): boolean {
  if (allowed === undefined) return true;
  if (typeof choice === "number") {
    return allowed.includes("number") || (allowed.includes("integer") && Number.isInteger(choice));
  }
  const own = isJsonArray(choice) ? "array" : typeof choice;
  return allowed.some((type) => type === own);
}

interface DeclaredTypes {
  readonly names: readonly SchemaType[];
  readonly format?: string;
  readonly path: AttrPath;
}

function declaredTypes({ value, path }: Located, findings: Compilation["findings"]): DeclaredTypes {
  const meanings = listOf(value).map(meaningOf);
  const unknown = listOf(value).find((name) => meaningOf(name) === undefined);
  const alias = listOf(value).find((name) => typeof name === "string" && TYPE_ALIASES.has(name));
  if (unknown !== undefined) {
    const hint = typeof unknown === "string" ? didYouMean(unknown, [...SCHEMA_TYPES, ...TYPE_ALIASES.keys()]) : "";
    const message = `the type ${JSON.stringify(unknown)} is unknown; it is not enforced${hint}`;
    findings.add("warning", "unknown-type", message, path);
  }
  const names = meanings.flatMap((one) => one?.types ?? []);
  const format = meanings.find((one) => one?.format !== undefined)?.format;
  if (alias !== undefined) {
    const meaning = [names.join(" or "), format].filter((part) => part !== undefined).join(", format ");
    findings.add("info", "type-alias", `${JSON.stringify(alias)} is not a JSON Schema type; read as ${meaning}`, path);
  }
  return { names: unknown === undefined ? names : [], path, ...definedMembers({ format }) };
}

/** Returns the types that a schema names, including null. If a name is unknown, adds a finding and returns no types. */
export function namesOfTypes(value: JsonValue, path: AttrPath, { findings }: Compilation): readonly SchemaType[] {
  return declaredTypes({ value, path }, findings).names;
}

interface TypeMeaning {
  readonly types: readonly SchemaType[];
  readonly format?: string;
}

function meaningOf(name: JsonValue): TypeMeaning | undefined {
  if (name === null) return { types: ["null"] };
  if (typeof name !== "string") return undefined;
  const type = SCHEMA_TYPES.find((known) => known === name);
  return type === undefined ? TYPE_ALIASES.get(name) : { types: [type] };
}

/** Names that are often mistaken for JSON Schema types, with the intended types and formats. */
const TYPE_ALIASES: ReadonlyMap<string, TypeMeaning> = new Map<string, TypeMeaning>([
  ["datetime", { types: ["string"], format: "date-time" }],
  ["date-time", { types: ["string"], format: "date-time" }],
  ["date", { types: ["string"], format: "date" }],
  ["time", { types: ["string"], format: "time" }],
  ["decimal", { types: ["string"], format: "decimal" }],
  ["email", { types: ["string"], format: "email" }],
  ["uuid", { types: ["string"], format: "uuid" }],
  ["text", { types: ["string"] }],
  ["str", { types: ["string"] }],
  ["int", { types: ["integer"] }],
  ["long", { types: ["integer"] }],
  ["float", { types: ["number"] }],
  ["double", { types: ["number"] }],
  ["bool", { types: ["boolean"] }],
  ["dict", { types: ["object"] }],
  ["map", { types: ["object"] }],
  ["list", { types: ["array"] }],
]);

/** Returns the types in both lists; an integer is also a number. */
function sharedTypes(one: readonly SchemaType[] | undefined, other: readonly SchemaType[]): readonly SchemaType[] {
  if (one === undefined) return other;
  const allows = (types: readonly SchemaType[], name: SchemaType): boolean =>
    types.includes(name) || (name === "integer" && types.includes("number"));
  return [...new Set([...one, ...other])].filter((name) => allows(one, name) && allows(other, name));
}
