import { isAlias, isMap, isScalar, isSeq, type Node, type Pair, type Scalar } from "yaml";
import type { AttrPath } from "../model/attr.ts";
import type { Failure } from "../model/failure.ts";
import type { JsonScalar, JsonValue } from "../model/json.ts";

/** A composed YAML document: its nodes, what its aliases mean, and how to refuse a part of it. */
export interface YamlTree {
  readonly root: Node | null;
  /** Filled by `jsonOf`: alias -> the node it stands for. */
  readonly targets: Map<Node, Node>;
  readonly refuse: (message: string, offset: number, hint?: string) => Failure;
}

/** The tree as plain data. Throws what `refuse` makes of a part that JSON cannot hold. */
export function jsonOf(tree: YamlTree): JsonValue {
  return valueOf(tree.root, { tree, anchors: new Map(), open: new Set(), copied: 0 });
}

/** Where the key or item at that path starts; its nearest ancestor when there is none. */
export function offsetOf(tree: YamlTree, path: AttrPath): number {
  let node = tree.root;
  let offset = node?.range?.[0] ?? 0;
  for (const part of path) {
    const step = childAt(resolved(tree, node), String(part));
    if (step === undefined) return offset;
    offset = step.offset;
    node = step.value;
  }
  return offset;
}

interface Reading {
  readonly tree: YamlTree;
  readonly anchors: Map<string, Node>;
  /** Anchored nodes that are being copied out at the moment. */
  readonly open: Set<Node>;
  /** Nodes that aliases have copied so far. */
  copied: number;
}

/** Aliases save typing; a document in which they stand for more than this is an attack or a mistake. */
const MOST_COPIED = 100_000;

function valueOf(node: Node | null, reading: Reading): JsonValue {
  if (reading.open.size > 0) countCopy(node, reading);
  if (isAlias(node)) return aliasValue(node, node.source, reading);
  if (node !== null && "anchor" in node && node.anchor !== undefined) reading.anchors.set(node.anchor, node);
  if (isMap(node)) return objectOf(node.items, reading);
  if (isSeq(node)) return node.items.map((item) => valueOf(nodeOf(item), reading));
  return isScalar(node) ? scalarOf(node, reading.tree) : null;
}

function countCopy(node: Node | null, reading: Reading): void {
  reading.copied += 1;
  if (reading.copied <= MOST_COPIED) return;
  throw reading.tree.refuse(`aliases multiply to more than ${MOST_COPIED} values`, offsetIn(node));
}

function aliasValue(alias: Node, name: string, reading: Reading): JsonValue {
  const target = reading.tree.targets.get(alias) ?? reading.anchors.get(name);
  if (target === undefined) throw reading.tree.refuse(`there is no anchor &${name} above this alias`, offsetIn(alias));
  if (reading.open.has(target) || contains(target, alias)) {
    throw reading.tree.refuse(`the alias *${name} refers to what it stands in`, offsetIn(alias));
  }
  reading.tree.targets.set(alias, target);
  reading.open.add(target);
  const value = valueOf(target, reading);
  reading.open.delete(target);
  return value;
}

function contains(outer: Node, inner: Node): boolean {
  const [start, , end] = outer.range ?? [0, 0, 0];
  return offsetIn(inner) >= start && offsetIn(inner) < end;
}

function objectOf(pairs: readonly Pair[], reading: Reading): JsonValue {
  const members = new Map<string, JsonValue>();
  for (const pair of pairs) {
    const name = nameOf(pair, reading.tree);
    if (members.has(name)) {
      throw reading.tree.refuse(
        `the name ${JSON.stringify(name)} stands twice in one object`,
        offsetIn(nodeOf(pair.key)),
      );
    }
    members.set(name, valueOf(nodeOf(pair.value), reading));
  }
  return Object.fromEntries(members);
}

function nameOf(pair: Pair, tree: YamlTree): string {
  const key = nodeOf(pair.key);
  const name = keyText(key);
  if (name === undefined) throw tree.refuse("a name must be plain text", offsetIn(key));
  if (name === "__proto__") throw tree.refuse("the name __proto__ is not allowed", offsetIn(key));
  if (name === "<<") throw tree.refuse("merge keys (<<) are not supported", offsetIn(key), "write the members out");
  return name;
}

/** Names as a person wrote them: `null`, `true` and `00123` are names, not values. */
function keyText(key: Node | null): string | undefined {
  if (!isScalar(key)) return undefined;
  if (typeof key.value === "string") return key.value;
  if (typeof key.value === "number") return key.source ?? String(key.value);
  return key.value === null || typeof key.value === "boolean" ? String(key.value) : undefined;
}

function scalarOf(scalar: Scalar, tree: YamlTree): JsonScalar {
  const { value } = scalar;
  if (typeof value === "number") return numberOf(value, scalar, tree);
  if (value === null || typeof value === "string" || typeof value === "boolean") return value;
  throw tree.refuse("this kind of value has no place in JSON", offsetIn(scalar), "write it as text in quotes");
}

function numberOf(value: number, scalar: Scalar, tree: YamlTree): JsonScalar {
  const text = scalar.source ?? String(value);
  if (/^[-+]?0\d+$/.test(text)) return text;
  if (!Number.isFinite(value)) throw tree.refuse("this number has no place in JSON", offsetIn(scalar));
  if (Number.isInteger(value) && !Number.isSafeInteger(value) && /^[-+]?\d+$/.test(text)) {
    throw tree.refuse("this number is too long to keep its digits", offsetIn(scalar), "write it as text in quotes");
  }
  return value;
}

interface Child {
  readonly offset: number;
  readonly value: Node | null;
}

function childAt(node: Node | null, name: string): Child | undefined {
  if (isMap(node)) {
    const pair = node.items.find((item) => keyText(nodeOf(item.key)) === name);
    return pair && { offset: offsetIn(nodeOf(pair.key)), value: nodeOf(pair.value) };
  }
  const item = isSeq(node) ? node.items[Number(name)] : undefined;
  return item === undefined ? undefined : { offset: offsetIn(nodeOf(item)), value: nodeOf(item) };
}

function resolved(tree: YamlTree, node: Node | null): Node | null {
  return node !== null && isAlias(node) ? (tree.targets.get(node) ?? null) : node;
}

function offsetIn(node: Node | null): number {
  return node?.range?.[0] ?? 0;
}

/** The library types keys, values and items as unknown; in a composed document they are nodes. */
function nodeOf(part: unknown): Node | null {
  return isAlias(part) || isMap(part) || isSeq(part) || isScalar(part) ? part : null;
}
