import type { Container, Guess, Slot } from "../../commands/init/guess/region.ts";
import { guessOf } from "../../commands/init/guess/score.ts";
import type { ColumnProfile } from "../../commands/init/profile/column-profile.ts";
import type { SourceProfile } from "../../commands/init/profile/profile-sources.ts";
import { descriptionText } from "../../contract/describe/description-text.ts";
import { describeConstraints, describeType } from "../../contract/describe/describe-type.ts";
import type { FieldType } from "../../contract/types/field-type.ts";
import type { AttrPath } from "../../json/attr.ts";
import { definedMembers } from "../../json/defined-members.ts";
import { type JsonObject, type JsonValue, isJsonArray, isJsonObject } from "../../json/json-value.ts";
import type { MappingDocument } from "../../map/document/mapping-document.ts";
import { rootSource } from "../../map/document/source-tree.ts";
import { hasOnlyLeafOptions } from "../../map/leaf/leaf-options.ts";
import { columnOf, writtenName } from "./column-names.ts";
import type { EntryData, FieldData, ItemsData, PartCondition, SourceColumn, SuggestionData } from "./mapping-data.ts";
import { flowText } from "./yaml/yaml-lines.ts";
import { isListEntry } from "../../map/node/union-variants.ts";

/** The fields of a contract, and the columns that can fill them. */
export interface FieldGuesses {
  readonly payload: Container;
  readonly profiles: readonly SourceProfile[];
}

interface TreeContext extends FieldGuesses {
  readonly document: MappingDocument;
  readonly hasColumn: (column: SourceColumn) => boolean;
}

interface Position {
  readonly path: AttrPath;
  /** The source whose row fills the fields; undefined if it is not known yet. */
  readonly row: string | undefined;
}

/** Returns the fields of the contract, required fields first, with the entries of the mapping. */
export function fieldTree(document: MappingDocument, guesses: FieldGuesses): readonly FieldData[] {
  const context = { ...guesses, document, hasColumn: columnTest(guesses.profiles) };
  const position = { path: ["payload"], row: rootSource(document) };
  return fieldsIn(guesses.payload, document.payload, { position, context });
}

function columnTest(profiles: readonly SourceProfile[]): (column: SourceColumn) => boolean {
  const known = new Set(profiles.flatMap(({ name, columns }) => columns.map((column) => `${name} ${column.name}`)));
  return ({ source, column }) => known.has(`${source} ${column}`);
}

interface Within {
  readonly position: Position;
  readonly context: TreeContext;
}

function fieldsIn(container: Container, entry: JsonValue | undefined, within: Within): readonly FieldData[] {
  const entries = isJsonObject(entry) ? entry : {};
  const known = new Set(container.fields.map(({ name }) => name));
  const ordered = [...container.fields.filter(isRequired), ...container.fields.filter((field) => !isRequired(field))];
  return [
    ...ordered.map((field) => fieldData(field, entries[field.name], within)),
    ...Object.entries(entries).flatMap(([name, other]) => (known.has(name) ? [] : [unknownField(name, other, within)])),
  ];
}

function isRequired({ required }: Slot | Container): boolean {
  return required;
}

/**
 * Describes an entry that matches no field of the contract: its name is a mistake, or the contract accepts any name
 * there.
 */
function unknownField(name: string, entry: JsonValue, { position: { path }, context }: Within): FieldData {
  const own = [...path, name];
  const described = { kind: "hand", name, attr: name, required: false, type: "", rules: [] } as const;
  return { ...described, path: own, entry: byHand(entry, own, context), suggestions: [], children: [] };
}

function byHand(entry: JsonValue, path: AttrPath, { document }: TreeContext): EntryData {
  const text = flowText(entry);
  const shown = text.length > LONGEST_TEXT ? `${text.slice(0, LONGEST_TEXT)}…` : text;
  return { text: shown, columns: [], line: document.lineOf(path) };
}

const LONGEST_TEXT = 300;

