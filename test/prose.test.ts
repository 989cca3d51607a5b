import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";

const ROOT = path.join(import.meta.dirname, "..");

/** Phrases to avoid, and their replacements. CONTRIBUTING.md describes the style. */
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
  [/\b(hitherto|thereby|whereby|thereof|wherein|withal|lest|heed|thus|hence|upon)\b/i, "a modern word"],
  [/\bdoubts?\b/i, "ambiguous, unknown"],
  [/\bso many\b|\b(all|none) of it\b|\bnothing but\b/i, "give the number, name the thing, only"],
  [/\b(go|goes|going|went) on\b|\b(come|comes|came) to\b/i, "continue, reach"],
  [/\blets? (one|you|others|it)\b/i, "allows, yields to"],
  [/\b(give|gives|given|hand|hands|handed|taken?|takes) back\b/i, "release, return, revoke"],
  [/\b(is|are|was|were) gone\b/i, "has ended, was removed"],
  [/\b(keys?|ledger|file|workbook|data) (is|are) damaged\b/i, "corrupt"],
  [/\b(belong|are made|were told) together\b|\balike\b(?<!look.alike)/i, "match, similar"],
];

/** Words that must not occur in names of functions, types, variables and constants, and their replacements. */
const WORDS: readonly (readonly [word: RegExp, instead: string])[] = [
  [/^(most|least)(?!Busy|Frequent|Specific)[A-Z]/, "max, min"],
  [/^(MOST|LEAST)_/, "MAX, MIN"],
  [/^why[A-Z]/, "reason, mismatch"],
  [/(^|[a-z])(anew|doubts?|beside|alike|whatever|whoever)($|[A-Z])/i, "a noun for the thing"],
  [
    /^(letGo|giveBack|takeBack|handOut|tell|lose|vanished)($|[A-Z])/,
    "release, requeue, revoke, export, notify, fail, removed",
  ],
  [/(Told|Undamaged|AtOnce|TooSoon|ForGood|AllTheSame|InStead)/, "detected, original, immediately, early, permanently"],
];

/** Tolerated phrases per thousand lines of text, for quotations and correct uses. */
const MAX_PER_1000 = 1;

function inFolder(folder: string): readonly string[] {
  return readdirSync(path.join(ROOT, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => /\.(ts|md)$/.test(name))
    .map((name) => path.join(folder, name));
}

/** Returns the files with comments, messages or documentation, relative to the project. */
function filesWithText(): readonly string[] {
  return ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", ...inFolder("docs"), ...inFolder("src")];
}

/** Returns the prose of each line: in code, the comments and multi-word strings; in documents, all but inline code. */
function textsOf(file: string): readonly string[] {
  const lines = readFileSync(path.join(ROOT, file), "utf8").split("\n");
  return lines.map((line) => (file.endsWith(".md") ? line.replaceAll(/`[^`]*`/g, "") : textOfCode(line)));
}

function textOfCode(line: string): string {
  const comment = /^\s*(?:\/\*\*?|\*|\/\/)(.*)$/.exec(line)?.[1] ?? /\s\/\/ (.*)$/.exec(line)?.[1] ?? "";
  const texts = [...line.matchAll(/"([^"]* [^"]*)"|`([^`]* [^`]*)`/g)].map(([, plain, template]) => plain ?? template);
  return [comment, ...texts].join(" ");
}

/** Returns the names that a file declares, with their lines. */
function declaredNames(file: string): readonly (readonly [name: string, line: number])[] {
  const lines = readFileSync(path.join(ROOT, file), "utf8").split("\n");
  return lines.flatMap((line, index) =>
    [...line.matchAll(/\b(?:function\*?|const|let|interface|type|class|readonly) ([A-Za-z]\w*)/g)].map(
      ({ 1: name = "" }) => [name, index + 1] as const,
    ),
  );
}

test("names are standard terms", () => {
  const names = inFolder("src")
    .filter((file) => file.endsWith(".ts"))
    .flatMap((file) => declaredNames(file).map(([name, line]) => ({ name, place: `${file}:${line}` })));
  expect(names.length).toBeGreaterThan(10_000);
  const found = names.flatMap(({ name, place }) =>
    WORDS.filter(([word]) => word.test(name)).map(([, instead]) => `${place}: ${name}: ${instead}`),
  );
  expect(found).toEqual([]);
});

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
  const limit = Math.floor((MAX_PER_1000 * lines) / 1000);
  expect(found.length, `at most ${limit}, but:\n${found.slice(0, 100).join("\n")}`).toBeLessThanOrEqual(limit);
});
