import { readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import {
  listCorrections,
  removeCorrections,
  saveCorrections,
} from "../../../src/commands/corrections/change-corrections.ts";
import type { Correction } from "../../../src/read/corrections/correction.ts";
import {
  type CorrectionChange,
  type ListedCorrection,
  readAppendedChanges,
} from "../../../src/read/corrections/corrections-file.ts";
import { textHash } from "../../../src/read/corrections/correction.ts";
import { temporaryFolder } from "../../temporary-folder.ts";

const text = fc
  .string({
    unit: fc.constantFrom("a", "0", " ", ",", ";", "\t", "|", '"', "'", "=", "\n", "\r", "\r\n", "é", "\uFEFF", "😀"),
  })
  .filter((each) => each.isWellFormed());

const correction: fc.Arbitrary<Correction> = fc.record({
  key: text.map((each) => `k${each}`),
  source: fc.constantFrom("accounts", "customers"),
  column: text.map((each) => `c${each}`),
  oldSha256: text.map(textHash),
  value: text,
  by: fc.constant("ann@desk"),
  at: fc.constant("2026-11-27T12:00:00.000Z"),
  reason: text,
});

function plain({ line: _line, ...rest }: ListedCorrection): Correction {
  return rest;
}

/** Forms in which spreadsheets and editors save the file. */
const FORMS: readonly ((text: string) => string)[] = [
  (saved) => saved,
  (saved) => `\uFEFF${saved}`,
  (saved) => saved.replace(/\n$/, ""),
];

async function changesFrom(file: string, from: number): Promise<readonly CorrectionChange[]> {
  const changes: CorrectionChange[] = [];
  for await (const batch of readAppendedChanges(file, { from, to: statSync(file).size })) changes.push(...batch);
  return changes;
}

test("any corrections are read as they were saved, also by a program that follows the file", async () => {
  const folder = temporaryFolder();
  let number = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(correction, { selector: ({ key }) => key, minLength: 1, maxLength: 6 }),
      fc.uniqueArray(correction, { selector: ({ key }) => key, minLength: 1, maxLength: 3 }),
      fc.constantFrom(...FORMS),
      async (first, second, form) => {
        const file = path.join(folder, `${(number += 1)}.csv`);
        const later = second.map((each) => ({ ...each, key: `later ${each.key}` }));
        await saveCorrections(file, first);
        writeFileSync(file, form(readFileSync(file, "utf8")));
        const { size } = statSync(file);
        await saveCorrections(file, later);
        expect((await listCorrections(file)).map(plain)).toEqual([...first, ...later]);
        const appended = await changesFrom(file, size);
        expect(appended.map(({ correction: each }) => plain(each))).toEqual(later);
        const all = await changesFrom(file, 0);
        expect(all.map(({ correction: each }) => plain(each))).toEqual([...first, ...later]);
        const [removed] = first;
        await removeCorrections(file, { key: removed?.key }, { by: "bob@desk", at: "2026-11-28T12:00:00.000Z" });
        expect(await listCorrections(file)).toHaveLength(first.length + later.length - 1);
      },
    ),
  );
});
