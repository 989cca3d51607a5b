import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { Ajv } from "ajv";
import { describe, expect, test } from "vitest";
import { configJsonSchema } from "../../../src/cli/settings/config-schema.ts";
import { schemaOfMapping } from "../../../src/commands/schema-of-mapping.ts";
import { parseDocument } from "../../../src/contract/document/yaml-document.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../../src/json/json-value.ts";
import { mappingSchema } from "../../../src/map/schema/mapping-schema.ts";
import { contractOf } from "../../contract/contract-of.ts";
import { projectFile } from "../../e2e/cli.ts";

interface YamlText {
  readonly name: string;
  readonly value: JsonValue;
}

/** Returns every YAML file below a folder, with its parsed value. */
function yamlFiles(folder: string): readonly YamlText[] {
  return readdirSync(projectFile(folder), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".yaml") && !name.includes("bad/"))
    .map((name) => valueOf(path.join(folder, name), readFileSync(projectFile(folder, name), "utf8")));
}

function yamlBlocks(page: string): readonly YamlText[] {
  const text = readFileSync(projectFile(page), "utf8");
  return [...text.matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, block = ""], index) =>
    valueOf(`${page} ${index + 1}`, block),
  );
}

function pages(): readonly string[] {
  return [
    "README.md",
    ...readdirSync(projectFile("docs"))
      .filter((name) => name.endsWith(".md"))
      .map((name) => `docs/${name}`),
  ];
}

/** Returns the value of YAML text, or null for a fragment that is not valid YAML by itself. */
function valueOf(name: string, text: string): YamlText {
  try {
    return { name, value: parseDocument({ file: name, text }).value };
  } catch {
    return { name, value: null };
  }
}

const ALL: readonly YamlText[] = [...yamlFiles("fixtures"), ...pages().flatMap(yamlBlocks)];
const MAPPINGS = ALL.filter(
  ({ value }) => isJsonObject(value) && value["payload"] !== undefined && value["openapi"] === undefined,
);
const CONFIGS = ALL.filter(
  ({ value }) => isJsonObject(value) && (value["contract"] !== undefined || value["targets"] !== undefined),
);

/** A single instance, because an instance compiles each schema only once. */
const ajv = new Ajv({ strict: false, allErrors: true });

