import { expect, it } from "vitest";
import type { Problem } from "../../src/model/problem.ts";
import type { MappedRecord } from "../../src/model/record.ts";
import { withErrorsAsWarnings } from "../../src/pipeline/plan/plan-items.ts";

const BLANK: Problem = { attr: "name", code: "blank", severity: "error", by: "local" };
const UNSAFE: Problem = {
  attr: "path",
  code: "unsafe_document_path",
  reason: "absolute",
  severity: "error",
  by: "local",
};
const RAGGED: Problem = {
  attr: "non_field_errors",
  code: "source_ragged_row",
  found: 1,
  expected: 2,
  severity: "error",
  by: "local",
};
const RECORD: MappedRecord = {
  number: 1,
  source: "accounts",
  orphan: false,
  row: { table: { kind: "json", file: "a.json" }, line: 1, pointer: "", value: {} },
  problems: [BLANK],
  key: "A",
  payload: {},
  readable: true,
};

it("with --send-invalid, errors that the platform can decide become warnings", () => {
  expect(withErrorsAsWarnings(RECORD).problems).toEqual([{ ...BLANK, severity: "warning" }]);
});

it.each([
  ["without a key", { key: undefined }],
  ["that was read incompletely", { readable: false }],
  ["that is an orphan", { orphan: true }],
  ["with a corrupt row", { problems: [BLANK, RAGGED] }],
  ["with more errors than are listed", { problems: [{ ...BLANK, unlisted: 7 }] }],
  ["with an unsafe document path", { problems: [BLANK, UNSAFE] }],
])("with --send-invalid, a record %s stays invalid", (_what, more) => {
  const record = { ...RECORD, ...more };
  expect(withErrorsAsWarnings(record)).toBe(record);
});
