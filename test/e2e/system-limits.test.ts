import { spawnSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { temporaryFolder } from "../temporary-folder.ts";
import { type CliEnd, projectFile, runCli } from "./cli.ts";
import { goodAccounts, references, useSandbox, workplace } from "./push-scene.ts";

/** Returns whether this system supports the limit. Tests of an unsupported limit are skipped. */
function canLimit(limit: string): boolean {
  return spawnSync("sh", ["-c", `ulimit ${limit}`]).status === 0;
}

function runUnder(limit: string, args: readonly string[]): Promise<CliEnd> {
  const under = ["sh", "-c", `ulimit ${limit}; exec "$@"`, "sh"];
  return runCli(args, { under, cwd: temporaryFolder() });
}

/** A command that exits with 1, because the input has invalid records. */
const VALIDATE = [
  "validate",
  projectFile("fixtures/demo/business.json"),
  "--contract",
  projectFile("fixtures/contract/contract.yaml"),
];

describe.skipIf(!canLimit("-n 64"))("with a low limit on open files", () => {
  test.each([32, 48, 64, 96, 128])(
    "(%i), a command either completes, or names the limit to raise and exits with 6",
    async (files) => {
      const { code, stdout, stderr } = await runUnder(`-n ${files}`, VALIDATE);
      expect(stderr).not.toMatch(/bug|^ +at /m);
      if (code === 1) return;
      expect({ code, stdout }).toEqual({ code: 6, stdout: "" });
      expect(stderr).toMatch(/^migrate: the limit on open files is too low/);
      expect(stderr).toContain("raise the limit (`ulimit -n 1024`)");
    },
    90_000,
  );
});

const MEMORY_LIMIT = "-v 3000000";

describe.skipIf(!canLimit(MEMORY_LIMIT))("with 3 GB of address space,", () => {
  const { sandbox, admin } = useSandbox();
  const under = ["sh", "-c", `ulimit ${MEMORY_LIMIT}; exec "$@"`, "sh"];

  test("a push names the limit to raise, exits with 6 and sends nothing, and the next push completes", async () => {
    const work = workplace({ accounts: goodAccounts(12) }, sandbox);
    const { code, stdout, stderr } = await work.push([], { under });
    expect(stderr).not.toMatch(/bug|^ +at /m);
    expect({ code, stdout }).toEqual({ code: 6, stdout: "" });
    expect(stderr).toContain("NODE_OPTIONS=--disable-wasm-trap-handler");
    expect(await admin.imports()).toEqual([]);
    expect((await work.push()).code).toBe(0);
    expect((await admin.accounts()).map(({ key }) => key).toSorted()).toEqual(references(12));
  });

  test("a push completes with the setting that the hint names", async () => {
    const work = workplace({ accounts: goodAccounts(12) }, sandbox);
    const env = { NODE_OPTIONS: "--disable-wasm-trap-handler" };
    expect((await work.push([], { under, env })).code).toBe(0);
  });

  test("a command that does not use the network completes", async () => {
    expect(await runUnder(MEMORY_LIMIT, VALIDATE)).toMatchObject({ code: 1 });
  });
});
