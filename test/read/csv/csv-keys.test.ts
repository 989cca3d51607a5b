import { writeFileSync } from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { keysIn, openSource, rowsOf } from "../../../src/read/input/opened-source.ts";
import { DEFAULT_LIMITS } from "../../../src/read/read-limits.ts";
import { keyOf } from "../../../src/read/row/row-key.ts";
import { temporaryFolder } from "../../temporary-folder.ts";

const cell = fc.constantFrom(
  "K1",
  "K2",
  "",
  " ",
  "\u00a0",
  " K3 ",
  "Zoë",
  '"K,4"',
  '"K ""5"""',
  '"two\nlines"',
  'K"6',
  "\u0007",
  "x",
);
const row = fc.array(cell, { minLength: 1, maxLength: 4 }).map((cells) => cells.join(","));
const lines = fc.oneof({ weight: 9, arbitrary: row }, { weight: 1, arbitrary: fc.constantFrom("", "  ", '""', '" "') });
const end = fc.constantFrom("\n", "\r\n", "\r");
const header = fc.constantFrom("A,REF,B", "REF", "REF,A", '"REF",A,B,C');

test("reading only the keys returns the same keys as reading the rows", async () => {
  const file = path.join(temporaryFolder(), "rows.csv");
  const opening = {
    encoding: undefined,
    delimiter: ",",
    limits: DEFAULT_LIMITS,
    notify: () => undefined,
    displayName: (name: string) => name,
  };
  await fc.assert(
    fc.asyncProperty(fc.array(lines, { maxLength: 20 }), end, header, async (all, lineEnd, columns) => {
      writeFileSync(file, [columns, ...all].join(lineEnd));
      const source = await openSource({ name: "rows", files: [file], children: [] }, opening);
      const keys: (string | undefined)[] = [];
      for await (const batch of keysIn(source, "REF")) keys.push(...batch);
      const expected: (string | undefined)[] = [];
      for await (const batch of rowsOf(source)) expected.push(...batch.map((read) => keyOf(read.row, "REF")));
      expect(keys).toEqual(expected);
    }),
    { numRuns: 200 },
  );
});
