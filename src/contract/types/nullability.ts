import type { AttrPath } from "../../json/attr.ts";
import { isJsonArray } from "../../json/json-value.ts";
import {
  type Compilation,
  readKeyword,
  readNested,
  resolveReference,
  schemaKey,
  schemaNodeAt,
  type SchemaNode,
  targetOf,
} from "./schema-node.ts";
import { namesOfTypes } from "./type-keyword.ts";

/** Whether schemas allow null; undefined if no keyword of the schemas determines this. */
export type NullRule = "allowed" | "forbidden" | undefined;

/**
 * Returns the combined rule of the nodes: null is forbidden if any node forbids it. `nullable` overrides the other
 * keywords of its schema, including the contents of its `$ref` and `allOf`, because contracts use `nullable` next to
 * these keywords.
 */
export function nullRule(nodes: readonly SchemaNode[], compilation: Compilation): NullRule {
  const [first] = nodes;
  if (first?.decidesNull === true) return "allowed";
  const known = new Map<string, NullRule>();
  return every(nodes.map((node) => ruleOf(node, compilation, known)));
}

/** Returns a node that allows null regardless of the following nodes. */
export function nullAllowed(path: AttrPath): SchemaNode {
  return { schema: {}, path: [...path, "nullable"], omit: [], decidesNull: true };
}

/** @param known rules of the nodes visited so far. Each node is visited once; a node inside itself has no rule. */
function ruleOf(node: SchemaNode, compilation: Compilation, known: Map<string, NullRule>): NullRule {
  const key = schemaKey([node]);
  if (known.has(key)) return known.get(key);
  known.set(key, undefined);
  const rule = readNested(node.path, compilation, () => ruleOfNode(node, compilation, known));
  known.set(key, rule);
  return rule;
}

function ruleOfNode(node: SchemaNode, compilation: Compilation, known: Map<string, NullRule>): NullRule {
  const written = readKeyword(node, "nullable");
  if (typeof written === "boolean") return written ? "allowed" : "forbidden";
  const below = (one: SchemaNode): NullRule => ruleOf(one, compilation, known);
  const target = readKeyword(node, "$ref") === undefined ? undefined : targetOf(node, compilation);
  return every([
    typeRule(node, compilation),
    choiceRule(node),
    target && below(target),
    every(branches(node, "allOf", compilation).map(below)),
    some(branches(node, "oneOf", compilation).map(below)),
    some(branches(node, "anyOf", compilation).map(below)),
  ]);
}

function every(rules: readonly NullRule[]): NullRule {
  return rules.includes("forbidden") ? "forbidden" : rules.find((rule) => rule !== undefined);
}

function some(rules: readonly NullRule[]): NullRule {
  if (rules.includes("allowed")) return "allowed";
  return rules.length > 0 && rules.every((rule) => rule === "forbidden") ? "forbidden" : undefined;
}

function typeRule(node: SchemaNode, compilation: Compilation): NullRule {
  const type = readKeyword(node, "type");
  if (type === undefined) return undefined;
  const names = namesOfTypes(type, [...node.path, "type"], compilation);
  return names.length === 0 ? undefined : ruleFor(names.includes("null"));
}

function choiceRule(node: SchemaNode): NullRule {
  const constant = readKeyword(node, "const");
  const choices = readKeyword(node, "enum");
  return every([
    constant === undefined ? undefined : ruleFor(constant === null),
    isJsonArray(choices) ? ruleFor(choices.includes(null)) : undefined,
  ]);
}

function ruleFor(isAllowed: boolean): NullRule {
  return isAllowed ? "allowed" : "forbidden";
}

function branches(node: SchemaNode, keyword: string, compilation: Compilation): readonly SchemaNode[] {
  const written = readKeyword(node, keyword);
  if (!isJsonArray(written)) return [];
  return written.map((branch, index) =>
    resolveReference(schemaNodeAt(branch, [...node.path, keyword, index], compilation.findings), compilation),
  );
}
