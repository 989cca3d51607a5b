import { spawnSync } from "node:child_process";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { temporaryFolder } from "../temporary-folder.ts";
import type { CliEnd, SandboxProcess } from "./cli.ts";
import { projectFile, runCli, startSandboxProcess } from "./cli.ts";

/** Not every system has every limit; where one cannot be set its tests are skipped, and shown so. */
function canLimit(limit: string): boolean {
  return spawnSync("sh", ["-c", `ulimit ${limit}`]).status === 0;
}

function runUnder(limit: string, args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<CliEnd> {
  const under = ["sh", "-c", `ulimit ${limit}; exec "$@"`, "sh"];
  return runCli(args, { under, env, cwd: temporaryFolder(), timeoutMs: 60_000 });
}

const VALIDATE = [
  "validate",
  projectFile("fixtures/demo/business.json"),
  "--contract",
  projectFile("fixtures/contract/contract.yaml"),
];

describe.skipIf(!canLimit("-n 64"))("with few open files", () => {
  test.each([32, 48, 64, 96, 128])(
    "(%i) a command succeeds, or says which limit to raise and ends with 6",
    async (files) => {
      const { code, stdout, stderr } = await runUnder(`-n ${files}`, VALIDATE);
      expect(stderr).not.toMatch(/bug|^ +at /m);
      if (code === 0) return;
      expect({ code, stdout }).toEqual({ code: 6, stdout: "" });
      expect(stderr).toMatch(/^migrate: the system lets this program open too few files at once/);
      expect(stderr).toContain("raise the limit (`ulimit -n 1024`)");
    },
  );
});

const MEMORY_LIMIT = "-v 3000000";

describe.skipIf(!canLimit(MEMORY_LIMIT))("with 3 GB of address space", () => {
  let sandbox: SandboxProcess;
  beforeAll(async () => {
    sandbox = await startSandboxProcess();
  });
  afterAll(() => sandbox.stop());

  const token = (env: Readonly<Record<string, string>>): Promise<CliEnd> => {
    const { baseUrl, ca, apiKey } = sandbox.ready;
    return runUnder(MEMORY_LIMIT, ["token", "--base-url", baseUrl, "--ca", ca], { MIGRATE_API_KEY: apiKey, ...env });
  };

  test("a command that needs the network says which limit to raise, and ends with 6", async () => {
    const { code, stdout, stderr } = await token({});
    expect(stderr).not.toMatch(/bug|^ +at /m);
    expect({ code, stdout }).toEqual({ code: 6, stdout: "" });
    expect(stderr).toContain("NODE_OPTIONS=--disable-wasm-trap-handler");
  });

  test("the setting of the hint lets the command run", async () => {
    expect(await token({ NODE_OPTIONS: "--disable-wasm-trap-handler" })).toMatchObject({ code: 0 });
  });

  test("a command without the network runs", async () => {
    expect(await runUnder(MEMORY_LIMIT, VALIDATE)).toMatchObject({ code: 0 });
  });
});
