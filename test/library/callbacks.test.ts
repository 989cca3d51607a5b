import { expect, test } from "vitest";
import { validate, type ValidateOptions } from "energy-migrate";
import { projectFile } from "../e2e/cli.ts";
import { temporaryFolder } from "../temporary-folder.ts";

/** Returns options that cause a notice, because the delimiter of the file is not a comma. */
function noticed(): ValidateOptions {
  const mapping = "operation: import-account\nkey: external_account_number\nsources: { accounts: { files: a.csv } }\n";
  const payload = "payload: { external_account_number: REF, billing_name: NAME }\n";
  return {
    folder: temporaryFolder({ "a.csv": "REF;NAME\nE-1;Ada\n", "mapping.yaml": mapping + payload }),
    contract: projectFile("fixtures/contract/contract.yaml"),
    mapping: "mapping.yaml",
    supplier: "SANDBOX",
  };
}

const CALLBACKS: readonly (readonly [string, () => unknown])[] = [
  ["throws", () => fail()],
  ["returns a rejected promise", async () => fail()],
  ["returns a promise that is rejected later", () => new Promise((_, reject) => setTimeout(() => reject(BOOM), 20))],
];
const BOOM = new Error("the callback failed");

function fail(): never {
  throw BOOM;
}

test.each(CALLBACKS)("a call rejects when its notice callback %s", async (_, callback) => {
  await expect(validate({ ...noticed(), onNotice: callback })).rejects.toBe(BOOM);
});

test.each(CALLBACKS)("a call rejects when its progress callback %s", async (_, callback) => {
  await expect(validate({ ...noticed(), onProgress: callback })).rejects.toBe(BOOM);
});

test("`stopNow` ends the wait for a callback whose promise never settles", async () => {
  const stop = new AbortController();
  const onNotice = (): Promise<void> => {
    setImmediate(() => stop.abort());
    return new Promise(() => undefined);
  };
  const result = await validate({ ...noticed(), onNotice, stopNow: stop.signal });
  await result.close();
  expect([1, 3]).toContain(result.exitCode);
});

test("`validate` stops with exit code 3 if `stopNow` is already aborted", async () => {
  const result = await validate({ ...noticed(), stopNow: AbortSignal.abort() });
  await result.close();
  expect(result.exitCode).toBe(3);
});

test("unknown statuses of outcomes are refused", async () => {
  const result = await validate(noticed());
  const statuses: readonly never[] = JSON.parse('["nope"]');
  await expect(result.outcomes(statuses).next()).rejects.toMatchObject({ code: "usage" });
  await result.close();
});
