import type { MappingCheck } from "../../commands/init/check-mapping.ts";
import type { InitResult } from "../../commands/init/init.ts";
import type { InitUpdate } from "../../commands/init/update-mapping.ts";
import { keyColumns } from "../../commands/init/joins.ts";
import type { FileEncoding, FileProfile } from "../../commands/init/profile/file-profile.ts";
import type { SourceProfile } from "../../commands/init/profile/profile-sources.ts";
import { emptyObjects, guessedSlots, percent } from "../../commands/init/write/mapping-text.ts";
import type { Screen } from "../../job/dependencies.ts";
import { delimiterName } from "../../read/csv/csv-delimiter.ts";
import { plainText } from "../../text/plain-text.ts";
import { indentedJson } from "../../terminal/safe-json.ts";
import { renderTable } from "../../terminal/text-table.ts";
import { counted, formatCount, verbOfShare } from "../../text/count.ts";
import { shellCommand } from "../../text/shell-command.ts";
import type { View, ViewOptions } from "./view.ts";

/**
 * Shows the content of the extracts as shapes without values, their joins, the written files, and the number of valid
 * records.
 */
export const initView: View<InitResult> = { text: initText, json: initJson };

export const initUpdateView: View<InitUpdate> = {
  text: ({ file, added, open, check }) =>
    [
      added.length === 0 ? `Nothing was added to ${plainText(file)}.` : `Added to ${plainText(file)}:`,
      ...added.map((attr) => `  ${plainText(attr)}`),
      ...(open.length === 0 ? [] : [`Required fields without a matching column: ${plainText(open.join(", "))}`]),
      "",
      ...(check === undefined ? [UNCHECKED] : checkLines(check)),
      "",
    ].join("\n"),
};

function initText(result: InitResult, { screen }: ViewOptions): string {
  const { sources } = result;
  return [...sources.map((source) => sourceText(source, screen)), joinsText(result), writtenText(result)].join("\n");
}

function sourceText(source: SourceProfile, screen: Screen): string {
  const files = source.files.map((file) => `${plainText(fileText(file))}\n`).join("");
  const keys = keyColumns(source).map(({ name }) => name);
  const rows = source.columns.map(({ name, filled, empty, distinct, shapes, codes }) => {
    const share = filled === 0 ? "empty" : empty === 0 ? "" : percent(empty / (filled + empty));
    const different = filled === 0 ? undefined : (distinct ?? codes?.size);
    const count = different === undefined ? "" : different === filled ? "all" : formatCount(different);
    const frequent = shapes.slice(0, MAX_SHAPES).map(({ shape }) => shape);
    return [name, share, count, frequent.join("  ")];
  });
  const numbers = [{ title: "empty", align: "right" } as const, { title: "different", align: "right" } as const];
  const table = renderTable(rows, ["column", ...numbers, "shapes, most frequent first"], screen);
  return `${files}  ${keys.length === 0 ? "no column is unique" : `possible keys: ${plainText(keys.join(", "))}`}\n\n${table.replaceAll(/^(?=.)/gm, "  ")}`;
}

const MAX_SHAPES = 3;

function fileText({ file, kind, encoding, delimiter, rows, unreadable }: FileProfile): string {
  const facts = [
    counted(rows, "row"),
    ...(encoding === undefined ? [] : [encodingText(encoding)]),
    delimiter === undefined ? kind.toUpperCase() : `delimiter ${delimiterName(delimiter)}`,
    ...(unreadable === 0 ? [] : [counted(unreadable, "unreadable row")]),
  ];
  return `${file}: ${facts.join(", ")}`;
}

function encodingText({ name, byteOrderMark, guessed }: FileEncoding): string {
  return `${name.toUpperCase()}${byteOrderMark ? " with a byte order mark" : ""}${guessed ? " (guessed, because the file is not UTF-8)" : ""}`;
}

function joinsText({ guessed: { joins, tree } }: InitResult): string {
  if (joins.length === 0)
    return tree.left.length === 0 ? "" : "No column in any file refers to the rows of another file.\n";
  const lines = joins.slice(0, MAX_JOINS).map(({ from, column, to, key, hits, kind }) => {
    return plainText(`  ${from.name}.${column.name} -> ${to.name}.${key.name}  ${percent(hits)}, ${kind}`);
  });
  return `Likely joins\n${lines.join("\n")}\n`;
}

const MAX_JOINS = 20;

function writtenText({ guessed, written, kept, check }: InitResult): string {
  const slots = guessedSlots(guessed).filter(({ container }) => container.included);
  const required = slots.filter((slot) => slot.required);
  const filled = slots.filter((slot) => slot.guess !== undefined || (slot.constant !== undefined && slot.required));
  const empty = emptyObjects(guessed.payload);
  const open = [...required.filter(({ guess, constant }) => guess === undefined && constant === undefined), ...empty];
  const count = required.length + empty.length;
  const config = [...written, ...kept].find((file) => file.endsWith("migrate.yaml")) ?? "";
  const validate = shellCommand(["migrate", "validate", ...(config === "migrate.yaml" ? [] : ["--config", config])]);
  return [
    ...written.map((file) => `Written: ${plainText(file)}`),
    ...kept.map((file) => `Not changed, because it already exists: ${plainText(file)}`),
    `${counted(filled.length, "field")} guessed, including ${count - open.length} of ${counted(count, "required field")}.`,
    ...(open.length === 0 ? [] : [`To do: ${plainText(open.map(({ path }) => path.join(".")).join(", "))}`]),
    "",
    ...(check === undefined ? [UNCHECKED] : checkLines(check)),
    "",
    "Next: resolve each TODO and check the low scores in the mapping, then run",
    `  ${plainText(validate)}`,
    "",
  ].join("\n");
}

const UNCHECKED = "No record was validated, because the mapping does not set all required parameters yet.";

function initJson({ sources, guessed, written, kept, check }: InitResult): string {
  return indentedJson({
    sources: sources.map(({ name, files, rows, columns }) => ({
      name,
      rows,
      files: files.map(({ file, kind, encoding, delimiter, rows: count, unreadable: damaged }) => {
        return { file, kind, encoding, delimiter, rows: count, damaged };
      }),
      columns: columns.map(({ name: column, empty, distinct: different, shapes }) => {
        return { name: column, empty, different, shapes: shapes.slice(0, MAX_SHAPES) };
      }),
    })),
    joins: guessed.joins.map(({ from, column, to, key, hits, kind, score }) => ({
      from: `${from.name}.${column.name}`,
      to: `${to.name}.${key.name}`,
      hits,
      kind,
      score,
    })),
    fields: guessedSlots(guessed).flatMap(({ path, required, guess }) =>
      guess === undefined ? [] : [{ attr: path.join("."), required, column: guess.column.name, score: guess.score }],
    ),
    written,
    kept,
    check,
  });
}

/** Describes the number of valid records and the most frequent causes of errors. */
function checkLines({ records, valid, more, causes }: MappingCheck): readonly string[] {
  const all = `${more ? "the first " : ""}${counted(records, "record")}`;
  return [
    `${formatCount(valid)} of ${all} ${verbOfShare(valid, records, ["is", "are"])} already valid.`,
    ...causes.map((cause) => plainText(`  ${formatCount(cause.records).padStart(6)}  ${cause.code}  ${cause.attr}`)),
  ];
}
