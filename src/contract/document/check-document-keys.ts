import type { AttrPath } from "../../json/attr.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../json/json-value.ts";
import type { Findings } from "../contract-findings.ts";
import { didYouMean } from "../../text/suggestion.ts";

/**
 * Reports unknown names outside operations and schemas: in the document object, components, paths, request bodies and
 * media types (OpenAPI 3.0.3 and 3.1.0). Extensions of this program have no effect there and are also reported.
 */
export function checkDocumentKeys(document: JsonObject, findings: Findings): void {
  checkKeys(DOCUMENT, document, [], findings);
  const components = member(document, "components");
  checkKeys(COMPONENTS, components, ["components"], findings);
  for (const [name, body] of members(components["requestBodies"])) {
    checkRequestBody(body, ["components", "requestBodies", name], findings);
  }
  const paths = member(document, "paths");
  const keys = Object.keys(paths).filter((name) => !name.startsWith("/"));
  for (const name of keys) checkKey(name, PATHS, ["paths", name], findings);
  for (const [path, item] of members(paths)) {
    if (path.startsWith("x-")) continue;
    checkKeys(PATH_ITEM, item, ["paths", path], findings);
    for (const [method, operation] of members(item)) {
      checkRequestBody(member(operation, "requestBody"), ["paths", path, method, "requestBody"], findings);
    }
  }
}

function checkRequestBody(body: JsonObject, path: AttrPath, findings: Findings): void {
  checkKeys(REQUEST_BODY, body, path, findings);
  for (const [type, media] of members(body["content"]))
    checkKeys(MEDIA_TYPE, media, [...path, "content", type], findings);
}

interface DocumentSection {
  readonly description: string;
  readonly names: readonly string[];
}

function checkKeys(part: DocumentSection, written: JsonObject, path: AttrPath, findings: Findings): void {
  for (const name of Object.keys(written)) checkKey(name, part, [...path, name], findings);
}

function checkKey(name: string, { description, names }: DocumentSection, path: AttrPath, findings: Findings): void {
  if (names.includes(name)) return;
  if (OWN_EXTENSION.test(name)) {
    findings.add("warning", "not-enforced", `"${name}" has no effect on ${description}`, path);
  } else if (name.startsWith("x-")) findings.countExtension(name, path);
  else {
    const message = `"${name}" is not part of ${description}${didYouMean(name, names)}`;
    findings.add("warning", "unknown-keyword", message, path);
  }
}

const OWN_EXTENSION = /^x-(?:migrate-|rules$|rule-|document-path$|max-d)/;

function member(written: JsonObject, name: string): JsonObject {
  const value = written[name];
  return isJsonObject(value) ? value : {};
}

function members(written: JsonValue | undefined): readonly (readonly [string, JsonObject])[] {
  return Object.entries(isJsonObject(written) ? written : {}).flatMap(([name, value]) =>
    isJsonObject(value) ? [[name, value] as const] : [],
  );
}

function splitNames(names: string): readonly string[] {
  return names.split(" ");
}

const DOCUMENT: DocumentSection = {
  description: "an OpenAPI document",
  names: splitNames(
    "openapi info jsonSchemaDialect servers paths webhooks components security tags externalDocs x-rule-values x-rule-settings x-rule-coverage",
  ),
};
const COMPONENTS: DocumentSection = {
  description: "components",
  names: splitNames(
    "schemas responses parameters examples requestBodies headers securitySchemes links callbacks pathItems",
  ),
};
const PATHS: DocumentSection = { description: "paths", names: [] };
const PATH_ITEM: DocumentSection = {
  description: "a path",
  names: splitNames("$ref summary description get put post delete options head patch trace servers parameters"),
};
const REQUEST_BODY: DocumentSection = {
  description: "a request body",
  names: ["$ref", "summary", "description", "content", "required"],
};
const MEDIA_TYPE: DocumentSection = {
  description: "a media type",
  names: ["schema", "example", "examples", "encoding"],
};
