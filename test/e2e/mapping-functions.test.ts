import { expect, it } from "vitest";
import { validate, workFolder } from "./validate-scene.ts";

it("says which name a module of functions needs that Node takes for CommonJS", async () => {
  const folder = workFolder({
    "mapping.yaml": "functions: own.js\npayload: { number: REF, name: { from: NAME, call: up } }\n",
    "own.js": "export function up(value) { return value.toUpperCase(); }\n",
    "package.json": '{ "type": "commonjs" }',
    "accounts.csv": "REF,NAME\n1,Ann\n",
  });
  const { code, stderr } = await validate(folder, ["accounts.csv"]);
  expect(code).toBe(2);
  expect(stderr).toContain("mapping.yaml:1: functions: own.js cannot be loaded");
  expect(stderr).toContain("name it own.mjs: Node takes .js for CommonJS here");
});
