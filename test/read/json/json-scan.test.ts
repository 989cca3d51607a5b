import fc from "fast-check";
import { expect, it } from "vitest";
import { parseWithoutScan, scanJson } from "../../../src/read/json/json-scan.ts";

it("accepts exactly the strings that JSON.parse accepts", () => {
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

it("skips the scan only for strings in which a scan would find nothing", () => {
  const name = fc.constantFrom("a", "b", "__proto__", "constructor", "a:", ":", "é");
  const text = fc.oneof(fc.constantFrom(":x", " : ", "1e5", 'a":', "\ud800", "constructor", "\n", ""), fc.string());
  const number = fc.oneof(
    fc.double({ noDefaultInfinity: true, noNaN: true }).map(String),
    fc.stringMatching(/^-?[1-9]\d{0,20}(\.\d{1,20})?(e-?\d{1,3})?$/),
  );
  const { json } = fc.letrec<{ json: string }>((tie) => ({
    json: fc.oneof(
      { depthSize: "medium" },
      text.map((each) => JSON.stringify(each)),
      number,
      fc.constantFrom("true", "false", "null"),
      fc.array(tie("json"), { maxLength: 3 }).map((items) => `[${items.join(", ")}]`),
      fc
        .array(fc.tuple(name, fc.constantFrom(":", " : ", ":\t"), tie("json")), { maxLength: 4 })
        .map((members) => `{${members.map(([key, colon, value]) => JSON.stringify(key) + colon + value).join(",")}}`),
    ),
  }));
  let parsed = 0;
  fc.assert(
    fc.property(json, (found) => {
      const value = parseWithoutScan(found);
      if (value === undefined || typeof value !== "object") return;
      parsed += 1;
      const findings: unknown[] = [];
      expect(scanJson(found, (each) => findings.push(each))).toBeUndefined();
      expect(findings).toEqual([]);
      expect(value).toEqual(JSON.parse(found));
    }),
    { numRuns: 3000 },
  );
  expect(parsed).toBeGreaterThan(100);
  expect(parseWithoutScan("[".repeat(65) + "]".repeat(65))).toBeUndefined();
  expect(parseWithoutScan("[".repeat(64) + "]".repeat(64))).toBeDefined();
});

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
