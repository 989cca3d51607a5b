import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { parseAllDocuments } from "yaml";

const ROOT = path.join(import.meta.dirname, "..");
const PAGES = [
  "README.md",
  "CONTRIBUTING.md",
  ...readdirSync(path.join(ROOT, "docs"), "utf8")
    .filter((name) => name.endsWith(".md"))
    .map((name) => path.join("docs", name)),
];

/** Returns the YAML and JSON examples of a page, with their lines. */
function examplesOf(page: string): readonly (readonly [place: string, text: string])[] {
  const text = readFileSync(path.join(ROOT, page), "utf8");
  return [...text.matchAll(/^```(?:ya?ml|json)\n([^]*?)^```/gm)].map(({ 1: example = "", index }) => [
    `${page}:${text.slice(0, index).split("\n").length}`,
    example,
  ]);
}

test("every YAML and JSON example of the documentation can be parsed", () => {
  const examples = PAGES.flatMap(examplesOf);
  expect(examples.length).toBeGreaterThan(50);
  const errors = examples.flatMap(([place, text]) =>
    [...parseAllDocuments(text)].flatMap(({ errors: found }) => found.map(({ message }) => `${place}: ${message}`)),
  );
  expect(errors).toEqual([]);
});
