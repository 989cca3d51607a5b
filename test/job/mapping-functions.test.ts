import { writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { mayReadRow } from "../../src/job/functions/function-thread.ts";
import { loadFunctions } from "../../src/job/functions/load-functions.ts";
import { readMapping } from "../../src/map/document/mapping-document.ts";
import type { MappingFunctions } from "../../src/map/leaf/function-calls.ts";
import { CallFault } from "../../src/model/call-result.ts";
import type { Row } from "../../src/model/record.ts";
import { csvRow, jsonRow, table } from "../map/rows.ts";
import { failureOf } from "../read/reading.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const UP = "export function up(value) { return value.toUpperCase(); }\nexport const notOne = 1;\n";

function load(named: string, files: Readonly<Record<string, string>>): ReturnType<typeof loadFunctions> {
  const folder = temporaryFolder();
  for (const [name, text] of Object.entries(files)) writeFileSync(path.join(folder, name), text);
  const document = readMapping({ file: "mapping.yaml", text: `payload: {}\nfunctions: ${named}\n` });
  return loadFunctions(document, (file) => path.join(folder, file));
}

function evaluated(
  functions: MappingFunctions,
  name: string,
  texts: readonly string[],
  rows: readonly Row[] = texts.map(() => jsonRow({})),
): ReturnType<MappingFunctions["evaluate"]> {
  const place = { file: "mapping.yaml", line: 1 };
  return functions.evaluate(rows.map((row, index) => ({ name, text: texts[index] ?? "", row, place })));
}

describe("the functions of a mapping", () => {
  test("are the exports of the module", async () => {
    const functions = await load("own.mjs", { "own.mjs": UP });
    expect(functions.names).toEqual(["up"]);
    expect(await evaluated(functions, "up", ["a", "", "b"])).toEqual(["A", undefined, "B"]);
    await functions.close();
  });
  test("can be in a .js file if its package.json says that it is a module", async () => {
    const functions = await load("own.js", { "own.js": UP, "package.json": '{ "type": "module" }' });
    expect(functions.names).toEqual(["up"]);
    await functions.close();
  });
  test("receive each row of CSV and JSON, with an empty string for missing cells", async () => {
    const text = "export const keys = (value, row) => Object.entries(row).join(';');";
    const functions = await load("own.mjs", { "own.mjs": text });
    const rows = [csvRow(table("a.csv", ["A", "B"]), 2, ["1"]), jsonRow({ A: 1, C: [2] })];
    expect(await evaluated(functions, "keys", ["", ""], rows)).toEqual(["A,1;B,", "A,1;C,2"]);
    await functions.close();
  });
  test("are not called for the later values of a batch if a call fails", async () => {
    const text =
      "let calls = 0; export const f = (value) => { calls += 1; if (value === 'x') throw new Error(); return calls; };";
    const functions = await load("own.mjs", { "own.mjs": text });
    expect(await evaluated(functions, "f", ["a", "x", "b"])).toEqual([
      1,
      new CallFault("failed (Error in own.mjs:1)", "fix the function"),
    ]);
    expect(await evaluated(functions, "f", ["c"])).toEqual([3]);
    await functions.close();
  });
  test.each([
    ["own.mjs", {}, "there is no file own.mjs", "relative to the mapping's folder"],
    ["own.mjs", { "own.mjs": "export const = 1;" }, "own.mjs cannot be loaded: ", "it must be an ES module"],
    ["own.mjs", { "own.mjs": 'throw new Error("own fault");' }, "own.mjs cannot be loaded: own fault", "ES module"],
  ])("are refused with the reason: %s with %j", async (named, files, reason, hint) => {
    const failure = await failureOf(load(named, files));
    expect(failure).toMatchObject({ code: "mapping_invalid", place: { file: "mapping.yaml", line: 2 } });
    expect(failure.message).toContain(`mapping.yaml:2: functions: ${reason}`);
    expect(failure.hint).toContain(hint);
  });
});

test.each([
  ["(value) => value", false],
  ["value => value", false],
  ["() => 1", false],
  ["function up(value) { return value; }", false],
  ["function (value) { return value; }", false],
  ["(value, row) => row.A", true],
  ["(value, { A }) => A", true],
  ["(...given) => given[1].A", true],
  ["(value = 1) => value", true],
  ["function f(value) { return arguments[1].A; }", true],
  ["function f(value) { return eval('argu' + 'ments')[1]; }", true],
  ["function f(value) { return \\u0061rguments[1]; }", true],
  ["function () { [native code] }", true],
  ["f(value) { return value; }", true],
  ["async (value) => value", true],
])("detects whether the function %s may read the row: %s", (source, expected) => {
  expect(mayReadRow(source)).toBe(expected);
});
