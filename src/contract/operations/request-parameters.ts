import { isJsonArray, isJsonObject } from "../../json/json-value.ts";
import {
  type Assertion,
  type FieldType,
  type ObjectType,
  PLAIN_TYPE,
  type Property,
  type TextType,
} from "../types/field-type.ts";
import { schemaNodeAt, type Compilation } from "../types/schema-node.ts";
import { dereferenced, type DocumentPart } from "./document-part.ts";
import type { RequestParameter, RequestForm, StepSequence } from "./operation.ts";

/**
 * Compiles the parameters that a request sends outside its body (OpenAPI 3.0.3 and 3.1.0, Parameter Object), each in
 * the path, the query or a header. Omits headers that a mapping cannot set. The operation's own parameters override the
 * parameters of its path. A path variable without a Parameter Object is also a parameter. A parameter that cannot be
 * sent is omitted and reported as a finding.
 */
export function compileParameters(
  path: string,
  item: DocumentPart,
  operation: DocumentPart,
  compilation: Compilation,
): readonly RequestParameter[] {
  const found = new Map<string, RequestParameter>();
  for (const { value, path: place } of [item, operation]) {
    const written = value["parameters"];
    for (const [index, one] of (isJsonArray(written) ? written : []).entries()) {
      const parameter = compileParameter(dereferenced(one, [...place, "parameters", index], compilation), compilation);
      if (parameter !== undefined) found.set(`${parameter.in} ${parameter.name}`, parameter);
    }
  }
  for (const name of namesInPath(path)) {
    const isDescribed = [...found.values()].some((one) => one.in === "path" && one.name === name);
    if (!isDescribed) found.set(`path ${name}`, { name, in: "path", required: true, type: sendable(ANY_TEXT, "path") });
  }
  return [...found.values()];
}

/** Returns the names of the variables in a path. Variables are in braces. */
export function namesInPath(path: string): readonly string[] {
  return [...path.matchAll(/\{([^}]+)\}/g)].map(([, name = ""]) => name);
}

function compileParameter(part: DocumentPart | undefined, compilation: Compilation): RequestParameter | undefined {
  const { name, in: where } = part?.value ?? {};
  if (part === undefined || typeof name !== "string" || typeof where !== "string") return undefined;
  if (where === "header" && OWN_HEADERS.has(name.toLowerCase())) return undefined;
  const required = isRequired(part, compilation) || where === "path";
  const type = typeOf(part, compilation);
  if (type !== undefined && isPlace(where)) {
    return { name, in: where, required, type: sendable(type, where) };
  }
  const message = `the parameter ${JSON.stringify(name)} (in: ${JSON.stringify(where)}) is not sent: only single values in the path, the query or a header can be sent`;
  return compilation.findings.add(required ? "warning" : "info", "not-sent", message, part.path);
}

function isRequired({ value, path }: DocumentPart, { findings }: Compilation): boolean {
  const { required = false } = value;
  if (typeof required === "boolean") return required;
  findings.add("error", "bad-keyword", '"required" must be true or false; it is not enforced', [...path, "required"]);
  return false;
}

function isPlace(where: string): where is RequestParameter["in"] {
  return where === "path" || where === "query" || where === "header";
}

/** Returns the type of the parameter's values; undefined if they are not scalars or the parameter has no schema. */
function typeOf({ value, path }: DocumentPart, compilation: Compilation): FieldType | undefined {
  const { schema } = value;
  if (!isJsonObject(schema)) return undefined;
  const type = compilation.compile([schemaNodeAt(schema, [...path, "schema"], compilation.findings)]);
  if (type.kind !== "any") return COMPOSED.has(type.kind) ? undefined : type;
  return { ...ANY_TEXT, ...(type.description !== undefined && { description: type.description }) };
}

const COMPOSED: ReadonlySet<FieldType["kind"]> = new Set(["object", "list", "union"]);

/** Headers that a mapping cannot set: OpenAPI ignores them as parameters, or the HTTP client sets them. */
const OWN_HEADERS: ReadonlySet<string> = new Set(
  "accept content-type authorization user-agent host connection content-length transfer-encoding expect cookie".split(
    " ",
  ),
);

