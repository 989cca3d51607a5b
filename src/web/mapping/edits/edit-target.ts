import type { AttrPath } from "../../../json/attr.ts";
import type { Sources } from "../column-names.ts";
import type { FieldGuesses } from "../field-tree.ts";
import type { FieldData } from "../mapping-data.ts";

export interface EditContext {
  /** The file of the mapping, for messages. */
  readonly file: string;
  readonly guesses: FieldGuesses;
  /** Time zone of times without an offset. */
  readonly zone: string;
}

/** The field that an edit changes, and its mapping. */
export interface EditTarget {
  readonly text: string;
  readonly field: FieldData;
  readonly context: EditContext;
  readonly sources: Sources;
  readonly tree: readonly FieldData[];
}

/** Returns the field at a path in the mapping file; undefined if there is none. */
export function fieldWith(fields: readonly FieldData[], wanted: AttrPath): FieldData | undefined {
  for (const field of fields) {
    if (isSamePath(field.path, wanted)) return field;
    const below = fieldWith(field.children, wanted);
    if (below !== undefined) return below;
  }
  return undefined;
}

function isSamePath(one: AttrPath, other: AttrPath): boolean {
  return one.length === other.length && one.every((part, at) => part === other[at]);
}
