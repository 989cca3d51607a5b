import { readdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Failure } from "../../../src/model/failure.ts";
import type { InputRecord, Row } from "../../../src/model/record.ts";
import type { SourceSpec } from "../../../src/model/source-spec.ts";
import { openInput } from "../../../src/read/input/open-input.ts";
import { cells, failureOf, FIXTURES, problemsOf, read } from "../reading.ts";
import { temporaryFolder } from "../../temporary-folder.ts";

const accounts: SourceSpec = {
  name: "accounts",
  files: [join(FIXTURES, "joined-accounts.csv")],
  key: "ACCOUNT_REF",
  children: [
    {
      name: "customers",
      files: [join(FIXTURES, "joined-customers.csv")],
      on: "ACCOUNT_REF",
      orderBy: { column: "SEQ" },
      key: "NAME",
      children: [{ name: "meters", files: [join(FIXTURES, "joined-meters.csv")], on: "CUSTOMER", children: [] }],
    },
  ],
};

const ON_DISK = { limits: { memoryJoinBytes: 0 } };

describe.each([
  ["in memory", {}],
  ["through an index on disk", ON_DISK],
])("a join that is built %s", (_, options) => {
  it("returns the child rows of each parent in order, each with its file and line", async () => {
    const { records } = await read(accounts, options);
    expect(records.slice(0, 3).map(({ row }) => tree(row))).toEqual([
      ["00123", 2, [["00123", 8, []]]],
      [
        "A2",
        3,
        [
          ["A2", 3, [["Yan", 2, []]]],
          ["A2", 2, []],
        ],
      ],
      ["A3", 4, [["A3", 7, []]]],
    ]);
    expect(records[1]?.row.children?.get("customers")?.[0]?.table.file).toContain("joined-customers.csv");
  });

  it("adds the problems of a child to the record of its parent", async () => {
    const { records } = await read(accounts, options);
    expect(records[2]?.problems).toMatchObject([
      { code: "source_ragged_row", place: { line: 7, file: FIXTURES + "/joined-customers.csv" } },
    ]);
  });

  it("reports orphans with the nearest parent key and with their own children", async () => {
    const { records } = await read(accounts, options);
    const orphans = records.filter(({ orphan }) => orphan);
    expect(orphans.map(({ number, source, row }) => [number, source, tree(row)])).toEqual([
      [4, "customers", ["123", 4, []]],
      [5, "customers", ["A9", 5, [["Nobody", 3, []]]]],
      [6, "customers", ["", 6, []]],
      [7, "meters", ["Gone", 4]],
    ]);
    expect(orphans.map(({ problems }) => problems)).toMatchObject([
      [
        {
          code: "source_orphan_row",
          parent: "accounts",
          place: { line: 4, column: "ACCOUNT_REF" },
          near: { line: 2, column: "ACCOUNT_REF" },
        },
      ],
      [{ code: "source_orphan_row", parent: "accounts" }],
      [{ code: "source_missing_key", column: "ACCOUNT_REF", place: { line: 6, columnNumber: 1 } }],
      [{ code: "source_orphan_row", parent: "customers" }],
    ]);
    expect(orphans[1]?.problems[0]).not.toHaveProperty("near");
  });
});

