import type { AttrPath } from "../../json/attr.ts";
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue, valueAt } from "../../json/json-value.ts";
import type { UnionPlace } from "./count-alternatives.ts";
import type { FieldType, UnionType } from "./field-type.ts";
import type { Findings } from "../contract-findings.ts";
import type { Rule } from "../../rules/language/rule.ts";
import { formatPointer, parseFragment } from "../../json/json-pointer.ts";
import { Failure } from "../../model/failure.ts";

/**
 * A schema with its path in the document. `omit` names the keywords that the node excludes, because other nodes handle
 * them.
 */
export interface SchemaNode {
  readonly schema: JsonObject;
  readonly path: AttrPath;
  readonly omit: readonly string[];
  /** Set if the node allows null regardless of the following nodes (`nullability.ts`). */
  readonly decidesNull?: true;
  /** Set if the schema, or a schema that refers to it, has `nullable: true`: null is valid despite other keywords. */
  readonly takesNull?: true;
}

/** The state for compiling one document. */
export interface Compilation {
  readonly document: JsonObject;
  readonly findings: Findings;
  readonly openapi: "3.0" | "3.1";
  /**
   * Whether the types describe requests or replies. In replies, objects are open, text may be blank, and `readOnly`
   * members are present instead of `writeOnly` members. Reply types keep only the structure: no rules, validators or
   * descriptions.
   */
  readonly direction: "request" | "reply";
  /**
   * The value of an instance setting, as text: the configured value or the default in `x-rule-settings`. Undefined if
   * the setting has no value.
   */
  readonly settingText: (name: string) => string | undefined;
  /** Compiles one type for all nodes: a value must satisfy every node. Adds a finding for a type without values. */
  readonly compile: (nodes: readonly SchemaNode[]) => FieldType;
  /**
   * Compiles one of several possible types. Adds no finding for a type without values, but marks it as `impossible`.
   * Calls `enter` with a type that may contain itself before it compiles the parts of the type.
   */
  readonly compileOption: (nodes: readonly SchemaNode[], enter?: (draft: FieldType) => void) => FieldType;
  /** Records the reason why the current type has no values. */
  readonly contradict: (reason: string, path: AttrPath) => void;
  /**
   * Types by the `schemaKey` of their nodes. Objects, lists and unions are registered before their parts, because they
   * may contain themselves.
   */
  readonly types: Map<string, FieldType>;
  /** Nesting depth of the schemas that are being read. */
  nesting: number;
  readonly unions: Map<UnionType, UnionPlace>;
  /** The parsed rules, by the value of `x-rules` in the document. */
  readonly rules: Map<JsonValue, readonly Rule[]>;
}

/** Maximum nesting of schemas in properties, items, alternatives and references. A recursive schema counts once. */
export const MAX_SCHEMA_NESTING = 250;

/** Reads a nested schema. @throws Failure `contract_invalid` if schemas are nested too deeply */
export function readNested<T>(path: AttrPath, compilation: Compilation, read: () => T): T {
  if (compilation.nesting >= MAX_SCHEMA_NESTING) {
    const message = `schemas are nested more than ${MAX_SCHEMA_NESTING} levels deep, at ${formatPointer(path)}`;
    throw new Failure("contract_invalid", message, {
      hint: "break the chain of references with an overlay: a payload can have at most 64 levels",
    });
  }
  compilation.nesting += 1;
  try {
    return read();
  } finally {
    compilation.nesting -= 1;
  }
}

/** Lists of nodes with the same key compile to the same type. */
export function schemaKey(nodes: readonly SchemaNode[]): string {
  return nodes.map((node) => [formatPointer(node.path), ...node.omit].join(" -")).join("\n");
}

/**
 * Returns the schema at a path; `true` allows everything, `false` nothing. For an invalid schema, adds a finding and
 * returns a schema that allows everything.
 */
export function schemaNodeAt(value: JsonValue | undefined, path: AttrPath, findings: Findings): SchemaNode {
  if (isJsonObject(value)) return { schema: value, path, omit: [] };
  if (value === false) return { schema: { not: {} }, path, omit: [] };
  if (value !== true && value !== undefined) {
    findings.add("error", "bad-keyword", "a schema must be an object, true or false; this value is ignored", path);
  }
  return { schema: {}, path, omit: [] };
}

export function omitKeywords(node: SchemaNode, ...keywords: readonly string[]): SchemaNode {
  return { ...node, omit: [...new Set([...node.omit, ...keywords])].toSorted() };
}

/** Returns the keyword's value, or undefined if the schema does not contain the keyword or the node omits it. */
export function readKeyword(node: SchemaNode, keyword: string): JsonValue | undefined {
  if (node.omit.includes(keyword) || !Object.hasOwn(node.schema, keyword)) return undefined;
  return node.schema[keyword];
}

export interface Located {
  readonly value: JsonValue;
  readonly path: AttrPath;
}

/** Returns the name of a schema in the components; undefined for any other path. */
export function componentName([section, kind, name, ...deeper]: AttrPath): string | undefined {
  const isSchema = section === "components" && kind === "schemas" && name !== undefined && deeper.length === 0;
  return isSchema ? String(name) : undefined;
}