function faultsOf(schema: JsonObject, value: JsonValue): readonly string[] {
  const validate = ajv.compile(schema);
  return validate(value)
    ? []
    : (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}

const MAPPING_SCHEMA = mappingSchema();
const CONFIG_SCHEMA = configJsonSchema();

function faults(mapping: string): readonly string[] {
  return faultsOf(MAPPING_SCHEMA, valueOf("a mapping", mapping).value);
}

const OWN_JOB = {
  folder: "",
  contract: [projectFile("fixtures/contract/contract.yaml")],
  operation: "import-account",
  sources: [],
  namedSources: {},
};
const OWN_SCHEMA = await schemaOfMapping(OWN_JOB, {});

const ref = (name: string): object => ({ $ref: `#/components/schemas/${name}` });

function schemaOf(field: object, schemas: object): JsonObject {
  return mappingSchema(contractOf({ field }, { schemas, openapi: "3.1.0" }).operations[0]);
}

function objectWith(member: object): object {
  return { type: "object", properties: { name: { type: "string" }, member } };
}

describe("the schema of a mapping", () => {
  test.each(MAPPINGS)("accepts the mapping of $name", ({ value }) => {
    expect(faultsOf(MAPPING_SCHEMA, value)).toEqual([]);
  });

  test("contains the options for dates, row order and pick", () => {
    expect(MAPPING_SCHEMA["definitions"]).toMatchObject({ leaf: { properties: { pivot: { maximum: 99 } } } });
    expect(faults("payload: { a: { from: DOB, date: [dd/MM/yyyy, dd/MM/yy], pivot: 25 } }")).toEqual([]);
    const source = "payload: {}\nsources: { a: { files: a.csv, parent: b, on: { ID: CUST },";
    const order = "orderBy: { column: SINCE, date: dd/MM/yy, pivot: 25 }";
    expect(faults(`${source} ${order}, pick: { last: SEQ, per: MPAN }, distinct: true } }`)).toEqual([]);
    expect(faults(`${source} orderBy: { column: SINCE, pivt: 25 } } }`)).not.toEqual([]);
    expect(faults(`${source} pick: middle } }`)).not.toEqual([]);
  });

  test("accepts the mapping of the demo if the contract is given", () => {
    const { value } = valueOf("demo", readFileSync(projectFile("fixtures/demo/mapping.yaml"), "utf8"));
    expect(faultsOf(OWN_SCHEMA, value)).toEqual([]);
  });

  test.each([
    ["a source with an unknown option", { sources: { a: { file: "a.csv" } }, payload: {} }],
    ["no payload", { operation: "x" }],
    ["an unknown entry at the top level", { payload: {}, operaton: "x" }],
    ["a rename of a column that is not given by number", { sources: { a: { rename: { x: "Y" } } }, payload: {} }],
  ])("rejects %s", (_, value) => {
    expect(faultsOf(MAPPING_SCHEMA, value)).not.toEqual([]);
  });

  test.each([
    ["an attr that the contract does not have", { billing_nam: "NAME" }],
    ["an option that leaves do not have", { billing_name: { form: "NAME" } }],
    ["a constant that is not among the choices", { account_type: { value: "DOMESTICC" } }],
    ["a lookup whose value is not among the choices", { account_type: { from: "T", lookup: { D: "HOME" } } }],
    ["a list without `item`", { customers: { each: "customers" } }],
    ["a nested attr that the contract does not have", { customers: [{ given: "FIRST" }] }],
    ["a leaf where the contract has an object", { payment: "PAYS" }],
  ])("with the contract rejects %s", (_, payload) => {
    expect(faultsOf(OWN_SCHEMA, { payload })).not.toEqual([]);
  });

  describe("of recursive types without an object in between", () => {
    test.each<[string, object, JsonValue]>([
      ["any JSON", { anyOf: [{ type: "string" }, { type: "array", items: ref("Any") }] }, ["A", ["B"]]],
      ["a list of itself", { type: "array", items: ref("Any") }, [[], [[]]]],
      ["a list of lists of itself", { type: "array", items: { type: "array", items: ref("Any") } }, [[[], [[]]]]],
    ])("describes %s", (_, Any, field) => {
      const schema = schemaOf(ref("Any"), { Any });
      expect(faultsOf(schema, { payload: { field } })).toEqual([]);
      expect(faultsOf(schema, { payload: { field: { unknown: "A" } } })).not.toEqual([]);
    });

    test("describes objects that contain each other as alternatives", () => {
      const Either = { oneOf: [ref("A"), ref("B")] };
      const B = { ...objectWith({ anyOf: [ref("A"), ref("B"), { type: "null" }] }), required: ["name"] };
      const schema = schemaOf(Either, { A: objectWith(Either), B });
      expect(faultsOf(schema, { payload: { field: { name: "A", member: { member: { name: "B" } } } } })).toEqual([]);
      expect(faultsOf(schema, { payload: { field: { member: { member: { nam: "B" } } } } })).not.toEqual([]);
    });
  });

  test("contains the field descriptions of the contract", () => {
    const schema = JSON.stringify(OWN_SCHEMA);
    expect(schema).toContain("A British postcode in capitals.");
    expect(schema).toContain("one of DOMESTIC, BUSINESS");
  });
});

describe("the schema of migrate.yaml", () => {
  test.each(CONFIGS)("accepts the configuration of $name", ({ value }) => {
    expect(faultsOf(CONFIG_SCHEMA, value)).toEqual([]);
  });

  test.each([
    ["an unknown setting", { contrct: "x.yaml" }],
    ["a number instead of a string", { supplier: 7 }],
    ["a target without an address", { targets: { t: { ca: "x.pem" } } }],
    ["an unknown environment", { targets: { t: { baseUrl: "https://x/v1/", environment: "prod" } } }],
  ])("rejects %s", (_, value) => {
    expect(faultsOf(CONFIG_SCHEMA, value)).not.toEqual([]);
  });
});
