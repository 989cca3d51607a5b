import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from "../../../json/json-value.ts";
import { getOrAdd } from "../../../model/groups.ts";

/**
 * A field that rules read or check, by its path in payloads. The items of a list share the node of the list, so a field
 * is present if any item has it.
 */
export interface FieldNode {
  readonly parent: FieldNode | undefined;
  readonly depth: number;
  readonly fields: Map<string, FieldNode>;
  /** The number of the last payload in which the field was present and not null. */
  presentIn: number;
}

/** A set of fields. Payloads with the same fields in the same order share one object. */
export interface PresentFields {
  /** The sets with one additional field, by that field. */
  readonly larger: Map<FieldNode, PresentFields>;
  isUsed: boolean;
}

export interface FieldTree {
  readonly root: FieldNode;
  /**
   * Starts to process a payload, and returns the set of the tree's fields that the payload contains. After `MAX_SETS`
   * different sets, the fields of all later payloads are added to one set.
   */
  readonly note: (payload: JsonObject) => PresentFields;
  /** Whether the field is in the set that `note` returned. */
  readonly isPresent: (node: FieldNode) => boolean;
  /** The node of a field; created if necessary. */
  readonly field: (node: FieldNode, name: string) => FieldNode;
  /**
   * Looks for the fields of new nodes in the current payload. Returns whether nodes were added to the tree since
   * processing of the payload started.
   */
  readonly update: () => boolean;
}

export function createFieldTree(): FieldTree {
  const sets = createFieldSets();
  let payloads = 0;
  let current: JsonObject = {};
  let hasNewNodes = false;
  let isLarger = false;
  const root: FieldNode = { parent: undefined, depth: 0, fields: new Map(), presentIn: Infinity };

  /**
   * Marks the fields of a value as present. This is a single function, because V8 would repeatedly inline two functions
   * that call each other, which would slow compilation.
   */
  function noteFields(value: JsonValue, node: FieldNode): void {
    if (isJsonArray(value)) {
      for (const item of value) noteFields(item, node);
      return;
    }
    if (!isJsonObject(value)) return;
    for (const name in value) {
      const field = node.fields.get(name);
      const member = value[name];
      if (field === undefined || member === undefined || member === null) continue;
      if (field.presentIn !== payloads) {
        field.presentIn = payloads;
        sets.add(field);
      }
      if (field.fields.size > 0) noteFields(member, field);
    }
  }

  return {
    root,
    note(payload) {
      isLarger = false;
      current = payload;
      if (sets.start()) payloads += 1;
      noteFields(payload, root);
      return sets.current();
    },
    isPresent: ({ presentIn }) => presentIn === payloads || presentIn === Infinity,
    field: (node, name) =>
      getOrAdd(node.fields, name, () => {
        hasNewNodes = true;
        return { parent: node, depth: node.depth + 1, fields: new Map(), presentIn: -1 };
      }),
    update() {
      if (hasNewNodes) {
        hasNewNodes = false;
        isLarger = true;
        noteFields(current, root);
      }
      return isLarger;
    },
  };
}

const MAX_SETS = 500;

function createFieldSets() {
  const empty = newSet();
  let present = empty;
  let used = 0;
  return {
    /** Starts an empty set. Returns false if there are too many sets; later fields are then added to the last set. */
    start(): boolean {
      if (used >= MAX_SETS) return false;
      present = empty;
      return true;
    },
    add(field: FieldNode): void {
      const known = present.larger.get(field);
      const larger = known ?? newSet();
      if (known === undefined) present.larger.set(field, larger);
      present = larger;
    },
    current(): PresentFields {
      if (!present.isUsed) used += 1;
      present.isUsed = true;
      return present;
    },
  };
}

function newSet(): PresentFields {
  return { larger: new Map(), isUsed: false };
}
