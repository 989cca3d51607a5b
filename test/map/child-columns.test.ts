import { describe, expect, test } from "vitest";
import { compile, csvRow, failureOf, list, object, table, text } from "./rows.ts";

const body = object({ "id!": text, street: text, name: text });
const withNotes = object({ "id!": text, notes: list(text) });
const accounts = table("a.csv", ["ID", "addresses.OLD"]);
const addresses = table("d.csv", ["ID", "STREET"]);

function sources(of: string): string {
  return `
sources:
  accounts: { files: a.csv, key: ID }
  addresses: { files: d.csv, parent: accounts, on: ID, ${of} }`;
}

describe("a column of a child source with one row per parent", () => {
  const mapping = compile(
    `${sources("key: ID")}
payload: { id: ID, street: addresses.STREET, name: addresses.OLD }`,
    body,
  );
  const address = csvRow(addresses, 7, ["1", "Mill Lane"]);

  test("is read from the child row, where its problems are also located", () => {
    const row = csvRow(accounts, 2, ["1", "x"], { addresses: [address] });
    expect(mapping.map(row).payload).toEqual({ id: "1", street: "Mill Lane", name: "x" });
    expect(mapping.locate(row, ["street"])).toEqual({ file: "d.csv", line: 7, column: "STREET", columnNumber: 2 });
  });

  test.each([{ addresses: [] }, {}, undefined])("is empty without a child row: %j", (children) => {
    const row = csvRow(accounts, 3, ["2", ""], children);
    expect(mapping.map(row).payload).toEqual({ id: "2" });
    expect(mapping.locate(row, ["street"])).toEqual({ file: "a.csv", line: 3 });
  });

  test("is ignored if the row itself has a column with the same name", () => {
    const row = csvRow(accounts, 2, ["1", "own"], { addresses: [address] });
    expect(mapping.locate(row, ["name"])).toMatchObject({ file: "a.csv", column: "addresses.OLD" });
  });

  test("may belong to a source with `pick`", () => {
    const picked = compile(`${sources("pick: last")}\npayload: { id: ID, street: addresses.STREET }`, body);
    const row = csvRow(accounts, 2, ["1", ""], { addresses: [address] });
    expect(picked.map(row).payload).toMatchObject({ street: "Mill Lane" });
  });

  test.each(["distinct: true", "key: STREET", "pick: { last: STREET, per: KIND }"])(
    "is rejected for a source with several rows (%s), with a suggestion",
    (of) => {
      const failure = failureOf(() => compile(`${sources(of)}\npayload: { id: ID, street: addresses.STREET }`, body));
      expect(failure.message).toBe(
        "mapping.yaml:4:3: sources.addresses: " +
          "may have several rows for each row of accounts, but addresses.STREET requires one row",
      );
      expect(failure.hint).toContain(
        "add `pick: first` (or last) to the source addresses, or build a list from its rows with `each`",
      );
    },
  );
});

/** Returns a mapping of accounts that refer to partners, which refer to addresses. */
function withPartners(column: string): string {
  return `
sources:
  accounts: { files: a.csv, key: ID }
  bp: { files: b.csv, key: BP, parent: accounts, on: { BP: PARTNER } }
  ad: { files: d.csv, key: AD, parent: bp, on: { AD: ADDRESS } }
payload: { id: ID, street: ${column} }`;
}

describe("a column of a child of a child source", () => {
  const street = csvRow(table("d.csv", ["AD", "STREET"]), 9, ["D1", "Mill Lane"]);
  const partner = csvRow(table("b.csv", ["BP", "ADDRESS"]), 5, ["P1", "D1"], { ad: [street] });
  const account = csvRow(table("a.csv", ["ID", "PARTNER"]), 2, ["1", "P1"], { bp: [partner] });

  test("is read with both prefixes", () => {
    const mapping = compile(withPartners("bp.ad.STREET"), body);
    expect(mapping.map(account).payload).toEqual({ id: "1", street: "Mill Lane" });
    expect(mapping.locate(account, ["street"])).toMatchObject({ file: "d.csv", line: 9, column: "STREET" });
  });

  test("is suggested if only its own prefix is given", () => {
    const { hint } = failureOf(() => compile(withPartners("ad.STREET"), body).map(account));
    expect(hint).toContain('did you mean "bp.ad.STREET"?');
  });

  test("is not suggested for the rows of another child source", () => {
    const mapping = compile(
      `
sources:
  accounts: { files: a.csv, key: ID }
  bp: { files: b.csv, key: BP, parent: accounts, on: { BP: PARTNER } }
  ad: { files: d.csv, key: AD, parent: bp, on: { AD: ADDRESS } }
  meters: { files: m.csv, parent: accounts, on: ID }
payload: { id: ID, notes: { each: meters, item: ad.STREET } }`,
      withNotes,
    );
    const meter = csvRow(table("m.csv", ["ID"]), 3, ["1"]);
    const { message, hint } = failureOf(() =>
      mapping.map(csvRow(table("a.csv", ["ID"]), 2, ["1"], { meters: [meter] })),
    );
    expect(message).toContain('m.csv: no column "ad.STREET"');
    expect(hint).toBe("its columns are: ID");
  });
});
