import type { AttrPath } from "../json/attr.ts";
import { type JsonObject, type JsonValue, isJsonArray, isJsonObject } from "../json/json-value.ts";
import { Failure, failureAt } from "../model/failure.ts";
import { readRuleDeclarations } from "../rules/language/read-rules.ts";
import type { SettingValue } from "../rules/language/rule.ts";
import { didYouMean } from "../text/suggestion.ts";
import { checkRules } from "./check-rules.ts";
import { type Findings, createFindings, reportRuleIssues } from "./contract-findings.ts";
import type { Contract } from "./contract.ts";
import { layeredDocument } from "./document/layered-document.ts";
import { applyOverlay, overlayVersion } from "./document/overlay.ts";
import { resolveSchemaNames } from "./document/schema-names.ts";
import type { SourceText } from "./document/text-excerpt.ts";
import { checkWrittenFor } from "./document/written-for.ts";
import { type SourceDocument, parseDocument } from "./document/yaml-document.ts";
import { compileOperations } from "./operations/compile-operation.ts";
import { compilationOf } from "./types/compile-type.ts";
import { reportManyWays } from "./types/count-alternatives.ts";
import { type Compilation, followReference } from "./types/schema-node.ts";

/**
 * Compiles the first document (OpenAPI 3.0 or 3.1) after applying all other documents (Overlay 1.0) to it in order.
 * Adds a finding for every part that is unknown or not enforced. `settings`: the configured settings of the instance,
 * to which a discriminator may refer.
 *
 * Throws a Failure (`contract_invalid`) if compilation is impossible, for example because a file is neither YAML nor
 * JSON, the first document is not OpenAPI 3.0 or 3.1, or a later document is not an overlay.
 */
export function loadContract(
  documents: readonly SourceText[],
  settings: Readonly<Record<string, SettingValue>> = {},
): Contract {
  const [first, ...others] = documents;
  if (first === undefined) {
    throw new Failure("contract_invalid", "no contract was given", {
      hint: "pass the platform's OpenAPI document with --contract",
    });
  }
  refuseTable(first);
  const base = parseDocument(first);
  const root = base.value;
  const openapi = versionOf(root, base);
  const plain = isJsonObject(root) ? root : {};
  const layers = others.length === 0 ? undefined : layeredDocument(base, plain);
  const findings = createFindings(layers?.placeOf ?? ((path) => ({ file: base.file, line: base.lineOf(path) })));
  if (layers !== undefined) {
    for (const source of others) {
      const overlay = overlayOf(source);
      const applied = applyOverlay(layers, overlay, findings);
      checkWrittenFor(overlay, { base: plain, applied }, findings);
    }
  }

  const document = resolveSchemaNames(layers?.value ?? plain, openapi);
  checkDocumentKeys(document, findings);
  const ruleDeclarations = readRuleDeclarations(document, reportRuleIssues(findings));
  const declared = new Map(Object.entries(settings));
  const settingText = (name: string): string | undefined => {
    const value = declared.get(name) ?? ruleDeclarations.settings.get(name)?.default;
    return value === undefined ? undefined : String(value);
  };
  const compilation = compilationOf(document, openapi, findings, { settingText });
  const operations = compileOperations(compilation);
  reportManyWays(compilation.unions, findings);
  checkRules(operations, ruleDeclarations, findings);
  checkReferences(document, findings);
  const { title, version } = isJsonObject(document["info"]) ? document["info"] : {};
  return {
    title: textOr(title, first.file),
    version: textOr(version, ""),
    document,
    operations,
    ruleDeclarations,
    findings: findings.sorted(),
  };
}

