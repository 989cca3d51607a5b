import type { AttrPath } from "../../../../json/attr.ts";
import { isJsonObject } from "../../../../json/json-value.ts";
import type { FieldData, MappingData, SourceColumn, SourceData } from "../../../mapping/mapping-data.ts";

/** A field with its position in the tree. */
export interface TreeRow {
  readonly key: string;
  readonly field: FieldData;
  readonly level: number;
  readonly isOpen: boolean;
  readonly parent: string | undefined;
  readonly position: number;
  readonly size: number;
}

interface FieldName {
  readonly path: AttrPath;
  readonly attr: string;
}

export function keyOf({ path }: FieldName): string {
  return JSON.stringify(path);
}

interface TreeView {
  /** The keys of the objects that the user has opened (true) or closed (false). */
  readonly opened: ReadonlyMap<string, boolean>;
  /**
   * Limits the tree to fields whose attr, description or entry contains this text, and to the objects that contain
   * them.
   */
  readonly search: string;
}

/** Returns the visible rows of the tree. Optional objects that the mapping does not fill are closed at first. */
export function treeRows(fields: readonly FieldData[], view: TreeView): readonly TreeRow[] {
  return rowsIn(fields, { ...view, level: 1, parent: undefined });
}

function rowsIn(
  fields: readonly FieldData[],
  view: TreeView & { readonly level: number; readonly parent: string | undefined },
): readonly TreeRow[] {
  const { opened, search, level, parent } = view;
  const shown = fields.filter((field) => matches(field, search));
  return shown.flatMap((field, at) => {
    const key = keyOf(field);
    const isOpen =
      field.children.length > 0 &&
      (search !== "" || (opened.get(key) ?? (field.required || isFilled(field) || field.kind === "part")));
    const row = { key, field, level, isOpen, parent, position: at + 1, size: shown.length };
    return [row, ...(isOpen ? rowsIn(field.children, { ...view, level: level + 1, parent: key }) : [])];
  });
}

function matches(field: FieldData, search: string): boolean {
  if (search === "") return true;
  const words = search.toLowerCase();
  const { attr, description = "", entry } = field;
  const own = `${attr} ${description} ${entry?.text ?? ""}`.toLowerCase();
  return own.includes(words) || field.children.some((child) => matches(child, search));
}

/** Whether the mapping fills the field or a field inside it. */
function isFilled({ kind, entry, children }: FieldData): boolean {
  return (entry !== undefined && kind !== "list" && kind !== "part") || children.some(isFilled);
}

/** Whether the field takes a value or a list of values. */
export function isLeaf({ kind }: FieldData): boolean {
  return kind === "value" || kind === "values";
}

/** Returns the required fields within the objects that are sent. */
export function requiredFields(fields: readonly FieldData[]): readonly FieldData[] {
  return fields.flatMap((field) => {
    if (isLeaf(field)) return field.required ? [field] : [];
    return field.required || isFilled(field) ? requiredFields(field.children) : [];
  });
}

/** Returns the required fields that no entry fills. */
export function openFields(fields: readonly FieldData[]): readonly FieldData[] {
  return requiredFields(fields).filter(({ entry }) => entry === undefined);
}

function allFields(fields: readonly FieldData[]): readonly FieldData[] {
  return fields.flatMap((field) => [field, ...allFields(field.children)]);
}

/** Returns the field with this path, or the first field with the same attr if no field has this path. */
export function findField({ fields }: MappingData, wanted: FieldName): FieldData | undefined {
  const all = allFields(fields);
  return all.find((field) => keyOf(field) === keyOf(wanted)) ?? all.find(({ attr }) => attr === wanted.attr);
}

export function isSameColumn(one: SourceColumn | undefined, other: SourceColumn): boolean {
  return one?.source === other.source && one.column === other.column;
}

/** Returns the columns that fill fields, or that join, identify or order rows, as `source column`. */
export function usedColumns(fields: readonly FieldData[], sources: readonly SourceData[]): ReadonlySet<string> {
  const used = allFields(fields).flatMap(({ entry }) => entry?.columns ?? []);
  return new Set([...used, ...sources.flatMap(optionColumns)].map(({ source, column }) => `${source} ${column}`));
}

/** Returns the columns in the options of a source. `on: { CUST_ID: CUSTOMER }` also names a column of the parent. */
function optionColumns({ name, options: { parent, on, key, orderBy } }: SourceData): readonly SourceColumn[] {
  const [own, above] = isJsonObject(on) ? (Object.entries(on)[0] ?? []) : [on, undefined];
  const columns = [
    [name, key],
    [name, isJsonObject(orderBy) ? orderBy["column"] : orderBy],
    [name, own],
    [parent, above],
  ];
  return columns.flatMap(([source, column]) =>
    typeof source === "string" && typeof column === "string" ? [{ source, column }] : [],
  );
}

export function columnsOf({ sources }: MappingData, source: string | undefined): readonly string[] {
  return sources.find(({ name }) => name === source)?.columns.map(({ name }) => name) ?? [];
}

/** Formats a score as `0.87`. */
export function scoreText(score: number): string {
  return score.toFixed(2);
}
