import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { beforeAll, afterAll, describe, expect, onTestFinished, test } from "vitest";
import { createTestFolder } from "../temporary-folder.ts";
import { BINARY, type CliEnd, runCli, type TestSandbox, startCli, startTestSandbox } from "./cli.ts";
import { adminOf, CONTRACT, goodAccounts, writeExtract } from "./push-scene.ts";

const SHELLS = ["bash", "zsh", "fish", "powershell"] as const;
const { folder, remove } = createTestFolder();
let sandbox: TestSandbox;

/** Creates a user's folder, pushes from it, and adds a `migrate` program for the PATH. */
beforeAll(async () => {
  sandbox = await startTestSandbox();
  const { baseUrl, ca } = sandbox.ready;
  writeFileSync(
    path.join(folder, "migrate.yaml"),
    `contract: ${CONTRACT}\nmapping: mapping.yaml\ntargets:\n  local: { baseUrl: "${baseUrl}", ca: ${ca} }\n` +
      `  other: { baseUrl: "https://other.example.com/v1/" }\n`,
  );
  writeExtract(folder, { accounts: [...goodAccounts(12), { REF: "OLD 1 A" }, { REF: "OLD 1 B" }] });
  writeFileSync(path.join(folder, "migrate"), `#!/bin/sh\nexec "${process.execPath}" "${BINARY}" "$@"\n`);
  chmodSync(path.join(folder, "migrate"), 0o755);
  for (const shell of SHELLS)
    writeFileSync(path.join(folder, `script.${shell}`), (await migrate("completion", shell)).stdout);
  await migrate("push", "--target", "local", "--quiet");
});

afterAll(async () => {
  await sandbox.stop();
  remove();
});

function migrate(...args: readonly string[]): Promise<CliEnd> {
  const { MIGRATE_API_KEY, MIGRATE_SUPPLIER } = sandbox.env;
  return runCli(args, { cwd: folder, env: { MIGRATE_API_KEY, MIGRATE_SUPPLIER } });
}

/** Returns the values in the reply to a completion script, with `:files` where a path is possible. */
async function answer(...words: readonly string[]): Promise<readonly string[]> {
  const { code, stdout, stderr } = await migrate("__complete", "--", ...words);
  expect([code, stderr]).toEqual([0, ""]);
  return stdout.split("\n").flatMap((line) => (line === "" ? [] : [line.split("\t")[0] ?? ""]));
}

describe("the reply to a completion script", () => {
  test("contains the targets of the configuration", async () => {
    expect(await answer("push", "--target", "")).toEqual(["local", "other"]);
    expect(await answer("push", "--target=o")).toEqual(["--target=other"]);
  });

  test("contains the schemes of --auth and the statuses of --error-status", async () => {
    expect(await answer("push", "--auth", "B")).toEqual(["Bearer"]);
    expect(await answer("sandbox", "--error-status=50")).toEqual(
      ["500", "502", "503", "504"].map((status) => `--error-status=${status}`),
    );
  });

  test("contains the operations of a contract that has already been compiled", async () => {
    expect(await answer("push", "--operation", "import-")).toEqual(["import-account"]);
    expect(await answer("contract", "show", CONTRACT, "--operation", "import-")).toEqual(["import-account"]);
    expect(await answer("push", "--contract", "none.yaml", "--operation", "")).toEqual([]);
  });

  test("contains the runs of the ledger, and the keys of the latest run", async () => {
    const [run = ""] = await answer("resume", "");
    expect(run).toMatch(/^\d{8}-\d{4}-/);
    expect(await answer("explain", "EXT-0001")).toEqual(["EXT-00010", "EXT-00011", "EXT-00012"]);
    expect(await answer("push", "--only", "EXT-00001,EXT-00009")).toEqual(["EXT-00001,EXT-00009"]);
    expect(await answer("exclude", "EXT-0001")).toEqual(["EXT-00010", "EXT-00011", "EXT-00012"]);
    expect(await answer("explain", "--run", run, "EXT-00002")).toEqual(["EXT-00002"]);
  });

  test("is empty, without an error, if the configuration or the ledger cannot be read", async () => {
    for (const words of [
      ["push", "--config", "none.yaml", "--target", ""],
      ["resume", "--ledger", "none.db", ""],
    ]) {
      expect(await answer(...words)).toEqual([]);
    }
    expect(existsSync(path.join(folder, "none.db"))).toBe(false);
  });

  test("reads the ledger without a lock and without changing it, even during a push", async () => {
    const files = [".migrate/ledger.db", ".migrate/ledger.db-wal", ".migrate/ledger.db-checksums"];
    const hashes = (): readonly string[] =>
      files.map((name) =>
        createHash("sha256")
          .update(readFileSync(path.join(folder, name)))
          .digest("hex"),
      );
    const before = hashes();
    await answer("explain", "");
    expect(hashes()).toEqual(before);
    const admin = adminOf(sandbox);
    await admin.faults({ hangAfter: { every: 1 } });
    writeExtract(folder, { accounts: [{ REF: "NEW-1" }] });
    const { MIGRATE_API_KEY, MIGRATE_SUPPLIER } = sandbox.env;
    const push = startCli(["push", "--target", "local"], { cwd: folder, env: { MIGRATE_API_KEY, MIGRATE_SUPPLIER } });
    onTestFinished(() => push.kill("SIGKILL"));
    await expect.poll(async () => (await admin.imports()).some(({ key }) => key === "NEW-1")).toBe(true);
    expect(await answer("explain", "NEW")).toEqual(["NEW-1"]);
    expect(await answer("resume", "")).toHaveLength(2);
  });
});

