import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { clientOf, demoProject, startWeb } from "./web-scene.ts";

/** Enough accounts that a check takes seconds. */
function largeProject(): string {
  const folder = demoProject();
  const extract = path.join(folder, "accounts.csv");
  const [header = "", row = ""] = readFileSync(extract, "utf8").split("\n");
  const rows = Array.from({ length: 60_000 }, (_, index) => row.replace(/^\d+/, String(20_000_000 + index)));
  writeFileSync(extract, [header, ...rows, ""].join("\n"));
  return folder;
}

it("migrate web that is stopped during a check reports no bug (it used to print a stack trace)", async () => {
  const web = await startWeb(largeProject());
  const client = await clientOf(web);
  expect(await client.get("/api/fix")).toMatchObject({ status: "checking" });
  await web.stop();
  expect(web.cli.stderr()).not.toContain("bug");
});
