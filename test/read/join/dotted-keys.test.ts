import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../temporary-folder.ts";
import { read } from "../reading.ts";

test("JSON rows are joined on members whose names contain dots, and on paths", async () => {
  const folder = temporaryFolder();
  const write = async (name: string, rows: readonly object[]): Promise<string> => {
    const path = join(folder, name);
    await writeFile(path, JSON.stringify(rows));
    return path;
  };
  const { records } = await read({
    name: "accounts",
    files: [await write("accounts.json", [{ "acc.id": "1" }, { acc: { id: "2" } }])],
    key: "acc.id",
    children: [
      {
        name: "notes",
        files: [
          await write("notes.json", [
            { "acc.id": "1", seq: { no: 2 } },
            { "acc.id": "2" },
            { "acc.id": "1", "seq.no": 1 },
          ]),
        ],
        on: "acc.id",
        parentKey: "acc.id",
        orderBy: { column: "seq.no" },
        children: [],
      },
    ],
  });
  expect(records.map(({ row, problems }) => [row.children?.get("notes")?.length, problems])).toEqual([
    [2, []],
    [1, []],
  ]);
  expect(records[0]?.row.children?.get("notes")?.map((row) => "pointer" in row && row.pointer)).toEqual(["/2", "/0"]);
});