const ANY_TEXT: TextType = { ...PLAIN_TYPE, kind: "text", allowBlank: false, documentPath: false };

/** Restricts the values of a parameter to values that can be sent in its location. */
function sendable(type: FieldType, where: RequestParameter["in"]): FieldType {
  if (where === "query") return type;
  const inHeader = type.kind === "text" && type.pattern === undefined ? PRINTABLE_ASCII : HEADER_CHARACTERS;
  return { ...type, assertions: [...(type.assertions ?? []), where === "path" ? PATH_SEGMENT : inHeader] };
}

/** An empty segment, `.` and `..` would lead to another path. */
const PATH_SEGMENT: Assertion = { schema: { pattern: "[^.]|\\.{3}" }, unevaluated: false, expected: "path" };

/**
 * Text without a pattern is restricted to printable ASCII, because other characters in headers are not interoperable
 * (RFC 9110, 5.5). A pattern in the contract may allow other characters, but not line breaks or other characters that
 * the HTTP client refuses.
 */
const PRINTABLE_ASCII: Assertion = { schema: { pattern: "^[\\x20-\\x7e]*$" }, unevaluated: false, expected: "header" };

const HEADER_CHARACTERS: Assertion = {
  schema: { pattern: "^[\\t\\x20-\\x7e\\x80-\\xff]*$" },
  unevaluated: false,
  expected: "header",
};

/**
 * Returns the type of `parameters` in a mapping: an object whose only member is `parameters`, so that attrs are
 * `parameters.companyId`. It contains the parameters of all requests for a record, each name only once. Returns
 * undefined if there are none.
 */
export function parametersType(operation: RequestForm & StepSequence): ObjectType | undefined {
  const type = parameterFields(operation);
  if (type.properties.size === 0) return undefined;
  const required = requiredParameters(operation).length > 0;
  return closedObject([{ name: "parameters", required, readOnly: false, type }]);
}

/** Returns the type of the object `parameters` in a mapping. Its properties are the parameters of all requests. */
export function parameterFields(operation: RequestForm & StepSequence): ObjectType {
  const properties = new Map<string, Property>();
  const places = new Set<string>();
  for (const { parameters = [] } of requestsOf(operation)) {
    for (const { name, in: where, required, type } of parameters) {
      const known = properties.get(name);
      const isNewPlace = known !== undefined && !places.has(`${where} ${name}`);
      properties.set(name, {
        name,
        required: required || known?.required === true,
        readOnly: false,
        type: isNewPlace ? sendable(known.type, where) : (known?.type ?? type),
      });
      places.add(`${where} ${name}`);
    }
  }
  return closedObject([...properties.values()]);
}

export function requiredParameters(operation: RequestForm & StepSequence): readonly string[] {
  const { properties } = parameterFields(operation);
  return [...properties.values()].filter(({ required }) => required).map(({ name }) => name);
}

/** Returns the locations of each parameter (`query`), by name. Several requests may send it in different locations. */
export function parameterLocations(operation: RequestForm & StepSequence): ReadonlyMap<string, string> {
  const all = requestsOf(operation).flatMap(({ parameters = [] }) => parameters);
  return new Map(
    all.map(({ name }) => {
      const locations = all.filter((one) => one.name === name).map((one) => one.in);
      return [name, [...new Set(locations)].toSorted().join(" and ")];
    }),
  );
}

/** Returns an object type with only these properties. */
export function closedObject(properties: readonly Property[]): ObjectType {
  const byName = new Map(properties.map((property) => [property.name, property]));
  return { ...PLAIN_TYPE, kind: "object", properties: byName, additional: "closed" };
}

/**
 * Returns the requests that a record needs, except queries. In a workflow, the operation itself is either one of the
 * steps or not sent.
 */
function requestsOf(operation: RequestForm & StepSequence): readonly RequestForm[] {
  if (operation.steps.length === 0) return [operation];
  return operation.steps.flatMap((step) => [step.operation, ...(step.reasons === undefined ? [] : [step.reasons])]);
}