/** Returns every value of the keyword, outermost first, each with its path. */
export function readKeywords(nodes: readonly SchemaNode[], keyword: string): readonly Located[] {
  return nodes.flatMap((node) => {
    const value = readKeyword(node, keyword);
    return value === undefined ? [] : [{ value, path: [...node.path, keyword] }];
  });
}

/**
 * Follows a chain of schemas that consist only of a `$ref`, up to the first schema with other keywords. If there is
 * none, adds a finding and returns a node without the reference.
 */
export function resolveReference(node: SchemaNode, compilation: Compilation): SchemaNode {
  const seen = new Set<string>();
  let current = node;
  while (isReferenceOnly(current) && !seen.has(formatPointer(current.path))) {
    seen.add(formatPointer(current.path));
    const target = targetOf(current, compilation);
    if (target === undefined) return omitKeywords(current, "$ref");
    current = target;
  }
  return isReferenceOnly(current) ? reportCircularReference(current, compilation) : current;
}

/**
 * Returns the given nodes and all nodes that `$ref` and `allOf` add, each only once, outermost first. For a keyword
 * with a single value, such as a description, the first node, which is nearest to the field, takes precedence. The
 * result contains neither `$ref` nor `allOf`.
 */
export function flattenSchemas(nodes: readonly SchemaNode[], compilation: Compilation): readonly SchemaNode[] {
  const parts = new Map<string, SchemaNode>();
  const open = new Set<string>();
  const visit = (outer: SchemaNode, isNullable: boolean): void => {
    const takesNull = isNullable || outer.takesNull === true || readKeyword(outer, "nullable") === true;
    const node: SchemaNode = takesNull ? { ...outer, takesNull } : outer;
    const key = schemaKey([node]);
    if (open.has(key)) {
      reportCircularReference(node, compilation);
      return;
    }
    const part = omitKeywords(node, "$ref", "allOf");
    const partKey = schemaKey([part]);
    if (parts.has(partKey)) return;
    parts.set(partKey, part);
    open.add(key);
    readNested(node.path, compilation, () =>
      referencedNodes(node, compilation).forEach((one) => visit(one, takesNull)),
    );
    open.delete(key);
  };
  for (const node of nodes) visit(node, false);
  return [...parts.values()];
}

function isReferenceOnly(node: SchemaNode): boolean {
  return readKeyword(node, "$ref") !== undefined && Object.keys(node.schema).length === 1;
}

function reportCircularReference(node: SchemaNode, { findings }: Compilation): SchemaNode {
  findings.add("error", "circular-ref", "the schema refers only to itself; it is not enforced", node.path);
  return omitKeywords(node, "$ref", "allOf");
}

/** Returns the schema that the `$ref` of a node names. If there is none, adds a finding and returns undefined. */
export function targetOf(node: SchemaNode, { document, findings }: Compilation): SchemaNode | undefined {
  return followReference(document, readKeyword(node, "$ref"), [...node.path, "$ref"], findings);
}

/**
 * Returns the schema that a `$ref` names. If there is none, adds a finding and returns undefined. `path`: the path of
 * the reference.
 */
export function followReference(
  document: JsonObject,
  reference: JsonValue | undefined,
  path: AttrPath,
  findings: Findings,
): SchemaNode | undefined {
  const target = typeof reference === "string" ? parseFragment(reference) : undefined;
  const value = target === undefined ? undefined : valueAt(document, target);
  if (target !== undefined && (isJsonObject(value) || typeof value === "boolean")) {
    return schemaNodeAt(value, target, findings);
  }
  const reason =
    target === undefined
      ? "only references inside the document (#/...) are supported"
      : "the document has no schema at this location";
  const message = `the reference ${JSON.stringify(reference)} cannot be resolved: ${reason}`;
  return findings.add("error", "broken-ref", message, path);
}

function referencedNodes(node: SchemaNode, compilation: Compilation): readonly SchemaNode[] {
  const { findings } = compilation;
  const inner: SchemaNode[] = [];
  if (readKeyword(node, "$ref") !== undefined) {
    reportReferenceSiblings(node, compilation);
    const target = targetOf(node, compilation);
    if (target !== undefined) inner.push(target);
  }
  for (const { value, path } of readKeywords([node], "allOf")) {
    if (!isJsonArray(value)) findings.add("error", "bad-keyword", '"allOf" must be a list; it is not enforced', path);
    else inner.push(...value.map((branch, index) => schemaNodeAt(branch, [...path, index], findings)));
  }
  return inner;
}

function reportReferenceSiblings(node: SchemaNode, { findings, openapi }: Compilation): void {
  const sibling = Object.keys(node.schema).find(
    (name) => name !== "$ref" && name !== "description" && name !== "summary",
  );
  if (openapi !== "3.0" || sibling === undefined) return;
  const message = `OpenAPI 3.0 ignores "${sibling}" next to "$ref"; here it applies, as in OpenAPI 3.1`;
  findings.add("info", "ref-siblings", message, [...node.path, sibling]);
}
