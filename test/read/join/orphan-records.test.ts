import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../temporary-folder.ts";
import { read } from "../reading.ts";

test.each([
  ["in memory", {}],
  ["on disk", { limits: { memoryJoinBytes: 0 } }],
])(
  "a row with a similar key names the records to which the row belongs, through every join, %s",
  async (_, options) => {
    const folder = temporaryFolder();
    const write = async (name: string, text: string): Promise<string> => {
      const path = join(folder, name);
      await writeFile(path, text);
      return path;
    };
    const accounts = await write(
      "accounts.json",
      '[{"ACC":"1","SITE":"S"},{"ACC":"2","SITE":"T"},{"ACC":"3","SITE":"S"}]',
    );
    const { records } = await read(
      {
        name: "accounts",
        files: [accounts],
        key: "ACC",
        children: [
          {
            name: "sites",
            files: [await write("sites.csv", "ID,METERS\nT,M1\nS,M2\n")],
            on: "ID",
            parentKey: "SITE",
            children: [
              {
                name: "meters",
                files: [await write("meters.csv", "GROUP,MPAN\nM1,7\nM2,0012\n")],
                on: "GROUP",
                parentKey: "METERS",
                key: "MPAN",
                children: [
                  {
                    name: "readings",
                    files: [await write("readings.csv", "MPAN,VALUE\n7,1\n12,2\n")],
                    on: "MPAN",
                    parentKey: "MPAN",
                    children: [],
                  },
                ],
              },
            ],
          },
        ],
      },
      options,
    );
    const orphans = records.filter(({ orphan }) => orphan);
    expect(orphans.map(({ problems }) => problems)).toMatchObject([
      [
        {
          code: "source_orphan_row",
          near: {
            line: 3,
            column: "MPAN",
            records: [
              { file: accounts, line: 1, record: 1 },
              { file: accounts, line: 1, record: 3 },
            ],
          },
        },
      ],
    ]);
  },
);
