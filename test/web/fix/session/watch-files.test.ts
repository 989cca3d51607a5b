import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { watchFiles } from "../../../../src/web/fix/session/watch-files.ts";
import { goodAccounts } from "../../../e2e/push-scene.ts";
import { temporaryFolder } from "../../../temporary-folder.ts";
import { fixScene } from "../fix-scene.ts";

test.each(["types.csv", "functions.mjs", "names.mjs"])("a session notices a change of %s", async (name) => {
  const scene = fixScene({ accounts: [...goodAccounts(1), { REF: "EXT-00002", TYPE: "X" }] });
  writeFileSync(scene.file("types.csv"), "D,DOMESTIC\nB,BUSINESS\n");
  writeFileSync(scene.file("functions.mjs"), 'export { name } from "./names.mjs";\n');
  writeFileSync(scene.file("names.mjs"), "export const name = (values) => values[0];\n");
  const mapping = readFileSync(scene.file("mapping.yaml"), "utf8")
    .replace("lookup: { D: DOMESTIC, B: BUSINESS }", "lookup: types.csv")
    .replace("billing_name: NAME", "billing_name: { from: NAME, call: name }");
  writeFileSync(scene.file("mapping.yaml"), `functions: ./functions.mjs\n${mapping}`);
  const session = await scene.open();
  await session.refresh();
  expect(session.overview().changedFile).toBeUndefined();
  appendFileSync(scene.file(name), "\n");
  await session.refresh();
  expect(session.overview().changedFile).toBe(name);
});

test("a change of a reference list is noticed", () => {
  const folder = temporaryFolder({ "products.csv": "code\nA\n" });
  const settings = { folder, contract: [], sources: [], namedSources: {}, references: { products: "products.csv" } };
  const files = watchFiles(settings, undefined);
  expect(files.changed()).toBeUndefined();
  appendFileSync(path.join(folder, "products.csv"), "B\n");
  expect(files.changed()).toBe("products.csv");
});
