import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { temporaryFolder } from "../temporary-folder.ts";
import { type CliEnd, runCli } from "./cli.ts";

const CONTRACT = `
openapi: 3.0.3
info: { title: t, version: "1" }
paths:
  /data-import/accounts/:
    post:
      operationId: import
      x-migrate-key: ref
      requestBody:
        content:
          application/json:
            schema:
              type: object
              required: [ref, name]
              properties:
                ref: { type: string, pattern: "^[0-9-]+$" }
                name: { type: string, maxLength: 20 }
                city: { type: string }
      responses: { "201": { description: ok } }
`;

const LONG = "a name that is longer than the contract allows";

interface Exported {
  /** Replaces texts in a rejects file, then validates the rejects. */
  readonly revalidate: (
    file: string,
    changes: Readonly<Record<string, string>>,
    ...flags: readonly string[]
  ) => Promise<CliEnd>;
}

/** Writes the rejects of an extract. */
async function exported(mapping: string, files: Readonly<Record<string, string>>): Promise<Exported> {
  const folder = temporaryFolder();
  for (const [name, text] of Object.entries({ ...files, "contract.yaml": CONTRACT, "mapping.yaml": mapping }))
    writeFileSync(path.join(folder, name), text);
  writeFileSync(path.join(folder, "migrate.yaml"), "contract: contract.yaml\nmapping: mapping.yaml\n");
  const migrate = (...words: readonly string[]): Promise<CliEnd> => runCli(words, { cwd: folder });
  expect((await migrate("validate", "--out", "report")).code).toBe(1);
  return {
    revalidate: (name, changes, ...flags) => {
      const file = path.join(folder, "report", name);
      const text = Object.entries(changes).reduce(
        (now, [from, to]) => {
          expect(now).toContain(from);
          return now.replace(from, to);
        },
        readFileSync(file, "utf8"),
      );
      writeFileSync(file, text);
      return migrate("validate", "--rejects", "report", ...flags);
    },
  };
}

function nested(id = "0005501"): Promise<Exported> {
  return exported(
    "sources: { a: { files: a.json } }\npayload: { ref: account.id, name: account.name, city: account.city }",
    { "a.json": JSON.stringify([{ account: { id, name: LONG, city: "Derby" } }]) },
  );
}

describe("in JSON rejects", () => {
  test("a key and a value without errors are refused if they are next to the value with the error", async () => {
    const { revalidate } = await nested();
    const { code, stderr } = await revalidate("rejects.ndjson", { [LONG]: "Ann", "0005501": "5501", Derby: "York" });
    expect(code).toBe(2);
    expect(stderr).toContain("1 row exported, 1 returned, 1 cell corrected in 1 row");
    expect(stderr).toContain(
      "1 key changed: source a, column account.id, 9{7} -> 9{4}, a spreadsheet drops leading zeros",
    );
    expect(stderr).toContain("1 cell without errors changed: source a, column account.city, Aaaa, a different value");
  });

  test("a value with an error may be removed, added or replaced by another type", async () => {
    const { revalidate } = await nested();
    const { code, stderr } = await revalidate("rejects.ndjson", { [`"${LONG}"`]: '{"first":"Ann"}' });
    expect(stderr).toContain("2 cells corrected in 1 row");
    expect(code).toBe(1);
    expect((await revalidate("rejects.ndjson", { '{"first":"Ann"}': '"Ann"' })).code).toBe(0);
  });

  test("a key with an error may be corrected", async () => {
    const { revalidate } = await nested("A-1");
    expect((await revalidate("rejects.ndjson", { [LONG]: "Ann", "A-1": "1" })).code).toBe(0);
  });

  test("the join keys of two rows cannot be swapped", async () => {
    const { revalidate } = await exported(
      `sources:
  a: { files: a.ndjson, key: acc.id }
  c: { files: c.ndjson, parent: a, on: link.acc, key: link.no, pick: first }
payload: { ref: acc.id, name: c.link.name }`,
      {
        "a.ndjson": '{"acc":{"id":"0001"}}\n{"acc":{"id":"0002"}}\n',
        "c.ndjson": ["0001", "0002"]
          .map((acc) => `${JSON.stringify({ link: { acc, no: acc, name: LONG + acc } })}\n`)
          .join(""),
      },
    );
    const { code, stderr } = await revalidate("rejects.c.ndjson", {
      '"acc":"0001"': '"acc":"000X"',
      '"acc":"0002"': '"acc":"0001"',
      "000X": "0002",
      [`${LONG}0001`]: "Ann",
      [`${LONG}0002`]: "Bert",
    });
    expect(code).toBe(2);
    expect(stderr).toContain("2 keys changed: source c, column link.no");
  });
});

describe("a column of the business key that lost zeros requires --new-keys, and can be restored", () => {
  test.each([
    [
      "several columns are joined",
      'payload: { ref: { from: [FIRST, LAST], join: "-" }, name: NAME }',
      { "a.csv": `NAME,FIRST,LAST\n${LONG},0071,0002\n` },
      { file: "rejects.csv", from: ",0002,", to: ",2,", column: "source a, column LAST" },
    ],
    [
      "the first row uses another column",
      "payload: { ref: { from: [FIRST, LAST] }, name: NAME }",
      { "a.csv": `NAME,FIRST,LAST\n${LONG},0071,\n${LONG},,0002\n` },
      { file: "rejects.csv", from: ",0002,", to: ",2,", column: "source a, column LAST" },
    ],
    [
      "the column is in a joined row",
      "  b: { files: b.csv, parent: a, on: ID, pick: first }\npayload: { ref: b.REFNO, name: NAME }",
      { "a.csv": `ID,NAME\nX,${LONG}\n`, "b.csv": "ID,REFNO\nX,0002\n" },
      { file: "rejects.b.csv", from: ",0002,", to: ",2,", column: "source b, column REFNO" },
    ],
  ])("if %s", async (_why, mapping, files, { file, from, to, column }) => {
    const { revalidate } = await exported(
      `sources:\n  a: { files: a.csv, key: ${"b.csv" in files ? "ID" : "NAME"} }\n${mapping}`,
      files,
    );
    const accepted = await revalidate(file, { [from]: to }, "--accept-changes");
    expect(accepted.code).toBe(2);
    expect(accepted.stderr).toContain(`1 key changed: ${column}, 9{4} -> 9, a spreadsheet drops leading zeros`);
    expect((await revalidate(file, {}, "--accept-changes", "--new-keys")).code).toBe(1);
    const restored = await revalidate(file, {}, "--restore-keys");
    expect([restored.code, restored.stderr]).toEqual([1, expect.stringContaining(`1 key restored: ${column}`)]);
  });
});
