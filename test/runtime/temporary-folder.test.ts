import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { reserveTemporaryFolder } from "../../src/runtime/temporary-folder.ts";
import { temporaryFolder } from "../temporary-folder.ts";

it("the temporary folder of a killed process is removed, but no other folder", () => {
  const temporary = temporaryFolder({});
  const before = process.env["TMPDIR"];
  process.env["TMPDIR"] = temporary;
  onTestFinished(() => {
    if (before === undefined) delete process.env["TMPDIR"];
    else process.env["TMPDIR"] = before;
  });
  const own = reserveTemporaryFolder().path;
  expect(path.dirname(own)).toBe(temporary);
  const named = (pid: number): string => own.replace(`-${process.pid}-`, `-${pid}-`);
  const dead = named(spawnSync(process.execPath, ["--version"]).pid);
  const alive = named(process.ppid);
  const foreign = dead.replace(/migrate-\d+-/, "migrate-7-");
  const others = path.join(temporary, "migrate-notes");
  for (const folder of [own, dead, alive, foreign, others]) {
    mkdirSync(folder);
    writeFileSync(path.join(folder, "index"), "a row");
  }
  reserveTemporaryFolder();
  expect([own, dead, alive, foreign, others].map((folder) => existsSync(folder))).toEqual([
    true,
    false,
    true,
    true,
    true,
  ]);
});
