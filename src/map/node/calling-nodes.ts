import type { FieldNode, ItemsNode, ListEntry, MappingNode, ObjectNode, VariantNode } from "./mapping-node.ts";

/**
 * The parts of a mapping that call functions, as mappings of their own: building them makes the calls and nothing else.
 * Several where calls decide which fields an object has: each round builds one level of such objects more.
 */
export function callingNodes(roots: readonly MappingNode[]): readonly (readonly MappingNode[])[] {
  const rounds = Math.max(0, ...roots.map(decisionsIn));
  return Array.from({ length: rounds + 1 }, (_, level) => roots.flatMap((node) => callsOf(node, level) ?? []));
}

/** How many objects whose fields calls decide are nested in each other. */
function decisionsIn(node: MappingNode): number {
  switch (node.kind) {
    case "leaf":
    case "split":
      return 0;
    case "foreign":
      return decisionsIn(node.node);
    case "each":
      return decisionsIn(node.item);
    case "items":
      return Math.max(0, ...node.entries.map(({ item }) => decisionsIn(item)));
    case "object":
      return Math.max(0, ...node.fields.map((field) => decisionsIn(field.node)));
    case "variant":
      return (isDecidedByCall(node) ? 1 : 0) + Math.max(...branchesOf(node).map(decisionsIn));
  }
}

/** @param level of objects whose fields calls decide; below them only the deciding calls are made */
function callsOf(node: MappingNode, level: number): MappingNode | undefined {
  switch (node.kind) {
    case "leaf":
      return node.origin === "call" ? node : undefined;
    case "split":
      return node.leaf.origin === "call" ? node : undefined;
    case "foreign": {
      const inner = callsOf(node.node, level);
      return inner && { ...node, node: inner };
    }
    case "each": {
      const item = callsOf(node.item, level);
      return item && { ...node, item };
    }
    case "items":
      return callingItems(node, level);
    case "object": {
      const object = callingObject(node, level);
      return object.fields.length === 0 ? undefined : object;
    }
    case "variant":
      return callingVariant(node, level);
  }
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
