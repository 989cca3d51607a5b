import { describe, expect, test } from "vitest";
import type { FieldType } from "../../../src/contract/types/field-type.ts";
import type { JsonObject } from "../../../src/json/json-value.ts";
import type { FunctionCall, MappingFunctions } from "../../../src/map/leaf/function-calls.ts";
import { CallFault, type CallResult } from "../../../src/model/call-result.ts";
import { anything, compile, decimal, failureOf, integer, jsonRow, NO_VALUES, object, text } from "../rows.ts";
import { leafIssue } from "./leaf.ts";

function functionsOf(run: (call: FunctionCall) => CallResult): MappingFunctions {
  return { names: ["run"], evaluate: async (calls) => calls.map(run), close: async () => undefined };
}

const YAML = `functions: ./functions.mjs
payload:
  leaf:
    from: A
    call: run
`;

async function prepared(run: (call: FunctionCall) => CallResult, type: FieldType, row: JsonObject = { A: "x" }) {
  const mapping = compile(YAML, object({ leaf: type }), { ...NO_VALUES, functions: functionsOf(run) });
  const one = jsonRow(row);
  await mapping.prepare?.([one]);
  return () => mapping.map(one);
}

describe("a function", () => {
  test("that does not exist is reported at the option", () =>
    expect(leafIssue("{ from: A, call: run }")).toEqual({
      error: 'leaf.call: there is no function "run"',
      hint: "name the module that contains it: functions: ./functions.mjs",
    }));
  test.each([
    ["text", "x", "x"],
    ["a number, as text", 7, "7"],
    ["an object or a list, as JSON", { b: [1] }, '{"b":[1]}'],
  ])("receives %s", async (_, cell, received) => {
    const calls: FunctionCall[] = [];
    const map = await prepared((call) => void calls.push(call), text, { A: cell });
    map();
    expect(calls).toMatchObject([{ name: "run", text: received, place: { file: "mapping.yaml", line: 5 } }]);
  });
  test.each([null, undefined])("that returns %s produces no value", async (result) =>
    expect((await prepared(() => result, text))().payload).toEqual({}),
  );
  test.each([
    ["a string", "a", text, "a"],
    ["a number", 7, text, "7"],
    ["a small number", 1e-7, decimal, "0.0000001"],
    ["a number", 7, anything, "7"],
    ["digits", "7", integer, 7],
    ["an object", { b: 1 }, anything, { b: 1 }],
    ["a list", [1, "2"], anything, [1, "2"]],
  ])("that returns %s produces a value of the contract's type", async (_, result, type, value) =>
    expect((await prepared(() => result, type))().payload).toEqual({ leaf: value }),
  );
  test("with a long default is called for every row, however many rows there are", async () => {
    const long = "x".repeat(2 ** 20);
    const yaml = `${YAML}    default: ${long}\n`;
    const mapping = compile(yaml, object({ leaf: text }), { ...NO_VALUES, functions: functionsOf(() => undefined) });
    const rows = Array.from({ length: 20 }, () => jsonRow({ A: "x" }));
    await mapping.prepare?.(rows);
    expect(rows.map((row) => mapping.map(row).payload["leaf"] === long)).toEqual(rows.map(() => true));
  });
  test("that returns an object instead of a string causes a problem", async () => {
    const { payload, problems } = (await prepared(() => ({ b: 1 }), text))();
    expect(payload).toEqual({ leaf: { b: 1 } });
    expect(problems).toMatchObject([{ attr: "leaf", code: "invalid", expected: "string", shape: "object" }]);
  });
  test("that fails ends the run, and the failure names the row and the line of the mapping with the function", async () => {
    const map = await prepared(() => new CallFault("failed (TypeError)", "fix the function"), text);
    expect(failureOf(map)).toMatchObject({
      code: "mapping_invalid",
      message: 'the function "run" failed (TypeError) on the row at accounts.json:2',
      hint: "fix the function",
      place: { file: "mapping.yaml", line: 5 },
    });
  });
});
