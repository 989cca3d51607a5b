import path from "node:path";
import { expect, it } from "vitest";
import { temporaryFolder } from "../../temporary-folder.ts";
import { readReferenceList } from "../../../src/read/lists/reference-list.ts";

function fileOf(name: string, text: string): string {
  return path.join(temporaryFolder({ [name]: text }), name);
}

it("reads CSV, trims cells and omits empty cells", async () => {
  const file = fileOf("products.csv", "code;available_to\nP1; 2026-01-31 \n\n00012;\n");
  expect(await readReferenceList(file)).toEqual({
    columns: ["code", "available_to"],
    rows: [{ code: "P1", available_to: "2026-01-31" }, { code: "00012" }],
  });
});

it("reads NDJSON", async () => {
  const file = fileOf("products.ndjson", '{"code":"P1","bands":["DAY"]}\n\n{"code":"P2","to":null}\n');
  expect(await readReferenceList(file)).toEqual({
    columns: ["code", "bands", "to"],
    rows: [
      { code: "P1", bands: ["DAY"] },
      { code: "P2", to: null },
    ],
  });
});

it.each([
  ["a,a\n1,2\n", 1, 'two columns are named "a"'],
  ["a,b\n1,2,3\n", 2, "more cells than the header"],
  ['a,b\n1,"2\n', 2, "a quote is opened"],
  ["", 1, "the file is empty"],
  ['{"a":1}\n[1]\n', 2, "a JSON object"],
  ['{"a":1}\n{"a"\n', 2, "a JSON object"],
])("rejects %j at line %i", async (text, line, words) => {
  const file = fileOf("list.csv", text);
  await expect(readReferenceList(file)).rejects.toMatchObject({
    code: "config",
    place: { line },
    message: expect.stringContaining(words),
  });
});
