import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { fieldTable } from "../../src/contract/describe/field-table.ts";
import { findOperation } from "../../src/contract/operations/find-operation.ts";
import { loadContract } from "../../src/contract/load-contract.ts";

/** Two operators' published documents. They are not part of the project. */
const shared = process.env["MIGRATE_SHARED"] ?? path.resolve(import.meta.dirname, "../../../shared");
const folder = path.join(shared, "contracts");

function load(file: string): ReturnType<typeof loadContract> {
  return loadContract([{ file, text: readFileSync(path.join(folder, file), "utf8") }]);
}

describe.skipIf(!existsSync(folder))("operators' published documents (MIGRATE_SHARED)", () => {
  it.each([
    [
      "gb-data-import.openapi.yml",
      800,
      [
        "/paths/~1v1~1data-import~1notes~1create~1/post/responses",
        "/paths/~1v1~1data-import~1transactions~1create~1/post/responses",
        "/paths/~1v2~1data-import~1accounts~1/post/responses",
        "/paths/~1v2~1data-import~1accounts~1validate~1/post/responses",
        "/components/schemas/Business/discriminator/propertyName",
      ],
    ],
    [
      "au-data-import.openapi.yml",
      1700,
      [
        "/paths/~1v1~1data-import~1notes~1create~1/post/responses",
        "/paths/~1v1~1data-import~1transactions~1create~1/post/responses",
        "/paths/~1v2~1data-import~1accounts~1/post/responses",
        "/paths/~1v2~1data-import~1accounts~1validate~1/post/responses",
        "/components/schemas/AccountBillingOptions/discriminator/propertyName",
        "/components/schemas/Business/discriminator/propertyName",
        "/components/schemas/Portfolio/discriminator/propertyName",
      ],
    ],
  ])(
    "%s causes only warnings about replies without an account and about settings that are discriminators",
    (file, leastFields, pointers) => {
      const contract = load(file);
      expect(contract.operations).toHaveLength(16);
      const doubts = contract.findings.filter(({ severity }) => severity !== "info");
      expect(doubts.map(({ severity, pointer }) => [severity, pointer])).toEqual(
        pointers.map((pointer) => ["warning", pointer]),
      );
      const rows = fieldTable(findOperation(contract, "V1 Validate Account"));
      expect(rows.length).toBeGreaterThan(leastFields);
      expect(rows.filter(({ type }) => type === "anything").length).toBeLessThan(40);
      const conditions = new Set(rows.map(({ when }) => when));
      expect(conditions).toContain("enforce_business_contracts_exist is null or false");
      expect(conditions).toContain("enforce_business_contracts_exist is true");
    },
  );
});