function fieldData(field: Slot | Container, entry: JsonValue | undefined, within: Within): FieldData {
  const { position } = within;
  const path = [...position.path, field.name];
  if (field.kind === "slot") return slotData(field, entry, { ...within, position: { ...position, path } });
  const described = { ...describedField(field, field.type), attr: attrOf(field), path, suggestions: [] };
  const shown = { ...described, ...definedMembers({ row: position.row }) };
  if (field.isList) return listData(field, entry, shown, within);
  if (entry !== undefined && !isJsonObject(entry))
    return { ...shown, kind: "hand", entry: byHand(entry, path, within.context), children: [] };
  const below = { ...within, position: { ...position, path } };
  return { ...shown, kind: "object", children: fieldsIn(field, entry, below) };
}

function attrOf({ path, isList }: Container): string {
  return (isList ? path.slice(0, -1) : path).join(".");
}

function describedField({ name, required }: Slot | Container, type: FieldType) {
  const description = descriptionText(type.description);
  const choices = type.kind === "choice" ? type.choices.filter((choice) => choice !== "").map(String) : undefined;
  const described = { name, required, type: describeType(type), rules: describeConstraints(type) };
  return { ...described, ...definedMembers({ description, choices }) };
}

type Shown = Omit<FieldData, "kind" | "children">;

function listData(field: Container, entry: JsonValue | undefined, shown: Shown, within: Within): FieldData {
  const list = { ...shown, type: "list of objects", kind: "list" } as const;
  const { path } = shown;
  const { context } = within;
  const parent = definedMembers({ parent: within.position.row });
  if (entry === undefined) {
    const position = { path: [...path, "*"], row: undefined };
    return { ...list, items: { kind: "none", ...parent }, children: fieldsIn(field, undefined, { context, position }) };
  }
  const parts = isJsonArray(entry) ? entry : isJsonObject(entry) && entry["each"] !== undefined ? [entry] : undefined;
  if (parts === undefined) return { ...list, kind: "hand", entry: byHand(entry, path, context), children: [] };
  const read = parts.map((part, at) =>
    partOf(part, { path: isJsonArray(entry) ? [...path, at] : path, row: within.position.row }, field),
  );
  const [only] = read;
  if (only !== undefined && read.length === 1) {
    const { row } = only.position;
    const text = only.label === "" ? undefined : { text: only.label, columns: [], line: context.document.lineOf(path) };
    const children = fieldsIn(field, only.item, { context, position: only.position });
    const { items, condition } = only;
    return { ...list, ...definedMembers({ row, entry: text, items, condition }), children };
  }
  const children = read.map(({ label, item, position, items, condition }, at) => ({
    ...list,
    ...definedMembers({ row: position.row, items, condition }),
    kind: "part" as const,
    name: `part ${at + 1}`,
    required: false,
    path: [...path, at],
    entry: { text: label, columns: [], line: context.document.lineOf([...path, at]) },
    children: fieldsIn(field, item, { context, position }),
  }));
  return { ...list, items: { kind: "parts", ...parent }, children };
}

interface Part {
  /** Describes the rows that become items, such as `each row of meters`. */
  readonly label: string;
  readonly item: JsonValue | undefined;
  readonly position: Position;
  readonly items: ItemsData | undefined;
  readonly condition: FieldData["condition"];
}

/** Reads one part of a list in the mapping: an item, or an entry `{ each, when, item }`. */
function partOf(part: JsonValue, { path, row }: Position, { type }: Container): Part {
  const parent = definedMembers({ parent: row });
  if (!isListEntry(part, type)) {
    // If the contract has a field `item`, the part cannot become an entry with `item`.
    const isEditable = isJsonObject(part) && isListEntry({ item: part }, type);
    const own = {
      items: isEditable ? { kind: "row" as const, ...parent } : undefined,
      condition: isEditable ? null : undefined,
    };
    return { label: "", item: part, position: { path, row }, ...own };
  }
  const { each, when, item } = part;
  const rows = typeof each === "string" ? `each row of ${each}` : "";
  const condition = when === undefined ? "" : `when: ${flowText(when)}`;
  return {
    label: [rows, condition].filter((text) => text !== "").join("; "),
    item,
    position: { path: [...path, "item"], row: typeof each === "string" ? each : row },
    items: typeof each === "string" ? { kind: "rows", source: each, ...parent } : { kind: "row", ...parent },
    condition: when === undefined ? null : conditionOf(when),
  };
}

