import { readdirSync, readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { Failure } from "../../src/model/failure.ts";
import { isJsonObject, type JsonValue } from "../../src/json/json-value.ts";
import { read, source } from "../read/reading.ts";
import { corpus, describeCorpus } from "./corpora.ts";
import { temporaryFolder } from "../temporary-folder.ts";

/** Valid documents with a duplicate name in an object. They are rejected, because one value would be lost. */
const NAME_TWICE: ReadonlySet<string> = new Set([
  "y_object_duplicated_key.json",
  "y_object_duplicated_key_and_value.json",
]);

/** Our decisions where RFC 8259 leaves the behaviour to the parser. */
const DECISIONS: readonly {
  readonly names: RegExp;
  readonly code: string | undefined;
  readonly why: string;
}[] = [
  { names: /^i_number_/, code: "source_unsafe_number", why: "a double cannot hold the exact number" },
  {
    names:
      /^i_(object_key_lone_2nd_surrogate|string_(1st|incomplete_surr|invalid_(lonely_)?surrogate|inverted|lone_second))/,
    code: "source_lone_surrogate",
    why: "a lone surrogate cannot be sent as UTF-8",
  },
  {
    names: /^i_string_UTF-16LE_with_BOM/,
    code: "source_not_an_object",
    why: "the byte order mark selects the encoding, and the document is a list",
  },
  { names: /^i_string_utf16.._no_BOM/, code: "source_bad_encoding", why: "undeclared UTF-16" },
  { names: /^i_string_/, code: "source_bad_encoding", why: "bytes that are not UTF-8" },
  { names: /^i_structure_500/, code: "source_too_deep", why: "the limit is 64 levels" },
  { names: /^i_structure_UTF-8_BOM/, code: undefined, why: "a byte order mark is not text" },
];

/** The expected code for each file of `test_transform`; undefined if the file is accepted. */
const TRANSFORMED: readonly (readonly [RegExp, string | undefined])[] = [
  [/^number_(-?9223|10000000000000000999|1\.0{5}|1e-999)/, "source_unsafe_number"],
  [/^number_/, undefined],
  [/^object_same_key_/, "source_duplicate_name"],
  [/^object_key_nf/, undefined],
  [/^string_\d_escaped_invalid/, "source_lone_surrogate"],
  [/^string_\d_invalid/, "source_bad_encoding"],
  [/^string_with_escaped_NULL/, undefined],
];

describeCorpus("JSONTestSuite", () => {
  const parsing = corpus("JSONTestSuite/test_parsing");

  it("reads all y_ documents as part of a record, and reports an error only for duplicate names", async () => {
    const names = list(parsing, "y_");
    expect(names.length).toBeGreaterThanOrEqual(95);
    for (const name of names) {
      const value: JsonValue = JSON.parse(readFileSync(join(parsing, name), "utf8"));
      const codes = NAME_TWICE.has(name) ? ["source_duplicate_name"] : [];
      expect({ name, ...(await within(parsing, name)) }).toEqual({ name, codes, placed: true, value });
    }
  });

  it("rejects each n_ document, as a file and as part of a record, and states the place of the error", async () => {
    const names = list(parsing, "n_");
    expect(names.length).toBeGreaterThanOrEqual(187);
    for (const name of names) {
      const asFile = await verdict(join(parsing, name));
      expect({ name, notJson: asFile.codes.some((code) => NOT_JSON.has(code)) }).toEqual({ name, notJson: true });
      const asPart = await within(parsing, name);
      expect({ name, refused: asPart.codes.length > 0 }).toEqual({ name, refused: true });
      expect({ name, placed: [asFile.placed, asPart.placed] }).toEqual({ name, placed: [true, true] });
    }
  });

  it("gives every i_ document its listed result", async () => {
    const names = list(parsing, "i_");
    expect(names).toHaveLength(35);
    for (const name of names) {
      const decision = DECISIONS.find((each) => each.names.test(name));
      expect({ name, decided: decision !== undefined }).toEqual({ name, decided: true });
      const whole = /utf-?16|BOM/i.test(name);
      const { codes } = await (whole ? verdict(join(parsing, name)) : within(parsing, name));
      expect({ name, codes: [...new Set(codes)] }).toEqual({ name, codes: decision?.code ? [decision.code] : [] });
    }
  });

  it("reports an error for values that change when they are read and written", async () => {
    const folder = corpus("JSONTestSuite/test_transform");
    const names = list(folder, "");
    expect(names).toHaveLength(22);
    for (const name of names) {
      const [, expected] = TRANSFORMED.find(([pattern]) => pattern.test(name)) ?? [undefined, "undecided"];
      const { codes } = await within(folder, name);
      expect({ name, codes: [...new Set(codes)] }).toEqual({ name, codes: expected === undefined ? [] : [expected] });
    }
  });
});

/** Codes of unreadable documents. The other codes mean that the JSON was read but is not a valid record. */
const NOT_JSON: ReadonlySet<string> = new Set([
  "source_invalid_json",
  "source_damaged",
  "source_wrong_kind",
  "source_empty",
  "source_bad_encoding",
  "source_too_deep",
]);

interface Verdict {
  readonly codes: readonly string[];
  readonly placed: boolean;
  readonly value?: JsonValue | undefined;
}

/** Reads the document as a member of a record, so that it may be any JSON value. */
async function within(folder: string, name: string): Promise<Verdict> {
  const path = join(temporaryFolder(), "records.json");
  const bytes = [Buffer.from('[{"value":'), readFileSync(join(folder, name)), Buffer.from("}]")];
  await writeFile(path, Buffer.concat(bytes));
  return verdict(path);
}

async function verdict(path: string): Promise<Verdict> {
  const startedAt = performance.now();
  try {
    const { records } = await read(source(path));
    const problems = records.flatMap((record) => record.problems);
    const [row] = records.map((record) => record.row);
    return {
      codes: problems.map(({ code }) => code),
      placed: problems.every(({ place }) => place !== undefined),
      value: row !== undefined && "value" in row && isJsonObject(row.value) ? row.value["value"] : undefined,
    };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return { codes: [error.code], placed: error.place !== undefined };
  } finally {
    expect(performance.now() - startedAt).toBeLessThan(30_000);
  }
}

function list(folder: string, prefix: string): readonly string[] {
  return readdirSync(folder).filter((name) => name.startsWith(prefix));
}
