import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { requirementsOf, rulesWithin } from "../../src/rules/engine/rule-requirements.ts";
import { contractOfRules, OPERATORS } from "./shipped-overlay.ts";

const PAGE = readFileSync(path.resolve(import.meta.dirname, "../../docs/rules.md"), "utf8");
const contracts = OPERATORS.map((operator) => contractOfRules(operator));

/** Returns the first two cells of each table row under a heading. The first cell is unquoted. */
function rowsUnder(heading: string): readonly (readonly [string, string])[] {
  const [, section = ""] = PAGE.split(`### ${heading}\n`);
  const rows = (section.split("\n#")[0] ?? "").matchAll(/^\| `([^`]+)` \| ([^|]*)\|/gm);
  return [...rows].map(([, name = "", cell = ""]) => [name, cell]);
}

describe("docs/rules.md", () => {
  it("lists every setting of the shipped overlays", () => {
    const known = new Set(contracts.flatMap(({ ruleDeclarations }) => [...ruleDeclarations.settings.keys()]));
    expect(rowsUnder("Settings that the shipped overlays use").map(([name]) => name)).toEqual([...known].toSorted());
  });

  it("lists every reference list of the shipped overlays with every column that rules use", () => {
    const rows = rowsUnder("Lists that the shipped overlays use");
    const asked = usedColumns();
    expect(rows.map(([name]) => name)).toEqual([...asked.keys()].toSorted());
    const unnamed = rows.flatMap(([name, columns]) =>
      [...(asked.get(name) ?? [])].flatMap((column) =>
        columns.includes(`\`${column}\``) ? [] : [`${name}.${column}`],
      ),
    );
    expect(unnamed).toEqual([]);
  });
});

function usedColumns(): ReadonlyMap<string, ReadonlySet<string>> {
  const asked = new Map<string, Set<string>>();
  for (const { operations, ruleDeclarations } of contracts) {
    const bodies = operations.flatMap(({ body }) => body ?? []);
    for (const rule of bodies.flatMap(rulesWithin)) {
      for (const [list, { keys, read }] of requirementsOf(rule, ruleDeclarations).lists) {
        asked.set(list, new Set([...(asked.get(list) ?? []), ...keys, ...read]));
      }
    }
  }
  return asked;
}
