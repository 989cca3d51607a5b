import { describe, expect, it } from "vitest";
import { contractCheckView, contractShowView } from "../../../src/cli/views/contract/contract-view.ts";
import type { ContractShow } from "../../../src/commands/contract/contract-show.ts";
import { fieldTable } from "../../../src/contract/describe/field-table.ts";
import { findOperation } from "../../../src/contract/operations/find-operation.ts";
import { loadContract } from "../../../src/contract/load-contract.ts";

const SCREEN = { width: 80, colour: false };
const OPTIONS = { screen: SCREEN, showValues: false, verbose: false };
const FILE = "a/rather/long/path/to/the/contract/of/an/instance/openapi.yaml";

/** Returns whether every line with several words fits. A single word may exceed the width. */
function isReadable(text: string): boolean {
  return text.split("\n").every((line) => line.length <= SCREEN.width || !line.trim().includes(" "));
}

describe("the views of a contract at 80 columns", () => {
  it("show the line of every finding", () => {
    const { contract } = shown();
    const text = contractCheckView.text({ contract, coverage: undefined, exitCode: 0 }, OPTIONS);
    expect(text).toContain(`\n${FILE}:1  warning  not-enforced\n    "$dynamicRef" is`);
  });

  it("show how to declare the key of an operation without a key", () => {
    const { contract } = shown();
    const text = contractCheckView.text({ contract, coverage: undefined, exitCode: 0 }, OPTIONS);
    expect(text).toContain("\n1 operation without a business key\n    create. A push needs a key");
    expect(text).toContain('      - target: $.paths["/accounts/"].post\n        update: { x-migrate-key: <the field');
  });

  it("do not truncate long attrs, and wrap their rules", () => {
    const text = contractShowView.text(shown(), OPTIONS);
    expect(text).toContain(
      "\nsupply_addresses.*.meter_points.*.registers.*.unit_of_measurement\n    choice; one of AAAAAAAAAA0,",
    );
    expect(text).not.toContain("…");
    expect(isReadable(text)).toBe(true);
  });

  it("show the condition of a field that exists in only one alternative", () => {
    expect(contractShowView.text(shown(), OPTIONS)).toContain(
      "payment.day\n    whole number; required; when method is DEBIT\n",
    );
    expect(contractShowView.markdown?.(shown())).toContain(
      "| `payment.day` | whole number | yes | when method is DEBIT |",
    );
  });
});

function shown(): ContractShow {
  const choices = Array.from({ length: 20 }, (_, at) => `AAAAAAAAAA${at}`);
  const unit = {
    type: "object",
    $dynamicRef: "#x",
    properties: { unit_of_measurement: { type: "string", enum: choices } },
  };
  const debit = { method: { type: "string" }, day: { type: "integer" } };
  const payload = {
    type: "object",
    properties: {
      supply_addresses: { type: "array", items: nested("meter_points", nested("registers", unit)) },
      payment: {
        oneOf: [{ $ref: "#/components/schemas/Debit" }],
        discriminator: { propertyName: "method", mapping: { DEBIT: "Debit" } },
      },
    },
  };
  const document = {
    openapi: "3.0.3",
    info: { title: "T", version: "v" },
    paths: {
      "/accounts/": {
        post: {
          operationId: "create",
          requestBody: { content: { "application/json": { schema: payload } } },
          responses: {},
        },
      },
    },
    components: { schemas: { Debit: { type: "object", required: ["method", "day"], properties: debit } } },
  };
  const contract = loadContract([{ file: FILE, text: JSON.stringify(document) }]);
  const operation = findOperation(contract, "create");
  return { contract, operation, fields: fieldTable(operation), parameters: [], steps: [] };
}

function nested(name: string, items: object): object {
  return { type: "object", properties: { [name]: { type: "array", items } } };
}
