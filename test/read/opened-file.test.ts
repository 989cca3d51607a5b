import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { appendFile, mkdir, rm, stat, symlink, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { type KnownFile, openInput, type ReadNotice } from "../../src/read/input/open-input.ts";
import { spoolStdin } from "../../src/read/input/spool-stdin.ts";
import { cells, failureOf, fixture, read, source } from "./reading.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { rawWorkbook, textRow } from "./workbook/raw-workbook.ts";

const CSV = "REF,NAME\nA1,Ada\nA2,Bea\n";

describe("opening input files", () => {
  it("expands globs in the order of names and reports a pattern without matches", async () => {
    const folder = temporaryFolder();
    for (const name of ["b.csv", "a.csv", "c.txt"]) await writeFile(join(folder, name), `REF\n${name}\n`);
    const { records } = await read(source(join(folder, "*.csv")));
    expect(records.map(({ number, row }) => [number, ...cells(row)])).toEqual([
      [1, "a.csv"],
      [2, "b.csv"],
    ]);
    const failure = await failureOf(read(source(join(folder, "*.json"))));
    expect(failure).toMatchObject({ code: "source_unreadable" });
    expect(failure.message).toContain("*.json: matches no file");
  });

  it("reads an existing file whose name contains brackets", async () => {
    const path = join(temporaryFolder(), "a[1].csv");
    await writeFile(path, CSV);
    expect((await read(source(path))).records).toHaveLength(2);
  });

  it("rejects a path that is not a regular file, and names its kind", async () => {
    const folder = temporaryFolder();
    await symlink(join(folder, "nowhere"), join(folder, "dangling.csv"));
    execFileSync("mkfifo", [join(folder, "pipe.csv")]);
    for (const [path, message] of [
      [folder, "is a folder"],
      [join(folder, "missing.csv"), "no such file"],
      [join(folder, "dangling.csv"), "no such file"],
      [join(folder, "pipe.csv"), "is a named pipe"],
      ["/dev/zero", "is a device"],
    ] as const) {
      const failure = await failureOf(read(source(path)));
      expect(failure).toMatchObject({ code: "source_unreadable", exitCode: 2 });
      expect(failure.message).toContain(message);
    }
  });

  it("rejects a file that is named twice, even under different names", async () => {
    const folder = temporaryFolder();
    await writeFile(join(folder, "a.csv"), CSV);
    await symlink(join(folder, "a.csv"), join(folder, "b.csv"));
    expect(await failureOf(read(source(join(folder, "*.csv"))))).toMatchObject({ code: "usage" });
  });

  it.each([
    ["json-under-csv-name.csv", "contains JSON, but its extension means CSV"],
    ["login-page.csv", "is an HTML page"],
    ["workbook.csv", "is an Excel workbook"],
  ])("names the kind of %s", async (name, message) => {
    const failure = await failureOf(read(fixture(name)));
    expect(failure).toMatchObject({ code: "source_wrong_kind", exitCode: 2 });
    expect(failure.message).toContain(message);
  });

  it.each([
    "%PDF-1.7",
    "\x89PNG\r\n",
    "SQLite format 3\0",
    "BZh91AY",
    "\xfd7zXZ\0",
    "\x28\xb5\x2f\xfd",
    "7z\xbc\xaf\x27\x1c",
    "PAR1",
  ])("rejects a file that starts with %j", async (magic) => {
    const path = await written(Buffer.from(`${magic} and more`, "latin1"), "extract.csv");
    expect(await failureOf(read(source(path)))).toMatchObject({ code: "source_wrong_kind" });
  });

  it("rejects CSV in a file with a JSON name", async () => {
    expect(await failureOf(read(source(await written(CSV, "extract.json"))))).toMatchObject({
      code: "source_wrong_kind",
    });
  });
});

describe("gzip", () => {
  it("is decompressed with all members, regardless of the file name", async () => {
    const packed = Buffer.concat([gzipSync(CSV), gzipSync("A3,Cyd\n")]);
    for (const name of ["extract.csv.gz", "extract.csv"]) {
      const { records, notices } = await read(source(await written(packed, name)));
      expect(records.map(({ row }) => row.line)).toEqual([2, 3, 4]);
      expect(notices.map(({ text }) => text)).toEqual(
        name.endsWith(".gz")
          ? []
          : ["is compressed with gzip, although its name does not end in .gz; it is unpacked while it is read"],
      );
    }
    const plain = await read(source(await written(CSV, "extract.csv.gz")));
    expect(plain.notices.map(({ text }) => text)).toEqual([
      "has a name that ends in .gz, but is not compressed; it is read unchanged",
    ]);
  });

  it("is rejected if it is truncated, followed by other data, or has the wrong checksum", async () => {
    const packed = gzipSync(CSV);
    const flipped = Buffer.from(packed);
    flipped.writeUInt8((flipped.at(-6) ?? 0) ^ 1, flipped.length - 6);
    for (const corrupt of [packed.subarray(0, -3), Buffer.concat([packed, Buffer.from("behind")]), flipped]) {
      const path = await written(corrupt, "extract.csv.gz");
      expect(await failureOf(read(source(path)))).toMatchObject({ code: "source_damaged", exitCode: 2 });
    }
  });

  it("is rejected if it contains gzip again or decompresses to an excessive size", async () => {
    const twice = await written(gzipSync(gzipSync(CSV)), "extract.csv.gz");
    expect((await failureOf(read(source(twice)))).message).toContain("a gzip file inside a gzip file");
    const bomb = await written(
      gzipSync(Buffer.concat([Buffer.from(CSV), Buffer.alloc(15_000_000, `A3,${"x".repeat(50_000)}\n`)])),
      "bomb.csv.gz",
    );
    expect(await failureOf(read(source(bomb)))).toMatchObject({ code: "source_too_large" });
    const large = source(await written(CSV, "extract.csv"));
    expect(await failureOf(read(large, { limits: { inputBytes: 10 } }))).toMatchObject({
      code: "source_too_large",
      hint: expect.stringContaining("split it"),
    });
  });
});

describe("an input", () => {
  it("returns the same records in every pass, but each notice only once", async () => {
    const notices: ReadNotice[] = [];
    const plan = fixture("semicolons.csv");
    const input = await openInput(plan, { tempFolder: "/nonexistent", onNotice: (notice) => notices.push(notice) });
    expect(input.files).toMatchObject([
      { source: "accounts", file: plan.files[0], kind: "csv", columns: ["ACCOUNT_REF", "NAME", "NOTE"] },
    ]);
    const passes = [await collect(input.records()), await collect(input.records())];
    expect(passes[1]).toEqual(passes[0]);
    expect(notices).toHaveLength(1);
    await input.close();
  });

  it("rejects a file that changed between two passes or during a pass", async () => {
    const path = await written(CSV, "extract.csv");
    const input = await openInput(source(path), { tempFolder: "/nonexistent", onNotice: () => {} });
    await collect(input.records());
    await appendFile(path, "A3,Cyd\n");
    expect(await failureOf(collect(input.records()))).toMatchObject({ code: "source_changed", exitCode: 2 });

    const other = await openInput(source(path), { tempFolder: "/nonexistent", onNotice: () => {} });
    const pass = other.records();
    await pass.next();
    await utimes(path, 1, 1);
    expect(await failureOf(collect(pass))).toMatchObject({ code: "source_changed" });

    await rm(path);
    expect(await failureOf(collect(other.records()))).toMatchObject({ code: "source_changed" });
  });

  it("stops when the signal is aborted", async () => {
    const path = await written(`REF\n${"A\n".repeat(5000)}`, "extract.csv");
    const input = await openInput(source(path), { tempFolder: "/nonexistent", onNotice: () => {} });
    const stop = new AbortController();
    const pass = input.records({ signal: stop.signal });
    expect((await pass.next()).value).toHaveLength(500);
    stop.abort(new Error("stopped"));
    await expect(pass.next()).rejects.toThrow("stopped");
  });

  it("copies standard input to a file that only its owner can read, and names the source stdin", async () => {
    const folder = join(temporaryFolder(), "temp");
    for (const [text, expected] of [
      [CSV, "A1"],
      ['[{"REF": "A1"}]', { REF: "A1" }],
      ['{"REF": "A1"}\n{"REF": "A2"}\n', { REF: "A1" }],
    ] as const) {
      const path = await spoolStdin(Readable.from([Buffer.from(text)]), folder);
      expect((await stat(path)).mode & 0o777).toBe(0o600);
      const { records } = await read(source(path), {
        knownFiles: new Map([[path, { file: "stdin", modifiedMs: undefined }]]),
      });
      const [record] = records.map(({ row }) => [row.table.file, "value" in row ? row.value : cells(row)[0]]);
      expect(record).toEqual(["stdin", expected]);
    }
  });

  it("gives each row the date of its file or, if there is one, the date that an earlier run recorded", async () => {
    const folder = temporaryFolder();
    const workbook = readFileSync(await rawWorkbook({ sheets: { S: textRow(1, ["REF"]) + textRow(2, ["A1"]) } }));
    const date = new Date("2026-11-20T08:00:00Z");
    for (const [name, content] of [
      ["a.csv", CSV],
      ["a.csv.gz", gzipSync(CSV)],
      ["a.json", '[{"REF": "A1"}]'],
      ["a.ndjson", '{"REF": "A1"}\n'],
      ["a.xlsx", workbook],
    ] as const) {
      const path = join(folder, name);
      await writeFile(path, content);
      await utimes(path, date, date);
      const dates = async (knownFiles?: ReadonlyMap<string, KnownFile>): Promise<readonly unknown[]> => {
        const { records } = await read(source(path), { ...(knownFiles && { knownFiles }) });
        return [name, ...new Set(records.map(({ row }) => row.table.modifiedMs))];
      };
      expect(await dates()).toEqual([name, date.getTime()]);
      expect(await dates(new Map([[path, { file: name, modifiedMs: 5 }]]))).toEqual([name, 5]);
    }
  });

  it("reports a folder that cannot hold the copy of standard input", async () => {
    const folder = temporaryFolder();
    await mkdir(join(folder, "temp"));
    await writeFile(join(folder, "temp", "file"), "");
    const spooling = spoolStdin(Readable.from([Buffer.from(CSV)]), join(folder, "temp", "file"));
    expect(await failureOf(spooling)).toMatchObject({ code: "storage", exitCode: 6 });
  });
});

async function written(content: string | Buffer, name: string): Promise<string> {
  const path = join(temporaryFolder(), name);
  await writeFile(path, content);
  return path;
}

async function collect<Item>(batches: AsyncIterable<readonly Item[]>): Promise<readonly Item[]> {
  const items: Item[] = [];
  for await (const batch of batches) items.push(...batch);
  return items;
}
