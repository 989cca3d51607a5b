import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ReadLimits } from "../../../src/read/read-limits.ts";
import { failureOf, fixture, problemsOf, read, type Reading, source } from "../reading.ts";
import { temporaryFolder } from "../../temporary-folder.ts";

describe("the reader of JSON arrays", () => {
  it("reports the location of each error, even if JSON.parse ignores the error, and continues", async () => {
    const { records } = await read(fixture("hazards.json"));
    expect(records.map(({ row }) => row.line)).toEqual([2, 3, 4, 5, 6, 7, 8, 9]);
    expect(problemsOf(records)).toEqual([
      "source_duplicate_name@3/1/id",
      "source_unsafe_number@4/2/id",
      "source_unsafe_number@4/2/list/0",
      "source_lone_surrogate@5/3/text",
      "source_forbidden_name@6/4/deep/__proto__",
      "source_not_an_object@7/5",
      "source_invalid_json@8/6",
    ]);
    expect(records[4]?.row).toMatchObject({ pointer: "/4" });
    expect(records[4]?.row).toHaveProperty("value", { id: "A6", deep: {} });
    expect(JSON.stringify(records[4]?.row)).not.toContain("__proto__");
  });

  it("never quotes the text of the file in a problem", async () => {
    const { records } = await readText('[{"name": Secret}]');
    expect(JSON.stringify(records[0]?.problems)).not.toContain("Secret");
    expect(records[0]?.problems).toMatchObject([
      { code: "source_invalid_json", reason: "expected a value (character 10 of the row)" },
    ]);
  });

  it("rejects a truncated array, and text after an array", async () => {
    expect(await failureOf(read(fixture("truncated-array.json")))).toMatchObject({
      code: "source_damaged",
      place: { line: 2 },
    });
    expect(await failureOf(readText("[]\n[]"))).toMatchObject({ code: "source_damaged", place: { line: 2 } });
  });

  it("rejects nesting deeper than 64 levels", async () => {
    expect(problemsOf((await readText(deep(63))).records)).toEqual([]);
    expect((await readText(deep(200_000))).records[0]?.problems).toMatchObject([
      { code: "source_too_deep", limit: 64 },
    ]);
  });

  it("skips an oversized element and keeps the other elements", async () => {
    const { records } = await readText(`[{"a":"${"x".repeat(400_000)}"},\n{"a":1}]`, { jsonRecordBytes: 1000 });
    expect(problemsOf(records)).toEqual(["source_record_too_large@1/0"]);
    expect(records[1]?.row).toMatchObject({ line: 2, value: { a: 1 } });
  });

  it("returns the same elements as JSON.parse for any chunks and line breaks", async () => {
    const value = fc.dictionary(fc.string({ maxLength: 4 }), fc.jsonValue({ maxDepth: 3 }), { maxKeys: 4 });
    const indent = fc.constantFrom(undefined, 1, "\t");
    const property = fc.asyncProperty(
      fc.array(value, { maxLength: 5 }),
      indent,
      fc.nat(60),
      async (values, space, shift) => {
        const clean = values.filter((each) => !/__proto__|constructor|prototype/.test(JSON.stringify(each)));
        const document = " ".repeat(256 * 1024 - shift) + JSON.stringify(clean, undefined, space);
        const { records } = await readText(document);
        expect(records.map(({ row }) => ("value" in row ? row.value : undefined))).toEqual(JSON.parse(document));
        expect(problemsOf(records).filter((problem) => !problem.startsWith("source_unsafe_number"))).toEqual([]);
      },
    );
    await fc.assert(property, { numRuns: 40 });
  });
});

