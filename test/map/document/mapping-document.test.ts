import { describe, expect, test } from "vitest";
import { readMapping } from "../../../src/map/document/mapping-document.ts";
import { failureOf } from "../rows.ts";

const read = (text: string) => readMapping({ file: "mapping.yaml", text });

describe("readMapping:", () => {
  test("every part of a mapping is read", () => {
    const document = read(`
operation: POST /data-import/accounts/
key: external_account_number
functions: ./functions.mjs
sources:
  accounts: { files: accounts*.csv, key: REF }
  meters: { files: [a.csv, b.csv], parent: accounts, on: REF, orderBy: SEQ }
payload:
  account_type: { from: TYPE, lookup: codes/types.csv }
  customers: { each: meters, item: [{ a: { from: T, lookup: codes/more.csv } }, { b: { from: T, lookup: codes/types.csv } }] }
  lookup: { lookup: COLUMN, other: COLUMN }
`);
    expect(document).toMatchObject({
      file: "mapping.yaml",
      operation: "POST /data-import/accounts/",
      key: ["external_account_number"],
      functions: "./functions.mjs",
      lookupFiles: ["codes/types.csv", "codes/more.csv"],
    });
    expect([...document.sources]).toEqual([
      ["accounts", { files: ["accounts*.csv"], key: "REF" }],
      ["meters", { files: ["a.csv", "b.csv"], parent: "accounts", on: "REF", orderBy: { column: "SEQ" } }],
    ]);
    expect(document.lineOf(["payload", "customers", "item"])).toBe(10);
  });
  test.each([
    ["", "mapping.yaml: this file is empty"],
    ["# to be written\n", "mapping.yaml: this file is empty"],
    ["[1]", "must be an object"],
    ["key: a", "has no payload"],
    ["payload: []", "mirrors the payload"],
    ["payload: {}\npayloads: {}", 'did you mean "payload"?'],
    ["payload: {}\nkey: 5", "mapping.yaml:2:1: key: must be a string"],
    ["payload: {}\nsources: []", "sources: must be an object"],
    ["payload: {}\nsources: { a: 5 }", "sources.a: must be an object"],
    ["payload: {}\nsources: { a: { file: x } }", 'did you mean "files"?'],
    ["payload: {}\nsources: { a: { files: {} } }", "a path, a glob, or a list"],
    ["payload: {}\nsources: { a: { key: [x] } }", "sources.a.key: must be a string"],
    ["payload: {a: &a [*a]}", "refers to a value that contains it"],
    ["payload: {a: b, a: c}", "occurs twice"],
    ['payload: {"__proto__": b}', "__proto__"],
    ["payload: {a: [}", "mapping.yaml:1"],
  ])("%j is rejected", (text, words) => {
    const failure = failureOf(() => read(text));
    expect(failure.code).toBe("mapping_invalid");
    expect(`${failure.message} ${failure.hint ?? ""}`).toContain(words);
  });
  test("an empty file is rejected, and the hint names an example", () =>
    expect(failureOf(() => read(""))).toMatchObject({
      hint: "docs/mapping.md begins with an example of a mapping",
      place: { file: "mapping.yaml", line: 1 },
    }));
  test("only `payload` is required", () => {
    const document = read("payload: { id: { from: ID, upper: true } }");
    expect(document).toMatchObject({ payload: { id: { from: "ID", upper: true } }, parameters: {}, measures: [] });
    expect(document.sources).toEqual(new Map());
    expect(document.steps).toEqual(new Map());
    expect(document.lookupFiles).toEqual([]);
    for (const name of ["operation", "key", "after", "functions"]) expect(document).not.toHaveProperty(name);
  });
  test("values for steps and parameters are read", () => {
    const document = read("payload: {}\nsteps: { stage: { a: A }, process: {} }\nparameters: { company: COMPANY }");
    expect(document.steps).toEqual(
      new Map([
        ["stage", { a: "A" }],
        ["process", {}],
      ]),
    );
    expect(document.parameters).toEqual({ company: "COMPANY" });
  });
  test.each([
    ["stage-account", { operation: "stage-account" }],
    ["{ operation: stage-account }", { operation: "stage-account" }],
    ["{ operation: stage-account, key: account.0.ref }", { operation: "stage-account", key: ["account", 0, "ref"] }],
  ])("after: %s names an operation", (after, expected) =>
    expect(read(`payload: {}\nafter: ${after}`).after).toEqual(expected),
  );
  test("a source may have any of the options, or none", () => {
    const { sources } = read(
      "payload: {}\nsources:\n  a:\n  b: { files: 5, sheet: S, distinct: false }\n  c: { distinct: true }",
    );
    expect([...sources]).toEqual([
      ["a", {}],
      ["b", { files: ["5"], sheet: "S" }],
      ["c", { distinct: true }],
    ]);
  });
  test.each([
    ["payload: { a: { from: A, lookup: a.csv } }", ["a.csv"]],
    ["payload: { a: { from: A, lookup: { D: DOMESTIC } } }", []],
    ["payload: { reading: { value: V, lookup: L } }", []],
    ["payload: { reading: { from: F, lookup: L, note: N } }", []],
    ["payload: { reading: { from: F, note: { from: N, lookup: n.csv } } }", ["n.csv"]],
    ["payload: {}\nsteps: { s: { a: { from: A, lookup: s.csv } } }", ["s.csv"]],
    ["payload: {}\nparameters: { p: { from: P, lookup: p.csv } }", ["p.csv"]],
  ])("%j refers to the lookup files %j", (text, files) => expect(read(text).lookupFiles).toEqual(files));
  test.each([
    ["payload: {}\npayloads: {}", "2:1: payloads: is unknown"],
    ["payload: []", "1:1: payload: must be an object that mirrors the payload"],
    ["payload: {}\noperation: 5", "2:1: operation: must be a string"],
    ["payload: {}\nkey: ''", "2:1: key: must not be empty"],
    ["payload: {}\nfunctions: [a.mjs]", "2:1: functions: must be a string"],
    ["payload: {}\nparameters: 5", "2:1: parameters: must be an object, such as { name: value }"],
    ["payload: {}\nsteps:\n  stage: A", "3:3: steps.stage: must be an object, such as { name: value }"],
    ["payload: {}\nafter: { operation: a, keys: b }", "2:24: after.keys: is unknown"],
    ["payload: {}\nafter: { operation: a, key: [b] }", "2:24: after.key: must be a string"],
    ["payload: {}\nafter: { operation: 5 }", "2:10: after.operation: must be a string"],
    ["payload: {}\nafter: { key: b }", "2:1: after: must name an operation"],
    ["payload: {}\nsources:\n  a: { files: [[]] }", "3:8: sources.a.files: must be a path, a glob, or a list of them"],
    ["payload: {}\nsources:\n  a: { sheet: 5 }", "3:8: sources.a.sheet: must be a string"],
    ["payload: {}\nsources:\n  a: { distinct: 5 }", "3:8: sources.a.distinct: must be true or false"],
    ["payload: {}\nsources:\n  a: { rename: 5 }", "3:8: sources.a.rename: must be an object, such as { name: value }"],
  ])("%j is rejected with the place of the error: %s", (text, message) =>
    expect(failureOf(() => read(text)).message).toBe(`mapping.yaml:${message}`),
  );
  test.each(["5", "''", "[a]", "{}"])("after: %s does not name an operation", (after) =>
    expect(failureOf(() => read(`payload: {}\nafter: ${after}`)).message).toBe(
      "mapping.yaml:2:1: after: must name an operation",
    ),
  );
  test("a list is rejected", () =>
    expect(failureOf(() => read("[1]")).message.split("\n")).toEqual([
      "mapping.yaml: 2 errors in the mapping",
      "  mapping.yaml:1:1: must be an object, such as { name: value }",
      "  mapping.yaml:1:1: the mapping has no payload",
    ]));
});
