import type { FieldType } from "./field-type.ts";
import { knownKeywords, treatmentOf } from "./keywords.ts";
import { read, type Compilation, type SchemaNode } from "./schema-node.ts";
import { suggest } from "../model/suggest.ts";

/** Says of every keyword that does not shape this kind of type what becomes of it. Nothing is passed over in silence. */
export function checkKeywords(parts: readonly SchemaNode[], kind: FieldType["kind"], compilation: Compilation): void {
  for (const part of parts) {
    for (const keyword of Object.keys(part.schema)) {
      if (!part.omit.includes(keyword)) checkKeyword(part, keyword, kind, compilation);
    }
  }
}

function checkKeyword(part: SchemaNode, keyword: string, kind: FieldType["kind"], { findings }: Compilation): void {
  const path = [...part.path, keyword];
  const treatment = treatmentOf(keyword);
  if (treatment === undefined) {
    if (keyword.startsWith("x-")) reportExtension(keyword, path, findings);
    else findings.add("warning", "unknown-keyword", unknownKeyword(keyword), path);
  } else if (treatment.as === "reported") {
    findings.add("warning", "not-enforced", `"${keyword}" is not enforced`, path);
  } else if (treatment.as === "enforced" && treatment.on !== undefined && !treatment.on.includes(kind)) {
    if (!isHarmless(part, keyword, kind)) {
      findings.add("warning", "not-enforced", `"${keyword}" has no effect on ${KIND_WORDS[kind]}`, path);
    }
  }
}

function reportExtension(keyword: string, path: SchemaNode["path"], findings: Compilation["findings"]): void {
  const near = suggest(
    keyword,
    [...knownKeywords()].filter((known) => known.startsWith("x-")),
  );
  if (near === undefined) findings.count(keyword, path);
  else findings.add("warning", "unknown-keyword", unknownKeyword(keyword), path);
}

function unknownKeyword(keyword: string): string {
  const near = suggest(keyword, knownKeywords());
  const hint = near === undefined ? "" : `; did you mean "${near}"?`;
  return `"${keyword}" is no keyword of a schema and is not enforced${hint}`;
}

/**
 * Keywords that restrict nothing where they stand: those of text beside `enum`, when every choice satisfies them; a
 * type's own keywords in a schema whose types are compiled one by one (`type: [string, integer]`).
 */
function isHarmless(part: SchemaNode, keyword: string, kind: FieldType["kind"]): boolean {
  if (part.omit.includes("type")) return true;
  if (keyword === "x-document-path") return read(part, keyword) === false;
  return kind === "choice" && everyChoiceFits(part, keyword);
}

function everyChoiceFits(part: SchemaNode, keyword: string): boolean {
  const choices = read(part, "enum");
  const limit = read(part, keyword);
  if (!Array.isArray(choices)) return false;
  return choices.every((choice: unknown) => {
    if (typeof choice !== "string" || typeof limit !== "number") return choice === null;
    const length = Array.from(choice).length;
    return (keyword === "maxLength" && length <= limit) || (keyword === "minLength" && length >= limit);
  });
}

const KIND_WORDS: Readonly<Record<FieldType["kind"], string>> = {
  text: "text",
  decimal: "a decimal",
  number: "a number",
  integer: "a whole number",
  boolean: "a boolean",
  date: "a date",
  datetime: "a date-time",
  time: "a time",
  choice: "a choice",
  object: "an object",
  list: "a list",
  union: "alternatives",
  any: "a value of any type",
};
