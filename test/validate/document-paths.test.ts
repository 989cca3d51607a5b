import { expect, test } from "vitest";
import type { JsonObject } from "../../src/json/json-value.ts";
import { compileDocumentPaths } from "../../src/validate/document-paths.ts";
import { choice, list, object, text, union } from "./field-types.ts";
import type { FieldType } from "../../src/contract/types/field-type.ts";

const PATH = text({ documentPath: true });
const LETTER = object({ "kind!": choice(["letter"]), file: PATH });
const CALL = object({ "kind!": choice(["call"]), file: text() });

function found(type: FieldType, payload: JsonObject): readonly string[] | undefined {
  return compileDocumentPaths(type)?.(payload).map(({ path, value }) => `${path.join(".")} ${value}`);
}

test("finds document paths at any depth, in the order of the payload", () => {
  const type = object({
    name: text(),
    notes: list(object({ body: text(), papers: list(object({ path: PATH })) })),
    files: list(PATH),
    byName: object({}, { additional: PATH }),
  });
  const payload = {
    byName: { a: "1" },
    name: "not/a/path.pdf",
    notes: [{ body: "x" }, { papers: [{ path: "2" }, { path: "3" }] }],
    files: ["4", "5"],
  };
  expect(found(type, payload)).toEqual([
    "byName.a 1",
    "notes.1.papers.0.path 2",
    "notes.1.papers.1.path 3",
    "files.0 4",
    "files.1 5",
  ]);
});

test("counts a number as a path, as the platform does, but not null, an empty string or other values", () => {
  const type = object({ a: PATH, b: PATH, c: PATH, d: PATH, e: list(PATH) });
  expect(found(type, { a: 12, b: null, c: "", d: ["x"], e: "x" })).toEqual(["a 12"]);
});

test("searches every option of a union and returns each path once", () => {
  expect(found(object({ it: union([CALL, LETTER, object({ file: PATH })]) }), { it: { file: "a" } })).toEqual([
    "it.file a",
  ]);
});

test("follows a recursive type to the depth of the payload", () => {
  const properties = new Map();
  const folder = { ...object({}), properties };
  for (const [name, type] of Object.entries({ file: PATH, within: list(folder) })) {
    properties.set(name, { name, required: false, readOnly: false, type });
  }
  expect(found(folder, { file: "a", within: [{ within: [{ file: "b" }] }] })).toEqual([
    "file a",
    "within.0.within.0.file b",
  ]);
});

test("returns undefined for a type without document paths", () => {
  expect(compileDocumentPaths(object({ a: text(), b: list(CALL) }))).toBeUndefined();
});
