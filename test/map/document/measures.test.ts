import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { loadContract } from "../../../src/contract/load-contract.ts";
import { findOperation } from "../../../src/contract/operations/find-operation.ts";
import { compileMapping } from "../../../src/map/compile-mapping.ts";
import { readMapping } from "../../../src/map/document/mapping-document.ts";
import { failureOf, NO_VALUES } from "../rows.ts";

const text = readFileSync(new URL("../../../fixtures/contract/contract.yaml", import.meta.url), "utf8");
const operation = findOperation(loadContract([{ file: "contract.yaml", text }]), "import-account");

function mappingWith(measures: string): string {
  return `
key: external_account_number
payload:
  external_account_number: REF
  balance: { from: BALANCE, number: { decimal: ",", group: "." } }
  customers:
    - given_name: FIRST
measures: ${measures}
`;
}

const read = (measures: string) => readMapping({ file: "m.yaml", text: mappingWith(measures) });
const refusal = (measures: string): string =>
  failureOf(() => compileMapping(read(measures), operation, NO_VALUES)).message;

describe("measures in a mapping", () => {
  it("use the number format of the mapped column", () => {
    expect(read("{ owed: { attr: balance, sum: decimal, by: customers.*.given_name } }").measures).toEqual([
      {
        name: "owed",
        attr: ["balance"],
        by: ["customers", "*", "given_name"],
        separators: { decimal: ",", group: "." },
      },
    ]);
  });

  it.each([
    [
      "[{ paid: { from: A, number: { decimal: ',' } } }, { paid: { from: B, number: { decimal: ';' } } }]",
      "bills.*.paid",
    ],
    ["[{ item: { paid: { from: A, number: { decimal: ',' } } } }]", "bills.0.paid"],
    ["{ each: bills, item: { paid: { from: A, number: { decimal: ',' } } } }", "bills.*.paid"],
    ["{ paid: { from: A, number: { decimal: ',' } } }", "bills.paid"],
  ])("use the number format of the first entry of %s for %s", (bills, attr) => {
    const { measures } = readMapping({
      file: "m.yaml",
      text: `payload: { bills: ${bills} }\nmeasures: { paid: { attr: ${attr} } }`,
    });
    expect(measures).toStrictEqual([
      { name: "paid", attr: expect.arrayContaining(["bills", "paid"]), separators: { decimal: "," } },
    ]);
  });

  it.each([
    ["{ owed: BALANCE }", "owed"],
    ["{ owed: { from: BALANCE } }", "owed"],
    ["{ owed: { from: BALANCE, number: { group: '.' } } }", "owed"],
    ["{ owed: { from: BALANCE, number: { decimal: 5 } } }", "owed"],
    ["{ owed: BALANCE }", "account.bills.*.owed"],
    ["{ bills: [] }", "bills.*.owed"],
  ])("have no number format for the payload %s and the attr %s", (payload, attr) => {
    const mapping = `payload: ${payload}\nmeasures: { owed: { attr: ${attr} } }`;
    expect(readMapping({ file: "m.yaml", text: mapping }).measures).toStrictEqual([
      { name: "owed", attr: attr.split(".") },
    ]);
  });

  it("are optional", () => {
    expect(readMapping({ file: "m.yaml", text: "payload: { billing_name: NAME }" }).measures).toEqual([]);
  });

  it.each([
    ["5", "8:13: measures.owed: must be an object, such as { name: value }"],
    ["{}", "8:13: measures.owed: must name an attr of the payload: `attr: balance`"],
    ["{ attr: '' }", "8:13: measures.owed: must name an attr of the payload: `attr: balance`"],
    ["{ attr: balance, by: 5 }", "8:36: measures.owed.by: must be an attr of the payload"],
    ["{ attr: balance, by: balances }", '8:36: measures.owed.by: the mapping does not fill "balances"'],
  ])("are rejected with the place of the error if they contain %s: %s", (measure, message) => {
    expect(refusal(`{ owed: ${measure} }`)).toBe(`m.yaml:${message}`);
  });

  it.each([
    ["balanc", 'did you mean "balance"?'],
    ["x", "known names: external_account_number, balance, customers, customers.*, customers.*.given_name"],
  ])("for the attr %s are rejected with a hint: %s", (attr, hint) => {
    const document = read(`{ owed: { attr: ${attr} } }`);
    expect(failureOf(() => compileMapping(document, operation, NO_VALUES)).hint).toContain(hint);
  });

  it.each([
    ["{ owed: { attr: balanc } }", 'measures.owed.attr: the mapping does not fill "balanc"'],
    ["{ owed: { attr: balance, by: currency } }", 'measures.owed.by: the mapping does not fill "currency"'],
    ["{ owed: { attr: customers.given_name } }", 'the mapping does not fill "customers.given_name"'],
    ["{ owed: { sum: decimal } }", "measures.owed: must name an attr of the payload"],
    ["{ owed: { attr: balance, sum: integer } }", "measures.owed.sum: must be decimal"],
    ["{ owed: { attr: balance, per: x } }", "measures.owed.per: is unknown"],
    ["[balance]", "measures: must be an object"],
  ])("are rejected if they are %s: %s", (measures, message) => {
    expect(refusal(measures)).toContain(message);
  });
});
