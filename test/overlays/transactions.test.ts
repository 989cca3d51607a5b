import { describe, expect, it } from "vitest";
import { findOperation } from "../../src/contract/operations/find-operation.ts";
import { loadContract } from "../../src/contract/load-contract.ts";
import { compileValidator } from "../../src/validate/compile-validator.ts";
import { OPERATORS, overlayTexts } from "./shipped-overlay.ts";

/** A shortened version of the operation that the operators publish. */
const DOCUMENT = `
openapi: 3.0.3
info: { title: Transactions, version: "1" }
paths:
  /v1/data-import/transactions/create/:
    post:
      operationId: transactions
      parameters:
        - { in: query, name: check_previously_added, schema: { type: boolean, default: true } }
        - { in: query, name: force_add_to_current_statement, schema: { type: boolean, default: true } }
      requestBody:
        content: { application/json: { schema: { $ref: "#/components/schemas/Transactions" } } }
      responses: { "201": { description: Created } }
components:
  schemas:
    Transactions:
      type: object
      properties:
        external_account_number: { type: string }
        dry_run: { type: boolean, default: false }
`;

describe.each(OPERATORS)("overlay:%s", (operator) => {
  const contract = loadContract([{ file: "transactions.yaml", text: DOCUMENT }, ...overlayTexts(operator)]);
  const operation = findOperation(contract, "transactions");

  it("repeats transactions automatically only if the platform checks whether it has them already", () => {
    expect(operation.dedupesByKey).toBe(true);
    const types = Object.fromEntries((operation.parameters ?? []).map(({ name, type }) => [name, type]));
    expect(types["check_previously_added"]).toMatchObject({ kind: "choice", choices: [true] });
    expect(types["force_add_to_current_statement"]).toMatchObject({ kind: "boolean" });
  });

  it("refuses a dry run of transactions, because it would count as acceptance", () => {
    const { body } = operation;
    if (body === undefined) throw new Error("there is no request body");
    const validate = compileValidator(body, { keepValues: false });
    expect(validate({ dry_run: true }).map(({ attr, code }) => [attr, code])).toEqual([["dry_run", "invalid_choice"]]);
    expect(validate({ dry_run: false })).toEqual([]);
  });
});
