import type { Contract } from "../../src/contract/contract.ts";
import { findOperation } from "../../src/contract/find-operation.ts";
import type { JsonObject } from "../../src/model/json.ts";
import { compileRules } from "../../src/rules/compile-rules.ts";
import { loadPhoneTest } from "../../src/rules/phone.ts";
import { ruleClock } from "../../src/rules/rule-clock.ts";
import type { RuleWorld } from "../../src/rules/rule-world.ts";
import { settingsFor } from "../../src/rules/settings-check.ts";
import type { RuleCase } from "./rule-cases.ts";

const phone = await loadPhoneTest();
const TODAY = "2024-06-15";

/** What the contract's rules say to a payload of the case, as `severity attr`, each once. */
export function judgeWith(contract: Contract, one: RuleCase): (payload: JsonObject) => readonly string[] {
  const { body } = findOperation(contract, one.on);
  if (body === undefined) throw new Error(`there is no schema ${one.on}`);
  const judge = compileRules(body, worldOf(contract, one), { keepValues: false });
  return (payload) => {
    const problems = (judge?.(payload, new Set()) ?? []).filter(({ code }) => code === one.rule);
    return [...new Set(problems.map(({ severity, attr }) => `${severity} ${attr}`))];
  };
}

/** What rules know beside the payload: as the case says, and nothing from files. */
export function worldOf(
  { ruleBook: book }: Contract,
  { rules = {}, references = {}, today = TODAY }: Partial<Pick<RuleCase, "rules" | "references" | "today">>,
): RuleWorld {
  const settings = settingsFor(book, rules);
  const zone = settings.get("time_zone");
  const lists = Object.entries(references).map(
    ([name, rows]) => [name, { columns: [...new Set(rows.flatMap(Object.keys))], rows }] as const,
  );
  return {
    book,
    settings,
    references: new Map(lists),
    now: ruleClock(0, typeof zone === "string" ? zone : "UTC", today),
    phone,
  };
}
