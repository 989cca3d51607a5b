import fc from "fast-check";
import { expect, test } from "vitest";
import type { Outcome, ValidOutcomes } from "../../../src/model/outcome.ts";
import { outcomeLine } from "../../../src/report/formats/json-report.ts";
import { createOutcomeLines } from "../../../src/report/formats/outcome-lines.ts";

const key = fc.oneof(
  fc.nat(30).map((number) => `EXT-${number}`),
  fc.constantFrom("", "a", "b", 'say "x"', "ü", "\ufeffx", "\\", "a\u007f"),
);

const record = fc.record({
  key,
  /** The number of record numbers that are skipped before this record. */
  step: fc.oneof({ weight: 9, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.nat(100_000) }),
  /** The distance in lines from the previous record; negative if this record is further up in the file. */
  lines: fc.oneof({ weight: 9, arbitrary: fc.integer({ min: 1, max: 3 }) }, fc.integer({ min: -200, max: 0 })),
  isNextFile: fc.oneof({ weight: 9, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) }),
});

const start = fc.constantFrom(1, 7, 95, 999_990, 2 ** 31 - 3, 2 ** 40);

test("lines of valid records in a batch equal the lines of single outcomes", () => {
  fc.assert(
    fc.property(
      fc.array(record, { maxLength: 40 }),
      start,
      fc.boolean(),
      fc.nat(40),
      (records, first, hasKeys, cut) => {
        const outcomes = outcomesOf(records, first, hasKeys);
        const columns = columnsOf(outcomes);
        const lines = createOutcomeLines({ before: "\n", between: ",\n" });
        const middle = Math.min(cut, outcomes.length);
        for (const [from, to] of [
          [0, middle],
          [middle, outcomes.length],
        ] as const) {
          lines.addValid({ from, to, hasKeys, batch: columns });
        }
        const written = outcomes.map((outcome) => outcomeLine(outcome, { showValues: false }));
        const expected = written.length === 0 ? "" : `\n${written.join(",\n")}\nend`;
        expect(Buffer.from(lines.end("\nend")).toString()).toBe(expected);
      },
    ),
    { numRuns: 300 },
  );
});

type Made = typeof record extends fc.Arbitrary<infer T> ? T : never;

function outcomesOf(records: readonly Made[], first: number, hasKeys: boolean): readonly Outcome[] {
  let [number, line, file] = [first, 1, 0];
  return records.map((made) => {
    if (made.isNextFile) [file, line] = [file + 1, 1];
    number += 1 + made.step;
    line = Math.max(1, line + made.lines);
    const source = { file: `file ${file}.csv`, line };
    return { record: number, ...(hasKeys && { key: made.key }), source, status: "valid", problems: [] };
  });
}

function columnsOf(outcomes: readonly Outcome[]): ValidOutcomes["batch"] {
  const files = [...new Set(outcomes.map(({ source }) => source.file))];
  const keys = outcomes.map(({ key: text = "" }) => Buffer.from(text));
  return {
    records: Float64Array.from(outcomes, (outcome) => outcome.record),
    lines: Float64Array.from(outcomes, ({ source }) => source.line),
    files,
    fileNumbers: Uint32Array.from(outcomes, ({ source }) => files.indexOf(source.file)),
    keys: Buffer.concat(keys),
    keyEnds: Uint32Array.from(keys, (_, index) => Buffer.concat(keys.slice(0, index + 1)).length),
  };
}
