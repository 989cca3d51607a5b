import { describe, expect, it } from "vitest";
import { startCli } from "./cli.ts";
import { folderWith } from "./mapping-functions-scene.ts";
import { JOB_FLAGS, validate, workFolder } from "./validate-scene.ts";

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

it("validate ends at the first signal while a module is being loaded", async () => {
  const folder = folderWith('import { writeSync } from "node:fs";\nwriteSync(2, "begun\\n"); for (;;);\n', {
    "migrate.yaml": "functionTimeout: 3600\n",
  });
  const running = startCli(["validate", "accounts.csv", ...JOB_FLAGS], { cwd: folder, timeoutMs: 30_000 });
  await running.waitForOutput(/begun/);
  running.kill("SIGINT");
  expect(await running.ended).toMatchObject({ code: 3, stderr: expect.stringContaining("being loaded") });
});

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
