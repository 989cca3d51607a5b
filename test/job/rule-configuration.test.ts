import { expect, it } from "vitest";
import { loadRuleContext } from "../../src/job/settings/rule-configuration.ts";
import { contractOf } from "../rules/engine/compiled-rules.ts";

const SURROUNDINGS = { resolve: (file: string): string => file, now: 0 };

it.each([
  ["matches-format", { kind: "matches-format", value: "a", format: "mobile" }],
  ["is-format() in a condition", { kind: "holds", test: 'b = 1 or is-format(a, "phone", "GB")' }],
  ["is-format() in a filter", { kind: "count-limit", list: 'a[is-format(., "landline")]', max: 1 }],
  ["is-format() in a named value", { kind: "holds", test: "$is_reached" }],
])("phone numbering plans are loaded for a rule with %s", async (_, rule) => {
  const declarations = { "x-rule-values": { is_reached: 'is-format(a, "phone", "GB")' } };
  const world = await loadRuleContext(contractOf([{ code: "c", ...rule }], declarations), {}, SURROUNDINGS);
  expect(world?.phone?.("020 7946 0018", "GB", "phone") ?? "not loaded").not.toBe("not loaded");
});

it("phone numbering plans are not loaded if no rule requires them", async () => {
  const rule = { code: "c", kind: "matches-format", value: "a", format: "postcode", region: "GB" };
  expect((await loadRuleContext(contractOf([rule]), {}, SURROUNDINGS))?.phone).toBeUndefined();
});
