import { describe, expect, it } from "vitest";
import { parse, stringify } from "yaml";
import { diffContracts } from "../../../src/contract/diff/diff-contracts.ts";
import { loadContract } from "../../../src/contract/load-contract.ts";
import { contractOf, documentOf } from "../contract-of.ts";

const text = { type: "string" };
const thing = (properties: object): object => ({ type: "object", properties });

const GET_THING = {
  operationId: "get-thing",
  parameters: [{ name: "key", in: "path", required: true, schema: text }],
  responses: { 200: { description: "found" } },
};
const LOOKUP = { operation: "get-thing", parameters: { key: "key" } };
const POLL = { ...LOOKUP, status: "status", outcomes: { DONE: "accepted" } };
const WORKFLOW = {
  "x-migrate-key": "key",
  "x-migrate-steps": [{ operation: "create-thing", kind: "schedule" }],
  "x-migrate-poll": POLL,
  "x-migrate-read-back": [{ ...LOOKUP, match: { key: "key" } }],
};

function workflowContract(change: object): ReturnType<typeof contractOf> {
  const paths = { "/things/{key}/": { get: GET_THING } };
  return contractOf({ key: text }, { operation: { ...WORKFLOW, ...change }, paths });
}

/** Returns a contract with the single property `field` and additional members at the root of its document. */
function rootedContract(field: object, root: object): ReturnType<typeof loadContract> {
  const document: object = { ...parse(documentOf({ field })), ...root };
  return loadContract([{ file: "c.yaml", text: stringify(document) }]);
}

describe("comparing the settings of two contracts", () => {
  it("lists changed settings of the operation", () => {
    const properties = { supplier: text, results: { type: "array", items: thing({ x: text }) } };
    const next = contractOf(properties, {
      operation: {
        "x-migrate-supplier": "supplier",
        "x-migrate-items": [{ at: "results", attr: "results", status: "status", failed: ["ERROR"] }],
      },
    });
    const found = diffContracts(contractOf(properties), next, undefined);
    expect(found.map(({ breaks, text: words }) => `${breaks ? "!" : ""}${words.split(":")[0]}`)).toEqual([
      "!import supplier",
      "statuses of items",
    ]);
  });

  it("lists rules that use a changed named value or setting", () => {
    const tests = { by_value: "$outer", by_setting: "x = config.word", neither: "x" };
    const rules = Object.entries(tests).map(([code, test]) => ({ code, kind: "holds", test }));
    const body = { ...thing({ x: text }), "x-rules": rules };
    const document = (limit: string, word: string): ReturnType<typeof loadContract> =>
      rootedContract(body, {
        "x-rule-values": { limit: `x = "${limit}"`, outer: "$limit" },
        "x-rule-settings": { word: { type: "text", default: word }, unused: { type: "text", default: word } },
      });
    const found = (limit: string, word: string): readonly string[] =>
      diffContracts(document("A", "A"), document(limit, word), undefined).map(
        ({ attr, breaks, text: words }) => `${breaks ? "!" : ""}${attr} ${words}`,
      );
    expect(found("B", "A")).toEqual(["!field rules were added, changed or removed: by_value"]);
    expect(found("A", "B")).toEqual(["!field rules were added, changed or removed: by_setting"]);
    expect(found("A", "A")).toEqual([]);
  });

  it("lists the alternatives that a changed setting selects", () => {
    const [A, B] = [thing({ a: text }), thing({ b: text })];
    const discriminator = { propertyName: "mode", mapping: { one: "#/x-parts/A", two: "#/x-parts/B" } };
    const union = { oneOf: [{ $ref: "#/x-parts/A" }, { $ref: "#/x-parts/B" }], discriminator };
    const contract = (mode: string): ReturnType<typeof loadContract> =>
      rootedContract(union, {
        "x-parts": { A, B },
        "x-rule-settings": { mode: { type: "text", default: mode } },
      });
    expect(diffContracts(contract("one"), contract("one"), undefined)).toEqual([]);
    expect(diffContracts(contract("one"), contract("two"), undefined)).toMatchObject([
      { kind: "field-removed", attr: "field.a", breaks: true },
      { kind: "field-added", attr: "field.b" },
    ]);
  });

  it.each<[string, object]>([
    ["steps", { "x-migrate-poll": { ...POLL, interval: 9 } }],
    ["steps", { "x-migrate-steps": [{ operation: "create-thing", kind: "process" }] }],
    ["read-backs", { "x-migrate-read-back": [] }],
    ["read-backs", { "x-migrate-read-back": [{ ...LOOKUP, match: { id: "key" } }] }],
  ])("lists changed %s of a workflow: %j", (name, change) => {
    const old = workflowContract({});
    expect(old.findings.filter(({ severity }) => severity === "error")).toEqual([]);
    expect(diffContracts(old, workflowContract({}), undefined)).toEqual([]);
    const found = diffContracts(old, workflowContract(change), undefined);
    expect(found.map(({ kind, breaks, text: words }) => [kind, breaks, words.split(":")[0]])).toEqual([
      ["operation-changed", false, name],
    ]);
  });

  it("lists changed fields next to the payload and in the bodies of steps", () => {
    const contract = (envelope: object, stage: object): ReturnType<typeof contractOf> => {
      const operation = {
        ...WORKFLOW,
        "x-migrate-wrap": "payload",
        "x-migrate-steps": [
          { operation: "stage-thing", kind: "stage", body: { key: "key" } },
          { operation: "create-thing", kind: "schedule" },
        ],
      };
      const content = { "application/json": { schema: stage } };
      const post = { operationId: "stage-thing", requestBody: { content }, responses: {} };
      const paths = { "/things/{key}/": { get: GET_THING }, "/stage/": { post } };
      return contractOf({ payload: thing({ key: text }), more: envelope }, { operation, paths });
    };
    const stage = thing({ key: text, team: text });
    const old = contract(thing({ team: text }), stage);
    expect(old.findings.filter(({ severity }) => severity === "error")).toEqual([]);
    const next = contract({ ...thing({ team: text }), required: ["team"] }, { ...stage, required: ["team"] });
    const only = new Set(["create-thing"]);
    expect(diffContracts(old, next, only)).toMatchObject([
      { kind: "required", attr: "steps.stage.team", breaks: true },
      { kind: "required", attr: "steps.schedule.more.team", breaks: true },
    ]);
  });
});
