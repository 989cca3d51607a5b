import { existsSync, readFileSync } from "node:fs";
import { parse } from "csv-parse/sync";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Outcome } from "../../src/model/outcome.ts";
import { plainText } from "../../src/text/plain-text.ts";
import { FORMATS } from "../../src/report/formats/output-format.ts";
import { reporters } from "../../src/report/formats/reporters.ts";
import { withoutFormula } from "../../src/text/formula.ts";
import { summaryText } from "../../src/report/run-summary.ts";
import { corpus } from "../conformance/corpora.ts";
import { rendered, reportOf } from "./reports.ts";

const LIST = corpus("naughty-strings/blns.json");
const OWN = [
  "\u001b[2J\u001b[1;1H",
  "\u009b31m",
  "a\u0000b",
  "\r\noverwritten",
  "\u202Egpj.exe",
  "\u200B\uFEFF",
  "]]>",
  "--%>",
  "\uD800",
  "\u001b]0;PWNED\u0007\u001b[2J",
  "\u115F\u1160\u034F\u2800\u3164\uFFA0\u17B4\u17B5",
  "\u200B=1+1",
  "\u3164@SUM(A1)",
  "\u0000-1",
];
const isString = (value: unknown): value is string => typeof value === "string";
const loaded: unknown = existsSync(LIST) ? JSON.parse(readFileSync(LIST, "utf8")) : [];
const naughty = [...OWN, ...(Array.isArray(loaded) ? loaded.filter(isString) : [])];

/** Returns an outcome in which every string is hostile. */
function hostile(text: string, at: number): Outcome {
  const place = { file: `f${text}`, line: 3, column: text, columnNumber: 1 };
  return {
    record: at + 1,
    key: text,
    source: { file: `f${text}`, line: 2 },
    status: "rejected",
    problems: [
      {
        attr: text,
        code: `c${text}`,
        detail: text,
        severity: "error",
        by: "platform",
        place,
        shape: text,
        value: text,
      },
      { attr: "a", code: "unknown_field", suggestion: text, severity: "error", by: "local" },
      { attr: "b", code: "invalid_choice", choices: [text], severity: "warning", by: "local" },
      { attr: "c", code: "duplicate_key", other: place, sameContent: false, severity: "error", by: "local" },
      { attr: "d", code: "source_control_character", character: text, severity: "error", by: "local" },
    ],
  };
}

const hostileReport = reportOf(naughty.map(hostile), {
  showValues: true,
  title: naughty.join(" "),
  next: naughty.join(" "),
});

describe("hostile text", () => {
  it.runIf(existsSync(LIST))("includes the list of naughty strings", () => {
    expect(naughty.length).toBeGreaterThan(400);
  });

  it.each(FORMATS)("is shown as %s with visible characters only", async (format) => {
    const text = await rendered(reporters[format], hostileReport);
    expect(text.length).toBeGreaterThan(1000);
    expect(text.replaceAll("\n", "")).not.toMatch(DANGEROUS);
  });

  it.each(FORMATS)("is shown as %s without dangerous characters", async (format) => {
    for (const part of parts(dangerousCharacters(), 4000)) {
      const report = reportOf([hostile(`<${part}>`, 0)], { showValues: true, title: part, next: part });
      const text = await rendered(reporters[format], report);
      expect(text.replaceAll("\n", "")).not.toMatch(DANGEROUS);
    }
  });

  it("does not reach the screen through the summary", () => {
    expect(summaryText(hostileReport).replaceAll("\n", "")).not.toMatch(/[\p{C}\p{Zl}\p{Zp}]/u);
  });

  it("stays within one line of a GitHub annotation", async () => {
    const lines = (await rendered(reporters.github, hostileReport)).trimEnd().split("\n");
    expect(lines.every((line) => /^::(error|warning|notice) [^:]*::/.test(line))).toBe(true);
  });

  it("is restored exactly when NDJSON is parsed", async () => {
    const lines = (await rendered(reporters.ndjson, hostileReport)).trimEnd().split("\n");
    const keys = lines.map((line): unknown => JSON.parse(line).key);
    expect(keys).toEqual(naughty);
  });

  it("is unchanged in CSV if it is visible and contains no formula", async () => {
    const rows: string[][] = parse(await rendered(reporters.csv, hostileReport));
    const keys = new Set(rows.slice(1).map((row) => row[1]));
    for (const text of naughty.filter((each) => plainText(each, each.length) === each))
      expect(keys.has(text) || keys.has(`'${text}`)).toBe(true);
    expect(rows.flat().filter((cell) => /^[=+\-@\t\r]/.test(cell))).toEqual([]);
  });

  it.each(["\u200B=1+1", "\u3164@SUM(A1)", "\u0000-1", "\u034F+1", "\u2800 =1", "\u00AD＝1"])(
    "starts no formula after an invisible character: %j",
    (cell) => {
      expect(withoutFormula(cell)).toBe(`'${cell}`);
    },
  );

  it("leaves the XML well-formed", async () => {
    const xml = await rendered(reporters.junit, hostileReport);
    expect(unclosed(xml)).toEqual([]);
    const rest = xml.replace(/<\?xml[^>]*>/, "").replace(/<\/?[a-z-]+(?: [a-z]+="[^"<]*")*\/?>/g, "");
    expect(rest.replace(/&(?:lt|gt|amp|quot|apos);/g, "")).not.toMatch(/[<&]/);
  });
});

/** Control characters, format characters, line separators, lone surrogates, and invisible letters. */
const DANGEROUS = /\u034F|[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\u115F\u1160\u2800\u3164\uFFA0]|\u17B4|\u17B5/u;

function dangerousCharacters(): string {
  const codes = Array.from({ length: 0x11_0000 }, (_, code) => code);
  return codes
    .map((code) => String.fromCodePoint(code))
    .filter((character) => DANGEROUS.test(character))
    .join("");
}

/** Splits text into parts of at most `length` code units. */
function parts(text: string, length: number): readonly string[] {
  return Array.from({ length: Math.ceil(text.length / length) }, (_, at) => text.slice(at * length, (at + 1) * length));
}

/** Returns the elements that are still open at the end, or at the first mismatched end tag. */
function unclosed(xml: string): readonly string[] {
  const open: string[] = [];
  for (const [, closing, name = "", selfClosing] of xml.matchAll(/<(\/?)([a-z-]+)(?: [a-z]+="[^"<]*")*(\/?)>/g)) {
    if (closing && open.pop() !== name) return [...open, name];
    if (!closing && !selfClosing) open.push(name);
  }
  return open;
}

describe("plainText", () => {
  it("keeps letters of any script", () => {
    const names = "Zoë Müller, 田中さん, Ольга, أحمد, O'Brien & Søn 👍";
    expect(plainText(names)).toBe(names);
  });

  it("gives printable text of bounded length for any input", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 300 }), fc.integer({ min: 1, max: 400 }), (text, limit) => {
        const plain = plainText(text, limit);
        expect(plain).not.toMatch(/[\p{C}\p{Zl}\p{Zp}]/u);
        expect(plainText(plain, plain.length)).toBe(plain);
        expect(plain.length).toBeLessThanOrEqual(limit * 9);
      }),
    );
  });
});
