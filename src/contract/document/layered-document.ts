import type { AttrPath, AttrSegment } from "../../json/attr.ts";
import { isJsonArray, isJsonObject, type JsonObject, type JsonScalar, type JsonValue } from "../../json/json-value.ts";
import { Failure } from "../../model/failure.ts";
import { formatPlace, type Place } from "../../model/place.ts";
import { formatCount } from "../../text/count.ts";
import type { SourceDocument } from "./yaml-document.ts";

/** A document that overlays modify. It records the source file and path of each part. */
export interface LayeredDocument {
  /** The current value. Reading it rebuilds only the parts that changed since the last read. */
  readonly value: MutableJsonObject;
  readonly placeOf: (path: AttrPath) => Place;
  /**
   * Merges the update into the object at the path: objects are merged member by member, lists are appended, and other
   * values are replaced.
   */
  readonly merge: (path: AttrPath, update: JsonObject, origin: Origin) => void;
  /** Appends an entry to the list at the path; if the entry is a list, appends each of its items. */
  readonly append: (path: AttrPath, entry: JsonValue, origin: Origin) => void;
  readonly remove: (path: AttrPath) => void;
}

/** A source location: a path in one of the source documents. */
interface Origin {
  readonly document: SourceDocument;
  readonly path: AttrPath;
}

/**
 * Creates a document that overlays can modify. `root` is the base document's value, which is copied and not modified.
 */
export function layeredDocument(base: SourceDocument, root: JsonObject): LayeredDocument {
  const tree = treeOf(root, { document: base, path: [] });
  let plain = toJsonObject(tree);
  // Paths changed since `plain` was last read. The next read rebuilds each of these paths once.
  const changed = new Map<string, AttrPath>();
  const noteChange = (path: AttrPath): void => void changed.set(JSON.stringify(path), path);
  const refresh = (path: AttrPath): void => {
    const node = nodeAt(tree, path);
    if (path.length === 0) plain = toJsonObject(tree);
    else if (node !== undefined) putAt(plain, path, toJson(node));
  };
  let added = 0;
  const add = (update: JsonValue, origin: Origin): void => {
    added += countNodes(update);
    if (added > MAX_ADDED_NODES) throw tooManyNodes(origin);
  };
  return {
    get value() {
      for (const path of changed.values()) if (!isWithinOther(path, changed)) refresh(path);
      changed.clear();
      return plain;
    },
    placeOf: (path) => placeOf(tree, path),
    merge: (path, update, origin) => {
      add(update, origin);
      mergeInto(nodeAt(tree, path), update, origin);
      noteChange(path);
    },
    append: (path, entry, origin) => {
      add(entry, origin);
      appendTo(nodeAt(tree, path), entry, origin);
      noteChange(path);
    },
    remove: (path) => {
      const around = path.slice(0, -1);
      removeFrom(nodeAt(tree, around), path.at(-1));
      noteChange(around);
    },
  };
}

function isWithinOther(path: AttrPath, others: ReadonlyMap<string, AttrPath>): boolean {
  return path.some((_, depth) => others.has(JSON.stringify(path.slice(0, depth))));
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
    if (isJsonArray(next)) for (const item of next) open.push(item);
    else if (isJsonObject(next)) for (const member of Object.values(next)) open.push(member);
  }
  return count;
}

function tooManyNodes(origin: Origin): Failure {
  const place = sourcePlace(origin, []);
  const message = `${formatPlace(place)}: overlays add more than ${formatCount(MAX_ADDED_NODES)} values`;
  return new Failure("contract_invalid", message, { hint: "add fewer values, or select fewer targets", place });
}

function putAt(root: MutableJsonObject, path: AttrPath, value: MutableJsonValue): void {
  const last = path.at(-1);
  const around = path.slice(0, -1).reduce<MutableJsonValue | undefined>(memberOf, root);
  if (Array.isArray(around)) around[Number(last)] = value;
  else if (around !== null && typeof around === "object" && last !== undefined) around[last] = value;
}

