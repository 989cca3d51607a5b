import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { fieldTable } from "../../src/contract/describe/field-table.ts";
import { findOperation } from "../../src/contract/operations/find-operation.ts";
import { loadContract } from "../../src/contract/load-contract.ts";

const file = new URL("../../fixtures/contract/contract.yaml", import.meta.url);
const contract = loadContract([{ file: "contract.yaml", text: readFileSync(file, "utf8") }]);

describe("the project's own contract", () => {
  it("has no findings", () => {
    expect(contract.findings).toEqual([]);
  });

  it("has operations that import, read back, validate and annotate accounts", () => {
    expect(contract.operations.map(({ id, method, path }) => `${id}: ${method} ${path}`)).toEqual([
      "import-account: POST /data-import/accounts/",
      "imported-accounts: GET /data-import/imported-accounts/{import_supplier}/",
      "imported-account: GET /data-import/imported-accounts/{import_supplier}/{external_account_number}/",
      "validate-account: POST /data-import/accounts/validate/",
      "create-notes: POST /data-import/notes/",
    ]);
    expect(findOperation(contract, undefined)).toMatchObject({
      id: "import-account",
      key: ["external_account_number"],
      dedupesByKey: true,
    });
    expect(findOperation(contract, "validate-account").body).toBe(findOperation(contract, "import-account").body);
  });

  it("has a field table with at least 60 leaves, each of which has a description", () => {
    const rows = fieldTable(findOperation(contract, "import-account"));
    const attrs = rows.map(({ attr }) => attr);
    const leaves = new Set(attrs.filter((attr) => !attrs.some((other) => other.startsWith(`${attr}.`))));
    expect(leaves.size).toBeGreaterThanOrEqual(60);
    expect(rows.filter(({ description }) => description === undefined)).toEqual([]);
    expect(attrs).toContain("supply_addresses.*.meter_points.*.meters.*.registers.*.readings.*.value");
    expect(rows.filter(({ deprecated }) => deprecated).map(({ attr }) => attr)).toEqual(["legacy_reference"]);
  });
});
