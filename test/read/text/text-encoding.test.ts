import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Failure } from "../../../src/model/failure.ts";
import { cells, failureOf, firstCells, read, type Reading, source } from "../reading.ts";
import { temporaryFolder } from "../../temporary-folder.ts";

/** The characters of 0x80 to 0x9F in windows-1252 (WHATWG Encoding Standard). */
const WINDOWS_1252 =
  "\u20AC\x81\u201A\u0192\u201E\u2026\u2020\u2021\u02C6\u2030\u0160\u2039\u0152\x8D\u017D\x8F\x90\u2018\u2019\u201C\u201D\u2022\u2013\u2014\u02DC\u2122\u0161\u203A\u0153\x9D\u017E\u0178";

describe("the text decoder", () => {
  it.each([
    ["windows-1252", WINDOWS_1252],
    ["iso-8859-1", String.fromCharCode(...Array.from({ length: 32 }, (_, index) => 0x80 + index))],
  ])("reads all 256 bytes of %s", async (encoding, upper) => {
    const bytes = Array.from({ length: 256 }, (_, byte) => byte).filter((byte) => byte !== 0x22);
    const { records } = await readBytes(Buffer.from([0x41, 0x0a, 0x22, ...bytes, 0x22, 0x0a]), encoding);
    const latin1 = String.fromCharCode(...bytes);
    expect(firstCells(records)).toEqual([latin1.replace(/[\x80-\x9f]+/, upper)]);
  });

  it.each(["macintosh", "MacRoman"])("reads the byte 0xDB of %s as the euro sign", async (encoding) => {
    expect(firstCells((await readBytes(Buffer.from("A\n\xDB\n", "latin1"), encoding)).records)).toEqual(["\u20AC"]);
  });

  it.each(["O\u2019Brien", `${"x".repeat(300_000)}\u2019`])(
    "rejects UTF-8 that is declared as windows-1252",
    async (text) => {
      const failure = await failureOf(readBytes(Buffer.from(`A\nO\u2019Brien ${text}\n`), "windows-1252"));
      expect(failure).toMatchObject({ code: "source_bad_encoding", exitCode: 2 });
      expect(failure.hint).toContain("remove the encoding setting");
    },
  );

  it("decodes characters that span chunks", async () => {
    for (const [text, encoding] of [
      ["\u00E9", "utf8"],
      ["\u20AC", "utf8"],
      ["\u{1F600}", "utf8"],
      ["\u{1F600}", "utf16le"],
    ] as const) {
      for (let shift = 1; shift <= 8; shift += 1) {
        const mark = encoding === "utf16le" ? Buffer.from([0xff, 0xfe]) : Buffer.alloc(0);
        const unit = encoding === "utf16le" ? 2 : 1;
        const padding = "x".repeat(Math.ceil((256 * 1024 - mark.length) / unit) - 2 - shift);
        const bytes = Buffer.concat([mark, Buffer.from(`A\n${padding}${text.repeat(6)}\n`, encoding)]);
        const { records } = await readBytes(bytes);
        expect(firstCells(records)[0]?.slice(padding.length)).toBe(text.repeat(6));
      }
    }
  });

  it.each([
    ["utf-16le", Buffer.from("\uFEFFREF,NAME\r\nA1,Zo\u00EB \u{1F600}\r\n", "utf16le")],
    ["utf-16be", Buffer.from("\uFEFFREF,NAME\r\nA1,Zo\u00EB \u{1F600}\r\n", "utf16le").swap16()],
  ])("reads %s with a byte order mark, or without one if the encoding is declared", async (name, bytes) => {
    for (const reading of [readBytes(bytes), readBytes(bytes.subarray(2), name)]) {
      expect((await reading).records.map(({ row }) => cells(row))).toEqual([["A1", "Zo\u00EB \u{1F600}"]]);
    }
    const failure = await failureOf(readBytes(bytes.subarray(2)));
    expect(failure).toMatchObject({ code: "source_bad_encoding" });
    expect(failure.hint).toContain(name);
  });

  it.each(["\n", "\r\n", "\r"])("names the line of a lone surrogate in UTF-16 after line endings %j", async (end) => {
    // The bytes of the code units 0A0D and 0D0A are CR and LF, which must not count as line endings.
    const rows = ["A", "1", "\u0A0D\u0D0A", "2".repeat(200_000), "x\uD83Dy", ""];
    const littleEndian = Buffer.from(`\uFEFF${rows.join(end)}`, "utf16le");
    for (const bytes of [littleEndian, Buffer.from(littleEndian).swap16()])
      expect(await failureOf(readBytes(bytes))).toMatchObject({ code: "source_bad_encoding", place: { line: 5 } });
  });

  it("rejects a lone surrogate in UTF-16", async () => {
    expect(await failureOf(readBytes(Buffer.from("\uFEFFA\nx\uD83Dy\n", "utf16le")))).toMatchObject({
      code: "source_bad_encoding",
      place: { line: 2 },
      message: expect.stringContaining("offset 8"),
    });
  });

  it("prefers the byte order mark to the declared encoding, and gives a notice", async () => {
    const { records, notices } = await readBytes(Buffer.from("\uFEFFA\n\u00E9\n"), "windows-1252");
    expect(firstCells(records)).toEqual(["\u00E9"]);
    expect(notices.map(({ text }) => text)).toEqual([
      "its byte order mark indicates utf-8, so it is read as utf-8, not as windows-1252",
    ]);
  });

  it("reads multi-byte encodings and rejects their invalid bytes", async () => {
    const bytes = Buffer.concat([Buffer.from("A\n"), Buffer.from([0x83, 0x65, 0x83, 0x58]), Buffer.from("\n")]);
    expect(firstCells((await readBytes(bytes, "shift_jis")).records)).toEqual(["\u30C6\u30B9"]);
    expect(await failureOf(readBytes(Buffer.from([0x41, 0x0a, 0xfd, 0xfe, 0x0a]), "shift_jis"))).toMatchObject({
      code: "source_bad_encoding",
    });
    expect(await failureOf(readBytes(Buffer.from([0x41, 0x0a, 0xaa, 0x0a]), "windows-1253"))).toMatchObject({
      code: "source_bad_encoding",
      place: { line: 2 },
    });
  });

  it.each(["nonsense", "base64", "utf-16"])("rejects the encoding %s", async (name) => {
    const failure = await failureOf(readBytes(Buffer.from("A\n1\n"), name));
    expect(failure).toMatchObject({ code: "usage" });
    expect(failure.hint).toContain("utf-16le");
  });

  it("reports the first byte that is not UTF-8 and its line", async () => {
    const wild = fc.uint8Array({ minLength: 1, maxLength: 12 });
    const text = fc.string({ unit: fc.constantFrom("a", "\u00E9", "\u20AC", "\u{1F600}", "\n"), maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(text, wild, async (before, bytes) => {
        const start = Buffer.from(`A\n${before}`);
        const whole = Buffer.concat([start, bytes, Buffer.from("\n")]);
        const failure = await readBytes(whole).then(
          () => undefined,
          (error: unknown) => error,
        );
        const bad = failure instanceof Failure && failure.code === "source_bad_encoding" ? failure : undefined;
        const offset = bad === undefined ? whole.length : Number(/offset (\d+)/.exec(bad.message)?.[1]);
        const lines = whole
          .subarray(0, offset)
          .toString()
          .split(/\r\n|\r|\n/).length;
        expect({ bad: bad !== undefined, line: bad?.place?.line, before: isUtf8(whole.subarray(0, offset)) }).toEqual({
          bad: !isUtf8(whole),
          line: isUtf8(whole) ? undefined : lines,
          before: true,
        });
        const ends = [1, 2, 3, 4].map((more) => isUtf8(whole.subarray(0, offset + more)));
        expect(isUtf8(whole) || !ends.includes(true)).toBe(true);
      }),
      { numRuns: 150 },
    );
  });
});

function isUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}

async function readBytes(bytes: Buffer, encoding?: string): Promise<Reading> {
  const path = join(temporaryFolder(), "extract.csv");
  await writeFile(path, bytes);
  return read(source(path), encoding === undefined ? {} : { encoding });
}
