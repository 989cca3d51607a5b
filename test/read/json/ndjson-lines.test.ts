import fc from "fast-check";
import { expect, test } from "vitest";
import { findLines, ndjsonPieces } from "../../../src/read/json/ndjson-lines.ts";

const line = fc.constantFrom(
  "",
  " ",
  "\r",
  "{}",
  " {} ",
  "[1]\r",
  "\u001e{}",
  "\u001e",
  "\u001e {}\t",
  "Zoë",
  "longer than it may be",
);

interface Found {
  readonly text: string | undefined;
  readonly line: number;
}

async function* chunksOf(bytes: Buffer, cuts: readonly number[]): AsyncGenerator<Buffer> {
  const ends = [...cuts.filter((cut) => cut < bytes.length), bytes.length].toSorted((one, other) => one - other);
  let start = 0;
  for (const end of ends) {
    if (end > start) yield bytes.subarray(start, end);
    start = end;
  }
}

/** Finds the lines of a file that is read in these chunks, and checks that it can also be read from each position. */
async function found(bytes: Buffer, cuts: readonly number[], limit: number): Promise<readonly Found[]> {
  const all: Found[] = [];
  for await (const { bytes: parts, next, ...piece } of ndjsonPieces(chunksOf(bytes, cuts), limit, {
    byte: 0,
    line: 7,
  })) {
    const whole = Buffer.concat(parts);
    const { starts, ends, lines } = findLines(whole, piece, limit);
    for (const [index, start] of starts.entries()) {
      const [end = 0, number = 0] = [ends[index], lines[index]];
      all.push({ text: end < start ? undefined : whole.toString("utf8", start, end), line: number });
    }
    expect(next.line).toBe(7 + bytes.subarray(0, next.byte).toString().split("\n").length - 1);
  }
  return all;
}

/** Finds the same lines in the text of the file. */
function expected(text: string, limit: number): readonly Found[] {
  return text.split("\n").flatMap((one, index): readonly Found[] => {
    const own = one.trimStart();
    const record = (own.startsWith("\u001E") ? own.slice(1) : own).trim();
    if (Buffer.byteLength(own) > limit) return [{ text: undefined, line: 7 + index }];
    return record === "" ? [] : [{ text: record, line: 7 + index }];
  });
}

test("finds the same records regardless of how the file is divided into chunks", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(line, { maxLength: 12 }),
      fc.boolean(),
      fc.nat(9),
      fc.array(fc.nat(60), { maxLength: 5 }),
      async (lines, isEnded, limit, cuts) => {
        const text = lines.join("\n") + (isEnded ? "\n" : "");
        expect(await found(Buffer.from(text), cuts, limit)).toEqual(expected(text, limit));
      },
    ),
    { numRuns: 1000 },
  );
});
