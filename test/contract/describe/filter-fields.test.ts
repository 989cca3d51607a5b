import { describe, expect, it } from "vitest";
import {
  type FieldFilter,
  type FieldRow,
  filterFields,
  requireAttr,
} from "../../../src/contract/describe/field-table.ts";

function row(attr: string, required: boolean, more: Partial<FieldRow> = {}): FieldRow {
  return { attr, required, type: "text", rules: [], deprecated: false, codes: [], ...more };
}

const ROWS = [
  row("key", true, { description: "The number of the old system." }),
  row("customers", true),
  row("customers.*.name", true, { rules: ["at most 30 characters"] }),
  row("customers.*.nick", false),
  row("customers.*.contact", false),
  row("customers.*.contact.mobile", true, { codes: ["INVALID_MOBILE"] }),
  row("customers_note", false),
  row("payment", false),
  row("payment.day", true, { when: "method is DEBIT" }),
  row("payment.bank", true),
  row("payment.bank.sort_code", true),
];

function attrs(filter: FieldFilter): readonly string[] {
  return filterFields(ROWS, filter).map(({ attr }) => attr);
}

describe("filtering the fields of an operation", () => {
  it("with required returns the required fields, without fields inside optional parts", () => {
    expect(attrs({ required: true })).toEqual(["key", "customers", "customers.*.name"]);
  });

  it("with an attr returns the attr and the fields below it", () => {
    expect(attrs({ under: "payment.bank" })).toEqual(["payment.bank", "payment.bank.sort_code"]);
    expect(attrs({ under: "customers" })).not.toContain("customers_note");
  });

  it("includes the required fields of an optional part if `required` and an attr are given", () => {
    expect(attrs({ required: true, under: "payment" })).toEqual([
      "payment.day",
      "payment.bank",
      "payment.bank.sort_code",
    ]);
    expect(attrs({ required: true, under: "customers.0.contact" })).toEqual(["customers.*.contact.mobile"]);
  });

  it.each([
    ["OLD SYSTEM", ["key"]],
    ["30 char", ["customers.*.name"]],
    ["invalid_mobile", ["customers.*.contact.mobile"]],
    ["debit", ["payment.day"]],
    ["nothing of the kind", []],
  ])("with a search returns the fields that contain %s in any case", (search, found) => {
    expect(attrs({ search })).toEqual(found);
  });

  it("rejects an unknown attr with a suggestion", () => {
    expect(() => requireAttr(ROWS, "customers.3.contact")).not.toThrow();
    expect(() => requireAttr(ROWS, "bnak")).toThrow(
      expect.objectContaining({ code: "usage", hint: 'did you mean "payment.bank"?' }),
    );
    expect(() => requireAttr(ROWS, "zzzzzz")).toThrow(
      expect.objectContaining({ hint: expect.stringContaining("--search") }),
    );
  });
});