describe("a join", () => {
  it("returns the same records for every join method and in every pass", async () => {
    const key = fc.constantFrom("1", "2", "10", "007", "7", "A1", "a 1", "B", "");
    const rows = fc.array(key, { maxLength: 12 });
    const property = fc.asyncProperty(rows, rows, rows, fc.constantFrom("file", "text", "number"), async (...drawn) => {
      const [parents, children, grandchildren, order] = drawn;
      const plan = await writeJoin(sorted(parents, order), sorted(children, order), sorted(grandchildren, order));
      const inMemory = await passes(plan, {});
      const onDisk = await passes(plan, ON_DISK);
      expect(onDisk).toEqual(inMemory);
      expect(onDisk[1]).toEqual(onDisk[0]);
    });
    await fc.assert(property, { numRuns: 25 });
  });

  it("merges sorted files without a temporary file, and uses a private temporary file for unsorted files", async () => {
    for (const [keys, modes] of [
      [names(""), []],
      [names("A").toSorted(), []],
      [names("A").toSorted().toReversed(), [0o700, 0o600]],
    ] as const) {
      const tempFolder = join(temporaryFolder(), "temp");
      const whole = await writeJoin(
        keys,
        keys.flatMap((key) => [key, key]),
        [],
      );
      const plan = {
        ...whole,
        children: whole.children.map(({ name, files, on }) => ({ name, files, on, children: [] })),
      };
      const input = await openInput(plan, { tempFolder, onNotice: () => {}, ...ON_DISK });
      const records: InputRecord[] = [];
      for await (const batch of input.records()) records.push(...batch);
      expect(records).toHaveLength(2000);
      expect(records.every(({ row }) => row.children?.get("children")?.length === 2)).toBe(true);
      expect(await modesIn(tempFolder)).toEqual(modes);
      await input.close();
      expect(await readdir(tempFolder).catch(() => [])).toEqual([]);
    }
  });

  it("accepts paths into JSON", async () => {
    const folder = temporaryFolder();
    await writeFile(join(folder, "a.json"), '[{"ids": {"ref": "A1"}}, {"ids": {"ref": 7}}]');
    await writeFile(join(folder, "c.ndjson"), '{"of": ["A1"]}\n{"of": ["7"]}\n{"of": ["x"]}\n');
    const plan: SourceSpec = {
      name: "a",
      files: [join(folder, "a.json")],
      key: "ids.ref",
      children: [{ name: "c", files: [join(folder, "c.ndjson")], on: "of.0", children: [] }],
    };
    for (const options of [{}, ON_DISK]) {
      const { records } = await read(plan, options);
      expect(records.map(({ row }) => row.children?.get("c")?.map(({ line }) => line))).toEqual([[1], [2], undefined]);
      expect(problemsOf(records)).toEqual(["source_orphan_row@3/of/0"]);
    }
  });

  it("rejects a parent with more rows than a record may have", async () => {
    const plan = await writeJoin(["A"], ["A", "A", "A"], []);
    for (const memoryJoinBytes of [0, 1000]) {
      const failure = await failureOf(read(plan, { limits: { memoryJoinBytes, rowsPerParent: 2 } }));
      expect(failure).toMatchObject({ code: "source_too_large", place: { line: 2, column: "KEY" } });
    }
  });

  it("reports a folder that cannot hold the index", async () => {
    const path = join(temporaryFolder(), "file");
    await writeFile(path, "");
    const failure = await failureOf(read(accounts, { ...ON_DISK, tempFolder: join(path, "temp") }));
    expect(failure).toMatchObject({ code: "storage", exitCode: 6 });
  });

  it("rejects a join on a missing column", async () => {
    const [child] = accounts.children;
    const missing = { ...accounts, children: child === undefined ? [] : [{ ...child, on: "ACCT" }] };
    const failure = await failureOf(read(missing));
    expect(failure).toMatchObject({ code: "source_bad_header" });
    expect(failure.message).toContain('no column "ACCT"');
    expect(failure.hint).toContain("ACCOUNT_REF, SEQ, NAME");
  });
});

function names(prefix: string): readonly string[] {
  return Array.from({ length: 2000 }, (_, index) => `${prefix}${index}`);
}

/** Returns the permissions of a folder and of its files; empty if the folder does not exist. */
async function modesIn(folder: string): Promise<readonly number[]> {
  const files = await readdir(folder).catch(() => undefined);
  if (files === undefined) return [];
  const stats = await Promise.all([folder, ...files.map((name) => join(folder, name))].map((path) => stat(path)));
  return stats.map(({ mode }) => mode & 0o777);
}

type Tree = readonly [key: string, line: number, children?: readonly Tree[]];

function tree(row: Row): Tree {
  const key = cells(row)[0] ?? "";
  if (row.children === undefined) return [key, row.line];
  return [
    key,
    row.line,
    [...row.children.values()].flat().map((child): Tree => {
      const [first, line, below] = tree(child);
      return [child.table.file.includes("customers") ? first : (cells(child)[0] ?? ""), line, below ?? []];
    }),
  ];
}

/**
 * Writes the files of a join and returns its plan. Children join their parents by KEY. Grandchildren join the children
 * by their OWN column, which repeats KEY.
 */
async function writeJoin(
  parents: readonly string[],
  children: readonly string[],
  grandchildren: readonly string[],
): Promise<SourceSpec> {
  const folder = temporaryFolder();
  const write = async (name: string, keys: readonly string[]): Promise<string> => {
    const path = join(folder, `${name}.csv`);
    await writeFile(path, `KEY,OWN,NOTE\n${keys.map((key, index) => `${key},${key},${index}\n`).join("")}`);
    return path;
  };
  return {
    name: "parents",
    files: [await write("parents", parents)],
    key: "KEY",
    children: [
      {
        name: "children",
        files: [await write("children", children)],
        on: "KEY",
        key: "OWN",
        children: [
          { name: "grandchildren", files: [await write("grandchildren", grandchildren)], on: "KEY", children: [] },
        ],
      },
    ],
  };
}

function sorted(keys: readonly string[], order: string): readonly string[] {
  if (order === "file") return keys;
  return order === "text" ? keys.toSorted() : keys.toSorted((a, b) => Number(a) - Number(b));
}

/** Returns, for each of two passes, its records or the message of the failure that ends it. */
async function passes(
  plan: SourceSpec,
  options: Parameters<typeof read>[1],
): Promise<readonly (string | readonly InputRecord[])[]> {
  const tempFolder = join(temporaryFolder(), "temp");
  const input = await openInput(plan, { tempFolder, onNotice: () => {}, ...options });
  const pass = async (): Promise<readonly InputRecord[]> => {
    const records: InputRecord[] = [];
    for await (const batch of input.records()) records.push(...batch);
    return records;
  };
  const found: (string | readonly InputRecord[])[] = [];
  for (let number = 0; number < 2; number += 1) {
    found.push(
      await pass().catch((error: unknown) => {
        if (error instanceof Failure) return error.message;
        throw error;
      }),
    );
  }
  await input.close();
  return found;
}
