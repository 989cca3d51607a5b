import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import type { InputRecord, Row } from "../../../src/model/record.ts";
import type { ChildSpec, RowChoice, SourceSpec } from "../../../src/model/source-spec.ts";
import { temporaryFolder } from "../../temporary-folder.ts";
import { failureOf, problemsOf, read } from "../reading.ts";

const ON_DISK = { limits: { memoryJoinBytes: 0 } };
const STORES = [
  ["in memory", {}],
  ["on disk", ON_DISK],
] as const;

const NUMBERS = { wanted: "a number", rank: (text: string) => (/^\d+$/.test(text) ? Number(text) : undefined) };

async function plan(
  accounts: readonly string[],
  customers: readonly string[],
  child: Partial<ChildSpec> = {},
): Promise<SourceSpec> {
  const folder = temporaryFolder();
  const write = async (name: string, lines: readonly string[]): Promise<string> => {
    const path = join(folder, name);
    await writeFile(path, lines.map((line) => `${line}\n`).join(""));
    return path;
  };
  return {
    name: "accounts",
    files: [await write("accounts.csv", ["ACC,CUST", ...accounts])],
    key: "ACC",
    children: [
      {
        name: "customers",
        files: [await write("customers.csv", ["ID,NAME,SEQ", ...customers])],
        on: "ID",
        parentKey: "CUST",
        children: [],
        ...child,
      },
    ],
  };
}

function joined(records: readonly InputRecord[]): readonly unknown[] {
  return records.map(({ row, orphan }) => (orphan ? `orphan ${row.line}` : childLines(row)));
}

function childLines(row: Row): readonly number[] {
  return row.children?.get("customers")?.map(({ line }) => line) ?? [];
}

test.each<readonly [string, Partial<ChildSpec>, readonly unknown[], readonly number[]]>([
  [
    "`pick` with `per` takes one row for each of the booleans",
    { pick: { take: "last", per: "A" } },
    [false, true],
    [1, 2],
  ],
  ["`pick` with `per` takes one row for each of the lists", { pick: { take: "last", per: "A" } }, [[1], [2]], [1, 2]],
  ["`pick` with `by` compares booleans as text", { pick: { take: "last", by: { column: "A" } } }, [true, false], [1]],
  ["`orderBy` orders booleans as text", { orderBy: { column: "A" } }, [true, false], [2, 1]],
])("%s in JSON rows", async (_, child, values, expected) => {
  const spec = await plan(["1,C1"], [], child);
  const file = join(temporaryFolder(), "customers.ndjson");
  await writeFile(file, values.map((A) => `${JSON.stringify({ ID: "C1", A })}\n`).join(""));
  const children = spec.children.map((each) => ({ ...each, files: [file] }));
  expect(joined((await read({ ...spec, children })).records)).toEqual([expected]);
});

