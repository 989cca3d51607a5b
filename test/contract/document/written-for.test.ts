import { describe, expect, it } from "vitest";
import { stringify } from "yaml";
import type { ContractFinding } from "../../../src/contract/contract-findings.ts";
import { loadContract } from "../../../src/contract/load-contract.ts";
import type { JsonObject } from "../../../src/json/json-value.ts";
import { documentOf } from "../contract-of.ts";

const TARGETS = ["$.paths['/things/'].post", "$.components.schemas.Gone", "$.paths['/gone/'].post"];

/** Returns the findings about an overlay that was written for the given document. */
function findingsFor(properties: JsonObject, writtenFor?: unknown): readonly ContractFinding[] {
  const overlay = {
    overlay: "1.0.0",
    info: { title: "Ours", version: "1" },
    ...(writtenFor !== undefined && { "x-migrate-written-for": writtenFor }),
    actions: TARGETS.map((target) => ({ target, update: { "x-migrate-dedupe": "business-key" } })),
  };
  const texts = [
    { file: "contract.yaml", text: documentOf(properties) },
    { file: "overlay.yaml", text: stringify(overlay) },
  ];
  return loadContract(texts).findings.filter(({ code }) => code !== "overlay-no-match");
}

function markOf(properties: JsonObject): string {
  const [finding] = findingsFor(properties, { document: "no document", mark: "none" });
  return /which has the mark "(\w+)"/.exec(finding?.message ?? "")?.[1] ?? "no mark";
}

const FIELD = { type: "string", maxLength: 9, "x-validators": [{ name: "A", description: "B", possible_errors: [] }] };

describe("an overlay", () => {
  it("that was written for a different document is reported with the number of unmatched targets", () => {
    expect(findingsFor({ a: FIELD }, { document: "that of May", mark: "0" })).toEqual([
      {
        severity: "warning",
        code: "overlay-for-another",
        message: expect.stringMatching(
          /^the overlay was written for another document, that of May; 2 of its 3 targets .* "[0-9a-f]{13}"$/,
        ),
        place: { file: "overlay.yaml", line: 5 },
        pointer: "/x-migrate-written-for",
      },
    ]);
  });

  it("that was written for this document is not reported", () => {
    expect(findingsFor({ a: FIELD }, { document: "this one", mark: markOf({ a: FIELD }) })).toEqual([]);
  });

  it("without x-migrate-written-for is not reported", () => {
    expect(findingsFor({ a: FIELD })).toEqual([]);
  });

  it.each<[string, JsonObject]>([
    ["descriptions", { a: { ...FIELD, description: "Something else", title: "A", example: "x" } }],
    ["choices", { a: { ...FIELD, enum: ["NEXT_WEEK"], "x-enum-descriptions": ["Next week"] } }],
  ])("matches its document if only %s have changed", (_, properties) => {
    expect(markOf(properties)).toBe(markOf({ a: FIELD }));
  });

  it.each<[string, JsonObject]>([
    ["field", { a: FIELD, b: FIELD }],
    ["field that is called description", { a: FIELD, description: FIELD }],
    ["limit", { a: { ...FIELD, maxLength: 10 } }],
    ["text of a validator", { a: { ...FIELD, "x-validators": [{ name: "A", description: "C" }] } }],
  ])("does not match its document after a new or changed %s", (_, properties) => {
    expect(markOf(properties)).not.toBe(markOf({ a: FIELD }));
  });

  it("must set both members of x-migrate-written-for", () => {
    expect(findingsFor({ a: FIELD }, "May")).toMatchObject([{ severity: "error", code: "bad-overlay" }]);
  });
});
