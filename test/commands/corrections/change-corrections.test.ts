import { readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import {
  appendChanges,
  removeCorrections,
  saveCorrections,
} from "../../../src/commands/corrections/change-corrections.ts";
import type { Correction } from "../../../src/read/corrections/correction.ts";
import {
  type CorrectionChange,
  type ListedCorrection,
  readAppendedChanges,
  readCorrections,
} from "../../../src/read/corrections/corrections-file.ts";
import { sha256Of } from "../../../src/read/corrections/correction.ts";
import { canonicalKey } from "../../../src/text/canonical-key.ts";
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
  oldSha256: text.map(sha256Of),
  value: text,
  by: fc.constant("ann@desk"),
  at: fc.constant("2026-11-27T12:00:00.000Z"),
  reason: text,
});

const noNotice = (): void => undefined;
const BOB = { by: "bob@desk", at: "2026-11-28T12:00:00.000Z", notice: noNotice };

function plain({ line: _line, ...rest }: ListedCorrection): Correction {
  return rest;
}

/** Changes that spreadsheets and editors make when they save the file. */
const FORMS: readonly ((text: string) => string)[] = [
  (saved) => saved,
  (saved) => `\uFEFF${saved}`,
  (saved) => saved.replace(/\n$/, ""),
];

async function changesFrom(file: string, from: number): Promise<readonly CorrectionChange[]> {
  const changes: CorrectionChange[] = [];
  for await (const batch of readAppendedChanges(file, { from, to: statSync(file).size }))
    changes.push(...batch.changes);
  return changes;
}

test("saved corrections are read back unchanged, even by a program that follows the file", async () => {
  const folder = temporaryFolder();
  let number = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(correction, { selector: ({ key }) => canonicalKey(key), minLength: 1, maxLength: 6 }),
      fc.uniqueArray(correction, { selector: ({ key }) => key, minLength: 1, maxLength: 3 }),
      fc.constantFrom(...FORMS),
      async (first, second, form) => {
        const file = path.join(folder, `${(number += 1)}.csv`);
        const later = second.map((each) => ({ ...each, key: `later ${each.key}` }));
        await saveCorrections(file, first, noNotice);
        writeFileSync(file, form(readFileSync(file, "utf8")));
        const { size } = statSync(file);
        await saveCorrections(file, later, noNotice);
        expect((await readCorrections(file)).corrections.map(plain)).toEqual([...first, ...later]);
        const appended = await changesFrom(file, size);
        expect(appended.map(({ correction: each }) => plain(each))).toEqual(later);
        const all = await changesFrom(file, 0);
        expect(all.map(({ correction: each }) => plain(each))).toEqual([...first, ...later]);
        const [removed] = first;
        await removeCorrections(file, { key: removed?.key }, BOB);
        expect((await readCorrections(file)).corrections).toHaveLength(first.length + later.length - 1);
      },
    ),
  );
});

test("a file truncated at any byte is read up to its last complete line, and the next correction follows that line", async () => {
  const folder = temporaryFolder();
  let number = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(correction, { selector: ({ key }) => key, minLength: 1, maxLength: 4 }),
      fc.array(fc.constantFrom("set", "unset"), { minLength: 4, maxLength: 4 }),
      fc.record({ mark: fc.constantFrom("", "\uFEFF"), position: fc.nat() }),
      correction.map((each) => ({ ...each, key: "later" })),
      async (all, kinds, { mark, position }, later) => {
        const file = path.join(folder, `cut ${(number += 1)}.csv`);
        const changes = all.map(
          (each, at) => ({ change: kinds[at] === "unset" ? "unset" : "set", correction: each }) as const,
        );
        const ends: number[] = [];
        for (const change of changes) ends.push(await appendChanges(file, async (end) => ({ changes: [change], end })));
        const bytes = Buffer.concat([Buffer.from(mark), readFileSync(file)]);
        const markBytes = Buffer.byteLength(mark);
        const cut = markBytes + (position % (bytes.length - markBytes + 1));
        writeFileSync(file, bytes.subarray(0, cut));

        const whole = ends.filter((end) => markBytes + end - 1 <= cut).length;
        const expected = changes.slice(0, whole).filter(({ change }) => change === "set");
        const { corrections, end, incompleteLine } = await readCorrections(file);
        expect(corrections.map(plain)).toEqual(expected.map((each) => each.correction));
        const [before, rest] = [bytes.subarray(0, end).toString(), bytes.subarray(end, cut).toString()];
        expect(incompleteLine).toBe(["", mark].includes(rest) ? undefined : before.split(/\r\n|\n|\r/).length);

        const notices: string[] = [];
        await saveCorrections(file, [later], (notice) => notices.push(notice));
        expect(notices).toHaveLength(incompleteLine === undefined ? 0 : 1);
        const now = await readCorrections(file);
        expect(now.corrections.map(plain)).toEqual([...expected.map((each) => each.correction), later]);
        expect(now.incompleteLine).toBeUndefined();
      },
    ),
  );
});

test("a correction is removed by a key that differs only in surrounding spaces or Unicode form", async () => {
  const file = path.join(temporaryFolder(), "fixes.csv");
  const all = fc.sample(correction, 2).map((each, at) => ({ ...each, key: `caf\u00e9 ${at}` }));
  await saveCorrections(file, all, noNotice);
  await removeCorrections(file, { key: " cafe\u0301 0 " }, BOB);
  expect((await readCorrections(file)).corrections.map(({ key }) => key)).toEqual(["caf\u00e9 1"]);
});

test("an unclosed quote is reported, so that it does not hide the lines after it", async () => {
  const file = path.join(temporaryFolder(), "fixes.csv");
  const all = fc
    .sample(correction, 3)
    .map((each, at) => ({ ...each, key: `k${at}`, value: "plain", reason: "", column: "c" }));
  await saveCorrections(file, all, noNotice);
  writeFileSync(file, readFileSync(file, "utf8").replace("plain", '"plain'));
  await expect(readCorrections(file)).rejects.toMatchObject({
    code: "config",
    message: `${file}:2: a quote is opened here but never closed`,
  });
});

test("nothing is appended to a file that an editor has changed since it was read", async () => {
  const file = path.join(temporaryFolder(), "fixes.csv");
  const [first] = fc.sample(correction, 1);
  if (first === undefined) throw new Error("no sample");
  await saveCorrections(file, [first], noNotice);
  const saving = appendChanges(file, async (end) => {
    writeFileSync(file, "an editor");
    return { changes: [{ change: "set", correction: first }], end };
  });
  await expect(saving).rejects.toMatchObject({ code: "source_changed" });
  expect(readFileSync(file, "utf8")).toBe("an editor");
});
