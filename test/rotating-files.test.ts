import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { PARTS } from "./rotating-files.ts";

const files = PARTS.flat().map((name) => `test/${name}.test.ts`);
const root = path.dirname(import.meta.dirname);

test("every rotating file exists, and is in only one part", () => {
  expect(files.filter((file) => !existsSync(path.join(root, file)))).toEqual([]);
  expect(new Set(files).size).toBe(files.length);
});

test("every deliberate defect is detected by a file that npm test always runs", () => {
  const defects: readonly { readonly caughtBy: string }[] = JSON.parse(
    readFileSync(path.join(root, "test/defects/defects.json"), "utf8"),
  );
  expect(defects.length).toBeGreaterThan(40);
  expect(defects.filter(({ caughtBy }) => files.includes(caughtBy))).toEqual([]);
});
