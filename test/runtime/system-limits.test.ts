import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { expect, it } from "vitest";
import { limitFailure } from "../../src/runtime/system-limits.ts";
import { Failure } from "../../src/model/failure.ts";
import { projectFile } from "../e2e/cli.ts";

it("a thread that runs out of memory causes a failure with exit code 6", async () => {
  const grow = "const all = []; for (;;) all.push(new Array(1000).fill(all.length));";
  const worker = new Worker(grow, { eval: true, resourceLimits: { maxOldGenerationSizeMb: 8 } });
  const [error]: unknown[] = await once(worker, "error");
  expect(limitFailure(error)).toMatchObject({
    exitCode: 6,
    message: "there is not enough memory (ERR_WORKER_OUT_OF_MEMORY)",
    hint: expect.stringContaining("ulimit -v"),
  });
});

it("memory that cannot be allocated causes a failure with exit code 6", () => {
  expect(limitFailure(thrownBy(() => new ArrayBuffer(Number.MAX_SAFE_INTEGER)))).toMatchObject({ exitCode: 6 });
  expect(limitFailure(withCode("ENOMEM: not enough memory, scandir", "ENOMEM"))).toMatchObject({ exitCode: 6 });
});

it("a thread that cannot be started causes a failure with exit code 6", () => {
  const error = withCode("Worker initialization failure: EAGAIN", "ERR_WORKER_INIT_FAILED");
  expect(limitFailure(error)).toMatchObject({ exitCode: 6, hint: expect.stringContaining("ulimit -u") });
});

it("a failure to open a file because of the descriptor limit still names the file, with exit code 6 instead of 2", () => {
  const cause = withCode("EMFILE: too many open files", "EMFILE");
  const failure = new Failure("source_unreadable", "accounts.csv: too many files are open", { cause });
  expect(limitFailure(failure)).toMatchObject({
    code: "storage",
    message: "accounts.csv: too many files are open",
    hint: expect.stringContaining("ulimit -n 1024"),
  });
});

it("an existing package that cannot be opened counts as a system limit, but a missing package does not", () => {
  expect(limitFailure(missingPackage(projectFile("node_modules/yaml/index.js")))).toMatchObject({ exitCode: 6 });
  expect(limitFailure(missingPackage(projectFile("node_modules/no-such-package/index.js")))).toBeUndefined();
  expect(limitFailure(missingPackage("chalk"))).toBeUndefined();
});

it("other errors do not count as system limits", () => {
  expect(limitFailure(new TypeError("x is not a function"))).toBeUndefined();
  expect(limitFailure(new Failure("config", "out of memory.yaml: no such file"))).toBeUndefined();
  expect(limitFailure("out of memory")).toBeUndefined();
});

function withCode(message: string, code: string): Error {
  return Object.assign(new Error(message), { code });
}

function missingPackage(file: string): Error {
  return withCode(`Cannot find package '${file}' imported from /dist/cli/main.js`, "ERR_MODULE_NOT_FOUND");
}

function thrownBy(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return error;
  }
}
