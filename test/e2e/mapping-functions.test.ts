import { describe, expect, it } from "vitest";
import { runCli, startCli } from "./cli.ts";
import { JOB_FLAGS, validate, workFolder } from "./validate-scene.ts";

const ROWS = "REF,NAME\nK1,Ann\nK2,Bob\nK3,Cid\n";

/** A mapping that passes the name through the function `f`. */
const MAPPING = `operation: import-account
key: number
functions: ./functions.mjs
payload: { number: REF, name: { from: NAME, call: f } }
`;

function folderWith(functions: string, more: Readonly<Record<string, string>> = {}): string {
  return workFolder({ "mapping.yaml": MAPPING, "functions.mjs": functions, "accounts.csv": ROWS, ...more });
}

it("validate suggests another file name for a function module that Node.js treats as CommonJS", async () => {
  const folder = workFolder({
    "mapping.yaml": "functions: own.js\npayload: { number: REF, name: { from: NAME, call: up } }\n",
    "own.js": "export function up(value) { return value.toUpperCase(); }\n",
    "package.json": '{ "type": "commonjs" }',
    "accounts.csv": "REF,NAME\n1,Ann\n",
  });
  const { code, stderr } = await validate(folder, ["accounts.csv"]);
  expect(code).toBe(2);
  expect(stderr).toContain("mapping.yaml:1: functions: own.js cannot be loaded");
  expect(stderr).toContain("rename it to own.mjs: Node.js reads this .js file as CommonJS");
});

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

describe("a function module", () => {
  it.each([
    ["exits", "process.exit(0);", "it ended its thread with exit code 0"],
    ["kills the process", 'process.kill(process.pid, "SIGKILL");', "process.kill is not available to functions"],
    ["waits forever", "await new Promise(() => undefined);", "its top-level await never completes"],
    [
      "waits forever with a timer",
      "setInterval(() => 0, 1e3); await new Promise(() => undefined);",
      "loading it took longer than 1 second",
    ],
    ["never ends", "for (;;);", "loading it took longer than 1 second"],
    [
      "leaves a rejected promise",
      "void Promise.reject(new TypeError());\nawait 0; await new Promise((done) => setTimeout(done, 100));",
      "it caused an error outside a call (TypeError in functions.mjs:1)",
    ],
  ])("that %s while it is loaded is refused", async (_, does, said) => {
    const limit = said.startsWith("loading it took longer") ? "functionTimeout: 0.1\n" : "";
    const folder = folderWith(`${does}\nexport const f = (value) => value;\n`, { "migrate.yaml": limit });
    const { code, stdout, stderr } = await validate(folder, ["accounts.csv"]);
    expect(stderr).toContain(`mapping.yaml:3: functions: ./functions.mjs cannot be loaded: ${said}`);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  });
});

describe("the effects of a module stay in its thread:", () => {
  const expected = { code: 0, stdout: expect.stringContaining('"key":"K3"') };
  it.each([
    [
      "replaced built-in methods",
      "Array.prototype.map = Array.prototype.filter = Array.prototype.join = String.prototype.trim = String.prototype.split = Set.prototype.has = Object.prototype.toString = () => { throw new Error(); };",
    ],
    [
      "replaced built-in functions",
      'JSON.parse = JSON.stringify = Object.keys = Array.isArray = Reflect.apply = () => { throw new Error("changed"); };',
    ],
    [
      "added inherited members",
      "Object.prototype.toJSON = Array.prototype.toJSON = () => 1; Object.prototype.extra = 1;",
    ],
    ["a changed exit code", "process.exitCode = 9;"],
    ["a running timer", "setInterval(() => 0, 10);"],
    [
      "messages to the main thread",
      'import { parentPort } from "node:worker_threads"; parentPort.postMessage({ values: [] }); parentPort.close();',
    ],
  ])("%s", async (_, does) => {
    const folder = folderWith(`${does}\nexport function f(value) { return value; }\n`);
    const { code, stdout, stderr } = await validate(folder, ["accounts.csv"]);
    expect({ code, stdout, stderr }).toMatchObject(expected);
  });
});

describe("a module that breaks Node.js in its thread ends the run with a failure that names the module:", () => {
  const no = "() => { throw new Error(); }";
  const lists = `Array.prototype.pop = Array.prototype.push = ${no};`;
  const all = `for (const { prototype } of [Array, Object, Function, String, Map, Set, Promise, Error, Symbol, RegExp])
    for (const name of Object.getOwnPropertyNames(prototype)) {
      const { configurable, value } = Object.getOwnPropertyDescriptor(prototype, name);
      if (name !== "constructor" && configurable && typeof value === "function") prototype[name] = ${no};
    }`;
  const items = 'Object.defineProperty(Array.prototype, "0", { get() { throw 1; }, set() { throw 1; } });';
  it.each([
    ["list methods throw, and a promise rejects", `${lists} void Promise.reject();`],
    ["list methods throw, and a timer throws", `${lists} setTimeout(${no}, 1);`],
    ["list methods throw, and a microtask throws", `${lists} queueMicrotask(${no});`],
    [
      "list methods throw, and a promise rejects with an unreadable value",
      `${lists} void Promise.reject(new Proxy({}, { get: ${no} }));`,
    ],
    ["every method throws, and a promise rejects", `${all} void Promise.reject();`],
    ["every method throws, and a timer throws", `setTimeout(${no}, 1); ${all}`],
    ["list items throw, and a promise rejects", `${items} void Promise.reject();`],
    ["listeners are removed, and a promise rejects", `${lists} process.removeAllListeners(); void Promise.reject();`],
    ["a listener throws, and a promise rejects", `process.on("unhandledRejection", ${no}); void Promise.reject();`],
    [
      "Error.prepareStackTrace throws, and a promise rejects",
      `Error.prepareStackTrace = ${no}; void Promise.reject(new Error());`,
    ],
    ["process.emit throws", `process.emit = ${no};`],
    ["process._fatalException throws", `process._fatalException = ${no};`],
  ])("%s", async (_, does) => {
    const waits = "await new Promise((done) => setTimeout(done, 50));";
    const folder = folderWith(`${does}\n${waits}\nexport function f(value) { return value; }\n`);
    const { code, stdout, stderr } = await validate(folder, ["accounts.csv"]);
    expect(stderr).toContain("functions.mjs cannot be loaded");
    expect(stderr).not.toContain("FATAL");
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  });
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

it("validate ends at the first signal while a module is being loaded", async () => {
  const folder = folderWith('import { writeSync } from "node:fs";\nwriteSync(2, "begun\\n"); for (;;);\n', {
    "migrate.yaml": "functionTimeout: 3600\n",
  });
  const running = startCli(["validate", "accounts.csv", ...JOB_FLAGS], { cwd: folder, timeoutMs: 30_000 });
  await running.waitForOutput(/begun/);
  running.kill("SIGINT");
  expect(await running.ended).toMatchObject({ code: 3, stderr: expect.stringContaining("being loaded") });
});

it.each(["0", "3601", "soon"])("validate refuses functionTimeout: %s", async (value) => {
  const folder = folderWith(forBob(""), { "migrate.yaml": `functionTimeout: ${value}\n` });
  const { code, stderr } = await validate(folder, ["accounts.csv"]);
  expect(stderr).toContain("migrate.yaml:1:1: functionTimeout: ");
  expect(code).toBe(2);
});
