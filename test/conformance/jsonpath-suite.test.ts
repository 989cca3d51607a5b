import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { selectNodes } from "../../src/contract/document/overlay.ts";
import type { AttrPath } from "../../src/json/attr.ts";
import { type JsonValue, valueAt } from "../../src/json/json-value.ts";
import { corpus, describeCorpus } from "./corpora.ts";

/** A case of the compliance suite for RFC 9535. Any of `results` is correct. */
interface Case {
  readonly name: string;
  readonly selector: string;
  readonly document?: Parameters<typeof selectNodes>[0] & JsonValue;
  readonly result?: readonly JsonValue[];
  readonly results?: readonly (readonly JsonValue[])[];
  readonly result_paths?: readonly string[];
  readonly results_paths?: readonly (readonly string[])[];
  readonly invalid_selector?: boolean;
}

describeCorpus("jsonpath", () => {
  it("overlay targets pass the compliance suite for RFC 9535", ({ task }) => {
    const { tests }: { tests: readonly Case[] } = JSON.parse(readFileSync(corpus("jsonpath/cts.json"), "utf8"));
    const wrong = tests.filter((one) => !isRight(one));
    task.meta.counts = `JSONPath: ${tests.length - wrong.length} of ${tests.length} right`;
    expect(tests.length).toBeGreaterThan(700);
    expect(wrong.map(({ name }) => name)).toEqual([]);
  });
});

function isRight({ selector, document = {}, invalid_selector: isInvalid = false, ...one }: Case): boolean {
  const found = selectNodes(document, selector);
  if (isInvalid || typeof found === "string") return isInvalid && found === "malformed";
  const values = one.results ?? [one.result ?? []];
  const paths = one.results_paths ?? [one.result_paths ?? []];
  return values.some((expected, index) => isSelection(found, document, onceEach(expected, paths[index] ?? [])));
}

function isSelection(found: readonly AttrPath[], document: JsonValue, expected: readonly JsonValue[]): boolean {
  const values = found.map((path) => valueAt(document, path));
  return JSON.stringify(values) === JSON.stringify(expected);
}

/** Removes duplicates, because a target selects each node once. */
function onceEach(values: readonly JsonValue[], paths: readonly string[]): readonly JsonValue[] {
  return values.filter((_value, index) => paths.indexOf(paths[index] ?? "") === index);
}
