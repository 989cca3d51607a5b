import type { AttrPath } from "../../json/attr.ts";
import { formatPointer, parsePointer } from "../../json/json-pointer.ts";
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue, valueAt } from "../../json/json-value.ts";

/**
 * Replaces references to a schema's `$id`, `$anchor` or `$dynamicAnchor` (JSON Schema 2020-12, section 8.2) with
 * pointers (`#/...`). A `$dynamicRef` becomes a `$ref`. If the meaning of a target depends on the schemas through which
 * the reference is reached, the target is copied into `components.schemas`, one copy for each {@link DynamicScope}. A
 * reference to an unknown name stays unchanged. An OpenAPI 3.0 document stays unchanged, because 3.0 has no such names.
 */
export function resolveSchemaNames(document: JsonObject, openapi: "3.0" | "3.1"): JsonObject {
  if (openapi === "3.0") return document;
  const names = collectNames(document);
  if (!names.isUsed) return document;
  const copies = new Map<string, JsonValue>();
  const rewriter: Rewriter = { document, names, copies, copyNames: new Map() };
  const rewritten = rewrite({ value: document, base: DOCUMENT, scope: new Map(), role: "schema" }, rewriter);
  if (!isJsonObject(rewritten) || copies.size === 0) return isJsonObject(rewritten) ? rewritten : document;
  const components = isJsonObject(rewritten["components"]) ? rewritten["components"] : {};
  const schemas = isJsonObject(components["schemas"]) ? components["schemas"] : {};
  return { ...rewritten, components: { ...components, schemas: { ...schemas, ...Object.fromEntries(copies) } } };
}

/** Base URI of everything outside schemas with an `$id`. */
const DOCUMENT = "https://contract.invalid/document";

interface SchemaNames {
  /** The path of each schema with an `$id`, by URI. */
  readonly resources: Map<string, AttrPath>;
  /** The path of each `$anchor` or `$dynamicAnchor`, by URI and name. */
  readonly anchors: Map<string, AttrPath>;
  /** The `$dynamicAnchor`s of each schema with an `$id`, by URI. */
  readonly dynamic: Map<string, Map<string, AttrPath>>;
  isUsed: boolean;
}

/** The meaning of an object's members: keywords of a schema, or schemas by name. */
type Role = "schema" | "map";

function collectNames(document: JsonObject): SchemaNames {
  const names: SchemaNames = {
    resources: new Map([[DOCUMENT, []]]),
    anchors: new Map(),
    dynamic: new Map(),
    isUsed: false,
  };
  const visit = (value: JsonValue, path: AttrPath, outer: string, role: Role): void => {
    if (isJsonArray(value)) for (const [index, item] of value.entries()) visit(item, [...path, index], outer, "schema");
    if (!isJsonObject(value)) return;
    const base = role === "schema" ? baseOf(value, outer) : outer;
    if (role === "schema") addNames(value, path, base, names);
    for (const [name, member] of Object.entries(value)) {
      const inner = roleOf(name, role);
      if (inner !== undefined) visit(member, [...path, name], base, inner);
    }
  };
  visit(document, [], DOCUMENT, "schema");
  return names;
}

function addNames(schema: JsonObject, path: AttrPath, base: string, names: SchemaNames): void {
  const { $id: id, $anchor: anchor, $dynamicAnchor: dynamicAnchor, $dynamicRef: reference } = schema;
  if (typeof id === "string") names.resources.set(base, path);
  for (const name of [anchor, dynamicAnchor]) if (typeof name === "string") names.anchors.set(`${base}#${name}`, path);
  if (typeof dynamicAnchor === "string") {
    names.dynamic.set(base, (names.dynamic.get(base) ?? new Map<string, AttrPath>()).set(dynamicAnchor, path));
  }
  names.isUsed ||= [id, anchor, dynamicAnchor, reference].some((name) => typeof name === "string");
}

function baseOf({ $id: id }: JsonObject, outer: string): string {
  return (typeof id === "string" ? addressOf(id, outer)?.base : undefined) ?? outer;
}

function addressOf(reference: string, base: string): { readonly base: string; readonly fragment: string } | undefined {
  if (!URL.canParse(reference, base)) return undefined;
  const url = new URL(reference, base);
  const fragment = decodedFragment(url.hash.slice(1));
  url.hash = "";
  return { base: url.href, fragment };
}

function decodedFragment(fragment: string): string {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return fragment;
  }
}

/** Returns the role of a member's value, or undefined for data, which contains no schemas. */
function roleOf(name: string, role: Role): Role | undefined {
  if (role === "map") return "schema";
  if (DATA.has(name)) return undefined;
  return MAPS.has(name) ? "map" : "schema";
}

const DATA: ReadonlySet<string> = new Set(["enum", "const", "default", "example", "examples", "x-rules"]);
const MAPS: ReadonlySet<string> = new Set(
  (
    "properties patternProperties dependentSchemas $defs definitions schemas " +
    "parameters responses requestBodies paths content headers callbacks"
  ).split(" "),
);

/**
 * The path of each `$dynamicAnchor`, by name. Of the schemas that enclose or refer to the current schema, the outermost
 * schema with the anchor determines the path.
 */
type DynamicScope = ReadonlyMap<string, AttrPath>;

interface Rewriter {
  readonly document: JsonObject;
  readonly names: SchemaNames;
  readonly copies: Map<string, JsonValue>;
  /** The name of each copy, by path and scope. */
  readonly copyNames: Map<string, string>;
}

