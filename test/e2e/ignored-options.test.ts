import { writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../temporary-folder.ts";
import { runCli } from "./cli.ts";
import { CONTRACT } from "./push-scene.ts";

test.each([
  [["corrections", "add", "--from", "f.csv", "--in", "customers"], "cannot be used with"],
  [["corrections", "add", "--from", "f.csv", "--line", "3"], "cannot be used with"],
  [["corrections", "add", "--from", "f.csv", "--reason", "x"], "cannot be used with"],
  [["corrections", "add", "--from", "f.csv", "A"], "--from cannot be combined with <key> <column> <value>"],
  [["corrections", "add", "--from", "f.csv", "--new-keys"], "--new-keys needs --rejects"],
  [["corrections", "add", "--from", "f.csv", "--show-values"], "--show-values needs --rejects"],
  [["corrections", "add", "--from", "f.csv", "--restore-keys"], "--restore-keys needs --rejects"],
  [["corrections", "add", "A", "NAME", "x", "--new-keys"], "--new-keys needs --rejects"],
  [["corrections", "add", "A", "NAME", "x", "--show-values"], "--show-values needs --rejects"],
  [["corrections", "add", "A", "NAME", "x", "--accept-changes"], "--accept-changes needs --rejects"],
  [["corrections", "add", "A", "NAME", "x", "--limit", "1"], "unknown option '--limit'"],
  [["corrections", "add", "A", "NAME", "x", "--only", "B"], "unknown option '--only'"],
  [["corrections", "add", "A", "NAME", "x", "--today", "2026-01-31"], "unknown option '--today'"],
  [["corrections", "add", "--rejects", "report", "--in", "customers"], "cannot be used with"],
  [["corrections", "add", "--rejects", "report", "--line", "3"], "cannot be used with"],
  [["exclude", "--reason", "closed"], "--reason needs keys"],
  [["exclude", "--undo"], "--undo needs keys"],
  [["init", "--update", "--root", "accounts"], "cannot be used with"],
  [["init", "--update", "--key", "REF"], "cannot be used with"],
  [["init", "a.csv", "--mapping", "own.yaml"], "--mapping needs --update"],
  [["push", "--remote-validate", "--dry-run"], "cannot be used with"],
  [["push", "--remote-validate", "--revise"], "cannot be used with"],
  [["push", "--remote-validate", "--allow-older"], "cannot be used with"],
  [["push", "--remote-validate", "--send-invalid"], "cannot be used with"],
  [["reconcile", "--accept", "A", "--quiet-period", "1h"], "cannot be used with"],
  [["reconcile", "--resend-all", "1", "--quiet-period", "1h"], "cannot be used with"],
  [["report", "--drift", "--out", "other"], "--drift writes no files"],
  [["report", "--test-locations"], "--test-locations needs --format junit"],
  [["validate", "--ledger", "own.db", "--contract", CONTRACT, "f.csv"], "--ledger needs --rejects"],
  [["validate", "--test-locations", "--format", "csv"], "--test-locations needs --format junit"],
])("an option that would be ignored is refused: migrate %j", async (words, message) => {
  const cwd = temporaryFolder();
  writeFileSync(path.join(cwd, "f.csv"), "key,column,value\nA,NAME,x\n");
  writeFileSync(path.join(cwd, "migrate.yaml"), "corrections: fixes.csv\n");
  const { code, stderr } = await runCli(words, { cwd });
  expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
});

test("a variable for the environment of several commands is not refused", async () => {
  const env = { MIGRATE_MAPPING: "own.yaml", MIGRATE_OUT: "other" };
  const cwd = temporaryFolder();
  expect((await runCli(["report", "--drift"], { cwd, env })).stderr).not.toContain("--drift writes no files");
  expect((await runCli(["init", "a.csv"], { cwd, env })).stderr).not.toContain("--mapping needs --update");
});
