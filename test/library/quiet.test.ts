import { fork } from "node:child_process";
import { readdirSync } from "node:fs";
import { expect, test } from "vitest";
import { closesImmediately } from "../../src/files/sqlite.ts";
import { projectFile } from "../e2e/cli.ts";
import { goodAccounts, writeExtract } from "../e2e/push-scene.ts";
import { temporaryFolder } from "../temporary-folder.ts";

interface Surroundings {
  readonly listeners: readonly (readonly [event: string, count: number])[];
}

interface Measurements {
  readonly counts: readonly unknown[];
  readonly before: Surroundings;
  readonly after: Surroundings;
  readonly left: { readonly files: readonly string[]; readonly resources: readonly string[] };
  readonly variables: readonly string[];
}

/** A mapping of a single file without a join, so that its records are validated in threads. */
const FLAT = `
operation: import-account
sources: { accounts: { files: accounts.csv } }
payload: { external_account_number: REF }
`;

/** Environment variables that could act as settings for this program, stores, proxies, terminals or the user. */
const SETTINGS = /^(?:MIGRATE_|AWS_|XDG_|HOME$|USER|NO_COLOR|FORCE_COLOR|CI$|https?_proxy|all_proxy)/i;

test("a program that used the library exits on its own, prints nothing, and leaves no files or handles", async () => {
  const [folder, temporary] = [temporaryFolder({ "flat.yaml": FLAT }), temporaryFolder()];
  writeExtract(folder, { accounts: goodAccounts(30) });
  const child = fork(projectFile("test/library/quiet-program.mjs"), [folder], {
    env: { PATH: process.env["PATH"], TMPDIR: temporary, MIGRATE_API_KEY: "of somebody else" },
    execArgv: ["--trace-warnings"],
    stdio: ["ignore", "pipe", "pipe", "ipc"],
  });
  let printed = "";
  for (const output of [child.stdout, child.stderr]) output?.on("data", (text) => (printed += String(text)));
  const measured = await new Promise<Measurements>((resolve, reject) => {
    child.once("message", (message: Measurements) => resolve(message));
    child.once("error", reject);
    child.once("exit", () => reject(new Error(printed)));
  });
  expect(await new Promise((resolve) => child.once("exit", (...end) => resolve(end)))).toEqual([0, null]);
  expect(printed).toBe("");
  expect(measured.counts).toEqual([{ valid: 30 }, { invalid: 30 }, 3, { accepted: 30 }, "config", "config"]);
  expect(measured.after).toEqual(withOneAtExit(measured.before));
  expect([measured.left.files, readdirSync(temporary)]).toEqual([[], []]);
  expect(measured.left.resources.filter((name) => name !== "PipeWrap")).toEqual([]);
  expect(measured.variables.filter((name) => SETTINGS.test(name))).toEqual([]);
});

/** Adds the exit listener that closes a ledger (docs/library.md), unless ledgers are closed immediately. */
function withOneAtExit(before: Surroundings): Surroundings {
  if (closesImmediately) return before;
  return { ...before, listeners: before.listeners.map(([event, count]) => [event, event === "exit" ? 1 : count]) };
}
