import { existsSync, writeFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { expect, test } from "vitest";
import { goodAccounts, outcomeLines, useSandbox, workplace } from "./push-scene.ts";

const scene = useSandbox();

const HANGING = `
import { existsSync, writeFileSync } from "node:fs";
export function hang(value) {
  if (existsSync(new URL("go", import.meta.url))) return value;
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

test("a push that was killed before it had read its input is incomplete until a repeat of the push has read the input", async () => {
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

  const statesOf = async (): Promise<readonly string[]> => {
    const { runs }: { runs: readonly { state: string }[] } = JSON.parse(
      (await work.migrate(["status", "--format", "json"])).stdout,
    );
    return runs.map(({ state }) => state);
  };
  expect(await statesOf()).toEqual(["incomplete"]);
  writeFileSync(work.file("go"), "");
  await work.push(["--limit", "1"]);
  expect(await statesOf()).toEqual(["complete", "incomplete"]);
  await work.push();
  expect(await statesOf()).toEqual(["complete", "complete", "superseded"]);
});
