import type { Contract } from "../../src/contract/contract.ts";
import { findOperation } from "../../src/contract/operations/find-operation.ts";
import type { JsonObject } from "../../src/json/json-value.ts";
import { compileRules } from "../../src/rules/engine/compile-rules.ts";
import { loadPhoneTest } from "../../src/rules/engine/value-formats.ts";
import { ruleClock, type RuleContext, ruleSettingValues } from "../../src/rules/engine/rule-context.ts";
import type { RuleCase } from "./rule-cases.ts";

const phone = await loadPhoneTest();
const TODAY = "2024-06-15";

/** Returns a function that lists `severity attr` of the problems with the code of the case, without duplicates. */
export function judgeWith(contract: Contract, one: RuleCase): (payload: JsonObject) => readonly string[] {
  const { body } = findOperation(contract, one.on);
  if (body === undefined) throw new Error(`there is no schema ${one.on}`);
  const judge = compileRules(body, ruleContextOf(contract, one), { keepValues: false });
  return (payload) => {
    const problems = (judge?.(payload, new Set()) ?? []).filter(({ code }) => code === one.rule);
    return [...new Set(problems.map(({ severity, attr }) => `${severity} ${attr}`))];
  };
}

/** Builds the rule context from the case, without files. */
export function ruleContextOf(
  { ruleDeclarations: declarations }: Contract,
  { rules = {}, references = {}, today = TODAY }: Partial<Pick<RuleCase, "rules" | "references" | "today">>,
): RuleContext {
  const settings = ruleSettingValues(declarations, rules);
  const zone = settings.get("time_zone");
  const lists = Object.entries(references).map(
    ([name, rows]) => [name, { columns: [...new Set(rows.flatMap(Object.keys))], rows }] as const,
  );
  return {
    declarations,
    settings,
    references: new Map(lists),
    clock: ruleClock(0, typeof zone === "string" ? zone : "UTC", today),
    phone,
  };
}
