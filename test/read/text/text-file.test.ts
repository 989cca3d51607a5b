import { createHash } from "node:crypto";
import { mkdir, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { fingerprintFile } from "../../../src/read/input/source-files.ts";
import { readLookup } from "../../../src/read/lists/lookup-table.ts";
import { readTextFile } from "../../../src/read/text/text-file.ts";
import { failureOf } from "../reading.ts";
import { temporaryFolder } from "../../temporary-folder.ts";

describe("contract, mapping and config files", () => {
  it("are read without their byte order mark", async () => {
    const path = await written("\uFEFFkey: caf\u00E9\n");
    expect(await readTextFile(path)).toEqual({ file: path, text: "key: caf\u00E9\n" });
  });

  it("are rejected if they are missing, a folder, binary or not UTF-8", async () => {
    const folder = join(temporaryFolder(), "folder");
    await mkdir(folder);
    for (const [path, message] of [
      [join(folder, "missing.yaml"), "no such file"],
      [folder, "is a folder"],
      [await written("a\0b"), "is a binary file"],
      [await written(Buffer.from([0x61, 0x0a, 0x92])), ":2: byte 0x92 is not UTF-8"],
    ] as const) {
      const failure = await failureOf(readTextFile(path));
      expect(failure).toMatchObject({ code: "config", exitCode: 2 });
      expect(failure.message).toContain(message);
    }
  });

  it("are rejected with a hint if they are larger than 64 MiB", async () => {
    const path = await written("");
    await truncate(path, 64 * 2 ** 20 + 1);
    const failure = await failureOf(readTextFile(path));
    expect(failure.message).toBe(`${path}: is larger than 64 MiB`);
    expect(failure.hint).toContain("check that this is the intended file");
  });

  it("must be single files, and the hint for a folder does not mention sources", async () => {
    const failure = await failureOf(readTextFile(temporaryFolder()));
    expect(failure.hint).toBe("use a single file");
  });
});

describe("lookup files", () => {
  it("map the first column to the second", async () => {
    const path = await written('code;meaning;note\nD ;"DOMESTIC; home";x\n\nB; BUSINESS\n;NONE\n');
    expect([...(await readLookup(path))]).toEqual([
      ["D", "DOMESTIC; home"],
      ["B", "BUSINESS"],
      ["", "NONE"],
    ]);
  });

  it.each([
    ["", 1, "a header"],
    ["only\n", 1, "a header"],
    ["a,b\nD,1\nB\n", 3, "at least two cells"],
    ["a,b\nD,1\n\nD,2\n", 4, "line 2 already has this code"],
    ['a,b\nD,"1\n', 2, "never closed"],
  ])("are rejected with the content %j", async (text, line, message) => {
    const failure = await failureOf(readLookup(await written(text)));
    expect(failure).toMatchObject({ code: "config", place: { line } });
    expect(failure.message).toContain(message);
  });
});

describe("fingerprints", () => {
  it("identify a file by its size, time and bytes", async () => {
    const path = await written("REF\nA1\n");
    expect(await fingerprintFile(path)).toMatchObject({
      file: path,
      bytes: 7,
      sha256: createHash("sha256").update("REF\nA1\n").digest("hex"),
      modifiedMs: expect.any(Number),
    });
    expect(await failureOf(fingerprintFile(`${path}.not`))).toMatchObject({ code: "source_unreadable" });
  });
});

async function written(content: string | Buffer): Promise<string> {
  const path = join(temporaryFolder(), "file");
  await writeFile(path, content);
  return path;
}