/** Rejects a table (CSV), because users may pass an extract as the contract by mistake. */
function refuseTable({ file, text }: SourceText): void {
  const [header = "", row = ""] = text.split(/\r?\n/, 2);
  const isTable = TABLE_DELIMITERS.some((delimiter) => {
    const columns = header.split(delimiter).length;
    return columns > 1 && columns === row.split(delimiter).length;
  });
  if (!/\.(?:csv|tsv)$/i.test(file) && (!isTable || /[:{[\]]/.test(header))) return;
  throw new Failure("contract_invalid", `${file}: this is a table (CSV), not an OpenAPI document`, {
    hint: "pass the platform's OpenAPI document with --contract, and extracts as arguments",
    place: { file, line: 1 },
  });
}

const TABLE_DELIMITERS = [",", ";", "\t", "|"];

function versionOf(root: JsonValue, { file, lineOf }: SourceDocument): Compilation["openapi"] {
  const version = isJsonObject(root) ? root["openapi"] : undefined;
  if (typeof version === "string" && version.startsWith("3.0")) return "3.0";
  if (typeof version === "string" && version.startsWith("3.1")) return "3.1";
  if (root === null) {
    const hint = "the contract is the platform's own OpenAPI document: ask the operator for it (docs/contract.md)";
    throw emptyFile(file, hint);
  }
  const line = lineOf(["openapi"]);
  throw failureAt("contract_invalid", { file, line }, "this is not an OpenAPI 3.0 or 3.1 document", {
    hint: hintFor(root, version),
  });
}

function hintFor(root: JsonValue, version: JsonValue | undefined): string {
  if (overlayVersion(root) !== undefined) return "this is an overlay: pass the OpenAPI document before it";
  if (isJsonObject(root) && Object.hasOwn(root, "swagger")) return "this is Swagger 2: convert it to OpenAPI 3 first";
  if (typeof version === "number") return `write the version as a string, such as openapi: "3.0.3"`;
  if (typeof version === "string") return "convert the document to OpenAPI 3.0 or 3.1";
  return 'pass the OpenAPI document of the platform: it begins with its version, such as "openapi: 3.0.3"';
}

function overlayOf(source: SourceText): SourceDocument {
  const overlay = parseDocument(source);
  const version = overlayVersion(overlay.value);
  if (version?.startsWith("1")) return overlay;
  if (overlay.value === null) {
    throw emptyFile(source.file, "omit the overlay, or add the changes to it (docs/contract.md)");
  }
  const line = overlay.lineOf(["overlay"]);
  const what =
    version === undefined
      ? "this is not an Overlay 1.0 document"
      : `this is an overlay of version ${version}, which is not supported`;
  throw failureAt("contract_invalid", { file: source.file, line }, what, {
    hint: 'pass one OpenAPI document, then overlays; an overlay begins with "overlay: 1.0.0"',
  });
}

/** Returns the failure for a file that is empty or has only comments. */
function emptyFile(file: string, hint: string): Failure {
  return new Failure("contract_invalid", `${file}: this file is empty`, { hint, place: { file, line: 1 } });
}

function textOr(value: JsonValue | undefined, otherwise: string): string {
  return typeof value === "string" ? value : otherwise;
}

/** Checks all references of the document. A broken reference is an error even if no request uses it. */
function checkReferences(document: JsonObject, findings: Findings): void {
  const open: { readonly value: JsonValue; readonly path: AttrPath }[] = [{ value: document, path: [] }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value, path } = next;
    if (isExample(path)) continue;
    if (isJsonArray(value))
      for (const [index, item] of value.entries()) open.push({ value: item, path: [...path, index] });
    if (!isJsonObject(value)) continue;
    if (typeof value["$ref"] === "string") followReference(document, value["$ref"], [...path, "$ref"], findings);
    for (const [name, below] of Object.entries(value)) open.push({ value: below, path: [...path, name] });
  }
}

/**
 * Whether the path leads to an example, a default, choices or a constant. These values are data, so a `$ref` in them is
 * not a reference. `examples` is a list of data in a schema. Elsewhere it is a map of objects whose `value` is data.
 */
function isExample(path: AttrPath): boolean {
  const [name, parent] = [path.at(-1), path.at(-2)];
  if (typeof name === "number") return parent === "examples";
  if (name === "value") return path.at(-3) === "examples";
  return DATA_KEYWORDS.has(name) && !NAMED_PARTS.has(parent);
}

const DATA_KEYWORDS: ReadonlySet<unknown> = new Set(["enum", "const", "example", "default"]);

/**
 * Objects whose members may have any name. For example, `default` is a keyword in a schema, but the name of a response
 * in `responses`.
 */
const NAMED_PARTS: ReadonlySet<unknown> = new Set(
  splitNames(
    "properties patternProperties dependentSchemas $defs definitions schemas responses parameters examples requestBodies headers links callbacks pathItems",
  ),
);

/**
 * Reports unknown names outside operations and schemas: in the document object, components, paths, request bodies and
 * media types (OpenAPI 3.0.3 and 3.1.0). Also reports extensions of this program that have no effect at their location.
 */
function checkDocumentKeys(document: JsonObject, findings: Findings): void {
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
