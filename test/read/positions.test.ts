import fc from "fast-check";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import type { InputPosition, InputRecord } from "../../src/model/record.ts";
import { type Input, openInput } from "../../src/read/input/open-input.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { failureOf } from "./reading.ts";

async function opened(files: Readonly<Record<string, string | Buffer>>, work: (input: Input) => Promise<void>) {
  const folder = temporaryFolder();
  const paths = Object.entries(files).map(([name, text]) => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  });
  const plan = { name: "accounts", files: paths, children: [] };
  const input = await openInput(plan, { tempFolder: join(folder, "temp"), onNotice: () => undefined });
  await work(input).finally(input.close);
}

async function recordsFrom(input: Input, from?: InputPosition): Promise<readonly InputRecord[]> {
  const found: InputRecord[] = [];
  for await (const batch of input.records({ from })) found.push(...batch);
  return found;
}

const plain = (records: readonly InputRecord[]): readonly unknown[] =>
  records.map(({ next: _next, ...record }) => record);

function positionsIn(records: readonly InputRecord[]): readonly InputPosition[] {
  return records.flatMap(({ number, row, next }) =>
    next === undefined ? [] : [{ ...next, record: number + 1, file: row.table.file }],
  );
}

/** Counts the recorded positions, and collects positions from which reading does not return the remaining records. */
async function tried(input: Input): Promise<{ readonly noted: number; readonly wrong: readonly InputPosition[] }> {
  const records = await recordsFrom(input);
  const positions = positionsIn(records);
  const wrong: InputPosition[] = [];
  for (const position of positions) {
    const rest = plain(await recordsFrom(input, position));
    if (!isDeepStrictEqual(rest, plain(records.slice(position.record - 1)))) wrong.push(position);
  }
  return { noted: positions.length, wrong };
}

const long = "long ".repeat(3000);
const cell = fc.oneof(
  fc.constantFrom("", "a", "ü€𝒳", '"', ",", "\n", "\r\n", "\r", " ", "\t", long, "'"),
  fc.string({ unit: "grapheme", maxLength: 12 }),
);
const quoted = (text: string): string => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
const csv = fc
  .tuple(
    fc.constantFrom("", "\u{FEFF}", "\n\n", "sep=,\n"),
    fc.constantFrom("\n", "\r\n", "\r"),
    fc.array(
      fc.oneof(
        fc.tuple(cell, cell).map((cells) => cells.map(quoted).join(",")),
        fc.constant(""),
      ),
      {
        minLength: 20,
        maxLength: 60,
      },
    ),
    fc.boolean(),
  )
  .map(([start, end, lines, ends]) => `${start}A,B${end}${lines.join(end)}${ends ? end : ""}`);

test("reading a CSV file from any recorded position returns the remaining records with their places", async () => {
  await fc.assert(
    fc.asyncProperty(csv, (text) =>
      opened({ "any.csv": text }, async (input) => {
        expect((await tried(input)).wrong).toEqual([]);
      }),
    ),
    { numRuns: 60 },
  );
});

const rows = (count: number): string => Array.from({ length: count }, (_, at) => `K${at},"x\ny ${at}"\n`).join("");

test("several files, some of them larger than one read, can be read from a position inside each file", async () => {
  const files = { "1.csv": `A,B\n${rows(9000)}`, "2.csv": `A,B\n${rows(20)}`, "3.csv": `\u{FEFF}A,B\r\n${rows(9000)}` };
  await opened(files, async (input) => {
    const { noted, wrong } = await tried(input);
    expect(noted).toBeGreaterThanOrEqual(5);
    expect(wrong).toEqual([]);
  });
});

test("NDJSON can be read from any recorded position, even after blank lines", async () => {
  const lines = Array.from({ length: 9000 }, (_, at) => `{"ref":"${at}","name":"ü"}${at % 7 === 0 ? "\n\n \n" : "\n"}`);
  await opened({ "lines.ndjson": `\u{FEFF}${lines.join("")}{"ref":"last"}` }, async (input) => {
    const { noted, wrong } = await tried(input);
    expect(noted).toBeGreaterThanOrEqual(3);
    expect(wrong).toEqual([]);
  });
});

test("no positions are recorded for files that can be read only from the start", async () => {
  const text = `A,B\n${rows(9000)}`;
  const packed = gzipSync(text);
  const wide = Buffer.from(`\u{FEFF}${text}`, "utf16le");
  await opened({ "packed.csv.gz": packed, "wide.csv": wide, "list.json": `[{"a":1},{"a":2}]` }, async (input) => {
    expect(positionsIn(await recordsFrom(input))).toEqual([]);
  });
});

test("a position in a missing file or beyond its end is ignored, and reading begins at the start", async () => {
  await opened({ "small.csv": "A,B\n1,2\n3,4\n" }, async (input) => {
    const records = await recordsFrom(input);
    const file = records[0]?.row.table.file ?? "";
    for (const from of [
      { record: 2, file: "other.csv", byte: 4, line: 2 },
      { record: 2, file, byte: 99, line: 9 },
    ]) {
      expect(await recordsFrom(input, from)).toEqual(records);
    }
  });
});

test("an invalid byte is reported with its offset and line in the whole file, even if reading began later", async () => {
  const good = Array.from({ length: 9000 }, (_, at) => `K${at},x\n`).join("");
  await opened({ "bad.csv": `A,B\n${good}` }, async (input) => {
    const [place] = positionsIn(await recordsFrom(input));
    if (place === undefined) throw new Error("No place was noted.");
    const bytes = Buffer.from(`A,B\n${good}`);
    bytes[bytes.length - 2] = 0xff;
    await opened({ "bad.csv": bytes }, async (corrupt) => {
      const whole = await failureOf(recordsFrom(corrupt));
      const rest = await failureOf(recordsFrom(corrupt, { ...place, file: corrupt.files[0]?.file ?? "" }));
      expect([rest.code, rest.message]).toEqual([whole.code, whole.message]);
    });
  });
});
