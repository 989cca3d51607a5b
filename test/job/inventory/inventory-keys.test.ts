import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { inventoryKeys } from "../../../src/job/inventory/inventory-keys.ts";
import { temporaryFolder } from "../../temporary-folder.ts";

async function readKeys(text: string, encoding: BufferEncoding = "utf8"): Promise<readonly string[]> {
  const folder = temporaryFolder();
  writeFileSync(join(folder, "keys.txt"), text, encoding);
  const found: string[] = [];
  for await (const { key, line } of inventoryKeys(join(folder, "keys.txt"), folder)) found.push(`${line} ${key}`);
  return found;
}

test("reads keys in any script, even if a chunk of the file ends within a character", async () => {
  const keys = Array.from({ length: 30_000 }, (_, index) => `名é-${index + 1}`);
  expect(await readKeys(`\uFEFF${keys.join("\r\n")}`)).toEqual(keys.map((key, index) => `${index + 1} ${key}`));
});

test("refuses a file that is not UTF-8 text, instead of reading keys that it does not contain", async () => {
  const long = readKeys(`${"EXT-1\n".repeat(20_000)}caf\u00E9\n`, "latin1");
  await expect(long).rejects.toThrow("keys.txt:20001: byte 0xe9 is not UTF-8");
  await expect(readKeys("EXT-1\ncaf\u00E9", "latin1")).rejects.toThrow("keys.txt:2: byte 0xe9 is not UTF-8");
});

test("names the file and its columns if the column of the keys is missing", async () => {
  const file = join(temporaryFolder({ "closed.csv": "KEY,NAME\nA1,Ada\n" }), "closed.csv");
  const read = async (): Promise<void> => {
    for await (const { key } of inventoryKeys({ file, column: "key" }, temporaryFolder())) expect(key).toBe("");
  };
  await expect(read()).rejects.toMatchObject({
    message: `${file}: no column "key", which must contain the keys`,
    hint: "columns: KEY, NAME",
  });
});

async function readTable(row: string): Promise<void> {
  const folder = temporaryFolder({ "keys.csv": `REF,NO\n1,K1\n${row}\n` });
  const keys = inventoryKeys({ file: join(folder, "keys.csv"), column: "NO" }, folder);
  for await (const { key } of keys) expect(key).toBe("K1");
}

test("refuses a row with too few or too many cells, instead of reading its key from another column", async () => {
  const long = readTable("Smith, John,00010001");
  await expect(long).rejects.toThrow("keys.csv:3: the row has 3 cells, but the header has 2");
  await expect(readTable("x")).rejects.toThrow("keys.csv:3: the row has 1 cell, but the header has 2");
});
