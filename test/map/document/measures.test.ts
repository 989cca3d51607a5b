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

describe("measures of a mapping", () => {
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

  it("are optional", () => {
    expect(readMapping({ file: "m.yaml", text: "payload: { billing_name: NAME }" }).measures).toEqual([]);
  });

  it.each([
    ["{ owed: { attr: balanc } }", 'measures.owed.attr: the mapping does not fill "balanc"'],
    ["{ owed: { attr: balance, by: currency } }", 'measures.owed.by: the mapping does not fill "currency"'],
    ["{ owed: { attr: customers.given_name } }", 'the mapping does not fill "customers.given_name"'],
    ["{ owed: { sum: decimal } }", "measures.owed: must name an attr of the payload"],
    ["{ owed: { attr: balance, sum: integer } }", "measures.owed.sum: must be decimal"],
    ["{ owed: { attr: balance, per: x } }", "measures.owed.per: is unknown"],
    ["[balance]", "measures: must be an object"],
  ])("%s are rejected: %s", (measures, message) => {
    expect(refusal(measures)).toContain(message);
  });
});