describe.each(STORES)("rows shared by several parents, %s", (_, options) => {
  it("belong to each of their parents, and a row without a parent is an orphan", async () => {
    const accounts = ["1,C1", "2,C2", "3,C1", "4,"];
    const spec = await plan(accounts, ["C1,Ada,1", "C2,Ben,1", "C3,Cleo,1"]);
    const { records } = await read(spec, options);
    expect(joined(records)).toEqual([[2], [3], [2], [], "orphan 4"]);
    expect(problemsOf(records)).toEqual(["source_orphan_row@4:1"]);
  });

  it("are reported as orphans with every parent whose key is similar", async () => {
    const spec = await plan(["1,C1", "2,c2", "3,c2", "4, C2"], ["C1,Ada,1", "C2,Ben,1"]);
    const { records } = await read(spec, options);
    expect(records.at(-1)?.problems).toMatchObject([
      { code: "source_orphan_row", near: { line: 3, column: "CUST" }, alsoNear: [{ line: 4 }, { line: 5 }] },
    ]);
  });

  it("are reported as missing if a parent refers to a key that no row has", async () => {
    const spec = await plan(["1,C1", "2,C9", "3,"], ["C1,Ada,1"], { key: "ID" });
    const { records } = await read(spec, options);
    expect(records.map(({ problems }) => problems)).toMatchObject([
      [],
      [{ code: "source_missing_row", child: "customers", severity: "error", place: { line: 3, column: "CUST" } }],
      [],
    ]);
  });

  it("have their own children in each parent", async () => {
    const spec = await plan(["1,C1", "2,C1"], ["C1,Ada,1", "C1,Ben,2"], { key: "NAME" });
    const folder = temporaryFolder();
    await writeFile(join(folder, "phones.csv"), "OF,PHONE\nAda,1\nBen,2\nAda,3\n");
    const phones: ChildSpec = { name: "phones", files: [join(folder, "phones.csv")], on: "OF", children: [] };
    const withPhones = { ...spec, children: spec.children.map((child) => ({ ...child, children: [phones] })) };
    const { records } = await read(withPhones, options);
    const lines = records.map(({ row }) =>
      row.children?.get("customers")?.map((customer) => customer.children?.get("phones")?.map(({ line }) => line)),
    );
    expect(lines).toEqual([
      [[2, 4], [3]],
      [[2, 4], [3]],
    ]);
    expect(problemsOf(records)).toEqual([]);
  });

  it("are rejected with a suggestion if the parent has no such column", async () => {
    const failure = await failureOf(read(await plan(["1,C1"], ["C1,Ada,1"], { parentKey: "CUTS" }), options));
    expect(failure.message).toContain('no column "CUTS", which source "accounts" needs');
    expect(failure.hint).toContain('did you mean "CUST"?');
  });
});

describe.each(STORES)("a key below the root, %s", (_, options) => {
  it("is a problem at both of its rows if it is duplicated, even if the rows have different parents", async () => {
    const spec = await plan(["1,C1", "2,C2"], ["C1,Ada,1", "C2,Ben,1", "C2,Ada,2", "C1,Cleo,1"], { key: "NAME" });
    const { records } = await read(spec, options);
    expect(records.map(({ problems }) => problems)).toMatchObject([
      [{ code: "source_duplicate_key", place: { line: 2, column: "NAME" }, other: { line: 4, columnNumber: 2 } }],
      [{ code: "source_duplicate_key", place: { line: 4 }, other: { line: 2 } }],
    ]);
  });

  it("may be duplicated in rows that `distinct` or `pick` exclude, without a warning about equal rows", async () => {
    const customers = ["C1,Ada,1", "C1,Ada,1", "C2,Ben,1", "C2,Ben,2"];
    const distinct = await read(await plan(["1,C1"], customers.slice(0, 2), { key: "NAME", distinct: true }), options);
    expect(problemsOf(distinct.records)).toEqual([]);
    const pick: RowChoice = { take: "last", per: "NAME" };
    const picked = await read(await plan(["1,C1", "2,C2"], customers, { key: "NAME", pick }), options);
    expect(joined(picked.records)).toEqual([[3], [5]]);
    expect(problemsOf(picked.records)).toEqual([]);
    const shared = await plan(["1,C1", "2,C2"], [...customers, "C2,Ada,3"], { key: "NAME", pick });
    expect(problemsOf((await read(shared, options)).records)).toEqual([
      "source_duplicate_key@3:2",
      "source_duplicate_key@6:2",
    ]);
  });
});

