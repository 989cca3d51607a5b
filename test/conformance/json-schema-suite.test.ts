import { expect, it } from "vitest";
import { describeCorpus } from "./corpora.ts";
import { countOf, type Draft, judgeDraft, tableOf } from "./json-schema-suite.ts";

/** Cases in which our verdict differs from the suite's although there is no warning, with the reason for each. */
const DIFFERENCES: Readonly<Record<string, string>> = {
  "unevaluatedProperties: dynamic evalation inside nested refs: all + a is invalid":
    "objects are closed: an option does not accept undocumented properties, so one option matches instead of two",
  "ref: ref overrides any sibling keywords: ref valid, maxItems ignored":
    "siblings of a $ref apply, even in OpenAPI 3.0 (docs/contract.md)",
};

/** Keywords whose cases refer to schemas by their ids. OpenAPI 3.0 has no such ids, so these contracts are rejected. */
const NAMES_OF_SCHEMAS: ReadonlySet<string> = new Set(["definitions", "ref", "refRemote"]);

describeCorpus("json-schema-suite", () => {
  const drafts: readonly (readonly [Draft, string, number])[] = [
    ["draft2020-12", "OpenAPI 3.1", 1100],
    ["draft4", "OpenAPI 3.0", 517],
  ];
  for (const [draft, language, leastRight] of drafts) {
    it(`${draft}, the schemas of ${language}: no verdict is wrong without a warning`, ({ task }) => {
      const cases = judgeDraft(draft);
      task.meta.counts = `JSON Schema ${draft} (${language})\n${tableOf(cases)}`;
      const unreported = cases.filter(({ verdict }) => verdict === "noted" || verdict === "silent");
      expect(unreported.map(({ title }) => title).filter((title) => !(title in DIFFERENCES))).toEqual([]);
      expect(countOf(cases, "right")).toBeGreaterThanOrEqual(leastRight);

      const keywords = cases.filter(({ keyword }) => draft !== "draft4" || !NAMES_OF_SCHEMAS.has(keyword));
      const decided = countOf(keywords, "right") + countOf(keywords, "policy");
      expect(decided / keywords.length).toBeGreaterThan(0.95);
    });
  }
});
