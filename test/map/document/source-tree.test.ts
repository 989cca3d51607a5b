import { describe, expect, test } from "vitest";
import { readMapping } from "../../../src/map/document/mapping-document.ts";
import { planSources, type GivenSources } from "../../../src/map/document/source-tree.ts";
import type { SourceSpec } from "../../../src/model/source-spec.ts";
import { failureOf } from "../rows.ts";

function given(more: Partial<GivenSources>): GivenSources {
  return { positional: [], named: new Map(), resolve: (path) => `folder/${path}`, ...more };
}

function plan(sources: string, more: Partial<GivenSources> = {}): SourceSpec {
  return planSources(readMapping({ file: "mapping.yaml", text: `payload: {}\n${sources}` }), given(more));
}

function child(options: string): SourceSpec["children"][number] | undefined {
  return plan(`sources: { a: { files: a.csv, key: K }, c: { files: c.csv, parent: a, on: K, ${options} } }`)
    .children[0];
}

describe("planSources:", () => {
  const joined = `sources:
  accounts: { files: accounts.csv, key: REF }
  customers: { files: customers.csv, parent: accounts, on: ACC, orderBy: SEQ, key: ID }
  phones: { files: phones*.csv, parent: customers, on: CUST }
`;

  test("the sources form a tree, and their files are relative to the mapping", () =>
    expect(plan(joined)).toEqual({
      name: "accounts",
      files: ["folder/accounts.csv"],
      key: "REF",
      children: [
        {
          name: "customers",
          files: ["folder/customers.csv"],
          key: "ID",
          on: "ACC",
          orderBy: { column: "SEQ" },
          children: [{ name: "phones", files: ["folder/phones*.csv"], on: "CUST", children: [] }],
        },
      ],
    }));
  test("a join that names the parent's column does not need a key", () =>
    expect(
      plan("sources: { a: { files: a.csv }, c: { files: c.csv, parent: a, on: { ID: CUST }, distinct: true } }"),
    ).toMatchObject({ children: [{ on: "ID", parentKey: "CUST", distinct: true }] }));
  test("pick has a short form and a full form", () => {
    expect(child("pick: first")?.pick).toEqual({ take: "first" });
    expect(child("pick: last by CHANGED ON")?.pick).toEqual({ take: "last", by: { column: "CHANGED ON" } });
    expect(child("pick: { last: CHANGED, per: MPAN }")?.pick).toEqual({
      take: "last",
      by: { column: "CHANGED" },
      per: "MPAN",
    });
    const { by } = child("pick: { first: { column: N, as: number } }")?.pick ?? {};
    expect(["7", "-1.5", "1e3", "x", ""].map((text) => by?.cells?.rank(text))).toEqual([
      7,
      -1.5,
      undefined,
      undefined,
      undefined,
    ]);
  });
  test("rows can be ordered by a column of dates that match a pattern", () => {
    const order = child("orderBy: { column: SINCE, date: dd/MM/yyyy }")?.orderBy;
    const ranks = ["31/12/1999", "01/01/2000", "30/02/2000"].map((text) => order?.cells?.rank(text));
    expect(Number(ranks[0])).toBeLessThan(Number(ranks[1]));
    expect(ranks[2]).toBeUndefined();
    expect(order).toMatchObject({ column: "SINCE", cells: { wanted: "a valid date, written as dd/MM/yyyy" } });
  });
  test.each([
    ["distnct: true", "sources.c.distnct: is unknown", 'did you mean "distinct"?'],
    ["distinct: yes", "sources.c.distinct: must be true or false", ""],
    ["orderBy: { column: A, sa: number }", "sources.c.orderBy.sa: is unknown", 'did you mean "as"?'],
    ["orderBy: { column: A, as: numbr }", "orderBy.as: must be `number` or `text`", 'did you mean "number"?'],
    ["orderBy: { column: A, as: date }", "orderBy.as: must be `number` or `text`", "write its pattern"],
    ["orderBy: { column: A, date: dd/mm/yyyy }", 'orderBy.date: "dd/mm/yyyy"', ""],
    ["orderBy: { as: number }", "orderBy.column: must be a column", "{ column: SEQ, as: number }"],
    ["pick: lst", "sources.c.pick: must state which row to use", "last by <column>"],
    ["pick: { first: A, last: B }", "sources.c.pick: must state which row to use", "last by <column>"],
    ["pick: { lst: A }", "sources.c.pick.lst: is unknown", 'did you mean "last"?'],
    ["pick: { last: A, per: [B] }", "sources.c.pick.per: must be a column", ""],
    ["orderBy: [A]", "sources.c.orderBy: must be a column", "{ column: SEQ, as: number }"],
  ])("%s is rejected", (options, message, hint) => {
    const failure = failureOf(() => child(options));
    expect(failure).toMatchObject({ code: "mapping_invalid", place: { line: 2 } });
    expect(failure.message).toContain(message);
    expect(`${failure.message} ${failure.hint}`).toContain(hint);
  });
  test("columns can be renamed by their number", () =>
    expect(plan('sources: { a: { files: x.csv, rename: { 4: NOTES, "7": OLD } } }').rename).toEqual(
      new Map([
        [4, "NOTES"],
        [7, "OLD"],
      ]),
    ));
  test("a column number has at most six digits", () => {
    const rename = "{ 1: A, 10: B, 999999: C }";
    expect(plan(`sources: { a: { files: x.csv, rename: ${rename} } }`).rename).toEqual(
      new Map([
        [1, "A"],
        [10, "B"],
        [999_999, "C"],
      ]),
    );
  });
  test.each(["NAME", "0", "04", "4x", "x4", "-1", "1.5", "1000000"])("the column number %s is rejected", (number) => {
    const failure = failureOf(() => plan(`sources: { a: { files: x.csv, rename: { "${number}": NOTES } } }`));
    expect(failure.message).toBe(`mapping.yaml:2:41: sources.a.rename.${number}: must be the number of a column`);
    expect(failure.hint).toContain("columns are counted from 1: { 4: NOTES }");
  });
  test.each(["''", "' '", "5", "[NOTES]"])("the column name %s is rejected", (name) =>
    expect(failureOf(() => plan(`sources: { a: { files: x.csv, rename: { 4: ${name} } } }`)).message).toBe(
      "mapping.yaml:2:41: sources.a.rename.4: must be a name (a string)",
    ),
  );
  test.each([
    ["{ NAME: SURNAME }", "must be the number of a column"],
    ["{ 0: SURNAME }", "must be the number of a column"],
    ["{ 4: '' }", "must be a name"],
    ["[SURNAME]", "must be an object"],
  ])("rename: %s is rejected", (rename, words) => {
    const failure = failureOf(() => plan(`sources: { a: { files: x.csv, rename: ${rename} } }`));
    expect(failure).toMatchObject({ code: "mapping_invalid", message: expect.stringContaining(words) });
  });
  test("a mapping without sources has one source, which the command line names", () => {
    expect(plan("", { positional: ["a.csv", "-"] })).toEqual({ name: "records", files: ["a.csv", "-"], children: [] });
    expect(failureOf(() => plan("")).code).toBe("usage");
  });
  test("positional sources are assigned to the only source without files", () => {
    const open = joined.replace("files: customers.csv, ", "");
    expect(plan(open, { positional: ["c.csv"] })).toMatchObject({
      files: ["folder/accounts.csv"],
      children: [{ files: ["c.csv"] }],
    });
  });
  test("if every source has files, positional sources replace the files of the root source", () =>
    expect(plan(joined, { positional: ["x.csv"] })).toMatchObject({
      files: ["x.csv"],
      children: [{ name: "customers" }],
    }));
  test.each([joined, "sources: { accounts: { key: REF } }"])("root files named in two ways are refused", (sources) => {
    const named = new Map([["accounts", ["a.csv"]]]);
    expect(failureOf(() => plan(sources, { positional: ["x.csv"], named }))).toMatchObject({
      code: "usage",
      message: "the files of source accounts are named both with --source and without it",
      hint: "use only one form: --source accounts=<path>, or only <path>",
    });
    expect(plan(sources, { positional: ["x.csv"], named: new Map([["accounts", []]]) }).files).toEqual(["x.csv"]);
  });
  test("named sources replace the files of the mapping", () =>
    expect(plan(joined, { named: new Map([["phones", ["p.csv"]]]) })).toMatchObject({
      children: [{ children: [{ files: ["p.csv"] }] }],
    }));
  test("an unknown source name is a usage error with a suggestion", () =>
    expect(failureOf(() => plan(joined, { named: new Map([["phone", ["p.csv"]]]) }))).toMatchObject({
      code: "usage",
      message: '--source phone=...: the mapping has no source "phone"',
      hint: 'did you mean "phones"?',
    }));
  test("an empty list of files counts as no files", () => {
    const open = "sources:\n  a: { files: [], key: K }\n  b: { files: b.csv, parent: a, on: K }";
    expect(plan(open, { positional: ["a.csv"] })).toMatchObject({
      files: ["a.csv"],
      children: [{ files: ["folder/b.csv"] }],
    });
    expect(failureOf(() => plan(open)).message).toBe("no files were given for source a");
    expect(failureOf(() => plan(joined, { named: new Map([["phones", []]]) })).message).toBe(
      "no files were given for source phones",
    );
  });
  test("if several sources have no files, positional sources are assigned to the root source", () => {
    const open = "sources:\n  c: { parent: a, on: K }\n  a: { key: K }";
    expect(failureOf(() => plan(open, { positional: ["a.csv"] })).message).toBe("no files were given for source c");
    const named = new Map([["c", ["c.csv"]]]);
    expect(plan(open, { positional: ["a.csv"], named })).toMatchObject({
      name: "a",
      files: ["a.csv"],
      children: [{ name: "c", files: ["c.csv"] }],
    });
  });
  test.each([
    ["", "no files were given for source records", "name the file to read, or - for standard input"],
    ["sources: { a: }", "no files were given for source a", "name the file to read, or - for standard input"],
    [
      "sources: { a: { key: K }, b: { parent: a, on: K } }",
      "no files were given for sources a, b",
      "name them: --source a=<path>, or `files` in the mapping",
    ],
  ])("%j without files is a usage error", (sources, message, hint) =>
    expect(failureOf(() => plan(sources))).toMatchObject({ code: "usage", message, hint }),
  );
  test("a source without any files is a usage error", () =>
    expect(failureOf(() => plan(joined.replace("files: phones*.csv, ", "")))).toMatchObject({
      code: "usage",
      message: "no files were given for source phones",
      hint: "name them: --source phones=<path>, or `files` in the mapping",
    }));
  test.each([
    [
      "  a: { key: K }\n  b: {}\n",
      "4:3: sources.b: a, b have no parent; only one source can be the source of the records",
      "give all but one of them a parent, and a column (on) that contains the parent's key",
    ],
    [
      "  a: { key: K }\n  b: { parent: other, on: K }\n",
      '4:8: sources.b.parent: there is no source "other"',
      "known names: a, b",
    ],
    [
      "  a: {}\n  b: { parent: a, on: K }\n",
      '3:3: sources.a: is the parent of "b", but has no key',
      'add `key`: the column of "a" that "b" refers to',
    ],
    [
      "  a: { key: K }\n  b: { parent: a }\n",
      "4:3: sources.b: has a parent, but no column to join on",
      "add `on`: the column that contains the parent's key",
    ],
    [
      "  r: { key: K }\n  a: { key: K, parent: a, on: K }\n  b: { parent: r, on: K }\n",
      "4:16: sources.a.parent: the source is its own ancestor",
      "",
    ],
  ])("the sources %j are rejected with the place of the error and a hint", (sources, message, hint) => {
    const failure = failureOf(() => plan(`sources:\n${sources}`));
    expect(failure).toMatchObject({ code: "mapping_invalid", message: `mapping.yaml:${message}` });
    expect(failure.hint).toContain(hint);
  });
  test("every source in a cycle is reported, but not the sources below the cycle", () => {
    const cycle =
      "sources:\n  a: { key: K, parent: b, on: K }\n  b: { key: K, parent: a, on: K }\n  c: { parent: a, on: K }";
    expect(failureOf(() => plan(cycle)).message.split("\n")).toEqual([
      "mapping.yaml: 3 errors in the mapping",
      "  mapping.yaml:2:1: sources: every source has a parent; one source must have none",
      "  mapping.yaml:3:16: sources.a.parent: the source is its own ancestor",
      "  mapping.yaml:4:16: sources.b.parent: the source is its own ancestor",
    ]);
  });
  test.each([
    ["sources: { a: { files: x, key: K }, b: { files: y } }", "a, b have no parent"],
    ["sources: { a: { files: x, pick: first } }", "sources.a.pick: has no effect in the root source"],
    ["sources: { a: { files: x }, b: { files: y, parent: a, on: { A: B, C: D } } }", "exactly one pair of columns"],
    ["sources: { a: { files: x }, b: { files: y, parent: a, on: [A] } }", "sources.b.on: must be a column"],
    [
      "sources: { a: { files: x, parent: b, on: K, key: K }, b: { files: y, parent: a, on: K, key: K } }",
      "own ancestor",
    ],
    ["sources: { a: { files: x, key: K }, b: { files: y, parent: b, on: K, key: K } }", "own ancestor"],
    [
      "sources: { a: { files: x }, b: { files: y, parent: a, on: K } }",
      'sources.a: is the parent of "b", but has no key',
    ],
    [
      "sources: { accounts: { files: x, key: K }, b: { files: y, parent: account, on: K } }",
      'did you mean "accounts"?',
    ],
    ["sources: { a: { files: x, key: K }, b: { files: y, parent: a } }", "no column to join on"],
    ["sources: { a: { files: x, on: K } }", "sources.a.on: has no effect in the root source"],
  ])("%s is rejected", (sources, words) => {
    const failure = failureOf(() => plan(sources));
    expect(failure.code).toBe("mapping_invalid");
    expect(`${failure.message} ${failure.hint ?? ""}`).toContain(words);
  });
});
