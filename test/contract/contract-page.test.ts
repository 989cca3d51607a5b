import { readdirSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { findOperation } from "../../src/contract/operations/find-operation.ts";
import { TREATMENTS } from "../../src/contract/types/schema-keywords.ts";
import { loadContract } from "../../src/contract/load-contract.ts";
import { bodyOf } from "./contract-of.ts";

function read(file: string): string {
  return readFileSync(new URL(`../../${file}`, import.meta.url), "utf8");
}

const page = read("docs/contract.md");

it("the overlay in the documentation can be applied to the project's own contract", () => {
  const [, overlay = ""] = /```yaml\n(overlay: [^`]*)```/.exec(page) ?? [];
  const contract = loadContract([
    { file: "contract.yaml", text: read("fixtures/contract/contract.yaml") },
    { file: "docs/contract.md", text: overlay },
  ]);
  expect(contract.findings).toEqual([]);
  expect(bodyOf(contract).properties.get("import_supplier")?.type).toMatchObject({ choices: ["SPRING_COHORT"] });
  expect(bodyOf(contract).properties.has("legacy_reference")).toBe(false);
  expect(findOperation(contract, "create-notes")).toMatchObject({
    key: ["external_account_number"],
    outcomes: { length: 2 },
  });
});

it("the table of keywords matches the code", () => {
  const section = page.slice(page.indexOf("## Keywords"), page.indexOf("## Findings"));
  const documented = new Map<string, string>();
  for (const [, treatment = "", keywords = ""] of section.matchAll(/^\| ([a-z, ]+) \| (`.*`) \|$/gm)) {
    for (const [, keyword = ""] of keywords.matchAll(/`([^`]+)`/g))
      documented.set(keyword, treatment.split(/[ ,]/)[0] ?? "");
  }
  const actual = [...TREATMENTS].map(([keyword, treatment]) => [keyword, treatment.as]);
  expect(Object.fromEntries(documented)).toEqual(Object.fromEntries(actual));
});

it("the table of findings lists every code in the source", () => {
  const source = readdirSync(new URL("../../src/contract/", import.meta.url), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .map((file) => read(`src/contract/${file}`))
    .join("\n");
  const codes = [...source.matchAll(/"(?:error|warning|info|severity)",\s*"([a-z-]+)"|severity, "([a-z-]+)"/g)];
  const used = new Set(codes.map(([, one, other]) => one ?? other ?? ""));
  expect(used.size).toBeGreaterThan(15);
  expect([...used].filter((code) => !page.includes(`\`${code}\``))).toEqual([]);
});
