import { guessOf } from "../../../commands/init/guess/score.ts";
import { leafText } from "../../../commands/init/write/leaf-text.ts";
import { parseDocument } from "../../../contract/document/yaml-document.ts";
import type { AttrPath } from "../../../json/attr.ts";
import { isJsonArray, type JsonObject, type JsonValue, valueAt } from "../../../json/json-value.ts";
import { counted } from "../../../text/count.ts";
import { pathDown, writtenName } from "../column-names.ts";
import { leafOf, profileOf, slotAt } from "../field-tree.ts";
import type { FieldData, SourceColumn } from "../mapping-data.ts";
import { BY_HAND, editYaml, parseMapping, refuse } from "../yaml/edit-yaml.ts";
import { type EditTarget, fieldWith } from "./edit-target.ts";
import { asEntry, withOptions } from "./option-edits.ts";

/** Returns the mapping with a field filled from a column, with the conversion that `init` would choose. */
export function withColumn(target: EditTarget, wanted: SourceColumn): string {
  const { field, context } = target;
  const slot = slotAt(context.guesses.payload, field.attr);
  const found = profileOf(wanted, context.guesses.profiles);
  if (slot === undefined || (field.kind !== "value" && field.kind !== "values")) {
    return refuse(`${field.attr} takes no column`, "choose one of the fields inside it");
  }
  if (found === undefined) {
    return refuse(`there is no column "${wanted.column}" in "${wanted.source}"`, "reload the page");
  }
  const guess = guessOf(slot, found.column, found.source);
  const written = leafText({ ...slot, isList: false, guess }, context.zone) ?? "";
  const options = leafOf(parseDocument({ file: "", text: written }).value) ?? {};
  const kept = field.entry?.leaf ?? {};
  const leaf = {
    ...(kept["call"] === undefined && options),
    ...Object.fromEntries(Object.entries(kept).filter(([name]) => KEPT_OPTIONS.has(name))),
  };
  return withLeaf(target, leaf, wanted);
}

/** Options that an entry keeps when its column changes, because they do not depend on the values of the column. */
const KEPT_OPTIONS: ReadonlySet<string> = new Set(["default", "when", "trim", "replace", "split", "keepEmpty", "call"]);

/** Sets the options of an entry. `column` replaces `from`. */
export function withLeaf(target: EditTarget, leaf: JsonObject, column: SourceColumn | undefined): string {
  const { text, field, context } = target;
  const { file } = context;
  if (field.kind !== "value" && field.kind !== "values") return refuse(`${field.attr} takes no value`, BY_HAND);
  if (field.entry !== undefined && field.entry.leaf === undefined) {
    return refuse(`${field.attr} was edited by hand`, BY_HAND);
  }
  if (field.path.includes("*")) return withNewList(target, leaf, column);
  const made = filledFrom(column, field.row ?? "", leaf, target);
  const old = valueAt(parseMapping(file, text), field.path);
  if (old === undefined) return editYaml(file, text, { path: field.path, value: newEntry(field, made) });
  const own = isJsonArray(old) ? { at: [...field.path, 0], value: old[0] ?? null } : { at: field.path, value: old };
  return withOptions(file, text, own, made);
}

function newEntry({ kind }: FieldData, leaf: JsonObject): JsonValue {
  return kind === "values" && leaf["split"] === undefined ? [asEntry(leaf)] : asEntry(leaf);
}

/** Returns the options of an entry that is filled from a column of a row. Without a column, keeps the options. */
function filledFrom(
  wanted: SourceColumn | undefined,
  row: string,
  leaf: JsonObject,
  { field: { attr }, sources }: EditTarget,
): JsonObject {
  if (wanted === undefined) return leaf;
  const { source, column } = wanted;
  const { from: _old, ...others } = leaf;
  const from = writtenName(wanted, row, sources);
  if (from !== undefined) return { from, ...others };
  return refuse(
    `${attr} cannot be filled from ${column}: a row of "${row}" does not identify a single row of "${source}"`,
    `choose a column of "${row}"; or, if only one row of "${source}" matters for each row of "${row}", set "pick" for "${source}"`,
  );
}

/** Adds an entry, and the lists that contain the field if the mapping does not have them yet. */
function withNewList(target: EditTarget, leaf: JsonObject, column: SourceColumn | undefined): string {
  const { text, field, context, sources, tree } = target;
  const first = field.path.indexOf("*");
  const listPath = field.path.slice(0, first);
  const { row = "" } = fieldWith(tree, listPath) ?? {};
  const rows = column === undefined ? [] : (pathDown(row, column.source, sources) ?? []);
  const inside = field.path.slice(first);
  const lists = inside.filter((part) => part === "*").length;
  if (rows.length > lists) {
    const names = rows.map((name) => `"${name}"`).join(", then ");
    const where = `${field.attr} is inside ${counted(lists, "list")}`;
    return refuse(`${where}, but the rows of the column are reached through ${names}`, BY_HAND);
  }
  const inner = filledFrom(column, rows.at(-1) ?? row, leaf, target);
  const sourcesOfLists = [...Array.from({ length: lists - rows.length }, () => undefined), ...rows];
  const { value, levels } = listEntry(inside, newEntry(field, inner), sourcesOfLists);
  return editYaml(context.file, text, { path: listPath, value, blockLevels: levels });
}

/** Nests an entry in new lists, each built from the rows of a source, or from the current row. */
function listEntry(
  [part, ...rest]: AttrPath,
  entry: JsonValue,
  rows: readonly (string | undefined)[],
): { readonly value: JsonValue; readonly levels: number } {
  if (part === undefined) return { value: entry, levels: 0 };
  const [source, ...others] = rows;
  const { value, levels } = listEntry(rest, entry, part === "*" ? others : rows);
  if (part !== "*") return { value: { [part]: value }, levels: levels + 1 };
  if (source === undefined) return { value: [value], levels };
  return { value: { each: source, item: value }, levels: levels + 1 };
}
