import type { FieldNode, ItemsNode, ListEntry, MappingNode, ObjectNode, VariantNode } from "./mapping-node.ts";

/**
 * Reduces a mapping to the parts that call functions, so that building them only makes the calls. There are several
 * rounds if calls determine the fields of an object. Each round builds one more level of such objects.
 */
export function callingNodes(roots: readonly MappingNode[]): readonly (readonly MappingNode[])[] {
  const rounds = deepest(roots);
  return Array.from({ length: rounds + 1 }, (_, level) => roots.flatMap((node) => callsOf(node, level) ?? []));
}

/** Returns the nesting depth of objects whose fields are determined by calls. */
function decisionsIn(node: MappingNode): number {
  if (node.kind === "variant") return (isDecidedByCall(node) ? 1 : 0) + deepest(branchesOf(node));
  if (node.kind === "object") return deepest(node.fields.map((field) => field.node));
  if (node.kind === "items") return deepest(node.entries.map(({ item }) => item));
  if (node.kind === "each") return decisionsIn(node.item);
  return node.kind === "foreign" ? decisionsIn(node.node) : 0;
}

function deepest(nodes: readonly MappingNode[]): number {
  return Math.max(0, ...nodes.map(decisionsIn));
}

/**
 * @param level number of nested objects whose discriminator calls already have results; for deeper objects, only the
 * discriminator calls are made
 */
function callsOf(node: MappingNode, level: number): MappingNode | undefined {
  if (node.kind === "leaf") return node.origin === "call" ? node : undefined;
  if (node.kind === "split") return node.leaf.origin === "call" ? node : undefined;
  if (node.kind === "items") return callingItems(node, level);
  if (node.kind === "variant") return callingVariant(node, level);
  if (node.kind === "foreign") {
    const inner = callsOf(node.node, level);
    return inner && { ...node, node: inner };
  }
  if (node.kind === "each") {
    const item = callsOf(node.item, level);
    return item && { ...node, item, selection: undefined };
  }
  const object = callingObject(node, level);
  return object.fields.length === 0 ? undefined : object;
}

function callingItems({ entries }: ItemsNode, level: number): ItemsNode | undefined {
  const calling = entries.flatMap((entry): ListEntry[] => {
    const item = callsOf(entry.item, level);
    return item === undefined ? [] : [{ ...entry, item }];
  });
  return calling.length === 0 ? undefined : { kind: "items", entries: calling };
}

function callingObject({ fields }: ObjectNode, level: number): ObjectNode {
  const calling = fields.flatMap(({ name, node }): FieldNode[] => {
    const inner = callsOf(node, level);
    return inner === undefined ? [] : [{ name, node: inner }];
  });
  return { kind: "object", fields: calling, required: [], optional: false };
}

function callingVariant(node: VariantNode, level: number): MappingNode | undefined {
  const isDecided = isDecidedByCall(node);
  if (isDecided && level === 0) return node.discriminator;
  const below = isDecided ? level - 1 : level;
  const variants = new Map([...node.variants].map(([name, object]) => [name, callingObject(object, below)]));
  const otherwise = callingObject(node.otherwise, below);
  const isCalling = [otherwise, ...variants.values()].some(({ fields }) => fields.length > 0);
  return isCalling ? { ...node, variants, otherwise } : undefined;
}

function branchesOf({ variants, otherwise }: VariantNode): readonly ObjectNode[] {
  return [otherwise, ...variants.values()];
}

function isDecidedByCall({ discriminator }: VariantNode): boolean {
  return discriminator !== undefined && callsOf(discriminator, 0) !== undefined;
}
