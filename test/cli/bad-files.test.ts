import { writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { readConfig } from "../../src/cli/settings/config-file.ts";
import { loadContract } from "../../src/contract/load-contract.ts";
import { readMapping } from "../../src/map/document/mapping-document.ts";
import type { Failure } from "../../src/model/failure.ts";
import { readLookup } from "../../src/read/lists/lookup-table.ts";
import { readTextFile } from "../../src/read/text/text-file.ts";
import { failureOf } from "../read/reading.ts";
import { temporaryFolder } from "../temporary-folder.ts";

/** The readers of user-written YAML, keyed by error code. */
const READERS = {
  config: (file: string) => readConfig(file, path.dirname(file)),
  mapping_invalid: async (file: string) => readMapping(await readTextFile(file)),
  contract_invalid: async (file: string) => {
    const [problem] = loadContract([await readTextFile(file)]).findings;
    return problem;
  },
};

/** Each additional level multiplies the number of values by nine. */
const BOMB = ["a: &a [x, x, x, x, x, x, x, x, x]"]
  .concat("bcdefgh".split("").map((name, at) => `${name}: &${name} [${`*${"abcdefgh"[at]}, `.repeat(9)}]`))
  .join("\n");

/** Corrupt files as `[title, content, line]`. */
const CORRUPT: readonly (readonly [string, string, number])[] = [
  ["aliases that multiply", BOMB, 1],
  ["an alias to itself", "a: &a\n  b: *a\n", 2],
  ["a name that occurs twice", "supplier: A\noperation: b\nsupplier: C\n", 3],
  ["a name twice in JSON", '{"supplier": "A",\n"supplier": "B"}', 2],
  ["the name __proto__", "targets:\n  __proto__: { baseUrl: x }\n", 2],
  ["a function", 'a: 1\nb: !!js/function "function () { return 1; }"\n', 2],
  ["binary data", "a: !!binary aGVsbG8=\n", 1],
  ["a merge key", "a: &a { b: 1 }\nc:\n  <<: *a\n", 3],
  ["two documents", "a: 1\n---\nb: 2\n", 2],
  ["a tab as indentation", "a:\n\tb: 1\n", 2],
  ["a quote that is not closed", 'a: 1\nb: "c\n', 3],
  ["very deep nesting", "[".repeat(5000), 1],
];

/** A number that every reader refuses, except the contract reader, which keeps long numbers as text. */
const LONG_NUMBER = ["a number that loses digits", "a: 1\nb: 12345678901234567890\n", 2] as const;

/** Decoding fails before parsing, so the code is always `config`. */
const NOT_TEXT: readonly (readonly [string, string | Buffer])[] = [
  ["binary text", "a: 1\0\n"],
  ["text that is not UTF-8", Buffer.from("a: caf\xe9\n", "latin1")],
  ["UTF-16 text", Buffer.from("\uFEFFa: 1\n", "utf16le")],
];

describe.each(Object.entries(READERS))("the reader with the error code %s, given a corrupt file,", (code, reader) => {
  const refused = async (content: string): Promise<Failure> =>
    failureOf(reader(path.join(temporaryFolder({ "file.yaml": content }), "file.yaml")));

  it.each(code === "contract_invalid" ? CORRUPT : [...CORRUPT, LONG_NUMBER])(
    "reports %s at its line, without hanging",
    async (_, content, line) => {
      const startedAt = performance.now();
      expect(await refused(content)).toMatchObject({ code, exitCode: 2, place: { line } });
      expect(performance.now() - startedAt).toBeLessThan(30_000);
    },
  );
});

describe.each(Object.entries(READERS))("the reader with the error code %s", (_, reader) => {
  it.each(NOT_TEXT)("refuses %s as unreadable", async (_what, content) => {
    const folder = temporaryFolder({});
    const file = path.join(folder, "file.yaml");
    await writeFile(file, content);
    expect(await failureOf(reader(file))).toMatchObject({ code: "config", exitCode: 2 });
  });

  it("refuses a folder or a missing file as unreadable", async () => {
    const folder = temporaryFolder({});
    expect(await failureOf(reader(folder))).toMatchObject({ code: "config" });
    expect(await failureOf(reader(path.join(folder, "none.yaml")))).toMatchObject({ code: "config" });
  });
});

describe("the reader of mappings and lookups", () => {
  it.each([
    ["constructor.constructor('throw 1')()", "payload: { a: \"constructor.constructor('throw 1')()\" }"],
    ["${process.exit()}", 'payload: { a: { value: "${process.exit()}" } }'],
  ])("does not execute %s", (_, text) => {
    expect(readMapping({ file: "m.yaml", text })).toHaveProperty("payload");
  });

  it("refuses a lookup that names a device", async () => {
    expect(await failureOf(readLookup("/dev/zero"))).toMatchObject({ code: "config" });
  });
});
