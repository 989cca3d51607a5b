import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { byteKinds, findRecordBoundaries } from "../../src/read/csv/record-boundaries.ts";
import { arraySplitter } from "../../src/read/json/json-splitter.ts";
import { findLines, ndjsonPieces } from "../../src/read/json/ndjson-lines.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { MAX_PROBLEMS } from "../../src/model/problem-limit.ts";
import { read, type Reading, source } from "./reading.ts";

const MIB = 2 ** 20;

afterEach(() => {
  vi.restoreAllMocks();
});

describe("whitespace and blank lines", () => {
  it.each([
    ["before an array", `${" ".repeat(4 * MIB)}\n\n[{"a":1}]`, 3],
    ["before an object", `${" ".repeat(4 * MIB)}\r\n\r\n{"a":1}`, 3],
    ["within an array", `[${"\n".repeat(4 * MIB)}{"a":1}]`, 4 * MIB + 1],
    ["after an element", `[{"a":1}${" ".repeat(20 * MIB)},{"a":2}]`, 1],
  ])("of any length %s are not copied", async (_, text, line) => {
    const copied = bytesCopied();
    const { records } = await readText("extract.json", text);
    expect(records[0]).toMatchObject({ row: { line, value: { a: 1 } }, problems: [] });
    expect(copied()).toBeLessThan(MIB);
  });

  it("between NDJSON lines are skipped without searching for each line ending", async () => {
    const chunk = Buffer.from(`{"a":1}${"\n \r\n".repeat(MIB)}{"a":2}\n`);
    const searched = vi.spyOn(Buffer.prototype, "indexOf");
    const found = [];
    for await (const { bytes: parts, ...piece } of ndjsonPieces(only(chunk), 1000)) {
      const bytes = Buffer.concat(parts);
      const { starts, ends, lines } = findLines(bytes, piece, 1000);
      found.push(...lines.map((line, index) => ({ text: bytes.toString("utf8", starts[index], ends[index]), line })));
    }
    expect(found).toEqual([
      { text: '{"a":1}', line: 1 },
      { text: '{"a":2}', line: 2 * MIB + 1 },
    ]);
    expect(searched.mock.calls.length).toBeLessThan(5);
  });

  it("between CSV rows yield no records", () => {
    const bytes = Buffer.from(`A,B\n${"\n".repeat(MIB)}${" \t\r\n".repeat(1000)}1,2\n`);
    const { starts, lines, end } = findRecordBoundaries(bytes, byteKinds(","), true);
    expect([starts.length, lines, end]).toEqual([2, [0, MIB + 1001], bytes.length]);
  });

  it("of any length after an element do not count towards its size", () => {
    const splitter = arraySplitter(100);
    const chunks = [`[{"a":1}`, ...Array.from({ length: 50 }, () => " \n".repeat(50)), `,1 `, ` 2`, `]`];
    const found = chunks.flatMap((chunk) => splitter.push(Buffer.from(chunk)));
    expect(found.map(({ bytes, line }) => ({ text: bytes?.toString(), line }))).toEqual([
      { text: '{"a":1}', line: 1 },
      { text: "1 2", line: 2501 },
    ]);
  });
});

describe("a record with very many problems", () => {
  it.each([
    ["numbers that lose digits", `{"n":[${Array(300_000).fill("1e400").join()}]}\n`, "source_unsafe_number", 300_000],
    ["repeated names", `{"a":1${',"a":1'.repeat(200_000)}}\n`, "source_duplicate_name", 200_000],
    ["forbidden names", `[${'{"__proto__":1},'.repeat(50_000)}1]\n`, "source_forbidden_name", 50_000],
  ])("keeps 100 problems about %s and counts the rest", async (_, text, code, count) => {
    const { records } = await readText("extract.ndjson", text.startsWith("[") ? `{"list":${text.trim()}}\n` : text);
    const problems = records[0]?.problems ?? [];
    expect(problems).toHaveLength(MAX_PROBLEMS);
    expect(problems.at(-1)).toMatchObject({ code, unlisted: count - MAX_PROBLEMS });
  });

  it("keeps 100 problems about control characters in a row of 20,000 columns", async () => {
    const header = Array.from({ length: 20_000 }, (_, index) => `C${index}`).join();
    const { records } = await readText("extract.csv", `${header}\n${Array(20_000).fill("\u0001").join()}\n`);
    expect(records[0]?.problems).toHaveLength(MAX_PROBLEMS);
    expect(records[0]?.problems.at(-1)).toMatchObject({ unlisted: 20_000 - MAX_PROBLEMS });
  });

  it("keeps 100 problems of its joined rows", async () => {
    const folder = temporaryFolder();
    await writeFile(join(folder, "accounts.csv"), "REF,NAME\nA1,Ada\n");
    await writeFile(
      join(folder, "meters.csv"),
      `REF,MPAN\n${Array.from({ length: 3000 }, (_, index) => `A1,${index},2\n`).join("")}`,
    );
    const { records } = await read({
      ...source(join(folder, "accounts.csv")),
      key: "REF",
      children: [{ name: "meters", files: [join(folder, "meters.csv")], on: "REF", children: [] }],
    });
    expect(records[0]?.problems).toHaveLength(MAX_PROBLEMS);
    expect(records[0]?.problems.at(-1)).toMatchObject({ code: "source_ragged_row", unlisted: 3000 - MAX_PROBLEMS });
  });
});

/** Counts the bytes that `Buffer.concat` copies from now on. */
function bytesCopied(): () => number {
  const copies = vi.spyOn(Buffer, "concat");
  return () => copies.mock.results.reduce((sum, { value }) => sum + (Buffer.isBuffer(value) ? value.length : 0), 0);
}

async function* only(chunk: Buffer): AsyncGenerator<Buffer> {
  yield chunk;
}

async function readText(name: string, text: string): Promise<Reading> {
  const path = join(temporaryFolder(), name);
  await writeFile(path, text);
  return read(source(path));
}
