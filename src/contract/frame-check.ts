import type { AttrPath } from "../model/attr.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../model/json.ts";
import type { Findings } from "./findings.ts";
import { suggest } from "../model/suggest.ts";

/**
 * Names that mean nothing in what stands around operations and schemas: the document itself, its components, paths,
 * request bodies and media types (OpenAPI 3.0.3 and 3.1.0). A key of ours that stands there would have no effect.
 */
export function checkFrame(document: JsonObject, findings: Findings): void {
  check(DOCUMENT, document, [], findings);
  const components = member(document, "components");
  check(COMPONENTS, components, ["components"], findings);
  for (const [name, body] of members(components["requestBodies"])) {
    checkRequestBody(body, ["components", "requestBodies", name], findings);
  }
  const paths = member(document, "paths");
  const keys = Object.keys(paths).filter((name) => !name.startsWith("/"));
  for (const name of keys) checkName(name, PATHS, ["paths", name], findings);
  for (const [path, item] of members(paths)) {
    if (path.startsWith("x-")) continue;
    check(PATH_ITEM, item, ["paths", path], findings);
    for (const [method, operation] of members(item)) {
      checkRequestBody(member(operation, "requestBody"), ["paths", path, method, "requestBody"], findings);
    }
  }
}

function checkRequestBody(body: JsonObject, path: AttrPath, findings: Findings): void {
  check(REQUEST_BODY, body, path, findings);
  for (const [type, media] of members(body["content"])) check(MEDIA_TYPE, media, [...path, "content", type], findings);
}

interface Part {
  readonly what: string;
  readonly names: readonly string[];
}

function check(part: Part, written: JsonObject, path: AttrPath, findings: Findings): void {
  for (const name of Object.keys(written)) checkName(name, part, [...path, name], findings);
}

function checkName(name: string, { what, names }: Part, path: AttrPath, findings: Findings): void {
  if (names.includes(name)) return;
  if (OURS.test(name)) {
    findings.add("warning", "not-enforced", `"${name}" has no effect on ${what}`, path);
  } else if (name.startsWith("x-")) findings.count(name, path);
  else {
    const near = suggest(name, names);
    const hint = near === undefined ? "" : `; did you mean "${near}"?`;
    findings.add("warning", "unknown-keyword", `"${name}" is not part of ${what}${hint}`, path);
  }
}

const OURS = /^x-(?:migrate-|rules$|rule-|document-path$|max-d)/;

function member(written: JsonObject, name: string): JsonObject {
  const value = written[name];
  return isJsonObject(value) ? value : {};
}

function members(written: JsonValue | undefined): readonly (readonly [string, JsonObject])[] {
  return Object.entries(isJsonObject(written) ? written : {}).flatMap(([name, value]) =>
    isJsonObject(value) ? [[name, value] as const] : [],
  );
}

function words(names: string): readonly string[] {
  return names.split(" ");
}

const DOCUMENT: Part = {
  what: "an OpenAPI document",
  names: words(
    "openapi info jsonSchemaDialect servers paths webhooks components security tags externalDocs x-rule-values x-rule-settings x-rule-coverage",
  ),
};
const COMPONENTS: Part = {
  what: "components",
  names: words("schemas responses parameters examples requestBodies headers securitySchemes links callbacks pathItems"),
};
const PATHS: Part = { what: "paths", names: [] };
const PATH_ITEM: Part = {
  what: "a path",
  names: words("$ref summary description get put post delete options head patch trace servers parameters"),
};
const REQUEST_BODY: Part = { what: "a request body", names: ["$ref", "summary", "description", "content", "required"] };
const MEDIA_TYPE: Part = { what: "a media type", names: ["schema", "example", "examples", "encoding"] };
