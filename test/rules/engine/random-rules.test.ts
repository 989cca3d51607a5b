import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isJsonObject } from "../../../src/json/json-value.ts";
import { compileRules } from "../../../src/rules/engine/compile-rules.ts";
import { ruleClock, type RuleContext } from "../../../src/rules/engine/rule-context.ts";
import { campaignSize } from "../../campaign.ts";
import { compileRules as compileReference } from "../reference/compile-rules.ts";
import { attrsIn, choicesFrom, valueMaker } from "./random-payloads.ts";
import { RANDOM_LIST, RANDOM_SETTINGS, randomBody, randomValues } from "./random-rules.ts";

const RUNS = campaignSize({ part: 150, whole: 250 });

describe("random rules", () => {
  it("find the same problems as the reference evaluator, in the same order", () => {
    let problems = 0;
    fc.assert(
      fc.property(fc.integer(), (seed) => {
        const choices = choicesFrom(seed);
        const context: RuleContext = {
          declarations: {
            values: randomValues(choices),
            settings: new Map(),
            undecided: new Map(),
            partial: new Set(),
          },
          settings: new Map(Object.entries(RANDOM_SETTINGS)),
          references: new Map([["list", RANDOM_LIST]]),
          clock: ruleClock(Date.parse("2024-06-15T12:00:00Z"), "Europe/London", undefined),
        };
        const body = randomBody(choices);
        const make = valueMaker([]);
        const [rules, reference] = [compileRules, compileReference].map((compile) =>
          compile(body, context, { keepValues: true }),
        );
        for (let round = 0; round < 12; round += 1) {
          const payload = make(body, choices);
          if (!isJsonObject(payload)) continue;
          const reported = new Set(attrsIn(payload).filter(() => round % 4 === 0 && choices.number(8) === 0));
          const expected = reference?.(payload, reported) ?? [];
          expect(rules?.(payload, reported) ?? []).toEqual(expected);
          problems += expected.length;
        }
      }),
      { numRuns: RUNS },
    );
    expect(problems).toBeGreaterThan(RUNS);
  });
});
