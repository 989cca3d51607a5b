import { join } from "node:path";
import { writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { SourceSpec } from "../../src/model/source-spec.ts";
import { MAX_SEARCHED_ROWS, type MissingPaths } from "../../src/read/input/missing-paths.ts";
import { openInput } from "../../src/read/input/open-input.ts";
import { temporaryFolder } from "../temporary-folder.ts";

test("finds the paths that no row of a JSON source has, and suggests similar ones", async () => {
  const rows = [
    { ref: "1", contact: { phones: ["07"] } },
    { ref: "2", name: "Ada", "old.name": null },
  ];
  const wanted = ["ref", "nmae", "name", "old.name", "contact.phone.0", "contact.phones.0", "zzz"];
  const paths = [
    { path: "nmae", near: "name" },
    { path: "contact.phone.0", near: "contact.phones.0" },
    { path: "zzz", near: undefined },
  ];
  expect(await missingIn({ "a.json": JSON.stringify(rows) }, wanted)).toEqual([{ file: "a.json", rows: 2, paths }]);
});

test("a path that any file of a source has is not missing", async () => {
  const wanted = ["ref", "name"];
  expect(await missingIn({ "1.ndjson": '{"ref":"1"}\n', "2.ndjson": '{"name":null}\n' }, wanted)).toEqual([]);
  expect(await missingIn({ "1.ndjson": '{"ref":"1"}\n', "2.csv": "ref,name\n2,Ada\n" }, wanted)).toEqual([]);
  expect(await missingIn({ "1.json": "[]" }, wanted)).toEqual([]);
});

test("reads only the first rows of a large JSON source to find missing paths", async () => {
  const content = `${'{"ref":"1"}\n'.repeat(MAX_SEARCHED_ROWS)}{"name":"Ada"}\n`;
  expect(await missingIn({ "a.ndjson": content }, ["ref", "name"])).toMatchObject([
    { rows: MAX_SEARCHED_ROWS, paths: [{ path: "name" }] },
  ]);
});

test("looks for the paths by which the rows of a JSON source are ordered and selected", async () => {
  const folder = temporaryFolder();
  const [root, below] = [join(folder, "root.csv"), join(folder, "below.ndjson")];
  writeFileSync(root, "ref\n1\n");
  writeFileSync(below, '{"root":"1","seq":1,"changed":2}\n');
  const child = { name: "below", files: [below], children: [], on: "root", orderBy: { column: "sqe" } };
  const pick = { take: "last", by: { column: "chnaged" }, per: "kind" } as const;
  const plan: SourceSpec = { name: "root", files: [root], key: "ref", children: [{ ...child, pick }] };
  const [missing] = await missingPathsOf(plan, new Map([["root", ["unknown"]]]));
  expect(missing?.paths).toEqual([
    { path: "sqe", near: "seq" },
    { path: "chnaged", near: "changed" },
    { path: "kind", near: undefined },
  ]);
});

async function missingIn(
  files: Readonly<Record<string, string>>,
  wanted: readonly string[],
): Promise<readonly MissingPaths[]> {
  const folder = temporaryFolder();
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
  const paths = Object.keys(files).map((name) => join(folder, name));
  const found = await missingPathsOf({ name: "a", files: paths, children: [] }, new Map([["a", wanted]]));
  return found.map((one) => ({ ...one, file: one.file.slice(folder.length + 1) }));
}

async function missingPathsOf(
  plan: SourceSpec,
  wanted: ReadonlyMap<string, readonly string[]>,
): Promise<readonly MissingPaths[]> {
  const input = await openInput(plan, { tempFolder: join(temporaryFolder(), "temp"), onNotice: () => undefined });
  try {
    return await input.missingPaths(wanted);
  } finally {
    await input.close();
  }
}
