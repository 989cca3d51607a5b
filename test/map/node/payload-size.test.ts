import { describe, expect, test } from "vitest";
import { atRow, charactersOf, checkCellLength, checkPayloadLength } from "../../../src/map/node/payload-size.ts";
import { compile, csvRow, failureOf, list, object, rowOf, table, text } from "../rows.ts";

test.each([
  ["abc", 3],
  ["", 0],
  [5, 1],
  [false, 1],
  [null, 1],
  [[], 1],
  [["ab", 1], 6],
  [{}, 1],
  [{ a: "bc", d: [] }, 8],
  [{ ab: [{ c: null }] }, 10],
] as const)("the size of %j is %i", (value, size) => {
  expect(charactersOf(value)).toBe(size);
  expect(charactersOf(value)).toBe(size);
});

describe("the limits", () => {
  test.each([
    [
      "one value",
      2 ** 20,
      (characters: number) => checkCellLength(characters, "join"),
      "`join` produces more than 1,048,576 characters",
    ],
    ["a payload", 2 ** 24, checkPayloadLength, "the payload has more than 16,777,216 characters"],
  ])("of %s allow %i characters", (_, limit, check, message) => {
    expect(() => check(limit)).not.toThrow();
    expect(() => check(limit + 1)).toThrow(message);
  });
  test("are reported with the row, the cause and a fix", () => {
    const failure = failureOf(() => atRow(rowOf({}), () => checkPayloadLength(2 ** 25)));
    expect(failure).toMatchObject({
      code: "source_too_large",
      message: "accounts.csv:2: the payload has more than 16,777,216 characters",
      hint: "shorten the text that `replace` or `join` in the mapping produces, or correct the row",
      place: { file: "accounts.csv", line: 2 },
      cause: { message: "the payload has more than 16,777,216 characters" },
    });
  });
  test("do not affect other errors and results", () => {
    const other = new TypeError("other");
    const fail = () => {
      throw other;
    };
    expect(() => atRow(rowOf({}), fail)).toThrow(other);
    expect(atRow(rowOf({}), () => 7)).toBe(7);
  });
  test("include constants and defaults", () => {
    const constant = "a".repeat(2 ** 20);
    const sources = `sources:
  accounts: { files: a.csv, key: ID }
  notes: { files: n.csv, parent: accounts, on: ID }`;
    const body = object({ notes: list(object({ note: text })) });
    const notes = Array.from({ length: 17 }, () => csvRow(table("n.csv", ["ID", "NOTE"]), 2, ["1", ""]));
    const account = csvRow(table("a.csv", ["ID"]), 2, ["1"], { notes });
    const fewer = csvRow(table("a.csv", ["ID"]), 2, ["1"], { notes: notes.slice(1) });
    for (const leaf of [`{ value: ${constant} }`, `{ from: NOTE, default: ${constant} }`]) {
      const mapping = compile(`${sources}\npayload: { notes: { each: notes, item: { note: ${leaf} } } }`, body);
      expect(mapping.map(fewer).payload["notes"]).toHaveLength(16);
      expect(failureOf(() => mapping.map(account)).code).toBe("source_too_large");
    }
  });
});