interface RewriteInput {
  readonly value: JsonValue;
  readonly base: string;
  readonly scope: DynamicScope;
  readonly role: Role;
}

function rewrite({ value, base: outer, scope: outerScope, role }: RewriteInput, rewriter: Rewriter): JsonValue {
  if (isJsonArray(value)) {
    return value.map((item) => rewrite({ value: item, base: outer, scope: outerScope, role: "schema" }, rewriter));
  }
  if (!isJsonObject(value)) return value;
  const base = role === "schema" ? baseOf(value, outer) : outer;
  const scope = base === outer ? outerScope : enter(base, outerScope, rewriter);
  const members = Object.entries(value).map(([name, member]): readonly [string, JsonValue] => {
    const inner = roleOf(name, role);
    if (inner === undefined) return [name, member];
    if (role === "schema" && name === "$ref" && typeof member === "string") {
      return [name, pointerFor(targetOf(member, base, rewriter), scope, rewriter) ?? member];
    }
    return [name, rewrite({ value: member, base, scope, role: inner }, rewriter)];
  });
  const schema = Object.fromEntries(members);
  return role === "schema" ? withoutDynamicReference(schema, base, scope, rewriter) : schema;
}

/** Replaces `$dynamicRef` with a `$ref` in `allOf`, because the schema may also have its own `$ref`. */
function withoutDynamicReference(
  schema: JsonObject,
  base: string,
  scope: DynamicScope,
  rewriter: Rewriter,
): JsonObject {
  const { $dynamicRef: reference, ...others } = schema;
  if (typeof reference !== "string") return schema;
  const target = targetOf(reference, base, rewriter);
  const named = target && dynamicTarget(target, scope, rewriter);
  const pointer = pointerFor(named, scope, rewriter);
  if (pointer === undefined) return schema;
  const { allOf: parts = [] } = others;
  return { ...others, allOf: [...(isJsonArray(parts) ? parts : []), { $ref: pointer }] };
}

interface Target {
  readonly path: AttrPath;
  /** URI of the enclosing schema with an `$id`. */
  readonly base: string;
  readonly fragment: string;
}

function targetOf(reference: string, base: string, { names, document }: Rewriter): Target | undefined {
  const address = addressOf(reference, base);
  const resource = address && names.resources.get(address.base);
  if (address === undefined || resource === undefined) return undefined;
  const { fragment } = address;
  const isPointer = fragment === "" || fragment.startsWith("/");
  const path = isPointer ? [...resource, ...parsePointer(fragment)] : names.anchors.get(`${address.base}#${fragment}`);
  if (path === undefined || valueAt(document, path) === undefined) return undefined;
  return { path, fragment, base: innermostBase(path, names) };
}

function innermostBase(path: AttrPath, { resources }: SchemaNames): string {
  const pointer = `${formatPointer(path)}/`;
  const around = [...resources].filter(([, place]) => pointer.startsWith(`${formatPointer(place)}/`));
  return around.toSorted(([, one], [, other]) => other.length - one.length)[0]?.[0] ?? DOCUMENT;
}

/**
 * Resolves a `$dynamicAnchor` to the outermost schema that declares the same anchor. Returns any other target
 * unchanged.
 */
function dynamicTarget(target: Target, scope: DynamicScope, { names }: Rewriter): Target {
  const own = names.dynamic.get(target.base)?.get(target.fragment);
  const isDynamic = own !== undefined && formatPointer(own) === formatPointer(target.path);
  const path = isDynamic ? scope.get(target.fragment) : undefined;
  return path === undefined ? target : { ...target, path, base: innermostBase(path, names) };
}

/** Returns the pointer to a target or to its copy for the scope. Returns undefined if there is no target. */
function pointerFor(target: Target | undefined, scope: DynamicScope, rewriter: Rewriter): string | undefined {
  if (target === undefined) return undefined;
  const { path, base } = target;
  const inner = enter(base, scope, rewriter);
  if (inner.size === 0) return `#${encodedPointer(path)}`;
  const places = [...inner].map(([name, place]) => `${name} ${formatPointer(place)}`).toSorted();
  const key = [formatPointer(path), ...places].join("\n");
  const known = rewriter.copyNames.get(key);
  const name = known ?? `${String(path.at(-1) ?? "schema")} for $dynamicRef ${rewriter.copyNames.size + 1}`;
  if (known === undefined) {
    rewriter.copyNames.set(key, name);
    const value = valueAt(rewriter.document, path) ?? true;
    // The base outside the schema, because `rewrite` applies the schema's own `$id`.
    const outer = innermostBase(path.slice(0, -1), rewriter.names);
    rewriter.copies.set(name, rewrite({ value, base: outer, scope: inner, role: "schema" }, rewriter));
  }
  return `#${encodedPointer(["components", "schemas", name])}`;
}

/**
 * Returns the scope inside a schema with an `$id`. Omits an anchor that only one schema declares, because such an
 * anchor needs no scope.
 */
function enter(base: string, scope: DynamicScope, { names }: Rewriter): DynamicScope {
  const own = [...(names.dynamic.get(base) ?? [])].filter(([name]) => !scope.has(name) && isShared(name, names));
  return own.length === 0 ? scope : new Map([...scope, ...own]);
}

function isShared(name: string, { dynamic }: SchemaNames): boolean {
  return [...dynamic.values()].filter((anchors) => anchors.has(name)).length > 1;
}

function encodedPointer(path: AttrPath): string {
  return formatPointer(path).split("/").map(encodeURIComponent).join("/");
}