function memberOf(value: MutableJsonValue | undefined, part: AttrSegment): MutableJsonValue | undefined {
  if (Array.isArray(value)) return value[Number(part)];
  return value !== null && typeof value === "object" && Object.hasOwn(value, part) ? value[part] : undefined;
}

/** Mutable JSON, as required by the JSONPath library. */
interface MutableJsonObject {
  [name: string]: MutableJsonValue;
}
type MutableJsonValue = JsonScalar | MutableJsonObject | MutableJsonValue[];

type Tree =
  | ObjectTree
  | { readonly kind: "list"; readonly origin: Origin; readonly items: Tree[] }
  | { readonly kind: "scalar"; readonly origin: Origin; readonly value: JsonScalar };
interface ObjectTree {
  readonly kind: "object";
  readonly origin: Origin;
  readonly members: Map<string, Tree>;
}

function treeOf(value: JsonObject, origin: Origin): ObjectTree;
function treeOf(value: JsonValue, origin: Origin): Tree;
function treeOf(value: JsonValue, origin: Origin): Tree {
  if (isJsonArray(value)) {
    return { kind: "list", origin, items: value.map((item, index) => treeOf(item, below(origin, index))) };
  }
  if (!isJsonObject(value)) return { kind: "scalar", origin, value };
  const members = Object.entries(value).map(([name, member]) => [name, treeOf(member, below(origin, name))] as const);
  return { kind: "object", origin, members: new Map(members) };
}

function below(origin: Origin, part: AttrSegment): Origin {
  return { document: origin.document, path: [...origin.path, part] };
}

function toJsonObject(tree: ObjectTree): MutableJsonObject {
  return Object.fromEntries([...tree.members].map(([name, member]) => [name, toJson(member)]));
}

function toJson(tree: Tree): MutableJsonValue {
  if (tree.kind === "object") return toJsonObject(tree);
  return tree.kind === "list" ? tree.items.map(toJson) : tree.value;
}

function childOf(tree: Tree | undefined, part: AttrSegment): Tree | undefined {
  if (tree?.kind === "object") return tree.members.get(String(part));
  return tree?.kind === "list" ? tree.items[Number(part)] : undefined;
}

function nodeAt(tree: Tree, path: AttrPath): Tree | undefined {
  return path.reduce<Tree | undefined>(childOf, tree);
}

function placeOf(root: Tree, path: AttrPath): Place {
  let tree = root;
  for (const [depth, part] of path.entries()) {
    const child = childOf(tree, part);
    // The path leads beyond the tree: the source document returns the line of the nearest ancestor.
    if (child === undefined) return sourcePlace(tree.origin, path.slice(depth));
    tree = child;
  }
  return sourcePlace(tree.origin, []);
}

function sourcePlace({ document, path }: Origin, rest: AttrPath): Place {
  return { file: document.file, line: document.lineOf([...path, ...rest]) };
}

function mergeInto(tree: Tree | undefined, update: JsonObject, origin: Origin): void {
  if (tree?.kind !== "object") return;
  for (const [name, value] of Object.entries(update)) {
    const member = tree.members.get(name);
    const source = below(origin, name);
    if (member?.kind === "object" && isJsonObject(value)) mergeInto(member, value, source);
    else if (member?.kind === "list" && isJsonArray(value)) appendTo(member, value, source);
    else tree.members.set(name, treeOf(value, source));
  }
}

function appendTo(tree: Tree | undefined, entry: JsonValue, origin: Origin): void {
  if (tree?.kind !== "list") return;
  const added = treeOf(entry, origin);
  for (const item of added.kind === "list" ? added.items : [added]) tree.items.push(item);
}

function removeFrom(tree: Tree | undefined, part: AttrSegment | undefined): void {
  if (tree?.kind === "object") tree.members.delete(String(part));
  if (tree?.kind === "list") tree.items.splice(Number(part), 1);
}