describe("rows of one parent", () => {
  it("cause a warning at each repetition of a row", async () => {
    const { records } = await read(await plan(["1,C1"], ["C1,Ada,1", "C1,Ben,1", "C1,Ada,1", "C1,Ada,1"]));
    expect(joined(records)).toEqual([[2, 3, 4, 5]]);
    expect(records[0]?.problems).toMatchObject([
      { code: "source_repeated_row", severity: "warning", place: { line: 4 }, other: { line: 2 } },
      { code: "source_repeated_row", severity: "warning", place: { line: 5 }, other: { line: 2 } },
    ]);
  });

  it("are deduplicated by `distinct`", async () => {
    const customers = ["C1,Ada,1", "C1,Ben,1", "C1,Ada,1"];
    const { records } = await read(await plan(["1,C1"], customers, { distinct: true }));
    expect(joined(records)).toEqual([[2, 3]]);
    expect(problemsOf(records)).toEqual([]);
  });

  it("are equal if they have the same text under each name, in any order of the columns", async () => {
    const folder = temporaryFolder({
      "a.csv": "ID,NAME,SEQ\nC1,Ada,1\nC1,Ben,1\n",
      "b.csv": "SEQ,ID,NAME\n1,C1,Ada\n1,Ada,C1\n",
      "c.csv": "SEQ,ID,NAME,\n1,C1,Cy,\n1,C1,Ben,\n1,C1,Cy,\n",
      "d.csv": "ID,SEQ,NAME\nC1,Ada,1\nC1,Ada,1\n",
      "e.ndjson": '{"SEQ":1,"NAME":"Ada","ID":"C1"}\n{"SEQ":null,"NAME":"Ada","ID":"C1"}\n',
    });
    const files = ["a.csv", "b.csv", "c.csv", "d.csv", "e.ndjson"].map((name) => join(folder, name));
    for (const [, options] of STORES) {
      const { records } = await read(await plan(["1,C1"], [], { files, distinct: true }), options);
      expect(joined(records)).toEqual([[2, 3, 2, 2, 2], "orphan 3"]);
      const pair = await read(await plan(["1,C1"], [], { files: files.slice(0, 2) }), options);
      expect(pair.records[0]?.problems).toMatchObject([
        { code: "source_repeated_row", place: { file: files[1], line: 2 }, other: { file: files[0], line: 2 } },
      ]);
    }
  });

  it("are equal if they differ only in the columns that a rejects file adds", async () => {
    const folder = temporaryFolder({
      "a.csv": "ID,NAME,SEQ,migrate_key,migrate_detail\nC1,Ada,1,C1,NAME: Bad.\nC1,Ada,1,C1,\n",
      "b.csv": "migrate_place,SEQ,ID,NAME\nx.csv:3,1,C1,Ada\nx.csv:4,2,C1,Ada\n",
    });
    const [a = "", b = ""] = ["a.csv", "b.csv"].map((name) => join(folder, name));
    for (const [, options] of STORES) {
      const distinct = await read(await plan(["1,C1"], [], { files: [a, b], distinct: true }), options);
      expect(joined(distinct.records)).toEqual([[2, 3]]);
      const pair = await read(await plan(["1,C1"], [], { files: [a] }), options);
      expect(pair.records[0]?.problems).toMatchObject([
        { code: "source_repeated_row", place: { file: a, line: 3 }, other: { file: a, line: 2 } },
      ]);
    }
  });

  it.each([
    ["a number and its text", [{ SEQ: 5 }, { SEQ: "5" }], "5"],
    ["a small number and its text", [{ SEQ: 1e-7 }, { SEQ: "0.0000001" }], "0.0000001"],
    ["a boolean and its text", [{ SEQ: true }, { SEQ: "true" }], "true"],
    ["null, an empty string and a missing value", [{ SEQ: null }, { SEQ: "" }, {}], ""],
  ])("are equal if they contain %s, in JSON and CSV files", async (_title, values, cell) => {
    const rows = values.map((value) => ({ ID: "C1", NAME: "Ada", ...value }));
    const folder = temporaryFolder({
      "rows.json": JSON.stringify(rows),
      "pair.json": JSON.stringify(rows.slice(0, 2)),
      "rows.csv": `SEQ,ID,NAME\n${cell},C1,Ada\n`,
    });
    const filesOf = (...names: readonly string[]): readonly string[] => names.map((name) => join(folder, name));
    for (const [, options] of STORES) {
      for (const files of [filesOf("rows.json"), filesOf("pair.json"), filesOf("rows.json", "rows.csv")]) {
        const { records } = await read(await plan(["1,C1"], [], { files, distinct: true }), options);
        expect(records[0]?.row.children?.get("customers")).toHaveLength(1);
      }
    }
  });

  it("differ if objects or lists in JSON rows have different content", async () => {
    const rows = [{ SEQ: { no: 5 } }, { SEQ: { no: "5" } }, { SEQ: [] }].map((value) => ({ ID: "C1", ...value }));
    const folder = temporaryFolder({ "rows.json": JSON.stringify(rows) });
    const files = [join(folder, "rows.json")];
    const { records } = await read(await plan(["1,C1"], [], { files, distinct: true }));
    expect(records[0]?.row.children?.get("customers")).toHaveLength(3);
  });

  it("are ordered as the mapping declares, and a cell in another format is a problem", async () => {
    const order = { column: "SEQ", cells: NUMBERS };
    const sorted = await read(await plan(["1,C1"], ["C1,A,10", "C1,B,9"], { orderBy: order }));
    expect(joined(sorted.records)).toEqual([[3, 2]]);
    const { records } = await read(await plan(["1,C1"], ["C1,A,x", "C1,B,9", "C1,C,"], { orderBy: order }));
    expect(joined(records)).toEqual([[3, 2, 4]]);
    expect(records[0]?.problems).toMatchObject([
      { code: "source_bad_order", wanted: "a number", place: { line: 2, column: "SEQ" } },
      { code: "source_bad_order", place: { line: 4 } },
    ]);
  });

  it("are reduced to one row by `pick`, and the problems of the other rows are kept", async () => {
    const by = { column: "SEQ", cells: NUMBERS };
    const customers = ["C1,A,10", "C1,B,9", "C1,C,10"];
    const taken = async (pick: RowChoice) => joined((await read(await plan(["1,C1"], customers, { pick }))).records);
    expect(await taken({ take: "first" })).toEqual([[2]]);
    expect(await taken({ take: "last" })).toEqual([[4]]);
    expect(await taken({ take: "first", by })).toEqual([[3]]);
    expect(await taken({ take: "last", by })).toEqual([[4]]);
    expect(await taken({ take: "last", by, per: "SEQ" })).toEqual([[3, 4]]);
    const ragged = await read(await plan(["1,C1"], ["C1,A,1,x", "C1,B,2"], { pick: { take: "last" } }));
    expect(joined(ragged.records)).toEqual([[3]]);
    expect(problemsOf(ragged.records)).toEqual(["source_ragged_row@2"]);
  });
});

