import { readFileSync } from "node:fs";
import fc from "fast-check";
import type { AttrPath } from "../../../../src/json/attr.ts";
import { isJsonArray, isJsonObject, type JsonValue } from "../../../../src/json/json-value.ts";
import { projectFile } from "../../../e2e/cli.ts";

/** Mappings of the fixtures. */
export const FIXTURES: readonly string[] = [
  "fixtures/demo/mapping.yaml",
  "fixtures/map/worked-example/mapping.yaml",
  "fixtures/init/crm-gb/mapping.yaml",
  "fixtures/init/mainframe-gb/mapping.yaml",
  "fixtures/init/spreadsheet-gb/mapping.yaml",
  "fixtures/operators/gb-dual-fuel/mapping.yaml",
].map((name) => readFileSync(projectFile(name), "utf8"));

/** Returns the path of every entry of a document. */
export function pathsIn(value: JsonValue, path: AttrPath = []): readonly AttrPath[] {
  const members = isJsonArray(value) ? [...value.entries()] : isJsonObject(value) ? Object.entries(value) : [];
  return members.flatMap(([name, member]) => [[...path, name], ...pathsIn(member, [...path, name])]);
}

export const word: fc.Arbitrary<string> = fc.stringMatching(/^[A-Za-z][A-Za-z0-9_ :#'"-]{0,8}$/);
export const scalar: fc.Arbitrary<JsonValue> = fc.oneof(
  word,
  fc.integer({ min: -9, max: 999 }),
  fc.boolean(),
  fc.constant("007"),
  fc.constant("n"),
);

/** Random YAML documents: objects and lists in both styles, with a comment after some lines. */
export const yaml: fc.Arbitrary<string> = fc
  .record({
    value: fc.letrec<{ node: JsonValue }>((tie) => ({
      node: fc.oneof(
        { maxDepth: 4, withCrossShrink: true },
        scalar,
        fc.dictionary(word, tie("node"), { minKeys: 1, maxKeys: 4 }),
        fc.array(tie("node"), { minLength: 1, maxLength: 3 }),
      ),
    })).node,
    coins: fc.infiniteStream(fc.nat(7)),
    crlf: fc.boolean(),
  })
  .map(({ value, coins, crlf }) => {
    const text = writeYaml({ payload: value, rest: "x" }, { coins, number: { comment: 0 } }, 0).join("");
    return crlf ? text.replaceAll("\n", "\r\n") : text;
  });

interface Writer {
  readonly coins: Iterator<number>;
  readonly number: { comment: number };
}

function writeYaml(value: JsonValue, writer: Writer, depth: number): readonly string[] {
  const { coins, number } = writer;
  const isEven = (): boolean => (coins.next().value ?? 0) % 2 === 0;
  const comment = (): string => (isEven() ? `   # c${(number.comment += 1)}` : "");
  const indent = "  ".repeat(depth);
  const members = isJsonArray(value) ? [...value.entries()] : isJsonObject(value) ? Object.entries(value) : [];
  return members.flatMap(([name, member]) => {
    const before = isEven() ? [] : [`${indent}# b${(number.comment += 1)}\n`];
    const head = typeof name === "number" ? `${indent}-` : `${indent}${JSON.stringify(name)}:`;
    const isBlock = typeof member === "object" && (depth === 0 || isEven());
    if (!isBlock) return [...before, `${head} ${JSON.stringify(member)}${comment()}\n`];
    const below = writeYaml(member, writer, depth + 1);
    const isCompact = typeof name === "number" && !(below[0] ?? "#").trim().startsWith("#") && isEven();
    return isCompact
      ? [...before, `${head} ${(below[0] ?? "").trimStart()}`, ...below.slice(1)]
      : [...before, `${head}${comment()}\n`, ...below];
  });
}
