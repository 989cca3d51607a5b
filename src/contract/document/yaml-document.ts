import {
  Composer,
  type CST,
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  type Pair,
} from "yaml";
import { interruptible } from "../../model/interruptible.ts";
import type { AttrPath } from "../../json/attr.ts";
import { isJsonArray, type JsonValue } from "../../json/json-value.ts";
import { excerptOf, type SourceText, type TextPoint } from "./text-excerpt.ts";
import {
  keyText,
  limitOf,
  nodeOf,
  NUMERIC_LIMITS,
  offsetIn,
  type ScalarContext,
  scalarOf,
  textsOf,
} from "./yaml-scalars.ts";
import { readTokens, type Refuse } from "./yaml-tokens.ts";
import { lowerFirst } from "../../text/letter-case.ts";
import { Failure, type FailureCode } from "../../model/failure.ts";
import type { Place } from "../../model/place.ts";

/** The parts of a YAML or JSON document that error messages need. */
export interface Addressable {
  readonly file: string;
  /**
   * Returns the position of the key (or list item) at that path, or of its nearest ancestor. `excerpt`: the text of the
   * line with a mark below the column; undefined if it cannot be shown (`excerptOf`).
   */
  readonly pointOf: (path: AttrPath) => TextPoint & { readonly excerpt: string | undefined };
}

/** The places of the parts of a YAML or JSON document. */
export interface AddressableDocument extends Addressable {
  /** 1-based line of the key (or list item) at that path, or of its nearest ancestor. */
  readonly lineOf: (path: AttrPath) => number;
  /** The place of the first string value that satisfies the condition; undefined if there is none. */
  readonly findText: (isMeant: (text: string) => boolean) => Place | undefined;
}

/** A YAML or JSON document as plain data, with the line of each part. */
export interface SourceDocument extends AddressableDocument {
  /** A tree without shared or circular parts: aliases are expanded. */
  readonly value: JsonValue;
}

/**
 * Reads YAML 1.2 or JSON: one document, core schema only, unique names.
 *
 * Names are always text (`null:`, `True:`, `404:` and `00123:` are names). An integer with leading zeros remains text,
 * because an account number must not lose its zeros. In a contract, a number that JavaScript cannot represent also
 * remains text: an integer that would lose digits, a limit (`maximum`) that would be rounded, and a number greater than
 * any JavaScript number.
 * @throws Failure with the given code (default: `contract_invalid`) and the line of the cause: syntax errors, duplicate
 * names, `__proto__`, merge keys (`<<`), digits that would be lost, unknown tags, circular or multiplying aliases, deep
 * nesting, or a document that is too large
 */
export function parseDocument(
  source: SourceText,
  code: FailureCode = "contract_invalid",
  texts: TextMembers = NO_TEXTS,
): SourceDocument {
  const read = (): SourceDocument => readDocument(source, code, texts);
  return source.text.length < SLOW_LENGTH ? read() : interruptible(read);
}

/** Length, in UTF-16 code units, from which reading a document takes a noticeable time. */
const SLOW_LENGTH = 200_000;

/**
 * Names of members whose values are read as text, exactly as written. Each name is mapped to the name of a second
 * member. The first member is read as text only in objects that also have the second member, because the name could
 * otherwise be data, such as a code in a lookup table.
 */
export type TextMembers = ReadonlyMap<string, string>;

const NO_TEXTS: TextMembers = new Map();

function readDocument(source: SourceText, code: FailureCode, texts: TextMembers): SourceDocument {
  const lines = new LineCounter();
  // A configuration file names credential files, and users may write the credential itself instead.
  const hideValues = code === "config";
  const pointAt = (offset: number): TextPoint => {
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(1, line), column: Math.max(1, col) };
  };
  const refuse: Refuse = (message, offset, hint) => {
    const { line, column } = pointAt(offset);
    const excerpt = excerptOf(source, pointAt(offset), { hideValues });
    return new Failure(code, `${source.file}:${line}:${column}: ${message}`, {
      place: { file: source.file, line },
      hint: [excerpt, hint].filter((part) => part !== undefined).join("\n") || undefined,
    });
  };
  const tokens = readTokens(source.text, lines, refuse);
  const document = compose(tokens, source.text.length);
  const fault = document?.errors[0] ?? document?.warnings[0];
  if (fault !== undefined) throw refuse(lowerFirst(fault.message), fault.pos[0], "fix the YAML or JSON syntax there");

  const keepsDigits = code === "contract_invalid";
  const tree: YamlTree = { root: document?.contents ?? null, targets: new Map(), refuse, keepsDigits, texts };
  const value = valueOf(tree.root, { tree, anchors: new Map(), open: new Set(), copied: 0 });
  const lineOf: SourceDocument["lineOf"] = (path) => pointAt(offsetOf(tree, path)).line;
  const pointOf: SourceDocument["pointOf"] = (path) => {
    const point = pointAt(offsetOf(tree, path));
    return { ...point, excerpt: excerptOf(source, point, { hideValues }) };
  };
  const findText: SourceDocument["findText"] = (isMeant) => {
    const path = pathOfText(value, isMeant, []);
    return path && { file: source.file, line: lineOf(path) };
  };
  return { file: source.file, value, lineOf, pointOf, findText };
}