describe("a join without matches", () => {
  it("ends the run and reports the shapes of both columns", async () => {
    for (const [, options] of STORES) {
      const failure = await failureOf(read(await plan(["1,10001"], ["C1,Ada,1", "C2,Ben,1"]), options));
      expect(failure).toMatchObject({ code: "source_no_match", exitCode: 2, place: { line: 2, column: "ID" } });
      expect(failure.message).toBe("customers: 0 of 2 rows match accounts.CUST");
      expect(failure.hint).toMatch(/customers\.csv:2 has a key like A9, but .*accounts\.csv:2 has a key like 9\{5\}/);
    }
  });

  it("reports that the keys of both columns have the same shape", async () => {
    const { hint } = await failureOf(read(await plan(["1,B7"], ["C1,Ada,1", "C2,Ben,1"])));
    expect(hint).toMatch(/the keys in .*customers\.csv:2 and .*accounts\.csv:2 both look like A9, but no keys match$/);
  });

  it("reports orphans if keys are similar, or if there is one row or no parent", async () => {
    const near = await read(await plan(["1,c1"], ["C1,Ada,1", "C2,Ben,1"]));
    expect(problemsOf(near.records)).toEqual(["source_orphan_row@2:1", "source_orphan_row@3:1"]);
    expect(problemsOf((await read(await plan(["1,10001"], ["C1,Ada,1"]))).records)).toHaveLength(1);
    expect(problemsOf((await read(await plan([], ["C1,Ada,1", "C2,Ben,1"]))).records)).toHaveLength(2);
  });
});

