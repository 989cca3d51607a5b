import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readLookup } from "../../../src/read/lists/lookup-table.ts";
import { temporaryFolder } from "../../temporary-folder.ts";

async function lookup(text: string): Promise<ReadonlyMap<string, string>> {
  const path = join(temporaryFolder(), "codes.csv");
  await writeFile(path, text);
  return readLookup(path);
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
