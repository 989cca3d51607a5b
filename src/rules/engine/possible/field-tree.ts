import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from "../../../json/json-value.ts";

/**
 * A field that rules read or check, by its path in payloads. The items of a list have the same node as the list, so a
 * field is present if any item has it.
 */
export interface FieldNode {
  readonly parent: FieldNode | undefined;
  readonly depth: number;
  readonly fields: Map<string, FieldNode>;
  /** The number of the last payload in which the field was present and not null. */
  presentIn: number;
}

export interface FieldTree {
  readonly root: FieldNode;
  /** The number of the current payload. */
  readonly current: () => number;
  /** Starts a payload and records which fields of the tree it has. */
  readonly note: (payload: JsonObject) => void;
  /** The node of a field. A new node counts as present in the current payload, which was recorded without it. */
  readonly field: (node: FieldNode, name: string) => FieldNode;
}

export function createFieldTree(): FieldTree {
  let payloads = 0;
  const root: FieldNode = { parent: undefined, depth: 0, fields: new Map(), presentIn: Infinity };

  function noteFields(value: JsonObject, node: FieldNode): void {
    for (const name in value) {
      const field = node.fields.get(name);
      const member = value[name];
      if (field === undefined || member === undefined || member === null) continue;
      field.presentIn = payloads;
      if (typeof member === "object" && field.fields.size > 0) noteWithin(member, field);
    }
  }

  function noteWithin(value: JsonValue, node: FieldNode): void {
    if (isJsonArray(value)) for (const item of value) noteWithin(item, node);
    else if (isJsonObject(value)) noteFields(value, node);
  }

  return {
    root,
    current: () => payloads,
    note(payload) {
      payloads += 1;
      noteFields(payload, root);
    },
    field(node, name) {
      const known = node.fields.get(name);
      if (known !== undefined) return known;
      const made = { parent: node, depth: node.depth + 1, fields: new Map(), presentIn: payloads };
      node.fields.set(name, made);
      return made;
    },
  };
}
