import { statSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { makeFolder } from "../../src/files/make-folder.ts";
import { temporaryFolder } from "../temporary-folder.ts";

test("creates a folder and its missing parents, all private, and accepts an existing folder", () => {
  const folder = path.join(temporaryFolder(), "a/b");
  makeFolder(folder);
  makeFolder(folder);
  for (const each of [folder, path.dirname(folder)]) expect(statSync(each).mode & 0o777).toBe(0o700);
});

test("fails below /proc, where no folder can be created (the recursive mkdir of Node.js never returns there)", () => {
  expect(() => makeFolder("/proc/none/a/b")).toThrow("mkdir");
});
