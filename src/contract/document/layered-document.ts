import type { AttrPath, AttrSegment } from "../../json/attr.ts";
import {
  isJsonArray,
  isJsonObject,
  isJsonScalar,
  type JsonObject,
  type JsonScalar,
  type JsonValue,
} from "../../json/json-value.ts";
import { failureAt } from "../../model/failure.ts";
import { getOrAdd } from "../../model/groups.ts";
import type { Place } from "../../model/place.ts";
import { formatCount } from "../../text/count.ts";
import type { SourceDocument } from "./yaml-document.ts";

/** A document that overlays modify. It records the source file and path of each part. */
export interface LayeredDocument {
  /** The current value. Every change modifies it in place. */
  readonly value: MutableJsonObject;
  readonly placeOf: (path: AttrPath) => Place;
  /**
   * Merges the update into the object at the path: objects are merged member by member, lists are appended, and other
   * values are replaced.
   * @throws Failure `contract_invalid` if overlays add too many values to the document
   */
  readonly merge: (path: AttrPath, update: JsonObject, origin: Origin) => void;
  /**
   * Appends an entry to the list at the path; if the entry is a list, appends each of its items.
   * @throws Failure `contract_invalid` if overlays add too many values to the document
   */
  readonly append: (path: AttrPath, entry: JsonValue, origin: Origin) => void;
  readonly remove: (path: AttrPath) => void;
}

/** A source location: a path in one of the source documents. */
export interface Origin {
  readonly document: SourceDocument;
  readonly path: AttrPath;
}

/** Mutable JSON, as required by the JSONPath library. */
interface MutableJsonObject {
  [name: string]: MutableJsonValue;
}
type MutableJsonList = MutableJsonValue[];
type MutableJsonValue = JsonScalar | MutableJsonObject | MutableJsonList;

/** The origin of each member of each object, by name, and of each item of each list, by index. */
type Origins = Map<unknown, Map<string, Origin>>;

/** Creates a document that overlays can modify. `root` is the base document's value, which is copied. */
export function layeredDocument(base: SourceDocument, root: JsonObject): LayeredDocument {
  const origin: Origin = { document: base, path: [] };
  const origins: Origins = new Map();
  const value: MutableJsonObject = {};
  mergeInto(value, root, origin, origins);
  const nodeAt = (path: AttrPath): MutableJsonValue | undefined =>
    path.reduce<MutableJsonValue | undefined>(memberOf, value);
  let added = 0;
  const countAdded = (update: JsonValue, from: Origin): void => {
    added += countNodes(update);
    if (added <= MAX_ADDED_NODES) return;
    const what = `overlays add more than ${formatCount(MAX_ADDED_NODES)} values`;
    throw failureAt("contract_invalid", sourcePlace(from), what, { hint: "add fewer values, or select fewer targets" });
  };
  return {
    value,
    placeOf(path) {
      let [node, nearest]: [MutableJsonValue | undefined, Origin] = [value, origin];
      for (const [depth, part] of path.entries()) {
        const next: Origin | undefined = origins.get(node)?.get(String(part));
        // The path leads beyond the value: the source document returns the line of the nearest ancestor.
        if (next === undefined) return sourcePlace(nearest, path.slice(depth));
        [node, nearest] = [memberOf(node, part), next];
      }
      return sourcePlace(nearest);
    },
    merge(path, update, from) {
      countAdded(update, from);
      const object = nodeAt(path);
      if (isObject(object)) mergeInto(object, update, from, origins);
    },
    append(path, entry, from) {
      countAdded(entry, from);
      const list = nodeAt(path);
      if (Array.isArray(list)) appendTo(list, entry, from, origins);
    },
    remove: (path) => removeFrom(nodeAt(path.slice(0, -1)), path.at(-1) ?? "", origins),
  };
}

/**
 * Maximum number of values that overlays may add to a document. Each match of a target receives a copy of the whole
 * update, so a short overlay could add millions of values.
 */
const MAX_ADDED_NODES = 100_000;

function countNodes(value: JsonValue): number {
  let count = 0;
  const open: JsonValue[] = [value];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    count += 1;
    if (!isJsonScalar(next)) for (const member of Object.values(next)) open.push(member);
  }
  return count;
}

function isObject(value: MutableJsonValue | undefined): value is MutableJsonObject {
  return isJsonObject(value);
}

function memberOf(value: MutableJsonValue | undefined, part: AttrSegment): MutableJsonValue | undefined {
  if (Array.isArray(value)) return value[Number(part)];
  return isObject(value) && Object.hasOwn(value, part) ? value[part] : undefined;
}

function below(origin: Origin, part: AttrSegment): Origin {
  return { document: origin.document, path: [...origin.path, part] };
}

function sourcePlace({ document, path }: Origin, rest: AttrPath = []): Place {
  return { file: document.file, line: document.lineOf([...path, ...rest]) };
}

function mergeInto(object: MutableJsonObject, update: JsonObject, origin: Origin, origins: Origins): MutableJsonObject {
  const places = getOrAdd(origins, object, () => new Map<string, Origin>());
  for (const [name, value] of Object.entries(update)) {
    const member = memberOf(object, name);
    const source = below(origin, name);
    if (isObject(member) && isJsonObject(value)) mergeInto(member, value, source, origins);
    else if (Array.isArray(member) && isJsonArray(value)) appendTo(member, value, source, origins);
    else {
      object[name] = copyOf(value, source, origins);
      places.set(name, source);
    }
  }
  return object;
}

function appendTo(list: MutableJsonList, entry: JsonValue, origin: Origin, origins: Origins): MutableJsonList {
  const places = getOrAdd(origins, list, () => new Map<string, Origin>());
  for (const [index, item] of (isJsonArray(entry) ? entry : [entry]).entries()) {
    const source = isJsonArray(entry) ? below(origin, index) : origin;
    places.set(String(list.length), source);
    list.push(copyOf(item, source, origins));
  }
  return list;
}

function copyOf(value: JsonValue, origin: Origin, origins: Origins): MutableJsonValue {
  if (isJsonArray(value)) return appendTo([], value, origin, origins);
  return isJsonObject(value) ? mergeInto({}, value, origin, origins) : value;
}

function removeFrom(node: MutableJsonValue | undefined, part: AttrSegment, origins: Origins): void {
  const places = origins.get(node) ?? new Map<string, Origin>();
  if (isObject(node)) {
    delete node[part];
    places.delete(String(part));
  } else if (Array.isArray(node)) {
    node.splice(Number(part), 1);
    const left = [...places.values()].toSpliced(Number(part), 1);
    origins.set(node, new Map(left.map((origin, index) => [String(index), origin])));
  }
}
