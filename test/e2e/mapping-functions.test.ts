import { describe, expect, it } from "vitest";
import { runCli, startCli } from "./cli.ts";
import { folderWith } from "./mapping-functions-scene.ts";
import { JOB_FLAGS, validate } from "./validate-scene.ts";

/** Returns a module whose function `f` runs this code for Bob, who is on line 3 of `accounts.csv`. */
const forBob = (does: string): string =>
  `import { close, closeSync } from "node:fs"; import { kill } from "node:process"; import { Worker } from "node:worker_threads"; export function f(value) {\n  if (value === "Bob") ${does};\n  return value;\n}\n`;

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

describe.each(["1", "2"])("with --threads %s, a run ends with a failure that names a function", (threads) => {
  it.each([
    ["exits with 0", "process.exit(0)", 'the function "f" ended its thread with exit code 0'],
    ["exits with 9", "process.exit(9)", 'the function "f" ended its thread with exit code 9'],
    ["exits without process.exit", "process.reallyExit(0)", 'the function "f" ended its thread with exit code 0'],
    ["kills the process", "process.kill(process.pid)", 'the function "f" called process.kill'],
    ["kills the process with SIGKILL", 'process.kill(process.pid, "SIGKILL")', 'the function "f" called process.kill'],
    ["kills the process through an import", "kill(process.pid, 9)", 'the function "f" called process.kill'],
    [
      "kills the process through process._kill",
      "process._kill(process.pid, 9)",
      'the function "f" called process.kill',
    ],
    ["aborts the process", "process.abort()", 'the function "f" called process.abort'],
    [
      "starts a thread",
      'new Worker("process.kill(process.pid)", { eval: true })',
      'the function "f" called new Worker',
    ],
    ["closes stderr", "closeSync(2)", 'the function "f" called fs.close'],
    ["closes files of the program", "for (let fd = 3; fd < 40; fd += 1) close(fd)", 'the function "f" called fs.close'],
    ["never returns", "for (;;);", 'the function "f" did not return within 1 second'],
    [
      "exhausts the heap",
      "{ const kept = []; for (;;) kept.push(new Array(10_000).fill(kept.length)); }",
      'the function "f" used too much memory',
    ],
    ["throws", "throw new TypeError(value)", 'the function "f" failed (TypeError in functions.mjs:2)'],
    ["throws an unreadable value", "throw { get stack() { throw 1; } }", 'the function "f" failed (an error)'],
    ["recurses endlessly", "return f(value)", 'the function "f" failed (RangeError in functions.mjs:'],
    ["returns a promise", "return Promise.resolve(value)", 'the function "f" returned a promise'],
    ["returns a rejected promise", "return Promise.reject(new Error())", 'the function "f" returned a promise'],
    ["returns a symbol", "return Symbol(value)", 'the function "f" returned a value that is not JSON'],
    ["returns a bigint", "return 1n", 'the function "f" returned a value that is not JSON'],
    ["returns a function", "return f", 'the function "f" returned a value that is not JSON'],
    ["returns a date", "return new Date()", 'the function "f" returned a value that is not JSON'],
    ["returns a long string", 'return "x".repeat(2 ** 20 + 1)', "returned more than 1,048,576 characters"],
    ["returns a long list", 'return Array(9e5).fill("xx")', "returned more than 1,048,576 characters"],
    ["returns a long member name", 'return { ["x".repeat(2 ** 20)]: 1 }', "returned more than 1,048,576 characters"],
    ["returns NaN", "return NaN", 'the function "f" returned a value that is not JSON'],
    [
      "returns a cycle",
      "{ const a = {}; a.a = [a]; return a; }",
      'the function "f" returned an object that contains itself',
    ],
    [
      "returns a deep object",
      "{ let a = {}; for (let i = 0; i < 1e5; i += 1) a = { a }; return a; }",
      'the function "f" returned an object that is too deeply nested',
    ],
    [
      "returns an object with a throwing getter",
      "return { get a() { throw new RangeError(); } }",
      'the function "f" returned an object that cannot be read (RangeError in functions.mjs:2)',
    ],
  ])("that %s", async (_, does, said) => {
    const folder = folderWith(forBob(does), { "migrate.yaml": `functionTimeout: ${does === "for (;;);" ? 1 : 60}\n` });
    const { code, stdout, stderr } = await validate(folder, ["accounts.csv", "--threads", threads]);
    expect(stderr).toContain(said);
    expect(stderr).toContain("on the row at accounts.csv:3");
    expect(stderr).toContain("mapping.yaml:4");
    expect(stderr).not.toMatch(/Bob|file:|node:/);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  });

  it.each([
    ["leaves a rejected promise", "void Promise.reject(new TypeError(value))", "(TypeError in functions.mjs:2)"],
    ["leaves a rejection without an error", "void Promise.reject(undefined)", "caused an error outside a call"],
    [
      "schedules microtasks endlessly",
      "{ const again = () => Promise.resolve().then(again); again(); }",
      "did not return within 1 second",
    ],
  ])("that %s", async (_, does, said) => {
    const seconds = said.startsWith("did not return") ? 1 : 60;
    const folder = folderWith(forBob(does), { "migrate.yaml": `functionTimeout: ${seconds}\n` });
    const { code, stderr } = await validate(folder, ["accounts.csv", "--threads", threads]);
    expect(stderr).toContain('the functions of functions.mjs (last called: "f")');
    expect(stderr).toContain(said);
    expect(code).toBe(2);
  });
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
