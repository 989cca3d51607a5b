import { createRequire } from "node:module";
import { isJsonObject, type JsonObject, type JsonValue } from "../../src/json/json-value.ts";

const ADDRESS = "http://localhost:1234/draft2020-12/";
const INTEGER = { type: "integer" };
const TEXT = { type: "string" };

/**
 * The remote documents that the suite refers to by URL, reconstructed from its test cases. In a contract, each of them
 * is a schema with an `$id`.
 */
const DOCUMENTS: Readonly<Record<string, JsonObject>> = {
  "integer.json": INTEGER,
  "subSchemas.json": { $defs: { integer: INTEGER, refToInteger: { $ref: "#/$defs/integer" } } },
  "locationIndependentIdentifier.json": {
    $defs: { refToInteger: { $ref: "#foo" }, named: { $anchor: "foo", ...INTEGER } },
  },
  "baseUriChange/folderInteger.json": INTEGER,
  "baseUriChangeFolder/folderInteger.json": INTEGER,
  "baseUriChangeFolderInSubschema/folderInteger.json": INTEGER,
  "name-defs.json": { $defs: { orNull: { anyOf: [{ type: "null" }, { $ref: "#" }] } }, ...TEXT },
  "ref-and-defs.json": { $defs: { inner: { properties: { bar: TEXT } } }, $ref: "#/$defs/inner" },
  "nested/foo-ref-string.json": { type: "object", properties: { foo: { $ref: "string.json" } } },
  "nested/string.json": TEXT,
  "different-id-ref-string.json": { $ref: "http://localhost:1234/real-id-ref-string.json" },
  "http://localhost:1234/real-id-ref-string.json": { $defs: { bar: TEXT }, $ref: "#/$defs/bar" },
  "urn-ref-string.json": { $ref: "urn:uuid:feebdaed-ffff-0000-ffff-0000deadbeef" },
  "urn:uuid:feebdaed-ffff-0000-ffff-0000deadbeef": { $defs: { bar: TEXT }, $ref: "#/$defs/bar" },
  "nested-absolute-ref-to-string.json": {
    $defs: { bar: { $id: "http://localhost:1234/the-nested-id.json", ...TEXT } },
    $ref: "http://localhost:1234/the-nested-id.json",
  },
  "detached-ref.json": { $defs: { foo: { $ref: "#detached" }, detached: { $anchor: "detached", ...INTEGER } } },
  "detached-dynamicref.json": {
    $defs: { foo: { $dynamicRef: "#detached" }, detached: { $dynamicAnchor: "detached", ...INTEGER } },
  },
  "tree.json": {
    $dynamicAnchor: "node",
    type: "object",
    properties: { data: true, children: { type: "array", items: { $dynamicRef: "#node" } } },
  },
  "extendible-dynamic-ref.json": {
    type: "object",
    properties: { elements: { type: "array", items: { $dynamicRef: "#elements" } } },
    required: ["elements"],
    additionalProperties: false,
    $defs: { elements: { $dynamicAnchor: "elements" } },
  },
};

const METASCHEMA = "https://json-schema.org/draft/2020-12/schema";
const VOCABULARIES = ["core", "applicator", "unevaluated", "validation", "meta-data", "format-annotation", "content"];

/** Returns the documents that a schema of the suite may refer to, keyed by component name. */
export function documentsFor(schema: JsonValue): JsonObject {
  const text = JSON.stringify(schema);
  const own = text.includes("localhost:1234")
    ? Object.entries(DOCUMENTS).map(([file, document]) => ({ ...document, $id: new URL(file, ADDRESS).href }))
    : [];
  const meta = text.includes(`"$ref":"${METASCHEMA}"`)
    ? ["schema", ...VOCABULARIES.map((name) => `meta/${name}`)].map(metaschema)
    : [];
  return Object.fromEntries([...own, ...meta].map((document, index) => [`Document ${index}`, document]));
}

/** Returns a metaschema from the Ajv package. */
function metaschema(name: string): JsonObject {
  const load = createRequire(import.meta.url);
  const document: unknown = load(`ajv/dist/refs/json-schema-2020-12/${name}.json`);
  return isJsonObject(document) ? document : {};
}
