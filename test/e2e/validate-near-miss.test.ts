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

it("validate reports only the record with the similar key if all records are in one line of a JSON file", async () => {
  const folder = workFolder({
    "mapping.yaml": JOINED_MAPPING.replaceAll("accounts.csv", "accounts.json"),
    "accounts.json": JSON.stringify([
      { REF: "B8", NAME: "Bob" },
      { REF: "007", NAME: "Ann" },
      { REF: "C9", NAME: "Cy" },
    ]),
    "customers.csv": "REF,SEQ,LAST,MAIL\n7,1,Begum,\nB8,1,Clarke,\n",
  });
  const { stdout } = await validate(folder, ["--supplier", "S"]);
  expect(
    linesOf(stdout).map(({ key, status, errors = [] }) => [key, status, ...errors.map(({ code }) => code)]),
  ).toEqual([
    ["B8", "valid"],
    ["007", "invalid", "source_child_left_out"],
    ["C9", "valid"],
    [undefined, "invalid", "source_orphan_row"],
  ]);
});

it("validate reports a record as invalid if a row is left out because its key differs from the key of a child row", async () => {
  const folder = workFolder({
    "mapping.yaml": JOINED_MAPPING.replace(
      "orderBy: SEQ }",
      "orderBy: SEQ, key: MAIL }\n  notes: { files: notes.csv, parent: customers, on: MAIL }",
    ),
    "accounts.csv": "REF,NAME\n007,Ann\nB8,Bob\n",
    "customers.csv": "REF,SEQ,LAST,MAIL\n007,1,Abbott,a@b.co\nB8,1,Clarke,c@d.co\n",
    "notes.csv": "MAIL,NOTE\na@b.co,x\nC@d.co,y\n",
  });
  const { stdout } = await validate(folder, ["--supplier", "S"]);
  expect(
    linesOf(stdout).map(({ key, status, errors = [] }) => [key, status, ...errors.map((error) => error.source)]),
  ).toEqual([
    ["007", "valid"],
    ["B8", "invalid", { file: "customers.csv", line: 3, column: "MAIL", columnNumber: 4 }],
    [undefined, "invalid", { file: "notes.csv", line: 3, column: "MAIL", columnNumber: 1 }],
  ]);
});

it("validate does not count a row as left out if it belongs to a row that `pick` omits", async () => {
  const folder = workFolder({
    "mapping.yaml": JOINED_MAPPING.replace(
      "orderBy: SEQ }",
      "pick: first, key: MAIL }\n  notes: { files: notes.csv, parent: customers, on: MAIL }",
    ),
    "accounts.csv": "REF,NAME\nB8,Bob\n",
    "customers.csv": "REF,SEQ,LAST,MAIL\nB8,1,Abbott,a@b.co\nB8,2,Clarke,c@d.co\n",
    "notes.csv": "MAIL,NOTE\na@b.co,x\nc@d.co,y\n",
  });
  const { stdout } = await validate(folder, ["--supplier", "S"]);
  expect(linesOf(stdout).map(({ key, status }) => [key, status])).toEqual([
    ["B8", "valid"],
    [undefined, "invalid"],
  ]);
  expect(stdout).toContain(
    "The row of customers with this key (customers.csv:3, column MAIL) is omitted by `pick` or `distinct`.",
  );
});

it("validate reports every record whose key is similar to the key of a row without a parent", async () => {
  const folder = workFolder({
    "mapping.yaml": JOINED_MAPPING,
    "accounts.csv": "REF,NAME\n007,Ann\n07,Anna\nB8,Bob\n",
    "customers.csv": "REF,SEQ,LAST,MAIL\n007,1,Abbott,\n07,1,Adams,\n7,2,Begum,\nB8,1,Clarke,\n",
  });
  const { stdout } = await validate(folder, ["--supplier", "S"]);
  const shown = linesOf(stdout).map(({ key, status, errors = [] }) => [key, status, ...errors.map(({ code }) => code)]);
  expect(shown).toEqual([
    ["007", "invalid", "source_child_left_out", "near_duplicate_key"],
    ["07", "invalid", "source_child_left_out", "near_duplicate_key"],
    ["B8", "valid"],
    [undefined, "invalid", "source_orphan_row"],
  ]);
});

it.each([
  ["--only", ["--only", "007"]],
  ["--limit", ["--limit", "2"]],
  ["--limit, in two threads", ["--limit", "2", "--threads", "2"]],
])("validate with %s reports a selected record whose child row is left out", async (_title, options) => {
  const folder = workFolder({
    "mapping.yaml": JOINED_MAPPING,
    "accounts.csv": "REF,NAME\nA1,Al\n007,Ann\n008,Bob\n",
    "customers.csv": "REF,SEQ,LAST,MAIL\nA1,1,Adams,\n007,1,Abbott,\n7,2,Begum,\n8,1,Clarke,\nX9,1,Dean,\n",
  });
  const { code, stdout } = await validate(folder, ["--supplier", "S", ...options]);
  expect(
    linesOf(stdout).map(({ source, status, errors = [] }) => [
      `${source.file}:${source.line}`,
      status,
      ...errors.map((error) => error.code),
    ]),
  ).toEqual([
    ...(options.includes("--only") ? [] : [["accounts.csv:2", "valid"]]),
    ["accounts.csv:3", "invalid", "source_child_left_out"],
    ["customers.csv:4", "invalid", "source_orphan_row"],
  ]);
  expect(code).toBe(1);
});
