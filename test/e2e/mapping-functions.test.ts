import { expect, it } from "vitest";
import { runCli, startCli } from "./cli.ts";
import { folderWith, forBob } from "./mapping-functions-scene.ts";
import { JOB_FLAGS, validate } from "./validate-scene.ts";

it("functions can read and close their own files", async () => {
  const functions = `
    import fs from "node:fs";
    const list = fs.readFileSync(new URL("list.txt", import.meta.url), "utf8").trim();
    export function f(value) {
      const file = fs.openSync(new URL("list.txt", import.meta.url));
      fs.closeSync(file);
      return value + list;
    }`;
  const folder = folderWith(functions, { "list.txt": "-A\n" });
  const { code, stderr } = await validate(folder, ["accounts.csv"]);
  expect({ code, stderr }).toMatchObject({ code: 0 });
});

it("a function that allocates too much memory in one call ends the run with a failure instead of crashing Node.js", async () => {
  const folder = folderWith(forBob("{ const kept = []; for (;;) kept.push(1); }"), {
    "migrate.yaml": "functionTimeout: 60\n",
  });
  const running = startCli(["validate", "accounts.csv", ...JOB_FLAGS], { cwd: folder, timeoutMs: 60_000 });
  const { stderr } = await running.ended;
  expect(stderr).toContain('the function "f" used too much memory on the row at accounts.csv:3');
  expect(stderr).not.toContain("FATAL");
});

it.each(["1", "2"])(
  "validate ends at the first signal while a function waits for a program, with --threads %s",
  async (threads) => {
    const folder = folderWith(
      'import { spawnSync } from "node:child_process";\nimport { writeSync } from "node:fs";\nexport function f() { writeSync(2, "begun\\n"); spawnSync("sleep", ["30"]); }\n',
      { "migrate.yaml": "functionTimeout: 3600\n" },
    );
    const running = startCli(["validate", "accounts.csv", ...JOB_FLAGS, "--threads", threads], {
      cwd: folder,
      timeoutMs: 20_000,
    });
    await running.waitForOutput(/begun/);
    running.kill("SIGTERM");
    const { signal, stderr } = await running.ended;
    expect(signal).toBe("SIGKILL");
    expect(stderr).toContain("stopped");
  },
);

it("a function can return results so large that several messages are needed", async () => {
  const rows = Array.from({ length: 30 }, (_, index) => `K${index},Ann`).join("\n");
  const folder = folderWith('export const f = (value) => value + "x".repeat(1e6);\n', {
    "accounts.csv": `REF,NAME\n${rows}\n`,
  });
  const { code, stderr } = await validate(folder, ["accounts.csv"]);
  expect(stderr).toContain("30  invalid");
  expect(code).toBe(1);
});

it("a timer that throws while functions are called ends the run with a failure that names the module", async () => {
  const waiting = "Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20)";
  const functions = `let once = setTimeout(() => { throw new RangeError("late"); }, 1);\n${forBob("").replace(
    'if (value === "Bob") ;',
    `${waiting};`,
  )}`;
  const rows = Array.from({ length: 1200 }, (_, index) => `K${index},Ann${index % 400 === 0 ? "" : "e"}`);
  const folder = folderWith(functions.replace(waiting, `if (value === "Ann") ${waiting}`), {
    "accounts.csv": ["REF,NAME", ...rows].join("\n"),
  });
  const { code, stderr } = await validate(folder, ["accounts.csv"]);
  expect(stderr).toMatch(/the (function "f"|functions of functions\.mjs)/);
  expect(stderr).toContain("caused an error outside a call (RangeError in functions.mjs:1)");
  expect(code).toBe(2);
});

it.each(["1", "2"])(
  "validate --threads %s writes the output of functions to stderr, with control characters escaped",
  async (threads) => {
    const log =
      'console.log("seen\\tby\\n\\x1b]0;title\\x07", value); process.stdout.write(Buffer.from("\\x9b2J\\n"));';
    const folder = folderWith(`export function f(value) { ${log} return value; }\n`);
    const command = ["validate", "accounts.csv", ...JOB_FLAGS, "--threads", threads];
    const { code, stdout, stderr } = await runCli(command, { cwd: folder, isProcess: true });
    expect(stderr).toContain("seen\tby\n\\u001b]0;title\\u0007 Ann\n\\u009b2J\n");
    expect(stderr).not.toContain("\x1b");
    expect(stdout).not.toContain("seen");
    expect(code).toBe(0);
  },
);

it.each(["1", "2"])(
  "validate ends at the first signal while a function does not return, with --threads %s",
  async (threads) => {
    const folder = folderWith(
      'import { writeSync } from "node:fs";\nexport function f() { writeSync(2, "begun\\n"); for (;;); }\n',
      {
        "migrate.yaml": "functionTimeout: 3600\n",
      },
    );
    const command = ["validate", "accounts.csv", ...JOB_FLAGS, "--threads", threads];
    const running = startCli(command, { cwd: folder, timeoutMs: 30_000 });
    await running.waitForOutput(/begun/);
    running.kill("SIGTERM");
    const { code, signal, stderr } = await running.ended;
    expect({ code, signal }).toEqual({ code: 3, signal: null });
    expect(stderr).toContain("stopped");
  },
);

it.each(["0", "3601", "soon"])("validate refuses functionTimeout: %s", async (value) => {
  const folder = folderWith(forBob(""), { "migrate.yaml": `functionTimeout: ${value}\n` });
  const { code, stderr } = await validate(folder, ["accounts.csv"]);
  expect(stderr).toContain("migrate.yaml:1:1: functionTimeout: ");
  expect(code).toBe(2);
});
