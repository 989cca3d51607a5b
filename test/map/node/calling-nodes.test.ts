import { describe, expect, test } from "vitest";
import { callingNodes } from "../../../src/map/node/calling-nodes.ts";
import type {
  EachNode,
  ForeignNode,
  ItemsNode,
  LeafNode,
  MappingNode,
  ObjectNode,
  SplitNode,
  VariantNode,
} from "../../../src/map/node/mapping-node.ts";

function leaf(origin: LeafNode["origin"]): LeafNode {
  return {
    kind: "leaf",
    applies: undefined,
    read: () => "",
    finish: () => origin,
    fallback: undefined,
    origin,
    isCopied: false,
    placeIn: () => undefined,
    from: [],
  };
}

const call = leaf("call");
const column = leaf("column");

function object(fields: Readonly<Record<string, MappingNode>>, more: Partial<ObjectNode> = {}): ObjectNode {
  const nodes = Object.entries(fields).map(([name, node]) => ({ name, node }));
  return { kind: "object", fields: nodes, required: [], optional: false, ...more };
}

function variant(discriminator: MappingNode | undefined, a: ObjectNode, otherwise: ObjectNode): VariantNode {
  return { kind: "variant", discriminator, variants: new Map([["A", a]]), otherwise };
}

function items(...nodes: readonly MappingNode[]): ItemsNode {
  return { kind: "items", entries: nodes.map((item) => ({ kind: "single", applies: undefined, item })) };
}

function each(item: MappingNode): EachNode {
  return { kind: "each", source: "children", condition: undefined, item };
}

function foreign(node: MappingNode): ForeignNode {
  return { kind: "foreign", node };
}

const partsOf = (): readonly string[] => [];

function split(of: LeafNode): SplitNode {
  return { kind: "split", leaf: of, parts: partsOf };
}

describe("the parts of a mapping that call functions", () => {
  test("are empty for a mapping without calls", () => {
    const nodes = [column, split(column), items(column), each(column), foreign(column), object({ a: column })];
    const decided = variant(column, object({ a: column }), object({ b: column }));
    expect(callingNodes([...nodes, decided, object({ a: object({ b: column }) })])).toEqual([[]]);
    expect(callingNodes([])).toEqual([[]]);
  });
  test.each([
    ["a leaf", call, call],
    ["a leaf that is split", split(call), split(call)],
    ["an item", items(column, call), items(call)],
    ["an item of child rows", each(object({ a: column, b: call })), each(object({ b: call }))],
    ["a field of another alternative", foreign(call), foreign(call)],
    ["a nested field", object({ a: column, b: object({ c: call, d: column }) }), object({ b: object({ c: call }) })],
  ])("keep only the calls: %s", (_, node, calls) => {
    expect(callingNodes([node])).toEqual([[calls]]);
    expect(callingNodes([column, node])).toEqual([[calls]]);
  });
  test("are built even if required fields are missing", () =>
    expect(callingNodes([object({ a: call }, { required: ["a", "b"], optional: true })])).toEqual([
      [object({ a: call })],
    ]));
});

describe("an object whose fields depend on another field", () => {
  test("is built in one round if no call determines the fields", () => {
    const [a, b] = [object({ x: column }), object({ y: call, z: column })];
    expect(callingNodes([variant(column, a, b)])).toEqual([[variant(column, object({}), object({ y: call }))]]);
    expect(callingNodes([variant(column, b, a)])).toEqual([[variant(column, object({ y: call }), object({}))]]);
    expect(callingNodes([variant(undefined, a, b)])).toEqual([[variant(undefined, object({}), object({ y: call }))]]);
  });
  const decided = variant(call, object({ x: call, y: column }), object({ z: call }));
  const calls = variant(call, object({ x: call }), object({ z: call }));
  test("is built after the call that determines the fields", () => {
    expect(callingNodes([decided])).toEqual([[call], [calls]]);
    expect(callingNodes([variant(call, object({ a: column }), object({}))])).toEqual([[call], []]);
  });
  test.each([
    ["an object", (node: MappingNode) => object({ a: node })],
    ["an item", (node: MappingNode) => items(node)],
    ["an item of child rows", each],
    ["a field of another alternative", foreign],
    ["an object that a column determines", (node: MappingNode) => variant(column, object({}), object({ a: node }))],
  ])("is built after the call that determines the fields, inside %s", (_, inside) =>
    expect(callingNodes([inside(decided)])).toEqual([[inside(call)], [inside(calls)]]),
  );
  test("is built level by level inside another such object", () => {
    const outer = (inner: MappingNode) => variant(call, object({ a: inner }), object({}));
    expect(callingNodes([outer(decided)])).toEqual([[call], [outer(call)], [outer(calls)]]);
  });
  test("determines the number of rounds for all parts", () =>
    expect(callingNodes([call, decided])).toEqual([
      [call, call],
      [call, calls],
    ]));
});
