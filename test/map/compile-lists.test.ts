import { describe, expect, test } from "vitest";
import { compile, csvRow, failureOf, integer, list, object, rowOf, table, text } from "./rows.ts";

const accountTable = table("accounts.csv", ["REF", "NAME"]);

const customerTable = table("customers.csv", ["FIRST", "LAST"]);

const phoneTable = table("phones.csv", ["NUMBER"]);

const SOURCES = `
sources:
  accounts: { key: REF }
  customers: { parent: accounts, on: REF, key: ID }
  phones: { parent: customers, on: CUSTOMER }
`;

describe("lists:", () => {
  const body = object({
    customers: list(object({ "name!": text, phones: list(text) })),
    addresses: list(object({ "line!": text, country: text })),
  });

  test("a list literal builds its items from the current row, and omits empty items", () => {
    const mapping = compile("payload: { addresses: [{ line: A }, { line: B }] }", body);
    expect(mapping.map(rowOf({ A: "a", B: "b" })).payload).toEqual({ addresses: [{ line: "a" }, { line: "b" }] });
    expect(mapping.map(rowOf({ A: "", B: "b" })).payload).toEqual({ addresses: [{ line: "b" }] });
    expect(mapping.map(rowOf({ A: "", B: "" })).payload).toEqual({});
  });
  test("`each` builds an item from every child row, through two levels", () => {
    const mapping = compile(
      `${SOURCES}payload: { customers: { each: customers, item: { name: FIRST, phones: { each: phones, item: NUMBER } } } }`,
      body,
    );
    const phones = [csvRow(phoneTable, 2, ["1"]), csvRow(phoneTable, 3, [" "]), csvRow(phoneTable, 4, ["2"])];
    const row = csvRow(accountTable, 2, ["1", "x"], {
      customers: [csvRow(customerTable, 2, ["Ann", "A"], { phones }), csvRow(customerTable, 5, ["Bob", "B"])],
    });
    expect(mapping.map(row).payload).toEqual({
      customers: [{ name: "Ann", phones: ["1", "2"] }, { name: "Bob" }],
    });
    expect(mapping.columns).toEqual(
      new Map([
        ["accounts", []],
        ["customers", ["FIRST"]],
        ["phones", ["NUMBER"]],
      ]),
    );
  });
  test("a child row yields an item even if the item is empty", () => {
    const mapping = compile(`${SOURCES}payload: { customers: { each: customers, item: { name: FIRST } } }`, body);
    const row = csvRow(accountTable, 2, ["1", "x"], { customers: [csvRow(customerTable, 2, ["", ""])] });
    expect(mapping.map(row).payload).toEqual({ customers: [{}] });
    expect(mapping.map(csvRow(accountTable, 2, ["1", "x"])).payload).toEqual({});
  });
  test("columns inside an item belong to the child source", () => {
    const mapping = compile(`${SOURCES}payload: { customers: { each: customers, item: { name: NAME } } }`, body);
    const row = csvRow(accountTable, 2, ["1", "x"], { customers: [csvRow(customerTable, 2, ["Ann", "A"])] });
    expect(failureOf(() => mapping.map(row)).message).toBe(
      'customers.csv: no column "NAME" (mapping.yaml:6), which the mapping reads',
    );
  });
  test("problems contain the index of their item", () => {
    const numbers = object({ customers: list(object({ age: integer })) });
    const mapping = compile(`${SOURCES}payload: { customers: { each: customers, item: { age: LAST } } }`, numbers);
    const customers = [csvRow(customerTable, 8, ["", "7"]), csvRow(customerTable, 9, ["", "x1"])];
    expect(mapping.map(csvRow(accountTable, 2, ["1", "x"], { customers })).problems).toEqual([
      {
        attr: "customers.1.age",
        code: "invalid",
        expected: "integer",
        severity: "error",
        by: "local",
        place: { file: "customers.csv", line: 9, column: "LAST", columnNumber: 2 },
        shape: "a9",
      },
    ]);
  });
  test.each([
    ["{ customers: A }", "is a list in the contract"],
    ["{ customers: { each: customers } }", "item: <mapping of a row>"],
    ["{ customers: { each: custmers, item: { name: A } } }", 'did you mean "customers"?'],
    ["{ customers: { each: phones, item: { name: A } } }", 'is a child of "customers"'],
    ["{ customers: { each: accounts, item: { name: A } } }", "has no parent"],
    ["{ customers: { each: customers, itm: { name: A } } }", 'did you mean "item"?'],
    ["{ customers: { each: customers, item: { phones: { each: customers, item: A } } } }", 'is a child of "accounts"'],
  ])("%s is rejected", (payload, words) => {
    const failure = failureOf(() => compile(`${SOURCES}payload: ${payload}`, body));
    expect(`${failure.message} ${failure.hint ?? ""}`).toContain(words);
  });
});
