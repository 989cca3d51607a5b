import { expect, it } from "vitest";
import { resolveSchemaNames } from "../../../src/contract/document/schema-names.ts";
import { type JsonObject, valueAt } from "../../../src/json/json-value.ts";
import { contractOf, fieldOf, property } from "../contract-of.ts";

const components = (schemas: JsonObject): JsonObject => ({ openapi: "3.1.0", components: { schemas } });
const MORE = { openapi: "3.1.0" };

it("leaves a document without schema names unchanged", () => {
  const document = components({
    A: { $ref: "#/components/schemas/B" },
    B: { properties: { $id: { type: "string" } } },
  });
  expect(resolveSchemaNames(document, "3.1")).toBe(document);
});

it("resolves references to $id and $anchor relative to their position", () => {
  const schemas = {
    Money: { $id: "https://example.com/money", $defs: { amount: { $anchor: "amount", type: "integer" } } },
    Debt: {
      $id: "https://example.com/debt",
      properties: { of: { $ref: "money#amount" }, own: { $ref: "#/$defs/x" } },
      $defs: { x: true },
      enum: [{ $ref: "money" }],
    },
  };
  const resolved = resolveSchemaNames(components(schemas), "3.1");
  expect(valueAt(resolved, ["components", "schemas", "Debt"])).toMatchObject({
    properties: {
      of: { $ref: "#/components/schemas/Money/%24defs/amount" },
      own: { $ref: "#/components/schemas/Debt/%24defs/x" },
    },
    enum: [{ $ref: "money" }],
  });
  const { type, findings } = fieldOf({ $ref: "https://example.com/money#amount" }, { ...MORE, schemas });
  expect(type.kind).toBe("integer");
  expect(findings).toEqual([]);
});

it("resolves a $dynamicRef to the outermost schema with the anchor", () => {
  const list = {
    $id: "https://example.com/list",
    type: "array",
    items: { $dynamicRef: "#item" },
    $defs: { item: { $dynamicAnchor: "item" } },
  };
  const numbers = {
    $id: "https://example.com/numbers",
    $ref: "list",
    $defs: { item: { $dynamicAnchor: "item", type: "integer" } },
  };
  const more = { ...MORE, schemas: { List: list, Numbers: numbers } };
  const ofNumbers = fieldOf({ $ref: "https://example.com/numbers" }, more).type;
  const ofAnything = fieldOf({ $ref: "https://example.com/list" }, more).type;
  expect(ofNumbers).toMatchObject({ kind: "list", items: { kind: "integer" } });
  expect(ofAnything).toMatchObject({ kind: "list", items: { kind: "any" } });
});

it("resolves references in a copied schema whose relative $id contains a folder", () => {
  const inner = {
    $id: "dir/inner",
    type: "object",
    properties: { own: { $ref: "#local" }, outer: { $dynamicRef: "#node" } },
    $defs: { local: { $anchor: "local", type: "boolean" }, node: { $dynamicAnchor: "node" } },
  };
  const outer = {
    $id: "https://example.com/outer",
    $ref: "dir/inner",
    $defs: { inner, node: { $dynamicAnchor: "node", type: "integer" } },
  };
  const { type, findings } = fieldOf({ $ref: "https://example.com/outer" }, { ...MORE, schemas: { Outer: outer } });
  expect(findings).toEqual([]);
  expect(property(type, "own").kind).toBe("boolean");
  expect(property(type, "outer").kind).toBe("integer");
});

it("keeps a reference to an unknown name, and reports it as an error", () => {
  const { findings } = contractOf({ field: { $ref: "https://example.com/other" } }, MORE);
  expect(findings.map(({ code, severity }) => `${severity} ${code}`)).toEqual(["error broken-ref"]);
});