const PATH_WITH_MIGRATE = `${folder}:${process.env["PATH"] ?? ""}`;
const cleanEnv = {
  PATH: PATH_WITH_MIGRATE,
  HOME: folder,
  TERM: "xterm",
  LANG: "C.UTF-8",
  XDG_CACHE_HOME: path.join(path.dirname(BINARY), "../node_modules/.cache"),
};

function has(shell: string): boolean {
  return spawnSync(shell, ["--version"]).status === 0;
}

function outputOf(shell: string, args: readonly string[]): string {
  const { stdout, stderr } = spawnSync(shell, args, { cwd: folder, env: cleanEnv, encoding: "utf8" });
  expect(stderr).toBe("");
  return stdout;
}

/**
 * Types keys into a shell on a new terminal. The returned function returns the output so far, without control
 * characters such as cursor movements.
 */
async function typeInto(shell: readonly string[], setUp: string, keys: string): Promise<() => string> {
  const terminal = spawn("script", ["-qfec", shell.join(" "), "/dev/null"], { cwd: folder, env: cleanEnv });
  onTestFinished(() => void terminal.kill("SIGKILL"));
  let screen = "";
  terminal.stdout.setEncoding("utf8").on("data", (text: string) => {
    screen += text;
  });
  terminal.stdin.write(`${setUp}\n`);
  await expect.poll(() => screen).toMatch(/LOADED\r?\n/);
  screen = "";
  terminal.stdin.write(keys);
  return () => screen.replaceAll(/[^ -~]/g, "");
}

function bashReply(words: readonly string[]): readonly string[] {
  const quoted = words.map((word) => `'${word}'`).join(" ");
  const line = `source script.bash; COMP_WORDS=(${quoted}); COMP_CWORD=$((\${#COMP_WORDS[@]} - 1)); _migrate`;
  return outputOf("bash", ["--norc", "-c", `${line}; printf '%s\\n' "\${COMPREPLY[@]}"`])
    .trim()
    .split("\n");
}

