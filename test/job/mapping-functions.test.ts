import { writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { loadFunctions } from "../../src/job/mapping-functions.ts";
import { readMapping } from "../../src/map/document/mapping-document.ts";
import { failureOf } from "../read/reading.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const UP = "export function up(value) { return value.toUpperCase(); }\nexport const notOne = 1;\n";

function load(named: string, files: Readonly<Record<string, string>>): ReturnType<typeof loadFunctions> {
  const folder = temporaryFolder();
  for (const [name, text] of Object.entries(files)) writeFileSync(path.join(folder, name), text);
  const document = readMapping({ file: "mapping.yaml", text: `payload: {}\nfunctions: ${named}\n` });
  return loadFunctions(document, (file) => path.join(folder, file));
}

describe("the functions of a mapping", () => {
  test("are those that the module exports", async () => {
    const functions = await load("own.mjs", { "own.mjs": UP });
    expect([...functions.keys()]).toEqual(["up"]);
    expect(functions.get("up")?.("a", {})).toBe("A");
  });
  test("may be in a .js file that its package.json calls a module", async () => {
    const functions = await load("own.js", { "own.js": UP, "package.json": '{ "type": "module" }' });
    expect([...functions.keys()]).toEqual(["up"]);
  });
  test.each([
    ["own.mjs", {}, "there is no file own.mjs", "relative to the mapping's folder"],
    ["own.mjs", { "own.mjs": "export const = 1;" }, "own.mjs cannot be loaded: ", "it has to be an ES module"],
    ["own.mjs", { "own.mjs": 'throw new Error("own fault");' }, "own.mjs cannot be loaded: own fault", "ES module"],
  ])("%s of %j is refused with the reason", async (named, files, reason, hint) => {
    const failure = await failureOf(load(named, files));
    expect(failure).toMatchObject({ code: "mapping_invalid", place: { file: "mapping.yaml", line: 2 } });
    expect(failure.message).toContain(`mapping.yaml:2: functions: ${reason}`);
    expect(failure.hint).toContain(hint);
  });
});