function pathOfText(value: JsonValue, isMeant: (text: string) => boolean, path: AttrPath): AttrPath | undefined {
  if (typeof value === "string") return isMeant(value) ? path : undefined;
  if (value === null || typeof value !== "object") return undefined;
  const members = isJsonArray(value) ? value.entries() : Object.entries(value);
  for (const [name, member] of members) {
    const found = pathOfText(member, isMeant, [...path, name]);
    if (found !== undefined) return found;
  }
  return undefined;
}

function compose(tokens: readonly CST.Token[], length: number): Document.Parsed | undefined {
  const composer = new Composer({ version: "1.2", schema: "core", uniqueKeys: false, prettyErrors: false });
  const [first, second] = [...composer.compose(tokens, true, length)];
  if (second !== undefined && first?.errors.length === 0) {
    const [start, end] = second.range;
    const message = "Another document starts here; use one file per document";
    first.errors.push({ name: "YAMLParseError", code: "MULTIPLE_DOCS", message, pos: [start, end] });
  }
  return first;
}

/** A composed YAML document: its nodes, the targets of its aliases, and how to reject a part of it. */
interface YamlTree extends ScalarContext {
  readonly root: Node | null;
  /** The target node of each alias; filled by `valueOf`. */
  readonly targets: Map<Node, Node>;
  readonly texts: TextMembers;
}

/** Returns the offset of the key or item at that path, or of its nearest ancestor. */
function offsetOf(tree: YamlTree, path: AttrPath): number {
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

interface ConversionState {
  readonly tree: YamlTree;
  readonly anchors: Map<string, Node>;
  /** Anchored nodes that are currently being expanded. */
  readonly open: Set<Node>;
  /** Number of nodes that aliases have copied so far. */
  copied: number;
}

/** Maximum number of nodes that aliases may copy. A higher number indicates an attack or a mistake. */
const MAX_ALIAS_COPIES = 100_000;

/** Returns a node as plain data. Throws the error from `refuse` for a part that JSON cannot represent. */
function valueOf(node: Node | null, state: ConversionState): JsonValue {
  if (state.open.size > 0) countCopy(node, state);
  if (isAlias(node)) return aliasValue(node, node.source, state);
  if (node !== null && "anchor" in node && node.anchor !== undefined) state.anchors.set(node.anchor, node);
  if (isMap(node)) return objectOf(node.items, state);
  if (isSeq(node)) return node.items.map((item) => valueOf(nodeOf(item), state));
  return isScalar(node) ? scalarOf(node, state.tree) : null;
}

function countCopy(node: Node | null, state: ConversionState): void {
  state.copied += 1;
  if (state.copied <= MAX_ALIAS_COPIES) return;
  throw state.tree.refuse(`aliases expand to more than ${MAX_ALIAS_COPIES} values`, offsetIn(node));
}

function aliasValue(alias: Node, name: string, state: ConversionState): JsonValue {
  const target = state.tree.targets.get(alias) ?? state.anchors.get(name);
  if (target === undefined) throw state.tree.refuse(`there is no anchor &${name} above this alias`, offsetIn(alias));
  if (state.open.has(target) || contains(target, alias)) {
    throw state.tree.refuse(`the alias *${name} refers to a value that contains it`, offsetIn(alias));
  }
  state.tree.targets.set(alias, target);
  state.open.add(target);
  const value = valueOf(target, state);
  state.open.delete(target);
  return value;
}

function contains(outer: Node, inner: Node): boolean {
  const [start, , end] = outer.range ?? [0, 0, 0];
  return offsetIn(inner) >= start && offsetIn(inner) < end;
}

function objectOf(pairs: readonly Pair[], state: ConversionState): JsonValue {
  const members = new Map<string, JsonValue>();
  for (const pair of pairs) {
    const name = nameOf(pair, state.tree);
    if (members.has(name)) {
      const message = `the name ${JSON.stringify(name)} occurs twice in one object`;
      throw state.tree.refuse(message, offsetIn(nodeOf(pair.key)));
    }
    const member = nodeOf(pair.value);
    members.set(name, memberOf(name, member, state));
  }
  for (const [name, other] of state.tree.texts) {
    const value = members.get(name);
    if (value === undefined || !members.has(other)) continue;
    const pair = pairs.find(({ key }) => keyText(nodeOf(key)) === name);
    members.set(name, textsOf(value, resolved(state.tree, nodeOf(pair?.value))));
  }
  return Object.fromEntries(members);
}

function memberOf(name: string, member: Node | null, state: ConversionState): JsonValue {
  const { tree } = state;
  const isLimit = tree.keepsDigits && NUMERIC_LIMITS.has(name) && isScalar(member);
  return isLimit ? limitOf(member, tree) : valueOf(member, state);
}

function nameOf(pair: Pair, tree: YamlTree): string {
  const key = nodeOf(pair.key);
  const name = keyText(key);
  if (name === undefined) throw tree.refuse("a name must be plain text", offsetIn(key));
  if (name === "__proto__") throw tree.refuse("the name __proto__ is not allowed", offsetIn(key));
  if (name === "<<") throw tree.refuse("merge keys (<<) are not supported", offsetIn(key), "write out the members");
  return name;
}

function childAt(node: Node | null, name: string): { offset: number; value: Node | null } | undefined {
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
