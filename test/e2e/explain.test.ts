import { renameSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { CONTRACT, goodAccounts, latestRun, useSandbox, workplace } from "./push-scene.ts";

const NOTES_KEY = `
overlay: 1.0.0
info: { title: Notes, version: "1" }
actions:
  - target: $.paths['/data-import/notes/'].post
    update: { x-migrate-key: external_account_number }
`;

const { sandbox } = useSandbox();

test("explain does not take the account for an earlier version of its notes (both have the same key)", async () => {
  const work = workplace({ accounts: goodAccounts(1) }, sandbox);
  expect((await work.push()).code).toBe(0);
  const accounts = await latestRun(work);
  const [{ REF: key } = { REF: "" }] = goodAccounts(1);
  writeFileSync(work.file("notes.yaml"), NOTES_KEY);
  const record = { external_account_number: key, import_supplier: "SANDBOX", notes: [{ created_at: "yesterday" }] };
  writeFileSync(work.file("notes.ndjson"), `${JSON.stringify(record)}\n`);
  const notes = "push notes.ndjson --operation create-notes --contract".split(" ");
  expect((await work.migrate([...notes, CONTRACT, "--contract", "notes.yaml"])).code).toBe(1);

  const { stdout } = await work.migrate(["explain", key]);
  expect(stdout).toMatch(/^invalid, from notes.ndjson:1$/m);
  expect(stdout).not.toContain("On the platform since");
  expect(stdout).not.toContain("\nRequests\n");
  const other = `Another record has this key (import-account): migrate explain ${key} --run ${accounts}`;
  expect(stdout).toContain(other);
  renameSync(work.file(".migrate/ledger.db"), work.file("moved.db"));
  expect((await work.migrate(["explain", key, "--ledger", "moved.db"])).stdout).toContain(`${other} --ledger moved.db`);
  renameSync(work.file("moved.db"), work.file(".migrate/ledger.db"));
  const json: unknown = JSON.parse((await work.migrate(["explain", key, "--json"])).stdout);
  expect(json).toMatchObject({ attempts: [], sameKeyElsewhere: [{ run: accounts, operation: "import-account" }] });
  expect((await work.migrate(["explain", key, "--run", accounts])).stdout).toMatch(
    /^accepted, account [^]*\nRequests\n/m,
  );
});