describe("one JSON object", () => {
  it("is read as one record", async () => {
    expect((await read(fixture("one-object.json"))).records).toMatchObject([
      { number: 1, row: { line: 1, pointer: "", value: { id: "A1" } } },
    ]);
  });

  it("is rejected if another object follows", async () => {
    const failure = await failureOf(read(fixture("concatenated.json")));
    expect(failure).toMatchObject({ code: "source_wrong_kind", place: { line: 2 } });
    expect(failure.hint).toContain(".ndjson");
  });

  it("is rejected with line and column if it is not JSON", async () => {
    const failure = await failureOf(readText('{\n  "a": 1,\n}'));
    expect(failure).toMatchObject({ code: "source_damaged", place: { line: 3 } });
    expect(failure.message).toContain(":3:1:");
  });

  it("is rejected if it exceeds the limit", async () => {
    expect(await failureOf(readText(`{"a":"${"x".repeat(2000)}"}`, { jsonRecordBytes: 1000 }))).toMatchObject({
      code: "source_too_large",
    });
  });
});

describe("the NDJSON reader", () => {
  it("reports an invalid line as a problem of that line", async () => {
    const { records } = await read(fixture("bad-lines.ndjson"));
    expect(records.map(({ row }) => row.line)).toEqual([1, 3, 4, 5, 6]);
    expect(problemsOf(records)).toEqual(["source_invalid_json@3", "source_not_an_object@4", "source_invalid_json@6"]);
  });

  it("recognises a document that spans several lines", async () => {
    const failure = await failureOf(read(fixture("pretty-printed.ndjson")));
    expect(failure).toMatchObject({ code: "source_wrong_kind", place: { line: 1 } });
  });

  it("does not advise renaming rejects to rejects.json, which would replace the data for their re-import", async () => {
    const failure = await failureOf(readText('{\n"a": 1}', {}, "rejects.ndjson"));
    expect(failure).toMatchObject({
      hint: "write each record on a separate line; if the file contains no rejects, you can rename it to .json instead",
    });
  });

  it("accepts CRLF and record separators, and reports a line longer than the limit", async () => {
    const text = `\u001E{"a":1}\r\n{"a":"${"x".repeat(3000)}"}\r\n{"a":3}`;
    const { records } = await readText(text, { jsonRecordBytes: 1000 }, "extract.jsonl");
    expect(records.map(({ row }) => ("value" in row ? row.value : undefined))).toEqual([{ a: 1 }, {}, { a: 3 }]);
    expect(problemsOf(records)).toEqual(["source_record_too_large@2"]);
  });
});

describe("for numbers in JSON, the reader", () => {
  it.each(["0", "-0", "1.0", "1.50", "1e5", "123e65", "0.1", "9007199254740991", "1e-300", "0.30000000000000004"])(
    "keeps %s",
    async (token) => {
      expect(problemsOf((await readText(`[{"n":${token}}]`)).records)).toEqual([]);
    },
  );

  it.each([
    "9007199254740993",
    "-12345678901234567890",
    "1e400",
    "1e-400",
    "0.1000000000000000055",
    "123456789.123456789123",
  ])("reports %s", async (token) => {
    expect(problemsOf((await readText(`[{"n":${token}}]`)).records)).toEqual(["source_unsafe_number@1/0/n"]);
  });

  it("reports only integers beyond 2^53 - 1 among numbers that JavaScript has formatted", async () => {
    await fc.assert(
      fc.asyncProperty(fc.double({ noNaN: true, noDefaultInfinity: true }), async (number) => {
        const token = JSON.stringify(number);
        const reported = problemsOf((await readText(`[{"n":${token}}]`)).records).length > 0;
        expect(reported).toBe(/^-?\d+$/.test(token) && !Number.isSafeInteger(number));
      }),
      { numRuns: 60 },
    );
  });
});

function deep(levels: number): string {
  return `[{"a":${"[".repeat(levels)}${"]".repeat(levels)}}]`;
}

async function readText(text: string, limits: Partial<ReadLimits> = {}, name = "extract.json"): Promise<Reading> {
  const path = join(temporaryFolder(), name);
  await writeFile(path, text);
  return read(source(path), { limits });
}
