import { writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { goodAccounts, outcomeLines, statusCounts, useSandbox, type Workplace, workplace } from "./push-scene.ts";

const { sandbox, admin } = useSandbox();

const OPERATION = "$.paths['/data-import/accounts/'].post";
const overlay = (actions: string): string =>
  `overlay: 1.0.0\ninfo: { title: Names, version: "1" }\nactions:\n${actions}`;
const OVERLAYS = {
  renamed: overlay(`  - target: ${OPERATION}\n    update: { operationId: createAccountV2 }\n`),
  dropped: overlay(`  - target: ${OPERATION}['operationId']\n    remove: true\n`),
};
const BY_PATH = ["--operation", "POST /data-import/accounts/"];

function writeOverlays(work: Workplace): void {
  for (const [name, text] of Object.entries(OVERLAYS)) writeFileSync(work.file(`${name}.yaml`), text);
}

test.each(["renamed", "dropped"] as const)(
  "a push after the contract's operationId was %s creates no account twice",
  async (change) => {
    const work = workplace({ accounts: goodAccounts(5) }, sandbox);
    writeOverlays(work);
    expect((await work.push()).code).toBe(0);
    const again = await work.push(["--contract", `${change}.yaml`, ...BY_PATH]);
    expect([again.code, statusCounts(outcomeLines(again.stdout))]).toEqual([0, { skipped: 5 }]);
    expect(await admin.accounts()).toHaveLength(5);
    expect(await admin.imports()).toHaveLength(5);
  },
);
