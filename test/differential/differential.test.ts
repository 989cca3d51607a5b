import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { FieldType } from "../../src/contract/types/field-type.ts";
import { loadContract } from "../../src/contract/load-contract.ts";
import { compileJudge, type Judge } from "../../src/sandbox/judge/judge.ts";
import { compileValidator, type Validate } from "../../src/validate/compile-validator.ts";
import { MAX_PROBLEMS } from "../../src/model/problem-limit.ts";
import { campaignSize } from "../campaign.ts";
import { mutatedPayload, validPayload } from "../payload-arbitrary.ts";

/**
 * Compares two validators that share no code: local validation with the compiled contract, and validation of the
 * OpenAPI document's schemas with Ajv in the sandbox. They must agree on verdict, attr and code for 10,000 payloads
 * (5,000 in `npm test`), half of them mutated. The seed is fixed.
 *
 * Accepted differences: none. Warnings (`coerced`) are not compared, because the platform has none.
 */
const SEED = 20_240_229;
const OPERATIONS = [
  ["import-account", campaignSize({ part: 2000, whole: 2500 })],
  ["create-notes", campaignSize({ part: 500, whole: 700 })],
] as const;

/** Every problem code that a payload of the account operation can have. */
const CODES: readonly string[] = [
  "blank",
  "empty",
  "invalid",
  "invalid_choice",
  "max_decimal_places",
  "max_digits",
  "max_length",
  "max_value",
  "max_whole_digits",
  "min_value",
  "not_a_list",
  "null",
  "null_characters_not_allowed",
  "required",
  "surrogate_characters_not_allowed",
  "unique",
  "unknown_field",
  "unsafe_document_path",
];

const FILE = "contract.yaml";
const source = readFileSync(new URL(`../../fixtures/contract/${FILE}`, import.meta.url), "utf8");
const contract = loadContract([{ file: FILE, text: source }]);

describe.each(OPERATIONS)("%s", (id, runs) => {
  const { local, judge, body } = judgementsOf(id);

  it(`${runs} valid payloads have no problem in either validator`, () => {
    for (const payload of fc.sample(validPayload(body), { numRuns: runs, seed: SEED })) {
      expect([local(payload), judge(payload)]).toEqual([[], []]);
    }
  });

  it(`${runs} mutated payloads have the same problems in both validators`, () => {
    const codes = new Set<string>();
    let refused = 0;
    for (const payload of fc.sample(mutatedPayload(body), { numRuns: runs, seed: SEED })) {
      const errors = local(payload).filter(({ severity }) => severity === "error");
      const expected = attrsAndCodes(judge(payload));
      // Local validation lists no more problems than this.
      if (expected.length > MAX_PROBLEMS) continue;
      expect(attrsAndCodes(errors)).toEqual(expected);
      for (const { code } of errors) codes.add(code);
      if (errors.length > 0) refused += 1;
    }
    expect(refused).toBeGreaterThan(0.7 * runs);
    expect(CODES).toEqual(expect.arrayContaining([...codes]));
    expect(id === "import-account" ? [...codes].toSorted() : CODES).toEqual(CODES);
  });
});

interface Judgements {
  readonly local: Validate;
  readonly judge: Judge;
  readonly body: FieldType;
}

function judgementsOf(id: string): Judgements {
  const operation = contract.operations.find((candidate) => candidate.id === id);
  if (operation?.body === undefined) throw new Error(`no ${id} in the contract`);
  const { body } = operation;
  const local = compileValidator(body, { keepValues: false });
  return { local, judge: compileJudge(contract.document, operation), body };
}

function attrsAndCodes(found: readonly { readonly attr: string; readonly code: string }[]): readonly string[] {
  return [...new Set(found.map(({ attr, code }) => `${attr} ${code}`))].toSorted();
}
