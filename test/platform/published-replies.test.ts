import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import type { Contract } from "../../src/contract/contract.ts";
import { loadContract } from "../../src/contract/load-contract.ts";
import { findOperation } from "../../src/contract/operations/find-operation.ts";
import { classifyReply } from "../../src/platform/reply/classify-reply.ts";
import { parseBody } from "../../src/platform/reply/reply-body.ts";
import { operationMismatch } from "../../src/platform/reply/reply-trust.ts";

const SHARED = process.env["MIGRATE_SHARED"] ?? path.resolve(import.meta.dirname, "../../../shared");
const SAMPLES = path.join(SHARED, "contracts/samples");
const files = existsSync(SAMPLES) ? readdirSync(SAMPLES).filter((file) => /\.response\d{3}\b/.test(file)) : [];

/** The problems of each refusal, by a part of its file's name. More specific names come first. */
const COMPLAINTS: readonly (readonly [part: string, complaints: readonly string[]])[] = [
  ["gb.v2-validate-account.response400", ["customers.0.landline | unspecified"]],
  ["ewi-docs.validate-account", ["customers.0.landline | unspecified"]],
  ["essential-docs.supply-points-validate", ["supply_point.identifier | unspecified"]],
  ["AccountValidationErrorResponse", ["customers.0.landline | invalid_phone_number"]],
  ["octopus-docs.validate-account", ["customers.0.landline | invalid_phone_number"]],
  ["PostcodeFieldMissing", ["billing_address.postcode | unspecified"]],
  ["ResponseAlreadyImportedAccount", ["non_field_errors | account_import_process_already_imported"]],
  ["AccountProcessAlreadyImported", ["non_field_errors | unspecified"]],
  ["MustBeProvided", ["non_field_errors | unspecified"]],
  ["AccountCreationInDryrunMode", ["non_field_errors | 400"]],
  ["ResponseValidationError", ["non_field_errors | import_process_failed_validation"]],
  ["BadTransactionPayload", ["transactions.0.reason | unspecified"]],
  ["ErrorCreatingTheTransaction", ["non_field_errors | TRANSACTION_IMPORT_ERROR"]],
  ["PaymentInstruction", ["non_field_errors | unspecified"]],
  ["ActiveInstruction", ["non_field_errors | unspecified"]],
  ["send-registration-flows.response200", ["meter_points.1 | REGISTRATION_FLOW_ERROR"]],
];

/** Returns the expected classification without contract rules. */
function expected(file: string): { readonly kind: string; readonly complaints: readonly string[] } {
  if (file.includes("OKErrorInProcessing")) return { kind: "ambiguous", complaints: [] };
  if (file.includes(".response404")) return { kind: "stop", complaints: [] };
  if (/\.response2\d\d/.test(file) && !file.includes("send-registration-flows"))
    return { kind: "accepted", complaints: [] };
  return { kind: "rejected", complaints: COMPLAINTS.find(([part]) => file.includes(part))?.[1] ?? ["not listed here"] };
}

/** The operators' own documents, with the overlays that the tool ships for them. */
const contracts = new Map(
  files.length === 0 ? [] : ["au", "gb"].map((operator) => [operator, publishedContract(operator)]),
);

function publishedContract(operator: string): Contract {
  const texts = [
    path.join(SHARED, `contracts/${operator}-data-import.openapi.yml`),
    ...["shared", operator].map((overlay) => path.resolve(import.meta.dirname, `../../src/overlays/${overlay}.yaml`)),
  ];
  return loadContract(texts.map((file) => ({ file, text: readFileSync(file, "utf8") })));
}

/** The successes, except replies of list operations: their items are checked one by one when records are read. */
const successes = files.flatMap((file) => {
  const [, operator = "", id = "", status = ""] = /^(au|gb)\.(.+)\.response(2\d\d)\./.exec(file) ?? [];
  const isList = id.startsWith("v1-get-");
  return operator === "" || isList ? [] : [{ file, operator, id, status: Number(status) }];
});

describe.skipIf(files.length === 0)(
  "every published example of a successful reply matches the operator's contract",
  () => {
    test.each(successes)("$file", ({ file, operator, id, status }) => {
      const contract = contracts.get(operator);
      const operation = contract && findOperation(contract, id);
      const body = readFileSync(path.join(SAMPLES, file), "utf8");
      const reply = { status, headers: { "content-type": "application/json" }, body, complete: true, durationMs: 1 };
      expect(operation && operationMismatch(reply, parseBody(reply), operation)).toBeUndefined();
      if (operation?.method !== "POST") return;
      const { kind } = classifyReply(reply, operation, 0).replyClass;
      expect(kind).toBe(file.includes("send-registration-flows") ? "rejected" : "accepted");
    });
  },
);

describe.skipIf(files.length === 0)("every published example of a reply", () => {
  test.each(files)("is classified as expected: %s", (file) => {
    const status = Number(/\.response(\d{3})/.exec(file)?.[1]);
    const headers = { "content-type": "application/json" };
    const body = readFileSync(path.join(SAMPLES, file), "utf8");
    const reply = { status, headers, body, complete: true, durationMs: 1 };
    const { replyClass } = classifyReply(reply, { path: "/data-import/", outcomes: [] }, 0);
    const problems = "problems" in replyClass ? (replyClass.problems ?? []) : [];
    expect({ kind: replyClass.kind, complaints: problems.map(({ attr, code }) => `${attr} | ${code}`) }).toEqual(
      expected(file),
    );
    expect(problems.map(({ detail }) => detail)).not.toContain("");
  });
});

describe.skipIf(files.length === 0)("a reply with status 500 to a payment instruction", () => {
  const addresses: readonly (readonly [string, string])[] = [
    ["au", "POST /v1/data-import/payment-instruction/create/"],
    ["au", "POST /v1/data-import/business-payment-instruction/create/"],
    ["gb", "POST /v1/data-import/payment-instruction/create/"],
  ];
  test.each(addresses)("may be repeated only if it has the documented body: %s, %s", (operator, address) => {
    const contract = contracts.get(operator);
    const operation = contract && findOperation(contract, address);
    const kindOf = (type: string, body: string): string | undefined => {
      const reply = { status: 500, headers: { "content-type": type }, body, complete: true, durationMs: 1 };
      return operation && classifyReply(reply, operation, 0).replyClass.kind;
    };
    expect(kindOf("application/json", '{"error_detail":"The vendor is unreachable"}')).toBe("retry");
    expect(kindOf("text/html", "<h1>Server Error (500)</h1>")).toBe("ambiguous");
  });
});
