import { writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import type { MappingEdit } from "../../../src/web/mapping/mapping-data.ts";
import { fieldNamed, textIn, workedExample } from "./mapping-scene.ts";

const scene = workedExample();
const TEXT = textIn(scene.folder);
const MODULE = `export const clean = (value) => value.trim().toUpperCase();
export function salutation(value, row) {
  return row.TYPE === "B" ? value : "Dear " + value;
}
export const LIMIT = 7;
`;
writeFileSync(path.join(scene.folder, "functions.mjs"), MODULE);
writeFileSync(path.join(scene.folder, "broken.mjs"), "export function clean( {");

const USE: MappingEdit = { kind: "functions", module: "functions.mjs" };
const NAME = ["payload", "billing_name"];

test("names the module, and calls one of its functions", async () => {
  const named = await scene.view(TEXT, [USE]);
  expect(named.text).toBe(`${TEXT}functions: functions.mjs\n`);
  expect(named.functions).toEqual({ module: "functions.mjs", names: ["clean", "salutation"] });
  expect(named.otherParts).toEqual([]);
  const made = await scene.view(named.text, [{ kind: "set", path: NAME, leaf: { from: "NAME", call: "salutation" } }]);
  expect(made.error).toBeUndefined();
  expect(made.text).toContain("billing_name: { from: NAME, call: salutation }");
  const { valid, payloads } = await scene.check(made.text);
  expect(valid).toBe(2);
  expect(payloads.map(({ payload }) => JSON.stringify(payload).includes("Dear "))).toEqual([true, false]);

  const other = await scene.view(made.text, [{ kind: "connect", path: NAME, source: "accounts", column: "ADDR1" }]);
  expect(fieldNamed(other, "billing_name").entry?.leaf).toEqual({ from: "ADDR1", call: "salutation" });
  const back = await scene.view(made.text, [
    { kind: "set", path: NAME, leaf: { from: "NAME" } },
    { kind: "functions", module: null },
  ]);
  expect(back.text).toBe(TEXT);
});

test("calls a function that receives only the row", async () => {
  const made = await scene.view(TEXT, [USE, { kind: "set", path: NAME, leaf: { call: "clean" } }]);
  expect(fieldNamed(made, "billing_name").entry).toMatchObject({ columns: [], leaf: { call: "clean" } });
  expect(made.error).toBeUndefined();
});

test.each([
  ["absent.mjs", "clean", "there is no file absent.mjs"],
  ["broken.mjs", "clean", "broken.mjs cannot be loaded"],
  ["functions.mjs", "cleen", 'there is no function "cleen"'],
])("reports a call that is not possible: %s, %s", async (module, call, message) => {
  const made = await scene.view(TEXT, [
    { kind: "functions", module },
    { kind: "set", path: NAME, leaf: { from: "NAME", call } },
  ]);
  expect(made.error?.message).toContain(message);
  expect(made.functions).toEqual({ module, names: module === "functions.mjs" ? ["clean", "salutation"] : [] });
  expect(fieldNamed(made, "billing_name").entry?.leaf).toEqual({ from: "NAME", call });
});

test("reports a call in a mapping without functions", async () => {
  const { error } = await scene.view(TEXT, [{ kind: "set", path: NAME, leaf: { from: "NAME", call: "clean" } }]);
  expect(error).toMatchObject({ code: "mapping_invalid", message: expect.stringContaining("there is no function") });
});
