import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { withFileLock } from "../../src/files/file-lock.ts";
import { temporaryFolder } from "../temporary-folder.ts";

test("a lock file that cannot be used is reported at once, and is not mistaken for a lock that is held", async () => {
  const folder = temporaryFolder({ "list.csv.lock": "not a database".repeat(100) });
  const file = path.join(folder, "list.csv");
  await expect(withFileLock(file, () => Promise.resolve(), 60_000)).rejects.toThrow("list.csv.lock cannot be written");
  expect(readFileSync(`${file}.lock`, "utf8")).toContain("not a database");
});
