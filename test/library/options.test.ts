import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import {
  EXIT_CODES,
  explain,
  outcomes,
  products,
  push,
  readAccount,
  reconcile,
  startSandbox,
  validate,
} from "energy-migrate";
import { projectFile } from "../e2e/cli.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { platform } from "./scene.ts";

/** Calls the function as an untyped program would. */
const call = (of: (options: never) => unknown, options: unknown): Promise<unknown> =>
  Promise.resolve()
    .then(() => Reflect.apply(of, undefined, [options]))
    .then((value: unknown) => firstOf(value));

/**
 * Returns the value, or the first result of a generator, because a generator checks its options only on its first
 * iteration.
 */
async function firstOf(value: unknown): Promise<unknown> {
  const isIterable = typeof value === "object" && value !== null && Symbol.asyncIterator in value;
  return isIterable ? Reflect.apply(Reflect.get(value, "next"), value, []) : value;
}

const TARGET = { baseUrl: "https://platform.example/v1/", environment: "test" };

test.each([
  [validate, undefined, "validate: expected an object with the options"],
  [validate, {}, "validate: `contract` is missing"],
  [validate, { contract: "c.yaml", maping: "m.yaml" }, "validate: unknown option `maping`"],
  [validate, { contract: "" }, "validate: `contract` must be a path (a string) or a list of at least one path"],
  [validate, { contract: 7 }, "validate: `contract` must be a path (a string) or a list of at least one path"],
  [
    validate,
    { contract: "c.yaml", sources: [] },
    "validate: `sources` must be a path (a string) or a list of at least one path",
  ],
  [
    validate,
    { contract: "c.yaml", namedSources: { accounts: [] } },
    "validate: `namedSources` must be an object of lists of at least one string",
  ],
  [
    validate,
    { contract: "c.yaml", maxErrors: "5%" },
    "validate: `maxErrors` must be { count } or { share }, a share from 0 to 1",
  ],
  [
    validate,
    { contract: "c.yaml", today: "\0" },
    "validate: `today` must be a date such as 2026-01-31 without NUL characters",
  ],
  [validate, { contract: "c.yaml", today: "2026-02-30" }, "validate: `today` must be a date such as 2026-01-31"],
  [
    validate,
    { contract: "c\0.yaml" },
    "validate: `contract` must be a path (a string) or a list of at least one path without NUL characters",
  ],
  [
    validate,
    { contract: "c.yaml", threads: 1e9 },
    'validate: `threads` must be a whole number from 1 to 64, or "auto"',
  ],
  [outcomes, { statuses: ["nope"] }, "outcomes: `statuses` must be a list of statuses"],
  [push, { contract: "c.yaml" }, "push: `target` is missing"],
  [push, { contract: "c.yaml", target: { baseUrl: TARGET.baseUrl } }, "push: target: `environment` is missing"],
  [
    push,
    { contract: "c.yaml", target: { ...TARGET, environment: "prod" } },
    'push: target: `environment` must be "test" or "production"',
  ],
  [
    push,
    { contract: "c.yaml", target: TARGET, credentials: "sk_secret" },
    "push: `credentials` must be an object of settings",
  ],
  [
    push,
    { contract: "c.yaml", target: TARGET, credentials: { apikey: "sk_secret" } },
    "push: credentials: unknown option `apikey`",
  ],
  [
    push,
    { contract: "c.yaml", target: { ...TARGET, timeouts: { headerSeconds: 1 } } },
    "push: target.timeouts: unknown option `headerSeconds`",
  ],
  [
    push,
    { contract: "c.yaml", target: { ...TARGET, auth: { scheme: "basic", document: "mutation{x}" } } },
    "push: target.auth: `document` has no effect with `scheme: basic`, which requests no token",
  ],
  [
    push,
    { contract: "c.yaml", target: TARGET, pace: { rps: 0 } },
    "push: pace: `rps` must be a number from 0.001 to 100000",
  ],
  [
    push,
    { contract: "c.yaml", target: TARGET, pace: { rps: 100_001 } },
    "push: pace: `rps` must be a number from 0.001 to 100000",
  ],
  [
    push,
    { contract: "c.yaml", target: { ...TARGET, timeouts: { connectSeconds: 0 } } },
    "push: target.timeouts: `connectSeconds` must be a number of seconds above 0, up to 3600",
  ],
  [
    push,
    { contract: "c.yaml", target: { ...TARGET, timeouts: { wholeSeconds: 3601 } } },
    "push: target.timeouts: `wholeSeconds` must be a number of seconds above 0, up to 3600",
  ],
  [
    push,
    { contract: "c.yaml", target: { ...TARGET, timeouts: { quietSeconds: 1e9 } } },
    "push: target.timeouts: `quietSeconds` must be a number of seconds from 0 to 86400",
  ],
  [validate, { contract: "c.yaml", out: "" }, "validate: `out` must be a path (a string)"],
  [
    push,
    { contract: "c.yaml", target: TARGET, pace: { concurrency: 0 } },
    'push: pace: `concurrency` must be a whole number from 1 to 1024, or "auto"',
  ],
  [
    push,
    { contract: "c.yaml", target: TARGET, pace: { maxConcurrency: 1025 } },
    "push: pace: `maxConcurrency` must be a whole number from 1 to 1024",
  ],
  [
    push,
    { contract: "c.yaml", target: TARGET, pace: { waitForSupplier: { forMs: "8h" } } },
    "push: pace.waitForSupplier: `forMs` must be a number of at least 0",
  ],
  [push, { contract: "c.yaml", target: TARGET, signal: true }, "push: `signal` must be an AbortSignal"],
  [
    push,
    { contract: "c.yaml", target: TARGET, stopNow: { aborted: false, addEventListener: () => undefined } },
    "push: `stopNow` must be an AbortSignal",
  ],
  [
    push,
    { contract: "c.yaml", target: TARGET, canary: 2, dryRun: true },
    "push: `canary` cannot be used with `dryRun`",
  ],
  [reconcile, { decide: { accept: ["A"] } }, "reconcile: decide: `who` is missing"],
  [reconcile, { decide: { accept: ["A"], who: "Kim" }, quietMs: 1 }, "reconcile: quietMs cannot be used with decide"],
  [explain, {}, "explain: `key` is missing"],
  [outcomes, { status: ["accepted"] }, "outcomes: unknown option `status`"],
  [products, { target: {} }, "products: target: `baseUrl` is missing"],
  [products, { target: TARGET, filters: { green: true } }, "products.filters: unknown option `green`"],
  [products, { target: TARGET, filters: { isGreen: "no" } }, "products.filters: `isGreen` must be true or false"],
  [readAccount, { target: TARGET }, "readAccount: `number` is missing"],
  [
    startSandbox,
    { suppliers: { SPRING: "paused" } },
    'startSandbox: `suppliers` must be "Ongoing", "Paused" or "Complete" by supplier, for at least one supplier',
  ],
  [
    startSandbox,
    { suppliers: {} },
    'startSandbox: `suppliers` must be "Ongoing", "Paused" or "Complete" by supplier, for at least one supplier',
  ],
  [startSandbox, { faults: { throtle: 1 } }, 'the sandbox\'s fault setting "throtle" is not valid'],
])("each function refuses invalid options: %o with %o", async (of, options, message) => {
  const refused = call(of, options);
  await expect(refused).rejects.toMatchObject({ name: "Failure", code: "usage", exitCode: 2, message });
  await expect(refused).rejects.not.toMatchObject({ hint: expect.stringContaining("sk_secret") });
});

test("a switch that is off does not conflict with another option", async () => {
  const options = { folder: temporaryFolder(), contract: "none.yaml", target: TARGET, canary: 2, dryRun: false };
  await expect(call(push, options)).rejects.toMatchObject({
    code: "config",
    message: expect.stringContaining("none.yaml"),
  });
});

test("setSupplier refuses an unknown import supplier and an unknown status", async () => {
  const { setSupplier } = await platform();
  expect(() => setSupplier("SANDBX", "Paused")).toThrow(
    "setSupplier: the sandbox has no import supplier with this code",
  );
  expect(() => Reflect.apply(setSupplier, undefined, ["SANDBOX", "paused"])).toThrow(
    'setSupplier: `status` must be "Ongoing", "Paused" or "Complete"',
  );
});

test("the exit codes have the same meanings as in the README", () => {
  const table = /## Exit codes\n([^]*?)\n## /.exec(readFileSync(projectFile("README.md"), "utf8"))?.[1] ?? "";
  for (const [code, meaning] of Object.entries(EXIT_CODES)) expect(table).toContain(`| ${code} | ${meaning} |`);
});
