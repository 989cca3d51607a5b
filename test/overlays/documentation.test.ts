import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { rulesWithin } from "../../src/rules/rule-reach.ts";
import { contractOfRules, OPERATORS } from "./shipped-overlay.ts";

const PAGE = readFileSync(path.resolve(import.meta.dirname, "../../docs/rules.md"), "utf8");
const contracts = OPERATORS.map((operator) => contractOfRules(operator));

/** The first cells of the table under a heading. */
function namesUnder(heading: string): readonly string[] {
  const [, section = ""] = PAGE.split(`### ${heading}\n`);
  return [...(section.split("\n#")[0] ?? "").matchAll(/^\| `([^`]+)` \|/gm)].map(([, name]) => name ?? "");
}

describe("docs/rules.md", () => {
  it("names every setting that the shipped overlays know", () => {
    const known = new Set(contracts.flatMap(({ ruleBook }) => [...ruleBook.settings.keys()]));
    expect(namesUnder("Settings that the shipped overlays know")).toEqual([...known].toSorted());
  });

  it("names every list that the shipped overlays ask for", () => {
    const rules = contracts.flatMap(({ operations }) =>
      operations.flatMap(({ body }) => (body ? rulesWithin(body) : [])),
    );
    const sources = rules.flatMap((rule) => {
      if (rule.kind === "lookup") return [rule.source];
      return rule.kind === "in-set" && "source" in rule.set ? [rule.set.source] : [];
    });
    expect(namesUnder("Lists that the shipped overlays ask for")).toEqual([...new Set(sources)].toSorted());
  });
});