/** Returns a condition that the page can edit; undefined for a condition that can only be changed in an editor. */
function conditionOf(when: JsonValue): PartCondition | undefined {
  if (!isJsonObject(when)) return undefined;
  const { column, in: values } = when;
  if (typeof column !== "string" || values === undefined || !isJsonArray(values)) return undefined;
  return { column, in: values.map(String) };
}

function slotData(slot: Slot, entry: JsonValue | undefined, within: Within): FieldData {
  const { position, context } = within;
  const described = {
    ...describedField(slot, slot.type),
    type: slot.isList ? `list of values: ${describeType(slot.type)}` : describeType(slot.type),
    valueKind: slot.type.kind,
    kind: slot.isList ? ("values" as const) : ("value" as const),
    attr: slot.path.join("."),
    path: position.path,
    ...definedMembers({ row: position.row }),
    children: [],
    suggestions: suggestionsFor(slot, position.row, context),
  };
  if (entry === undefined) return described;
  const [single, ...more] = slot.isList && isJsonArray(entry) ? entry : [entry];
  const leaf = more.length > 0 || single === undefined ? undefined : leafOf(single);
  const shown = byHand(entry, position.path, context);
  return { ...described, entry: leaf === undefined ? shown : withLeaf(shown, slot, leaf, within) };
}

/** Returns the options of an entry; undefined if the entry is not a leaf. */
export function leafOf(entry: JsonValue): JsonObject | undefined {
  if (typeof entry === "string") return { from: entry };
  return isJsonObject(entry) && hasOnlyLeafOptions(entry) ? entry : undefined;
}

/** Adds the options of an entry, and the columns that it uses. */
function withLeaf(shown: EntryData, slot: Slot, leaf: JsonObject, { position: { row }, context }: Within): EntryData {
  const { document, hasColumn } = context;
  const from = leaf["from"] ?? [];
  const names = (isJsonArray(from) ? from : [from]).map(String);
  const columns = names.map((name) =>
    columnOf(name, row ?? rootSource(document), { sources: document.sources, hasColumn }),
  );
  const [first] = columns;
  const found = first && profileOf(first, context.profiles);
  const score = found && rounded(guessOf(slot, found.column, found.source));
  return { ...shown, columns, leaf, ...definedMembers({ score }) };
}

interface FoundColumn {
  readonly source: SourceProfile;
  readonly column: ColumnProfile;
}

export function profileOf(
  { source: name, column: wanted }: SourceColumn,
  profiles: readonly SourceProfile[],
): FoundColumn | undefined {
  const source = profiles.find((profile) => profile.name === name);
  const column = source?.columns.find((one) => one.name === wanted);
  return source && column && { source, column };
}

const SHOWN = 0.35;
const MAX_SUGGESTIONS = 4;

function suggestionsFor(slot: Slot, row: string | undefined, context: TreeContext): readonly SuggestionData[] {
  const { profiles, document } = context;
  return profiles
    .flatMap((source) =>
      source.columns.map((column) => {
        return { source: source.name, column: column.name, score: rounded(guessOf(slot, column, source)) };
      }),
    )
    .filter((one) => one.score >= SHOWN && (row === undefined || writtenName(one, row, document.sources) !== undefined))
    .toSorted((one, other) => other.score - one.score)
    .slice(0, MAX_SUGGESTIONS);
}

function rounded({ score }: Guess): number {
  return Math.round(Math.min(score, 1) * 100) / 100;
}

/** Returns the field of the contract that has this attr and holds values, not objects; undefined if there is none. */
export function slotAt(payload: Container, attr: string): Slot | undefined {
  for (const field of payload.fields) {
    if (field.kind === "slot" && field.path.join(".") === attr) return field;
    if (field.kind === "container" && attr.startsWith(`${attrOf(field)}.`)) return slotAt(field, attr);
  }
  return undefined;
}
