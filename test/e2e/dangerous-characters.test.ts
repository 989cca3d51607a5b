import { readdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { buffer } from "node:stream/consumers";
import { parse } from "csv-parse/sync";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openPromise } from "yauzl";
import { FORMATS } from "../../src/report/formats/output-format.ts";
import { createTestFolder } from "../temporary-folder.ts";
import type { CliEnd } from "./cli.ts";
import { CONTRACT, type Workplace, workplace } from "./push-scene.ts";

/**
 * Control characters, format characters, line separators and invisible characters. Lone surrogates are excluded,
 * because UTF-8 cannot encode them.
 */
const DANGEROUS =
  /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u115F\u2800\u3164\uFFA0\u{16FE4}\u{1D159}]/u;
const ALL = Array.from({ length: 0x11_0000 }, (_, code) => code)
  .filter((code) => code < 0xd800 || code > 0xdfff)
  .map((code) => String.fromCodePoint(code))
  .filter((character) => DANGEROUS.test(character));
const PER_RECORD = 300;
/** Each text contains some of the characters. The first text sets the title of the terminal and clears the screen. */
const TEXTS = [
  "\u001b]0;PWNED\u0007\u001b[2J",
  ...Array.from({ length: Math.ceil(ALL.length / PER_RECORD) }, (_, at) =>
    ALL.slice(at * PER_RECORD, (at + 1) * PER_RECORD).join(""),
  ),
];
const FILE = "acc\u202eo\u001b[31mu\u3164nts\u2800\u115F.csv";
const SUPPLIER = "SAND\u202e\u3164BOX";
const KEY = `K${TEXTS[0] ?? ""}0`;

/** Writes records with dangerous keys, and records with dangerous values in their other cells. */
function hostileWorkplace(folder: string): Workplace {
  const accounts = TEXTS.flatMap((text, at) => [
    { REF: `K${text}${at}`, NAME: text },
    { REF: `GOOD-${at}`, NAME: `A${text}b`, TYPE: `X${text}`, POSTCODE: text, MPAN: `12${text}` },
  ]);
  const customers = accounts.map(({ REF, NAME }) => ({ REF, FIRST: NAME, MOBILE: NAME, DOB: `1947-${NAME}` }));
  const work = workplace({ accounts, customers }, undefined, folder);
  renameSync(work.file("accounts.csv"), work.file(FILE));
  const mapping = readFileSync(work.file("mapping.yaml"), "utf8");
  writeFileSync(work.file("mapping.yaml"), mapping.replace("accounts.csv", JSON.stringify(FILE)));
  return work;
}

const SETTINGS = ["--contract", CONTRACT, "--mapping", "mapping.yaml", "--supplier", SUPPLIER];
const VALUES = [[], ["--show-values"]];
/** A workbook is written only to files. */
const ON_SCREEN = FORMATS.filter((format) => format !== "xlsx");

