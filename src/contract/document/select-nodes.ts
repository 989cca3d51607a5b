import { JSONPathEnvironment, JSONPathNode, type JSONPathQuery, type JSONValue } from "json-p3";
import type { AttrPath } from "../../json/attr.ts";
import { formatPointer } from "../../json/json-pointer.ts";
import { slowPatternReason } from "../../text/slow-pattern.ts";

/** Maximum number of nodes that one JSONPath may visit, including those of its filters. */
export const MAX_VISITS = 1_000_000;

export const MAX_PATH_CHARACTERS = 1000;

/** Evaluates RFC 9535 without extensions. The recursion limit allows deeply nested schemas. */
const JSON_PATH = new JSONPathEnvironment({ maxRecursionDepth: 1000 });
refuseSlowPatterns("match", (pattern) => `^(?:${pattern})$`);
refuseSlowPatterns("search", (pattern) => pattern);

function refuseSlowPatterns(name: string, expressionOf: (pattern: string) => string): void {
  const plain = JSON_PATH.functionRegister.get(name);
  if (plain === undefined) throw new Error(`JSONPath has a function ${name}`);
  const call = (text: unknown, pattern: unknown): unknown => {
    if (typeof pattern === "string" && slowPatternReason(expressionOf(pattern)) !== undefined) throw new SlowPattern();
    return plain.call(text, pattern);
  };
  JSON_PATH.functionRegister.set(name, { argTypes: plain.argTypes, returnType: plain.returnType, call });
}

class SlowPattern extends Error {}
class TooManyVisits extends Error {}

/**
 * The distinct paths that a JSONPath selects, in the order of the query. `malformed`: not RFC 9535. `slow-pattern`: a
 * regular expression in the JSONPath could take more than linear time. `too-long`, `too-many-nodes`: the JSONPath
 * exceeds `MAX_PATH_CHARACTERS` or `MAX_VISITS`.
 */
export function selectNodes(document: JSONValue, expression: string): readonly AttrPath[] | Unselectable {
  if (expression.length > MAX_PATH_CHARACTERS) return "too-long";
  try {
    const query = JSON_PATH.compile(expression);
    countVisits(query);
    let nodes: Iterable<JSONPathNode> = [new JSONPathNode(document, [], document)];
    for (const [index, segment] of query.segments.entries()) {
      const selected = segment.lazyResolve(nodes);
      // Duplicate nodes would multiply with each segment. A first segment with one selector selects no duplicates.
      nodes = index === 0 && segment.selectors.length === 1 ? selected : distinct(selected);
    }
    return Array.from(nodes, ({ location }) => location);
  } catch (error) {
    if (error instanceof SlowPattern) return "slow-pattern";
    return error instanceof TooManyVisits ? "too-many-nodes" : "malformed";
  }
}

/** The reason why a JSONPath was not evaluated. */
export type Unselectable = "malformed" | "slow-pattern" | "too-long" | "too-many-nodes";

function* distinct(nodes: Iterable<JSONPathNode>): Generator<JSONPathNode> {
  const seen = new Set<string>();
  for (const node of nodes) {
    const pointer = formatPointer(node.location);
    if (!seen.has(pointer)) yield node;
    seen.add(pointer);
  }
}

/**
 * Instruments every part of a compiled query to count its visits: selectors (`resolve`), descendants (`visit`) and
 * filters (`evaluate`). The library has no limit.
 */
function countVisits(query: JSONPathQuery): void {
  let left = MAX_VISITS;
  const spend = (visits: number): void => {
    left -= visits;
    if (left < 0) throw new TooManyVisits();
  };
  const parts = new Set<object>([query.segments]);
  for (const part of parts) {
    for (const name of COUNTED) countCalls(part, name, spend);
    for (const [name, member] of Object.entries(part)) {
      const isOfQuery = name !== "environment" && name !== "token" && !COUNTED.some((counted) => counted === name);
      if (isOfQuery && typeof member === "object" && member !== null) parts.add(member);
    }
  }
}

const COUNTED = ["resolve", "visit", "evaluate"] as const;

function countCalls(part: object, name: (typeof COUNTED)[number], spend: (visits: number) => void): void {
  const method: unknown = Reflect.get(part, name);
  if (typeof method !== "function") return;
  Reflect.set(part, name, (...given: unknown[]): unknown => {
    spend(1);
    const result: unknown = Reflect.apply(method, part, given);
    if (Array.isArray(result)) spend(result.length);
    return result;
  });
}
