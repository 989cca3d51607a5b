import { cpSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { push, type status } from "energy-migrate";
import { projectFile, runCli } from "../e2e/cli.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { platform, pushOf } from "./scene.ts";

const IN_USE: unknown = expect.objectContaining({
  code: "ledger_in_use",
  message: expect.stringContaining("another copy"),
});

test("a second copy of the package in the same process can neither open the ledger of a push nor release its lock", async () => {
  const copy = temporaryFolder();
  for (const name of ["package.json", "dist/program", "dist/sqlite", "dist/page"]) {
    cpSync(projectFile(name), path.join(copy, name), { recursive: true });
  }
  const other: { push: typeof push; status: typeof status } = await import(
    pathToFileURL(path.join(copy, "dist/program/index.js")).href
  );
  const sandbox = await platform({ faults: { latencyMs: 400 } });
  const options = pushOf(60, sandbox);
  const { folder = "" } = options;
  let meanwhile: Promise<readonly unknown[]> | undefined;
  const ask = async (): Promise<readonly unknown[]> => {
    const refused: unknown = await other.push(options).catch((error: unknown) => error);
    const unread: unknown = await other.status({ folder }).catch((error: unknown) => error);
    const { code } = await runCli(["resume"], { cwd: folder });
    return [refused, unread, code];
  };
  const done = await push({
    ...options,
    onProgress: ({ sending }) => {
      if (sending !== undefined) meanwhile ??= ask();
    },
  });
  expect(await meanwhile).toEqual([IN_USE, IN_USE, 7]);
  expect((await other.status({ folder })).runs[0]?.state).toBe("complete");
  expect(done.summary.counts).toEqual({ accepted: 60 });
  expect(sandbox.requests().filter((request) => request.path.includes("/data-import/"))).toHaveLength(60);
});
