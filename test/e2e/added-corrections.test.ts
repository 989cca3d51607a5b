import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { threeAccounts } from "./corrections-scene.ts";

describe("corrections that are added", () => {
  test("for the same cell in one list are refused, and the message names the cell", async () => {
    const { migrate, file } = threeAccounts();
    writeFileSync(file("new.csv"), "key,column,value\nEXT-00002,TYPE,B\nEXT-00001,NAME,Ann\nEXT-00002,TYPE,D\n");
    const { code, stderr } = await migrate(["corrections", "add", "--from", "new.csv"]);
    expect([code, stderr]).toEqual([
      2,
      'migrate: column TYPE of EXT-00002 in source "accounts" is corrected twice\n  list each cell only once\n',
    ]);
    expect(existsSync(file("fixes.csv"))).toBe(false);
  });

  test.each([
    ["a quote is never closed", "new.csv", 'key,column,value\nEXT-00001,NAME,"Ann\n', "new.csv:2: a quote is opened"],
    ["a line is not an object", "new.ndjson", '{"key":"EXT-00001"}\n1\n', "new.ndjson:2: expected a JSON object"],
    ["a column is missing", "new.csv", "key,value\nEXT-00001,Ann\n", 'new.csv: no column "column"'],
    ["a row is too short", "new.csv", "key,column,value\nEXT-00001,NAME\n", "new.csv:2: the row has fewer cells"],
  ])("in a list are refused with the format of the list if %s", async (_, name, text, message) => {
    const { migrate, file } = threeAccounts();
    writeFileSync(file(name), text);
    const { code, stderr } = await migrate(["corrections", "add", "--from", name]);
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
    expect(stderr).toContain("its columns are key, column, value, and optionally source, line, reason");
    expect(stderr).not.toContain("reference list");
  });

  test.each([
    ["an unknown column", "key,column,value,sourc\nEXT-00001,NAME,Ann,customers\n", 'did you mean "source"?'],
    ["the value null", '{"key":"EXT-00001","column":"NAME","value":null}\n', "row 1 has no value"],
    ["no value", '{"key":"A","column":"B","value":1}\n{"key":"EXT-00001","column":"NAME"}\n', "row 2 has no value"],
  ])("in a list are refused with %s", async (_, text, message) => {
    const { migrate, file } = threeAccounts();
    writeFileSync(file("new.txt"), text);
    const { code, stderr } = await migrate(["corrections", "add", "--from", "new.txt"]);
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
    expect(existsSync(file("fixes.csv"))).toBe(false);
  });

  test.each([
    [
      "a column of another source",
      ["EXT-00003", "DOB", "1971-02-28"],
      'source "customers" has this column: name the source',
    ],
    ["an unknown column", ["EXT-00003", "TYP", "B"], 'did you mean "TYPE"?'],
    ["an unknown key", ["EXT-9", "TYPE", "B"], "in a root source without `key`, it is the business key"],
  ])("for %s are refused, and the hint says how to name the cell", async (_, cell, hint) => {
    const { migrate } = threeAccounts();
    const { code, stderr } = await migrate(["corrections", "add", ...cell]);
    expect([code, stderr]).toEqual([2, expect.stringContaining(hint)]);
  });

  test("are found by a key in another Unicode form or with surrounding spaces, and are applied to the row", async () => {
    const { migrate, file } = threeAccounts();
    for (const name of ["accounts.csv", "customers.csv"])
      writeFileSync(file(name), readFileSync(file(name), "utf8").replaceAll("EXT-00002", "\u00e92"));
    const key = " e\u03012 ";
    expect((await migrate(["corrections", "add", key, "TYPE", "D"])).code).toBe(0);
    expect((await migrate(["validate", "--only", key])).code).toBe(0);
  });

  test("in an NDJSON list keep every digit of a number, and can empty a cell", async () => {
    const { migrate, file } = threeAccounts();
    const values = ["12345678901234567890", "1.50", '""'];
    const lines = values.map((value, at) => `{"key":"EXT-0000${at + 1}","column":"NAME","value":${value}}\n`);
    writeFileSync(file("new.ndjson"), lines.join(""));
    expect((await migrate(["corrections", "add", "--from", "new.ndjson"])).code).toBe(0);
    const listed = await migrate(["corrections", "list", "--show-values", "--format", "json"]);
    const { corrections }: { corrections: readonly { value: string }[] } = JSON.parse(listed.stdout);
    expect(corrections.map(({ value }) => value)).toEqual(["12345678901234567890", "1.50", ""]);
  });

  test.each([
    ["CSV", 'key,column,value\nEXT-00001,NAME,"  Ann "\nEXT-00002,NAME, \n'],
    [
      "NDJSON",
      '{"key":"EXT-00001","column":"NAME","value":"  Ann "}\n{"key":"EXT-00002","column":"NAME","value":" "}\n',
    ],
  ])("in a %s list keep the whitespace around their values", async (_, text) => {
    const { migrate, file } = threeAccounts();
    writeFileSync(file("new.txt"), text);
    expect((await migrate(["corrections", "add", "--from", "new.txt"])).code).toBe(0);
    const listed = await migrate(["corrections", "list", "--show-values", "--format", "json"]);
    const { corrections }: { corrections: readonly { value: string }[] } = JSON.parse(listed.stdout);
    expect(corrections.map(({ value }) => value)).toEqual(["  Ann ", " "]);
  });

  test("of rows on the same line of two files are refused, because --line cannot distinguish them", async () => {
    const { migrate, file } = threeAccounts();
    writeFileSync(file("others.csv"), readFileSync(file("customers.csv")));
    const words = ["add", "EXT-00003", "DOB", "1", "--in", "customers", "--line", "4"];
    const { code, stderr } = await migrate(["corrections", ...words, "--source", "customers=*[er]s.csv"]);
    expect([code, stderr]).toEqual([2, expect.stringContaining("on the same line")]);
    expect(stderr).toContain("--line cannot distinguish them");
    expect(stderr).toContain("others.csv:4");
  });
});
