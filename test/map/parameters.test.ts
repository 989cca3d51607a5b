import { describe, expect, test } from "vitest";
import type { Operation, RequestParameter } from "../../src/contract/operations/operation.ts";
import { compileMapping } from "../../src/map/compile-mapping.ts";
import { readMapping } from "../../src/map/document/mapping-document.ts";
import { type MappingFunctions, NO_FUNCTIONS } from "../../src/map/leaf/function-calls.ts";
import type { Mapping } from "../../src/map/mapping.ts";
import { choice, failureOf, integer, NO_VALUES, object, operation, rowOf, text, union } from "./rows.ts";

const PARAMETERS: readonly RequestParameter[] = [
  { name: "companyId", in: "path", required: true, type: integer },
  { name: "dryRun", in: "query", required: false, type: text },
];

const body = object({ "id!": text });
const withParameters: Operation = { ...operation(body, "id"), parameters: PARAMETERS };
const optional: Operation = { ...withParameters, parameters: PARAMETERS.slice(1) };

function compile(parameters: string, target = withParameters, payload = "{ id: ID }"): Mapping {
  const yaml = `payload: ${payload}\n${parameters}\n`;
  return compileMapping(readMapping({ file: "mapping.yaml", text: yaml }), target, NO_VALUES);
}

describe("values that a mapping passes to parameters", () => {
  const mapping = compile("parameters: { companyId: COMPANY, dryRun: { value: never } }");
  const row = rowOf({ ID: "1", COMPANY: "42" });

  test("are separate from the payload and have the type of the contract", () => {
    expect(mapping.map(row)).toEqual({
      key: "1",
      payload: { id: "1" },
      parameters: { companyId: 42, dryRun: "never" },
      problems: [],
    });
  });

  test("are located in their cells, and in the row if they are constants", () => {
    expect(mapping.locate(row, ["parameters", "companyId"])).toMatchObject({ line: 2, column: "COMPANY" });
    expect(mapping.locate(row, ["parameters", "dryRun"])).toEqual({ file: "accounts.csv", line: 2 });
    expect(mapping.locate(row, ["id"])).toMatchObject({ column: "ID" });
  });

  test("have their own origins, listed after the origins of the payload", () => {
    expect(mapping.origins(row).map(({ attr, from, value }) => [attr, from, value])).toEqual([
      ["id", "column", "1"],
      ["parameters.companyId", "column", 42],
      ["parameters.dryRun", "value", "never"],
    ]);
  });

  test("have problems that name the parameter", () => {
    const { parameters, problems } = mapping.map(rowOf({ ID: "1", COMPANY: "Acme" }));
    expect(parameters).toEqual({ companyId: "Acme", dryRun: "never" });
    expect(problems).toMatchObject([
      { attr: "parameters.companyId", code: "invalid", expected: "integer", place: { line: 2, column: "COMPANY" } },
    ]);
  });

  test("are an empty object if all cells are empty", () => {
    expect(compile("parameters: { dryRun: RUN }", optional).map(rowOf({ ID: "1", RUN: "" })).parameters).toEqual({});
    expect(compile("", optional).map(rowOf({ ID: "1" })).parameters).toEqual({});
  });

  test("are absent if the operation has no parameters", () => {
    expect(compile("", operation(body, "id")).map(rowOf({ ID: "1" }))).not.toHaveProperty("parameters");
  });

  test("do not change where a payload field called `parameters` is located", () => {
    const target = { ...withParameters, body: object({ "id!": text, parameters: text }) };
    const named = compile("parameters: { companyId: COMPANY }", target, "{ id: ID, parameters: ID }");
    expect(named.locate(row, ["parameters"])).toMatchObject({ column: "ID" });
  });

  test("can be the results of functions", async () => {
    const functions: MappingFunctions = {
      ...NO_FUNCTIONS,
      names: ["double"],
      evaluate: async (calls) => calls.map(({ text: cell }) => Number(cell) * 2),
    };
    const yaml =
      "functions: ./f.mjs\npayload: { id: ID }\nparameters: { companyId: { from: COMPANY, call: double } }\n";
    const document = readMapping({ file: "mapping.yaml", text: yaml });
    const calling = compileMapping(document, withParameters, { ...NO_VALUES, functions });
    await calling.prepare?.([row]);
    expect(calling.map(row).parameters).toEqual({ companyId: 84 });
  });

  test("do not change where an attr is located in a payload with alternatives", () => {
    const debit = object({ "method!": choice("DEBIT"), day: text });
    const demand = object({ "method!": choice("DEMAND"), day: text });
    const alternatives = union([debit, demand], { property: "method", mapping: new Map([["DEBIT", debit]]) });
    const target = { ...operation(alternatives), parameters: PARAMETERS };
    const variants = compile("parameters: { companyId: COMPANY }", target, "{ method: METHOD, day: DAY }");
    const paid = rowOf({ METHOD: "DEBIT", DAY: "3", COMPANY: "42" });
    expect(variants.locate(paid, ["day"])).toMatchObject({ column: "DAY" });
  });
});

test.each([
  [
    "parameters: { dryRun: RUN }",
    'mapping.yaml:2:1: parameters: POST /data-import/accounts/ needs the parameter "companyId"',
    "set it to a constant, `parameters: { companyId: { value: ... } }`, or to a column, `parameters: { companyId: COLUMN }`",
  ],
  [
    "",
    'mapping.yaml:1:1: parameters: POST /data-import/accounts/ needs the parameter "companyId"',
    "set it to a constant, `parameters: { companyId: { value: ... } }`, or to a column, `parameters: { companyId: COLUMN }`",
  ],
  [
    "parameters: { companyId: COMPANY, dryrun: RUN }",
    "mapping.yaml:2:35: parameters.dryrun: the contract has no such attr",
    'did you mean "dryRun"?',
  ],
  ["parameters: [COMPANY]", "mapping.yaml:2:1: parameters: must be an object, such as { name: value }", ""],
])("%j is rejected if the operation has parameters", (parameters, message, hint) => {
  const failure = failureOf(() => compile(parameters));
  expect(failure).toMatchObject({ code: "mapping_invalid", message });
  expect(failure.hint).toContain(hint);
});

test("parameters of an operation without parameters are rejected", () => {
  const failure = failureOf(() => compile("parameters: { companyId: COMPANY }", operation(body, "id")));
  expect(failure.message).toBe(
    'mapping.yaml:2:1: parameters: the requests of the operation "import-account" have no parameters',
  );
});
