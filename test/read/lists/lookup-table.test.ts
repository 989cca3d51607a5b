import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readLookup } from "../../../src/read/lists/lookup-table.ts";
import { temporaryFolder } from "../../temporary-folder.ts";

async function lookup(text: string, notice?: (text: string) => void): Promise<ReadonlyMap<string, string>> {
  const path = join(temporaryFolder(), "codes.csv");
  await writeFile(path, text);
  return readLookup(path, { notice });
}

test("whitespace around the codes and values of a lookup table is removed", async () =>
  expect([...(await lookup("code,value\n A , Mill Lane \n \n"))]).toEqual([["A", "Mill Lane"]]));

describe("a row with more cells than the header of a lookup table", () => {
  test("is an error, because its value may be cut at an unquoted delimiter", async () => {
    await expect(lookup("code,value\nA,Mill Lane\nB,Mill Lane, Ely\n")).rejects.toMatchObject({
      code: "config",
      message: expect.stringMatching(/codes\.csv:3: the row has more cells than the header$/),
    });
  });
  test("is accepted if the additional cells are empty", async () =>
    expect([...(await lookup("code,value\nA,Mill Lane,\n"))]).toEqual([["A", "Mill Lane"]]));
});

test.each(['A,"Mill" Lane\n', 'A,Mill "Lane"\n', '"A" B,Mill Lane\n'])(
  "a stray quotation mark in a lookup table is an error: %s",
  async (row) => {
    await expect(lookup(`code,value\nX,"Mill ""Lane"""\n${row}`)).rejects.toMatchObject({
      code: "config",
      message: expect.stringMatching(/codes\.csv:3: there is a quotation mark inside an unquoted cell/),
    });
  },
);

async function noticesOf(text: string): Promise<readonly string[]> {
  const notices: string[] = [];
  await lookup(text, (notice) => notices.push(notice));
  return notices;
}

describe("the first line of a lookup table", () => {
  test.each([
    ["a number", "007,FIX\n012,FLEX\n"],
    ["one letter among codes of one letter", "D,DOMESTIC\nB,BUSINESS\n"],
    ["a code with the value of another code", "DOM,HOME\nBUS,SHOP\nRES,HOME\n"],
    ["a code with a date", "OLD,2024-01-01\nNEW,2025-01-01\n"],
  ])("causes a notice if it is probably an entry: %s", async (_, text) => {
    expect(await noticesOf(text)).toEqual([
      expect.stringMatching(/codes\.csv: line 1 looks like a code and its value, but is read as the header; if/),
    ]);
  });

  test.each(["code,value\n007,FIX\n", "C,VALUE\nDOM,HOME\n", "Tarif 2024,value\n1,x\n", "code,value\n"])(
    "causes no notice if it is a header: %j",
    async (text) => expect(await noticesOf(text)).toEqual([]),
  );
});
