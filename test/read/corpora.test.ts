import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { Failure } from "../../src/model/failure.ts";
import { cells, problemsOf, read, source } from "./reading.ts";

const CORPORA = join(process.env["MIGRATE_SHARED"] ?? new URL("../../../shared", import.meta.url).pathname, "corpora");

describe.skipIf(!existsSync(CORPORA))(`public corpora (in ${CORPORA})`, () => {
  it("reads all of csv-spectrum as its JSON has it", async () => {
    const folder = join(CORPORA, "csv-spectrum");
    const names = list(join(folder, "csvs"), "");
    expect(names).toHaveLength(11);
    for (const name of names) {
      const expected: unknown = JSON.parse(readFileSync(join(folder, "json", name.replace(".csv", ".json")), "utf8"));
      const { records } = await read(source(join(folder, "csvs", name)));
      const rows = records.map(({ row }) =>
        Object.fromEntries(
          "columns" in row.table ? row.table.columns.map((column, index) => [column, cells(row)[index]]) : [],
        ),
      );
      expect({ name, rows, problems: problemsOf(records) }).toEqual({ name, rows: expected, problems: [] });
    }
  });

  const parsing = join(CORPORA, "JSONTestSuite/test_parsing");

  it("accepts all y_ documents of JSONTestSuite", async () => {
    const names = list(parsing, "y_");
    expect(names.length).toBeGreaterThan(90);
    const refused = await verdicts(parsing, names);
    expect(refused.filter(({ codes }) => codes.some((code) => NOT_JSON.has(code)))).toEqual([]);
  });

  it("refuses all n_ documents, with a place", async () => {
    const names = list(parsing, "n_");
    expect(names.length).toBeGreaterThan(180);
    const found = await verdicts(parsing, names);
    expect(found.filter(({ codes }) => !codes.some((code) => NOT_JSON.has(code)))).toEqual([]);
    expect(found.filter(({ placed }) => !placed)).toEqual([]);
  });

  it("refuses all i_ documents but an empty object behind a byte order mark", async () => {
    const found = await verdicts(parsing, list(parsing, "i_"));
    const accepted = found.filter(({ codes }) => codes.length === 0).map(({ name }) => name);
    expect(accepted).toEqual(["i_structure_UTF-8_BOM_empty_object.json"]);
  });
});

/** What makes a document unreadable; the other codes say that JSON was read, but is no record of ours. */
const NOT_JSON: ReadonlySet<string> = new Set([
  "source_invalid_json",
  "source_damaged",
  "source_wrong_kind",
  "source_empty",
  "source_bad_encoding",
  "source_too_deep",
]);

/** Lonely scalars are JSON, but neither an array nor an object: refused for their kind, not for their grammar. */
const SCALARS = /^y_(structure_lonely_|structure_string_empty|string_space)/;

interface Verdict {
  readonly name: string;
  readonly codes: readonly string[];
  readonly placed: boolean;
}

async function verdicts(folder: string, names: readonly string[]): Promise<readonly Verdict[]> {
  const found: Verdict[] = [];
  for (const name of names) found.push(await verdict(folder, name));
  return found;
}

async function verdict(folder: string, name: string): Promise<Verdict> {
  try {
    const { records } = await read(source(join(folder, name)));
    const problems = records.flatMap((record) => record.problems);
    return {
      name,
      codes: problems.map(({ code }) => code),
      placed: problems.every(({ place }) => place !== undefined),
    };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return { name, codes: SCALARS.test(name) ? [] : [error.code], placed: error.place !== undefined };
  }
}

function list(folder: string, prefix: string): readonly string[] {
  return readdirSync(folder).filter((name) => name.startsWith(prefix));
}
