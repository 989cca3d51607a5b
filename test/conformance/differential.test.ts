import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compileJudge } from "../../src/sandbox/judge/judge.ts";
import { compileValidator } from "../../src/validate/compile-validator.ts";
import { mutatedPayload, validPayload } from "../payload-arbitrary.ts";
import { DOCUMENTS_EXIST, loadDocument, OPERATORS } from "./operators-documents.ts";

const SEED = 20_240_229;
const RUNS = 60;
/**
 * Problems at discriminators that are settings of an instance. A payload cannot contain such a discriminator, and the
 * contract has a finding about it.
 */
const SETTINGS = /\.enforce_\w+ unknown_field$/;

/** Compares the two validators of test/differential for the published documents of real operators. */
describe.skipIf(!DOCUMENTS_EXIST)("operators' documents (MIGRATE_SHARED)", () => {
  describe.each(OPERATORS)("%s", (operator) => {
    const contract = DOCUMENTS_EXIST ? loadDocument(operator) : undefined;
    const operations =
      contract?.operations.filter(({ body, path }) => body !== undefined && path.startsWith("/v1/")) ?? [];

    it.each(operations)("$id: local validation and the sandbox agree", (operation) => {
      if (contract === undefined || operation.body === undefined) throw new Error("no body");
      const local = compileValidator(operation.body, { keepValues: false });
      const judge = compileJudge(contract.document, operation);
      for (const payload of fc.sample(validPayload(operation.body), { numRuns: RUNS, seed: SEED })) {
        expect(attrsAndCodes(local(payload)).filter((problem) => !SETTINGS.test(problem))).toEqual([]);
        expect(attrsAndCodes(local(payload))).toEqual(attrsAndCodes(judge(payload)));
      }
      for (const payload of fc.sample(mutatedPayload(operation.body), { numRuns: RUNS, seed: SEED })) {
        const errors = local(payload).filter(({ severity }) => severity === "error");
        expect(attrsAndCodes(errors)).toEqual(attrsAndCodes(judge(payload)));
      }
    });
  });
});

function attrsAndCodes(found: readonly { readonly attr: string; readonly code: string }[]): readonly string[] {
  return [...new Set(found.map(({ attr, code }) => `${attr} ${code}`))].toSorted();
}