describe("no dangerous character reaches", () => {
  const { folder, remove } = createTestFolder();
  const work = hostileWorkplace(folder);
  afterAll(remove);

  let pushed: CliEnd;

  beforeAll(async () => {
    const flags = ["--base-url", "https://localhost:1/v1/", "--out", "pushed", "--log-format", "json"];
    pushed = await work.migrate(["push", FILE, ...SETTINGS, ...flags, "--show-values"], {
      env: { MIGRATE_API_KEY: "an-example-key" },
    });
  });

  test("the screen of push", () => {
    expect(complaints(pushed, 100)).toEqual([]);
    expect(pushed.code).toBe(1);
  });

  test.each(ON_SCREEN.flatMap((format) => VALUES.map(([flag = ""]) => [format, flag])))(
    "the screen of validate: %s %s",
    async (format, flag) => {
      expect(
        complaints(await work.migrate(["validate", FILE, ...SETTINGS, "--format", format, ...wordsOf(flag)]), 1000),
      ).toEqual([]);
    },
  );

  test.each(ON_SCREEN)("the screen of report: %s", async (format) => {
    expect(complaints(await work.migrate(["report", "--format", format]), 1000)).toEqual([]);
  });

  test.each(["text", "json"].flatMap((format) => VALUES.map(([flag = ""]) => [format, flag])))(
    "the screens of preview and explain: %s %s",
    async (format, flag) => {
      const form = ["--format", format, ...wordsOf(flag)];
      expect(complaints(await work.migrate(["preview", FILE, ...SETTINGS, "--limit", "100", ...form]), 1000)).toEqual(
        [],
      );
      for (const key of [KEY, "GOOD-1", "GOOD-9"])
        expect(complaints(await work.migrate(["explain", key, ...form]), 300)).toEqual([]);
      expect(complaints(await work.migrate(["explain", `nobody${KEY}`, ...form]), 0)).toEqual([]);
    },
  );

  test("the screens of other commands", async () => {
    const commands = [
      ["status"],
      ["status", "--json"],
      ["status", KEY],
      ["report", "--drift"],
      ["ledger", "check"],
      ["config", "show", "--target", KEY],
      ["contract", "check", KEY],
      [KEY],
    ];
    for (const words of commands) expect(complaints(await work.migrate(words), 0)).toEqual([]);
  });

  test("the files of a report, apart from the original cells", async () => {
    for (const flags of VALUES) {
      const out = `validated${flags.length}`;
      await work.migrate(["validate", FILE, ...SETTINGS, "--format", "xlsx", "--out", out, ...flags]);
      expect(filesIn(work.file(out))).toContain("rejects.xlsx");
      for (const name of ["errors.csv", "outcomes.ndjson", "report.html", "summary.json", "rejects.json"])
        expect([name, found(readFileSync(work.file(out, name), "utf8"))]).toEqual([name, []]);
      const rejects: Record<string, string>[] = parse(readFileSync(work.file(out, "rejects.csv"), "utf8"), {
        columns: true,
      });
      expect(rejects.length).toBeGreaterThan(TEXTS.length);
      for (const { migrate_attr = "", migrate_code = "", migrate_detail = "" } of rejects)
        expect(found(migrate_attr + migrate_code + migrate_detail)).toEqual([]);
      const sheets = (await partsOf(work.file(out, "rejects.xlsx"))).filter((part) => part.includes("<sheetData>"));
      const causes = sheets.filter((sheet) => sheet.includes("what is wrong"));
      expect(causes.map(found)).toEqual([[]]);
      const places = sheets.filter((sheet) => sheet.includes("migrate_place")).flatMap(lastCells);
      expect(places.length).toBeGreaterThan(TEXTS.length);
      expect(places.flatMap(found)).toEqual([]);
    }
  });

  test("the files of a proof", async () => {
    expect(complaints(await work.migrate(["proof", "--out", "proof"]), 100)).toEqual([]);
    const names = filesIn(work.file("proof"));
    expect(names.length).toBeGreaterThan(3);
    for (const name of names) expect([name, found(readFileSync(work.file("proof", name), "utf8"))]).toEqual([name, []]);
  });

  test("the mapping that init writes", async () => {
    expect(
      complaints(await work.migrate(["init", FILE, "customers.csv", "--contract", CONTRACT, "--out", "begun"]), 100),
    ).toEqual([]);
    const mapping = readFileSync(work.file("begun", "mapping.yaml"), "utf8");
    expect(found(mapping)).toEqual([]);
    expect(mapping).toContain(String.raw`acc\u202eo\u001b[31mu\u3164nts\u2800\u115f.csv`);
    expect(found(readFileSync(work.file("begun", "migrate.yaml"), "utf8"))).toEqual([]);
  });
});

function wordsOf(flag: string): readonly string[] {
  return flag === "" ? [] : [flag];
}

/** Returns the dangerous characters in the output, or the reason why the output cannot be checked. */
function complaints({ code, stdout, stderr }: CliEnd, leastOutput: number): readonly string[] {
  if (code === null || code > 2) return [`exit code ${code}`];
  return stdout.length < leastOutput ? [`${stdout.length} characters: ${stderr}`] : found(stdout + stderr);
}

/** Returns the dangerous characters of a text, except line breaks, as hexadecimal code points. */
function found(text: string): readonly string[] {
  const everyOne = new RegExp(`(?!\n)${DANGEROUS.source}`, "gu");
  return [...new Set(text.match(everyOne))].map((character) => (character.codePointAt(0) ?? 0).toString(16));
}

function filesIn(folder: string): readonly string[] {
  return readdirSync(folder).filter((name) => statSync(path.join(folder, name)).isFile());
}

/** Returns the XML parts of a workbook. */
async function partsOf(file: string): Promise<readonly string[]> {
  const zip = await openPromise(file, { lazyEntries: true, autoClose: false });
  const parts: string[] = [];
  for await (const entry of zip.eachEntry())
    parts.push((await buffer(await zip.openReadStreamPromise(entry))).toString());
  zip.close();
  return parts;
}

/** Returns the text of the last text cell in each row of a sheet. */
function lastCells(sheet: string): readonly string[] {
  return sheet.split("<row ").map((row) => [...row.matchAll(/<t[ >][^<]*/g)].at(-1)?.[0] ?? "");
}
