import { expect, test } from "vitest";
import { ledgerFailure } from "../../src/ledger/sqlite/ledger-file.ts";

test.each([
  ["a read-only file", { errcode: 8 }, /^grant this user write access to ledger\.db and its folder; then/],
  ["a full disk", { errcode: 13 }, /^free some disk space; then/],
  ["a folder that cannot be accessed", { errno: -13, code: "EACCES" }, /^grant this user write access to \S+; then/],
])("the hint for %s says how to fix the problem", (_, details, hint) => {
  const error = Object.assign(new Error("cannot"), details);
  expect(ledgerFailure(error, "ledger.db")).toMatchObject({ code: "storage", hint: expect.stringMatching(hint) });
});
