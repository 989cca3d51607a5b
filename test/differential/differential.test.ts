import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Operation } from "../../src/contract/contract.ts";
import { loadContract } from "../../src/contract/load-contract.ts";
import type { JsonObject } from "../../src/model/json.ts";
import { compileJudge } from "../../src/sandbox/judge.ts";
import { compileValidator, type Validate } from "../../src/validate/compile-validator.ts";
import { mutatedPayload, validPayload } from "../payload-arbitrary.ts";

/**
 * Two judgements that share no code, one built on the compiled contract, one by Ajv on the OpenAPI document, must agree
 * on verdict, attr and code. The seed is fixed: the same payloads every time.
 */
const SEED = 20_240_229;

const FILE = "contract.yaml";
const source = readFileSync(new URL(`../../fixtures/contract/${FILE}`, import.meta.url), "utf8");
const contract = loadContract([{ file: FILE, text: source }]);

describe.each([
  ["import-account", 4000],
  ["create-notes", 1000],
] as const)("%s", (id, each) => {
  const { local, judge, body } = judgesOf(id);

  it(`${each} valid payloads have no problem in either judgement`, () => {
    const payloads = fc.sample(validPayload(body), { numRuns: each, seed: SEED });
    expect(payloads.filter((payload) => local(payload).length > 0)).toEqual([]);
    expect(payloads.filter((payload) => judge(payload).length > 0)).toEqual([]);
  });

  it(`${each} mutated payloads have the same problems in both`, () => {
    const payloads = fc.sample(mutatedPayload(body), { numRuns: each, seed: SEED });
    const differences = payloads.flatMap((payload) => differenceOf(local, judge, payload));
    expect(differences.slice(0, 20)).toEqual([]);
    const refused = payloads.filter((payload) => judge(payload).length > 0);
    expect(refused.length).toBeGreaterThan(each * 0.7);
  });
});

function judgesOf(id: string): { local: Validate; judge: (payload: JsonObject) => readonly Said[]; body: BodyType } {
  const operation = contract.operations.find((candidate) => candidate.id === id);
  if (operation?.body === undefined) throw new Error(`no ${id} in the contract`);
  const judge = compileJudge(contract.document, operation);
  return { local: compileValidator(operation.body, { keepValues: true }), judge, body: operation.body };
}

type BodyType = NonNullable<Operation["body"]>;

interface Said {
  readonly attr: string;
  readonly code: string;
}

/** `-` is said by local validation only, `+` by the judge only. */
function differenceOf(
  local: Validate,
  judge: (payload: JsonObject) => readonly Said[],
  payload: JsonObject,
): readonly string[] {
  const problems = local(payload);
  const here = new Set(problems.filter(({ severity }) => severity === "error").map(saidText));
  const there = new Set(judge(payload).map(saidText));
  const values = JSON.stringify(problems.map(({ attr, value }) => [attr, value?.slice(0, 60)]));
  const only = [
    ...[...here].filter((one) => !there.has(one)).map((one) => `- ${one}`),
    ...[...there].filter((one) => !here.has(one)).map((one) => `+ ${one}`),
  ];
  return only.length === 0 ? [] : [`${only.join("  ")}   of ${values}`];
}

function saidText({ attr, code }: Said): string {
  return `${attr} ${code}`;
}
