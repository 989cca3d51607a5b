import { writeFileSync } from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { JsonObject, JsonValue } from "../../../src/json/json-value.ts";
import { collectIssues } from "../../../src/map/document/mapping-issues.ts";
import { readReplacements as compile } from "../../../src/map/leaf/replacement.ts";
import {
  readReplacements,
  type Replacement,
  writeReplacements,
} from "../../../src/web/client/pages/mapping/entry/replacements.ts";
import { fieldNamed, textIn, workedExample } from "./mapping-scene.ts";

const scene = workedExample();
const TEXT = textIn(scene.folder);
const MOBILE = ["payload", "customers", "item", "mobile"];
const text = (from: string, to: string): Replacement => ({ isPattern: false, from, to });
const pattern = (from: string, to: string): Replacement => ({ isPattern: true, from, to });
const read = (option: JsonValue | undefined): readonly Replacement[] =>
  (readReplacements(option) ?? []).map(({ isPattern, from, to }) => ({ isPattern, from, to }));

test.each<[JsonValue, readonly Replacement[]]>([
  [{ " ": "", "-": "" }, [text(" ", ""), text("-", "")]],
  [{ from: "a", to: "b" }, [text("a", "b")]],
  [{ pattern: "^0", to: "+44" }, [pattern("^0", "+44")]],
  [
    [["a", "b"], { pattern: "c$", to: "" }],
    [text("a", "b"), pattern("c$", "")],
  ],
])("reads %j", (option, rows) => {
  expect(read(option)).toEqual(rows);
});

test.each<[JsonValue]>([[7], [{ a: 1 }], [[["a"]]], [["a", "b"]]])("does not read %j", (option) => {
  expect(readReplacements(option)).toBeUndefined();
});

test("writes pairs only if they keep their order and cannot be mistaken for options", () => {
  expect(writeReplacements([text(" ", ""), text("-", "")], undefined)).toEqual({ " ": "", "-": "" });
  expect(writeReplacements([text("b", "x"), text("1", "y")], undefined)).toEqual([
    { from: "b", to: "x" },
    { from: "1", to: "y" },
  ]);
  expect(writeReplacements([text("from", "x")], undefined)).toEqual({ from: "from", to: "x" });
  expect(writeReplacements([], undefined)).toBeUndefined();
  const list = [["a", "b"], { from: "c", to: "d" }] as const;
  const [first, second] = readReplacements(list) ?? [];
  if (first === undefined || second === undefined) throw new Error("not read");
  expect(writeReplacements([first, { ...text("c", "e") }], list)).toEqual([["a", "b"], { from: "c", to: "e" }]);
});

const row = fc
  .record({ isPattern: fc.boolean(), from: fc.string({ minLength: 1, maxLength: 3 }), to: fc.string({ maxLength: 3 }) })
  .filter(({ from }) => from !== "__proto__");

test("reads written replacements back in the same order, and they compile", () => {
  fc.assert(
    fc.property(fc.array(row, { maxLength: 4 }), fc.boolean(), (rows, isList) => {
      const option = writeReplacements(rows, isList ? [] : undefined);
      expect(read(option)).toEqual(rows);
      const literals = writeReplacements(
        rows.filter(({ isPattern }) => !isPattern),
        isList ? [] : undefined,
      );
      const document = { file: "mapping.yaml", pointOf: () => ({ line: 1, column: 1, excerpt: undefined }) };
      const issues = collectIssues(document);
      compile(literals, [], document, issues);
      expect(() => issues.raise()).not.toThrow();
    }),
  );
});

/** Returns the mapping with other replacements in the `mobile` field. */
async function withReplacements(before: string, replace: JsonValue | undefined): ReturnType<typeof scene.view> {
  const leaf: JsonObject = { from: "MOBILE", ...(replace !== undefined && { replace }) };
  return scene.view(before, [{ kind: "set", path: MOBILE, leaf }]);
}

const LINES = TEXT.replace(
  /( *)mobile: .*\n/,
  `$1mobile:
$1  from: MOBILE
$1  replace:
$1    - { from: " ", to: "" } # spaces
$1    - { from: "-", to: "" } # dashes
$1    - { pattern: "^0", to: "+44" } # national
`,
);

test("changes, adds and removes one replacement, and keeps the lines of the other replacements", async () => {
  const before = fieldNamed(await scene.view(LINES), "customers.*.mobile").entry?.leaf?.["replace"];
  const rows = readReplacements(before) ?? [];
  expect(rows).toHaveLength(3);
  const changed = await withReplacements(LINES, writeReplacements(rows.with(1, text("/", "")), before));
  expect(changed.text).toBe(LINES.replace('from: "-"', 'from: "/"'));
  const removed = await withReplacements(LINES, writeReplacements(rows.toSpliced(0, 1), before));
  expect(removed.text).toBe(
    LINES.replace(/- { from: " ".*\n/, "# 0: spaces\n").replace('    - { from: " ", to: "" } #', "    #"),
  );
  const added = await withReplacements(LINES, writeReplacements([...rows, text(".", "")], before));
  expect(added.text).toBe(LINES.replace("# national\n", '# national\n          - { from: ".", to: "" }\n'));
  expect(added.error).toBeUndefined();
  expect((await withReplacements(added.text, before)).text).toBe(LINES);
});

test("keeps the order of pairs when one of them changes", async () => {
  const pairs = TEXT.replace('replace: { " ": "" }', "replace: { a: b, b: c, c: d }");
  const made = await withReplacements(pairs, { a: "b", x: "y", c: "d" });
  expect(made.text).toContain('replace: { a: b, x: "y", c: d }');
});

test("shows why a pattern is refused", async () => {
  const { error } = await withReplacements(TEXT, { pattern: "(a+)+$", to: "" });
  expect(error).toMatchObject({ code: "mapping_invalid", message: expect.stringContaining("replace") });
});

test("reads a lookup table from a file, and reports a file that is not a table", async () => {
  const at = ["payload", "account_type"];
  writeFileSync(path.join(scene.folder, "types.csv"), "code,type\nD,DOMESTIC\nB,BUSINESS\n");
  const made = await scene.view(TEXT, [{ kind: "set", path: at, leaf: { from: "TYPE", lookup: "types.csv" } }]);
  expect(made.text).toContain("account_type: { from: TYPE, lookup: types.csv }");
  expect(made.error).toBeUndefined();
  expect(await scene.check(made.text)).toMatchObject({ valid: 2 });
  const other = await scene.view(made.text, [{ kind: "set", path: at, leaf: { from: "TYPE", lookup: "none.csv" } }]);
  expect(other.error).toMatchObject({ code: "mapping_invalid", message: expect.stringContaining("none.csv") });
  writeFileSync(path.join(scene.folder, "types.csv"), "code,type\nD,DOMESTIC\nD,BUSINESS\n");
  const twice = await scene.view(made.text);
  expect(twice.error).toMatchObject({ code: "mapping_invalid", message: expect.stringContaining("types.csv:3") });
});
