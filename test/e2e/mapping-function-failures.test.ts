import { describe, expect, it } from "vitest";
import { folderWith, forBob } from "./mapping-functions-scene.ts";
import { validate } from "./validate-scene.ts";

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
