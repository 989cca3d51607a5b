import type { FieldType, ListType, ObjectType } from "../contract/field-type.ts";
import type { AttrPath } from "../model/attr.ts";
import { formatAttr } from "../model/attr.ts";
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from "../model/json.ts";

/** A document path of a payload, as the platform would read it, and where it stands. */
export interface FoundDocument {
  readonly path: AttrPath;
  readonly value: string;
}

/** The document paths of a payload (specification 2.5), in its own order; empty texts are none. */
export type FindDocuments = (payload: JsonObject) => readonly FoundDocument[];

/**
 * Compiles a request body's type into a function that finds the values at its document paths (`x-document-path`).
 * Undefined when the type has no such field. Of a union, every option is looked into that could be meant.
 */
export function compileDocumentPaths(body: FieldType): FindDocuments | undefined {
  const leading = leadingTypes(body);
  if (!leading.has(body)) return undefined;
  return (payload) => {
    const found = new Map<string, FoundDocument>();
    collect(body, payload, { leading, path: [], found });
    return [...found.values()];
  };
}

/** The types that lead to a document path: those that hold one, those that hold those, and so on. */
function leadingTypes(body: FieldType): ReadonlySet<FieldType> {
  const parents = new Map<FieldType, FieldType[]>();
  const documents: FieldType[] = [];
  const visit = (type: FieldType): void => {
    if (type.kind === "text" && type.documentPath) documents.push(type);
    for (const below of typesWithin(type)) {
      const known = parents.get(below);
      if (known === undefined) {
        parents.set(below, [type]);
        visit(below);
      } else known.push(type);
    }
  };
  visit(body);
  const leading = new Set<FieldType>();
  const climb = (type: FieldType): void => {
    if (leading.has(type)) return;
    leading.add(type);
    for (const parent of parents.get(type) ?? []) climb(parent);
  };
  for (const document of documents) climb(document);
  return leading;
}

function typesWithin(type: FieldType): readonly FieldType[] {
  if (type.kind === "list") return [type.items];
  if (type.kind === "union") return [...type.options, ...(type.discriminator?.mapping.values() ?? [])];
  if (type.kind !== "object") return [];
  const named = [...type.properties.values()].filter(({ readOnly }) => !readOnly).map((property) => property.type);
  return type.additional === "closed" ? named : [...named, type.additional];
}

interface Walk {
  readonly leading: ReadonlySet<FieldType>;
  readonly path: AttrPath;
  readonly found: Map<string, FoundDocument>;
}

function collect(type: FieldType, value: JsonValue | undefined, walk: Walk): void {
  if (value === undefined || !walk.leading.has(type)) return;
  if (type.kind === "text") collectText(value, walk);
  else if (type.kind === "object" && isJsonObject(value)) collectFields(type, value, walk);
  else if (type.kind === "list" && isJsonArray(value)) collectItems(type, value, walk);
  else if (type.kind === "union") for (const option of new Set(typesWithin(type))) collect(option, value, walk);
}

/** A number is taken as text, as the platform takes it. */
function collectText(value: JsonValue, { path, found }: Walk): void {
  if (typeof value !== "string" && typeof value !== "number") return;
  if (value !== "") found.set(formatAttr(path), { path, value: String(value) });
}

function collectItems({ items }: ListType, value: readonly JsonValue[], walk: Walk): void {
  for (const [at, item] of value.entries()) collect(items, item, within(walk, at));
}

function collectFields({ properties, additional }: ObjectType, value: JsonObject, walk: Walk): void {
  for (const [name, field] of Object.entries(value)) {
    const type = properties.get(name)?.type ?? (additional === "closed" ? undefined : additional);
    if (type !== undefined) collect(type, field, within(walk, name));
  }
}

function within(walk: Walk, segment: string | number): Walk {
  return { ...walk, path: [...walk.path, segment] };
}
