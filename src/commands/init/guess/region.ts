import { ANY_TYPE, type FieldType } from "../../../contract/types/field-type.ts";
import type { JsonObject } from "../../../json/json-value.ts";
import { narrowType } from "../../../map/node/union-variants.ts";
import type { ColumnProfile } from "../profile/column-profile.ts";
import type { SourceNode } from "../joins.ts";
import { nameWords } from "./field-names.ts";
import type { LeafForm } from "./value-fit.ts";

/** A column that may fill a field. The score ranges from 0 to 1, plus a small bonus for keys. */
export interface Guess {
  readonly column: ColumnProfile;
  readonly score: number;
  readonly form: LeafForm;
}

/** A field of an object in the contract that a mapping may fill. */
interface ContractField {
  readonly name: string;
  /** For a list, the type of its items. */
  readonly type: FieldType;
  /** Whether the field is required in its object, or is or contains the business key. */
  readonly required: boolean;
}

interface TreeField extends ContractField {
  readonly path: readonly string[];
  readonly isList: boolean;
  readonly words: readonly string[];
}

/** A field that takes one value, or a list of values, with its candidate columns. */
export interface Slot extends TreeField {
  readonly kind: "slot";
  readonly around: readonly string[];
  readonly container: Container;
  /** Whether the field is the business key. */
  readonly isKey: boolean;
  guess: Guess | undefined;
  /**
   * Whether the column of the guess mainly fills another field. If so, this field alone does not cause the mapping to
   * include the enclosing object.
   */
  isShared: boolean;
  /** The value that the mapping contains instead of a column: `${supplier}`, or the only choice. */
  constant: string | undefined;
  /** Alternative columns, most likely first. */
  others: readonly Guess[];
}

/** An object of the contract, or the items of a list of objects. */
export interface Container extends TreeField {
  readonly kind: "container";
  readonly parent: Container | undefined;
  /** The attr of the business key of the payload; undefined if no field looks like a business key. */
  readonly key: string | undefined;
  readonly fields: (Slot | Container)[];
  /** The source whose rows become the items. If absent, the object is built from the row of the enclosing container. */
  source: SourceNode | undefined;
  /** Whether the mapping includes the container: one of its fields is filled, or the contract requires it. */
  included: boolean;
}

/** Maximum depth of the tree. Deeper objects are rare in extracts, and schemas may be recursive. */
const MAX_DEPTH = 8;

export function payloadTree(type: FieldType, name: string, key: string | undefined): Container {
  return containerOf({ name, type, required: true, isList: false, parent: undefined, key });
}

/** Record types that occur in the names of operations, such as `import-account`. */
const ENTITIES: ReadonlySet<string> = new Set(["account", "customer", "business", "note", "agreement"]);

interface Position extends ContractField {
  readonly isList: boolean;
  readonly parent: Container | undefined;
  readonly key: string | undefined;
}

function containerOf(position: Position): Container {
  const { name, type, isList, parent, key } = position;
  const path = parent === undefined ? [] : [...parent.path, name, ...(isList ? ["*"] : [])];
  const container: Container = {
    ...position,
    kind: "container",
    path,
    required: position.required || key?.startsWith(`${path.join(".")}.`) === true,
    words: parent === undefined ? nameWords(name).filter((word) => ENTITIES.has(word)) : nameWords(name),
    fields: [],
    source: undefined,
    included: false,
  };
  const inside = parent === undefined ? [] : typesFrom(parent);
  if (inside.length < MAX_DEPTH && !inside.includes(type)) fillFields(container, fieldsOf(type));
  return container;
}

function fieldIn(container: Container, field: ContractField): Slot | Container | undefined {
  const below = { ...field, parent: container, key: container.key };
  const list = narrowType([], field.type);
  const items = list.kind === "list" ? list.items : undefined;
  if (items && fieldsOf(items) !== undefined) return containerOf({ ...below, type: items, isList: true });
  if (fieldsOf(field.type) !== undefined) return containerOf({ ...below, isList: false });
  if (items && isScalarField(items)) return slotOf(container, { ...field, type: items }, true);
  return isScalarField(field.type) ? slotOf(container, field, false) : undefined;
}

function fillFields(container: Container, fields: readonly ContractField[] = []): void {
  container.fields.push(...fields.flatMap((field) => fieldIn(container, field) ?? []));
}

/** Keeps only the fields of the type that a constant selects, if the container can have several types. */
export function narrowContainer(container: Container, property: string, value: string): void {
  container.fields.length = 0;
  fillFields(container, fieldsOf(container.type, { [property]: { value } }));
}

/** Returns the types of the objects that enclose a container, from the payload to the container itself. */
function typesFrom({ parent, type }: Container): readonly FieldType[] {
  return parent === undefined ? [type] : [...typesFrom(parent), type];
}

function slotOf(container: Container, field: ContractField, isList: boolean): Slot {
  const path = [...container.path, field.name];
  const isKey = path.join(".") === container.key;
  return {
    ...field,
    required: field.required || isKey,
    isList,
    kind: "slot",
    path,
    isKey,
    words: nameWords(field.name),
    around: container.words,
    container,
    guess: undefined,
    isShared: false,
    constant: undefined,
    others: [],
  };
}

/** Yields the containers inside a container that are built from the same row, without the items of child sources. */
export function* containersIn(container: Container): Generator<Container> {
  for (const field of container.fields) {
    if (field.kind === "slot" || field.source !== undefined) continue;
    yield field;
    yield* containersIn(field);
  }
}

export function slotsIn(container: Container): readonly Slot[] {
  const fields = [container, ...containersIn(container)].flatMap((each) => each.fields);
  return fields.filter((field) => field.kind === "slot");
}

/**
 * Returns the writable fields of an object, or of all variants of an object; undefined for any other type.
 * @param entry existing entry of the mapping, in which a constant may select one variant
 */
export function fieldsOf(type: FieldType, entry: JsonObject = {}): readonly ContractField[] | undefined {
  const narrowed = narrowType(entry, type);
  if (narrowed.kind === "object") {
    return [...narrowed.properties.values()]
      .filter(({ readOnly }) => !readOnly)
      .map(({ name, required, type: own }) => ({ name, required, type: own }));
  }
  if (narrowed.kind !== "variants") return undefined;
  const { names, typeOf, isRequired, isReadOnly } = narrowed.merged;
  return names
    .filter((name) => !isReadOnly(name))
    .map((name) => ({ name, required: isRequired(name), type: typeOf(name) ?? ANY_TYPE }));
}

function isScalarField(type: FieldType): boolean {
  const narrowed = narrowType("", type);
  return narrowed.kind !== "object" && narrowed.kind !== "list" && narrowed.kind !== "variants";
}
