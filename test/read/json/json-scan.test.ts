import fc from "fast-check";
import { expect, it } from "vitest";
import { scanJson } from "../../../src/read/json/json-scan.ts";

it("accepts exactly the texts that JSON.parse accepts", () => {
  const token = fc.constantFrom(
    '"',
    "a",
    "\\",
    "u00e9",
    "{",
    "}",
    "[",
    "]",
    ":",
    ",",
    "1",
    "-",
    ".",
    "e",
    "0",
    "true",
    "null",
    " ",
    "\n",
    '"x"',
    "\u0001",
    "\f",
  );
  const wild = fc.array(token, { maxLength: 12 }).map((tokens) => tokens.join(""));
  const corrupt = fc
    .tuple(fc.json(), fc.nat(), fc.constantFrom("", ",", '"', "}", " "))
    .map(([json, at, text]) => json.slice(0, at % (json.length + 1)) + text + json.slice((at % (json.length + 1)) + 1));
  fc.assert(
    fc.property(fc.oneof(wild, fc.json(), corrupt), (text) => {
      expect(scanJson(text) === undefined).toBe(parses(text));
    }),
    { numRuns: 2000 },
  );
});

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