describe("any join", () => {
  const key = fc.constantFrom("1", "2", "3", "10", "x", "");
  const child = fc.tuple(key, fc.constantFrom("a", "b", "c", ""), fc.constantFrom("1", "2", "10"));
  const options = fc.record({
    distinct: fc.boolean(),
    key: fc.constantFrom(undefined, "ID", "NAME"),
    orderBy: fc.constantFrom(undefined, { column: "SEQ", cells: NUMBERS }),
    pick: fc.constantFrom<RowChoice | undefined>(
      undefined,
      { take: "first" },
      { take: "last", per: "NAME" },
      { take: "last", by: { column: "SEQ", cells: NUMBERS } },
    ),
    sorted: fc.boolean(),
  });

  it("returns the same records as a naive join in memory", async () => {
    const property = fc.asyncProperty(
      fc.array(key, { maxLength: 8 }),
      fc.array(child, { maxLength: 12 }),
      options,
      async (parents, children, { sorted, ...drawn }) => {
        const keys = ["1", ...(sorted ? parents.toSorted() : parents)];
        const rows: Drawn[] = [["1", "a", "1"], ...(sorted ? children.toSorted(byKey) : children)];
        const spec = await plan(
          keys.map((each, index) => `${index},${each}`),
          rows.map((cellsOf) => cellsOf.join()),
          Object.fromEntries(Object.entries(drawn).filter(([, value]) => value !== undefined)),
        );
        const expected = naiveJoin(keys, rows, drawn);
        for (const [, where] of STORES) {
          const { records } = await read(spec, where);
          const found = records.map(({ row, orphan }) => (orphan ? [`orphan ${row.line}`] : childLines(row)));
          expect(found).toEqual(expected.rows);
          expect(duplicatesIn(records)).toEqual(expected.duplicates);
        }
      },
    );
    await fc.assert(property, { numRuns: 60 });
  });
});

type Drawn = readonly [id: string, name: string, seq: string];

function byKey(one: Drawn, other: Drawn): number {
  return one[0] < other[0] ? -1 : Number(one[0] > other[0]);
}

interface NaiveOptions {
  readonly distinct: boolean;
  readonly key: string | undefined;
  readonly orderBy: { readonly column: string } | undefined;
  readonly pick: RowChoice | undefined;
}

/** Joins by scanning all rows for each parent. Line numbers start at 1 and include the header. */
function naiveJoin(parents: readonly string[], children: readonly Drawn[], options: NaiveOptions) {
  const numbered = children.map((row, index) => ({ line: index + 2, row }));
  const taken = (id: string): readonly (typeof numbered)[number][] => {
    let rows = numbered.filter(({ row }) => id !== "" && row[0] === id);
    if (options.distinct) {
      rows = rows.filter(({ row }, index) => rows.findIndex((each) => each.row.join() === row.join()) === index);
    }
    const bySeq = (list: typeof rows) => list.toSorted((a, b) => Number(a.row[2]) - Number(b.row[2]));
    if (options.orderBy !== undefined) rows = bySeq(rows);
    const { pick } = options;
    if (pick === undefined) return rows;
    const ordered = pick.by === undefined ? rows : bySeq(rows);
    return rows.filter((each) => {
      const same = ordered.filter(({ row }) => pick.per === undefined || row[1] === each.row[1]);
      return same.at(pick.take === "first" ? 0 : -1) === each;
    });
  };
  const orphans = numbered.filter(({ row }) => row[0] === "" || !parents.includes(row[0]));
  const leavesOut = options.distinct || options.pick !== undefined;
  const known = leavesOut ? [...new Set(numbered.map(({ row }) => row[0]))].flatMap(taken) : numbered;
  const keyOf = ({ row }: (typeof numbered)[number]) => (options.key === "ID" ? row[0] : row[1]);
  const shown = new Set([...parents.flatMap((id) => taken(id)), ...orphans].map(({ line }) => line));
  const duplicates = known.filter(
    (each) =>
      options.key !== undefined &&
      shown.has(each.line) &&
      keyOf(each) !== "" &&
      known.some((other) => other !== each && keyOf(other) === keyOf(each)),
  );
  return {
    rows: [...parents.map((id) => taken(id).map(({ line }) => line)), ...orphans.map(({ line }) => [`orphan ${line}`])],
    duplicates: [...new Set(duplicates.map(({ line }) => line))].toSorted((a, b) => a - b),
  };
}

/** Returns the lines of the rows with a duplicate key. Also asserts that each problem names another row. */
function duplicatesIn(records: readonly InputRecord[]): readonly number[] {
  const lines = new Set<number>();
  for (const { problems } of records) {
    for (const problem of problems) {
      if (problem.code !== "source_duplicate_key" || !("other" in problem)) continue;
      expect(problem.other.line).not.toBe(problem.place?.line);
      lines.add(problem.place?.line ?? 0);
    }
  }
  return [...lines].toSorted((a, b) => a - b);
}
