import { stringify } from "yaml";
import { loadContract } from "../../../src/contract/load-contract.ts";
import type { Contract } from "../../../src/contract/contract.ts";
import type { SettingValue } from "../../../src/rules/language/rule.ts";
import type { JsonObject } from "../../../src/json/json-value.ts";
import { compileRules } from "../../../src/rules/engine/compile-rules.ts";
import {
  type ReferenceList,
  ruleClock,
  type RuleContext,
  ruleSettingValues,
} from "../../../src/rules/engine/rule-context.ts";

export interface Judging {
  /** Top-level members of the document: x-rule-values, x-rule-settings. */
  readonly declarations?: JsonObject;
  readonly settings?: Readonly<Record<string, SettingValue>>;
  readonly references?: Readonly<Record<string, ReferenceList>>;
  readonly today?: string;
  readonly now?: number;
  readonly zone?: string;
  /** Attrs that already have a problem. */
  readonly wrong?: readonly string[];
}

const RECEIPT = { type: "object", properties: { account_number: { type: "string" } } };

/**
 * Returns a contract with one operation, whose request has these rules. Accepts any payload if `properties` is absent,
 * otherwise only these properties.
 */
export function contractOf(
  rules: readonly JsonObject[],
  declarations: JsonObject = {},
  properties?: JsonObject,
): Contract {
  const schema: JsonObject =
    properties === undefined
      ? { type: "object", additionalProperties: true, "x-rules": rules }
      : { type: "object", properties, "x-rules": rules };
  const document = {
    openapi: "3.0.3",
    info: { title: "Rules", version: "1" },
    paths: {
      "/things/": {
        post: {
          operationId: "things",
          requestBody: { content: { "application/json": { schema } } },
          responses: { "200": { description: "", content: { "application/json": { schema: RECEIPT } } } },
        },
      },
    },
    ...declarations,
  };
  return loadContract([{ file: "rules.yaml", text: stringify(document, { aliasDuplicateObjects: false }) }]);
}

export function ruleContextOf(contract: Contract, judging: Judging = {}): RuleContext {
  return {
    declarations: contract.ruleDeclarations,
    settings: ruleSettingValues(contract.ruleDeclarations, judging.settings ?? {}),
    references: new Map(Object.entries(judging.references ?? {})),
    clock: ruleClock(judging.now ?? Date.parse("2026-03-15T12:00:00Z"), judging.zone ?? "UTC", judging.today),
  };
}

/** Returns `attr code` of each problem of the payload, with the prefix `warning` for a warning. */
export function problemsOfRule(rule: JsonObject, payload: JsonObject, judging: Judging = {}): readonly string[] {
  return problemsOfRules([rule], payload, judging);
}

export function problemsOfRules(
  rules: readonly JsonObject[],
  payload: JsonObject,
  judging: Judging = {},
): readonly string[] {
  const contract = contractOf(
    rules.map((rule) => ({ code: "broken", ...rule })),
    judging.declarations,
  );
  const errors = contract.findings.filter(({ severity }) => severity === "error");
  if (errors.length > 0) throw new Error(errors.map(({ message }) => message).join("\n"));
  return judgeOf(contract, judging)(payload, new Set(judging.wrong)).map(
    ({ attr, code, severity }) => `${severity === "warning" ? "warning " : ""}${attr} ${code}`,
  );
}

export function judgeOf(contract: Contract, judging: Judging = {}): NonNullable<ReturnType<typeof compileRules>> {
  const body = contract.operations[0]?.body;
  const judge = body && compileRules(body, ruleContextOf(contract, judging), { keepValues: false });
  return judge ?? (() => []);
}
