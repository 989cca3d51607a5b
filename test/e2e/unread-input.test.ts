import { existsSync, writeFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { expect, test } from "vitest";
import { goodAccounts, outcomeLines, useSandbox, workplace } from "./push-scene.ts";

const scene = useSandbox();

const HANGING = `
import { writeFileSync } from "node:fs";
export function hang(value) {
  writeFileSync(new URL("reached", import.meta.url), "");
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  return value;
}
`;

const MAPPING = `
operation: import-account
key: external_account_number
functions: ./hang.mjs
payload: { external_account_number: REF, billing_name: { from: NAME, call: hang } }
`;

test("reconcile and report end with exit code 3 if the push was killed before it had read its input", async () => {
  const work = workplace({ accounts: goodAccounts(3) }, scene.sandbox);
  writeFileSync(work.file("hang.mjs"), HANGING);
  writeFileSync(work.file("mapping.yaml"), MAPPING);
  writeFileSync(work.file("migrate.yaml"), "functionTimeout: 3600\n");
  const pushing = work.startPush([]);
  while (!existsSync(work.file("reached"))) await delay(5);
  pushing.kill("SIGKILL");
  await pushing.ended;

  for (const command of ["report", "reconcile", "report"]) {
    const { code, stdout } = await work.migrate([command, "--format", "ndjson"]);
    expect([command, code]).toEqual([command, 3]);
    expect(outcomeLines(stdout)).toEqual([]);
  }
  expect((await work.migrate(["reconcile"])).stderr).toMatch(/Next +migrate resume/);
});
