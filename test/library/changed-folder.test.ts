import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { push, report } from "energy-migrate";
import { platform, pushOf } from "./scene.ts";

function changeFolder(folder: string): void {
  const before = process.cwd();
  onTestFinished(() => process.chdir(before));
  process.chdir(folder);
}

test("the rejects of a push can be written again from the folder of its input (the input counted as changed)", async () => {
  const sandbox = await platform();
  const { folder = "", ...options } = pushOf(3, sandbox);
  const extract = path.join(folder, "accounts.csv");
  writeFileSync(extract, readFileSync(extract, "utf8").replace("DE1 2GU", "DE1"));
  const pushed = await push({ ...options, folder });
  const rejects = (from = pushed.report): string => readFileSync(from?.rejects[0]?.path ?? "", "utf8");
  const before = rejects();
  changeFolder(folder);
  const again = await report({ out: "again" });
  expect(again).toMatchObject({ exitCode: 1, failures: [] });
  expect(rejects(again.report)).toBe(before);
});

test("the outcomes of a result can be read after the process has changed its folder", async () => {
  const sandbox = await platform();
  const { folder = "", ...options } = pushOf(3, sandbox);
  changeFolder(folder);
  const pushed = await push(options);
  process.chdir(path.dirname(folder));
  const statuses: string[] = [];
  for await (const { status } of pushed.outcomes()) statuses.push(status);
  expect(statuses).toEqual(["accepted", "accepted", "accepted"]);
});
