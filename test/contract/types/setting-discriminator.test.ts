import { describe, expect, it } from "vitest";
import type { ContractFinding } from "../../../src/contract/contract-findings.ts";
import { findOperation } from "../../../src/contract/operations/find-operation.ts";
import { loadContract } from "../../../src/contract/load-contract.ts";
import type { JsonObject } from "../../../src/json/json-value.ts";
import { compileJudge } from "../../../src/sandbox/judge/judge.ts";
import { compileValidator } from "../../../src/validate/compile-validator.ts";

/** A business schema as two operators publish it: the discriminator is not a field of either alternative. */
const DOCUMENT = `
openapi: 3.0.3
info: { title: Businesses, version: "1" }
paths:
  /accounts/:
    post:
      operationId: import
      requestBody: { content: { application/json: { schema: { $ref: "#/components/schemas/Account" } } } }
      responses: { "201": { description: made } }
components:
  schemas:
    Account: { type: object, properties: { business: { $ref: "#/components/schemas/Business" } } }
    Business:
      oneOf: [{ $ref: "#/components/schemas/Plain" }, { $ref: "#/components/schemas/WithContracts" }]
      discriminator:
        propertyName: enforce_contracts
        mapping:
          null: "#/components/schemas/Plain"
          false: "#/components/schemas/Plain"
          true: "#/components/schemas/WithContracts"
    Plain: { type: object, required: [name], properties: { name: { type: string } } }
    WithContracts: { type: object, properties: { contracts: { type: array, items: { type: string } } } }
`;
const OVERLAY = `
overlay: 1.0.0
info: { title: Settings, version: "1" }
actions:
  - target: $
    update: { x-rule-settings: { enforce_contracts: { type: boolean } } }
`;
const FILES = [
  { file: "document.yaml", text: DOCUMENT },
  { file: "overlay.yaml", text: OVERLAY },
];

const PLAIN = { business: { name: "Difference Engines" } };
const WITH_CONTRACTS = { business: { contracts: ["C1"] } };

function judged(settings: Readonly<Record<string, boolean>>, payload: JsonObject): readonly string[] {
  const operation = findOperation(loadContract(FILES, settings), "import");
  if (operation.body === undefined) throw new Error("no body");
  return compileValidator(operation.body, { keepValues: false })(payload).map(({ attr, code }) => `${attr} ${code}`);
}

function discriminatorFindings(settings: Readonly<Record<string, boolean>>): readonly ContractFinding[] {
  return loadContract(FILES, settings).findings.filter(({ code }) => code === "bad-discriminator");
}

describe("an undocumented discriminator that is a setting of the instance", () => {
  it.each([
    [{ enforce_contracts: true }, WITH_CONTRACTS, []],
    [{ enforce_contracts: true }, PLAIN, ["business.name unknown_field"]],
    [{ enforce_contracts: false }, PLAIN, []],
    [{ enforce_contracts: false }, WITH_CONTRACTS, ["business.name required", "business.contracts unknown_field"]],
    [{}, PLAIN, []],
    [{}, WITH_CONTRACTS, []],
  ])("selects the schema by the settings %j: %j has the problems %j", (settings, payload, problems) => {
    expect(judged(settings, payload)).toEqual(problems);
  });

  it("is never a field of the payload", () => {
    expect(judged({ enforce_contracts: true }, { business: { enforce_contracts: true } })).toEqual([
      "business.enforce_contracts unknown_field",
    ]);
  });

  it("causes a finding that names the setting until its value is declared", () => {
    expect(discriminatorFindings({})).toMatchObject([
      { severity: "warning", message: expect.stringContaining("declare rules.enforce_contracts in migrate.yaml") },
    ]);
    expect(discriminatorFindings({ enforce_contracts: true })).toEqual([]);
  });

  it("makes the sandbox accept every alternative, because the sandbox does not know the setting", () => {
    const judge = compileJudge(loadContract(FILES).document, { method: "POST", path: "/accounts/" });
    expect([...judge(PLAIN), ...judge(WITH_CONTRACTS)]).toEqual([]);
    expect(judge({ business: { other: 1 } }).map(({ code }) => code)).toContain("unknown_field");
  });
});
