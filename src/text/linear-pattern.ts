import { createRequire } from "node:module";
import type * as Re2 from "re2js";
import { slowPatternReason } from "./slow-pattern.ts";

/** An ECMAScript regular expression that takes linear time on any text. */
export interface LinearPattern {
  readonly source: string;
  readonly flags: string;
  /** Set if the pattern must run on RE2, because JavaScript's engine could be very slow. */
  readonly engine?: "re2";
}

/**
 * Returns the expression in a form that takes linear time: for JavaScript's engine if no text can make that engine
 * slow, otherwise for RE2, which does not backtrack. Returns undefined if neither is possible: RE2 supports no
 * look-around, no back-references and no repeats above 1000, and only the syntax of the `u` flag is translated.
 */
export function linearPattern(expression: RegExp): LinearPattern | undefined {
  if (slowPatternReason(expression.source) === undefined) return expression;
  const pattern = { source: expression.source, flags: expression.flags, engine: "re2" } as const;
  if (!expression.unicode) return undefined;
  try {
    return compileRe2(pattern.source) && pattern;
  } catch {
    return undefined;
  }
}

/** Returns undefined if `source` or `flags` is invalid. */
export function regularExpression(source: string, flags: string): RegExp | undefined {
  try {
    return new RegExp(source, flags);
  } catch {
    return undefined;
  }
}

/** Returns a function that tests whether the pattern matches anywhere in a string. */
export function matcherOf(pattern: LinearPattern): (text: string) => boolean {
  if (pattern.engine === "re2") return compileRe2(pattern.source);
  const expression = new RegExp(pattern.source, pattern.flags);
  return (text) => expression.test(text);
}

/** Loads RE2 on first use, because most contracts do not need it. */
function compileRe2(source: string): (text: string) => boolean {
  const load = createRequire(import.meta.url);
  const { RE2JS }: typeof Re2 = load("re2js");
  const compiled = RE2JS.compile(RE2JS.translateRegExp(inRe2Syntax(source)));
  return (text) => compiled.matcher(text).find();
}

/** Expands syntax that has a different meaning in RE2: there, whitespace is ASCII only, and `.` excludes only `\n`. */
function inRe2Syntax(source: string): string {
  return source.replaceAll(TOKEN, (token) => {
    if (token.startsWith("[")) return `[${token.slice(1).replaceAll(CLASS_TOKEN, inClass)}`;
    return REPLACED.get(token) ?? token;
  });
}

function inClass(token: string): string {
  if (token === "\\S" || token === "\\b") throw new Error(`${token} in a character class cannot be translated to RE2`);
  if (token === "\\s") return SPACES;
  return token === "[" ? "\\[" : token;
}

const TOKEN = /\[(?:\\.|[^\]\\])*\]|\\.|./gsu;
const CLASS_TOKEN = /\\.|./gsu;
const SPACES = String.raw`\t-\r \x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}\x{feff}`;
const REPLACED: ReadonlyMap<string, string> = new Map([
  ["\\s", `[${SPACES}]`],
  ["\\S", `[^${SPACES}]`],
  [".", String.raw`[^\n\r\x{2028}\x{2029}]`],
]);
