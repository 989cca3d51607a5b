import { expect, it } from "vitest";
import type { JsonObject } from "../../../src/json/json-value.ts";
import { createFieldTree } from "../../../src/rules/engine/possible/field-tree.ts";

const NAMES = Array.from({ length: 10 }, (_, at) => `field${at}`);

function payloadOf(bits: number): JsonObject {
  return Object.fromEntries(NAMES.filter((_, at) => (bits >> at) % 2 === 1).map((name) => [name, "A"]));
}

it("a field tree distinguishes sets of fields, up to a limit", () => {
  const tree = createFieldTree();
  for (const name of NAMES) tree.field(tree.root, name);
  const small = [1, 2, 3, 1].map((bits) => tree.note(payloadOf(bits)));
  expect(new Set(small).size).toBe(3);
  expect(small[3]).toBe(small[0]);
  const all = Array.from({ length: 4096 }, (_, bits) => tree.note(payloadOf(bits % 1024)));
  expect(new Set(all).size).toBeLessThan(600);
  expect(all.at(-1)).toBe(all.at(-2));
});

it("a field that first appears after the limit is added to the last set of a field tree", () => {
  const tree = createFieldTree();
  const nodes = NAMES.map((name) => tree.field(tree.root, name));
  const late = tree.field(tree.root, "late");
  for (let bits = 0; bits < 1024; bits += 1) tree.note(payloadOf(bits));
  const before = tree.note({});
  expect(nodes.every(tree.isPresent)).toBe(true);
  expect(tree.isPresent(late)).toBe(false);
  expect(tree.note({ late: "A" })).not.toBe(before);
  expect(tree.isPresent(late)).toBe(true);
});
