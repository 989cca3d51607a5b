import { expect, it } from "vitest";
import { JOINED_MAPPING, linesOf, validate, workFolder } from "./validate-scene.ts";

it("validate reports a record as invalid if a child row is left out because its key differs slightly", async () => {
  const folder = workFolder({
    "mapping.yaml": JOINED_MAPPING,
    "accounts.csv": "REF,NAME\n007,Ann\nB8,Bob\n",
    "customers.csv": "REF,SEQ,LAST,MAIL\n007,1,Abbott,\n7,2,Begum,\nB8,1,Clarke,\n",
  });
  const { code, stdout } = await validate(folder, ["--supplier", "S"]);
  const shown = linesOf(stdout).map(({ status, source, errors = [] }) => [
    `${source.file}:${source.line} ${status}`,
    ...errors.map((error) => `${error.code} at ${JSON.stringify(error.source)}`),
  ]);
  expect(shown).toEqual([
    [
      "accounts.csv:2 invalid",
      'source_child_left_out at {"file":"accounts.csv","line":2,"column":"REF","columnNumber":1}',
    ],
    ["accounts.csv:3 valid"],
    [
      "customers.csv:3 invalid",
      'source_orphan_row at {"file":"customers.csv","line":3,"column":"REF","columnNumber":1}',
    ],
  ]);
  expect(code).toBe(1);
});
