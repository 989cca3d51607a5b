import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";

const ROOT = path.join(import.meta.dirname, "..");

/** Outdated or non-native phrases and their replacements. CONTRIBUTING.md describes the style. */
const PHRASES: readonly (readonly [phrase: RegExp, instead: string])[] = [
  [/\banew\b/i, "again"],
  [/\bbeside\b/i, "next to, in addition to, compared with"],
  [/\bmend(s|ed|ing)?\b/i, "fix"],
  [/\b(no|any|some)body\b/i, "name the person or the program"],
  [/\bwho(ever|soever)\b/i, "name the person or the program"],
  [/\bwhatever (it|he|they|the)\b/i, "name the thing"],
  [/\b(stands?|stood) (in|at|on|for|there|between|before|behind|beside)\b/i, "is in, represents"],
  [/\b(lies?|lay) (in|at|on|there|below|under|where|beside)\b/i, "is in, is stored in"],
  [/\b(is|are|was|were) (not )?to be\b/i, "must be, will be"],
  [/\bas (it|they) (is|are|was|were)\b/i, "unchanged"],
  [/\bat work\b/i, "running, active"],
  [/\bin (place|stead) of\b|\bfor want of\b/i, "instead of"],
  [/\b(go|goes|went) on (with|sending|to)\b/i, "continue"],
  [/\b(hand|hands|handed|handing)[ -]out\b/i, "export, assign"],
  [/\b(is|are|was|were) (told|known) (by|from|apart)\b/i, "detected by, distinguished from"],
  [/\bwithout a word\b/i, "silently, without a message"],
  [/\b(see|sees|saw) to\b/i, "handle"],
  [/\ball the same\b/i, "anyway"],
  [/\b(hitherto|thereby|whereby|thereof|wherein|withal|lest|heed)\b/i, "a modern word"],
];

/** Tolerated phrases per thousand lines of text, for quotations and correct uses. */
const MOST_PER_1000 = 5;

function inFolder(folder: string): readonly string[] {
  return readdirSync(path.join(ROOT, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => /\.(ts|md)$/.test(name))
    .map((name) => path.join(folder, name));
}

/** Files with comments, messages or documentation, relative to the project. */
function filesWithText(): readonly string[] {
  return ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", ...inFolder("docs"), ...inFolder("src")];
}

/** Returns the prose of each line: comments and multi-word strings of code, and documents without inline code. */
function textsOf(file: string): readonly string[] {
  const lines = readFileSync(path.join(ROOT, file), "utf8").split("\n");
  return lines.map((line) => (file.endsWith(".md") ? line.replaceAll(/`[^`]*`/g, "") : textOfCode(line)));
}

function textOfCode(line: string): string {
  const comment = /^\s*(?:\/\*\*?|\*|\/\/)(.*)$/.exec(line)?.[1] ?? /\s\/\/ (.*)$/.exec(line)?.[1] ?? "";
  const texts = [...line.matchAll(/"([^"]* [^"]*)"|`([^`]* [^`]*)`/g)].map(([, plain, template]) => plain ?? template);
  return [comment, ...texts].join(" ");
}

test("comments, messages and documents are written in plain English", () => {
  const found: string[] = [];
  let lines = 0;
  for (const file of filesWithText()) {
    for (const [index, text] of textsOf(file).entries()) {
      if (text.trim() === "") continue;
      lines += 1;
      for (const [phrase, instead] of PHRASES) {
        const [hit] = phrase.exec(text) ?? [];
        if (hit !== undefined) found.push(`${file}:${index + 1}: "${hit}": ${instead}`);
      }
    }
  }
  expect(lines).toBeGreaterThan(10_000);
  const most = Math.floor((MOST_PER_1000 * lines) / 1000);
  expect(found.length, `at most ${most}, but:\n${found.slice(0, 100).join("\n")}`).toBeLessThanOrEqual(most);
});