describe("the script for bash", () => {
  test("completes commands, options, targets and paths in a real bash", () => {
    expect(bashReply(["migrate", "recon"])).toEqual(["reconcile"]);
    expect(bashReply(["migrate", "push", "--dry"])).toEqual(["--dry-run"]);
    expect(bashReply(["migrate", "push", "--target", ""])).toEqual(["local", "other"]);
    expect(bashReply(["migrate", "validate", "acc"])).toEqual(["accounts.csv"]);
    expect(bashReply(["migrate", "validate", "--source", "accounts", "=", "acc"])).toEqual(["accounts.csv"]);
    expect(bashReply(["migrate", "status", "--ledger", ".migrate/ledger.db-ch"])).toEqual([
      ".migrate/ledger.db-checksums",
    ]);
    expect(outputOf("bash", ["--norc", "-c", "source script.bash; complete -p migrate"])).toBe(
      "complete -F _migrate migrate\n",
    );
  });

  test("completes a value after =, where bash splits words", () => {
    expect(bashReply(["migrate", "push", "--target", "=", "o"])).toEqual(["other"]);
    expect(bashReply(["migrate", "push", "--target", "="])).toEqual(["local", "other"]);
  });

  test("completes a key with spaces, which is typed with backslashes or in quotes", async () => {
    const [run = ""] = (await answer("resume", "")).slice(-1);
    const explain = ["migrate", "explain", "--run", run];
    expect(bashReply([...explain, "OLD"])).toEqual(["OLD\\ 1\\ A", "OLD\\ 1\\ B"]);
    expect(bashReply([...explain, "OLD\\ 1\\ B"])).toEqual(["OLD\\ 1\\ B"]);
    expect(bashReply([...explain, '"OLD 1 B'])).toEqual(["OLD 1 B"]);
    const line = `migrate explain --run ${run} `;
    const typed = await typeInto(
      ["bash", "--norc", "-i"],
      "source script.bash; echo LOA''DED",
      `${line}OLD\\ 1\\ B\t#`,
    );
    await expect.poll(typed).toContain("OLD\\ 1\\ B #");
    const quoted = await typeInto(["bash", "--norc", "-i"], "source script.bash; echo LOA''DED", `${line}'OLD 1 B\t#`);
    await expect.poll(quoted).toContain("'OLD 1 B' #");
  });

  test("completes words typed on a terminal", async () => {
    const screen = await typeInto(["bash", "--norc", "-i"], "source script.bash; echo LOA''DED", "migrate recon\t");
    await expect.poll(screen).toMatch(/migrate reconcile /);
  });
});

describe("the script for zsh", () => {
  test.skipIf(!has("zsh"))("completes words typed on a terminal (skipped without zsh)", async () => {
    const setUp = "autoload -U compinit; compinit -u -D; source ./script.zsh; print LOA''DED";
    const screen = await typeInto(["zsh", "-f", "-i"], setUp, "migrate push --target o\t");
    await expect.poll(screen).toMatch(/--target other/);
    const afterOption = await typeInto(["zsh", "-f", "-i"], setUp, "migrate push --source accounts=acc\t");
    await expect.poll(afterOption).toMatch(/accounts=accounts\.csv/);
  });
});

function fishReply(line: string): readonly string[] {
  return outputOf("fish", ["--no-config", "-c", `source script.fish; complete -C '${line}'`])
    .trim()
    .split("\n")
    .map((found) => found.split("\t")[0] ?? "");
}

describe("the script for fish", () => {
  test.skipIf(!has("fish"))("completes words in a real fish (skipped without fish)", () => {
    expect(fishReply("migrate recon")).toEqual(["reconcile"]);
    expect(fishReply("migrate push --target ")).toEqual(["local", "other"]);
    expect(fishReply("migrate push --target=o")).toEqual(["--target=other"]);
    expect(fishReply("migrate validate acc")).toEqual(["accounts.csv"]);
    expect(fishReply("migrate validate --mapping=map")).toEqual(["--mapping=mapping.yaml"]);
    expect(fishReply("migrate validate --source accounts=acc")).toEqual(["accounts=accounts.csv"]);
  });
});

/** This test does not run the script, because PowerShell is not available. */
test("the script for PowerShell calls the program, with a placeholder for an empty word", async () => {
  const script = readFileSync(path.join(folder, "script.powershell"), "utf8");
  expect(script).toContain("Register-ArgumentCompleter -Native -CommandName migrate");
  expect(script).toContain("__complete @empty '--' @words");
  const { stdout } = await migrate("__complete", "--empty", "--", "push", "--target");
  expect(stdout).toMatch(/^local\t/);
});

test("an unsupported shell is refused with a list of the supported shells", async () => {
  const { code, stderr } = await migrate("completion", "tcsh");
  expect([code, stderr]).toEqual([2, expect.stringContaining("bash, zsh, fish, powershell")]);
});
