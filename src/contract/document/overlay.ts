import { JSONPathEnvironment, JSONPathNode, type JSONPathQuery, type JSONValue } from "json-p3";
import { z } from "zod";
import type { AttrPath } from "../../json/attr.ts";
import { formatPointer } from "../../json/json-pointer.ts";
import { type JsonValue, isJsonArray, isJsonObject, memberAt, valueAt } from "../../json/json-value.ts";
import { type Failure, failureAt } from "../../model/failure.ts";
import { formatCount } from "../../text/count.ts";
import { slowPatternReason } from "../../text/slow-pattern.ts";
import { didYouMean } from "../../text/suggestion.ts";
import type { AddFinding, Findings } from "../contract-findings.ts";
import type { LayeredDocument, Origin } from "./layered-document.ts";
import type { SourceDocument } from "./yaml-document.ts";

/**
 * Applies an Overlay 1.0 document (OpenAPI Initiative, Overlay Specification 1.0.0, section 4.4), action by action.
 * Each action is applied to the result of the previous actions. `extends` is not followed: the user names the files. An
 * action that cannot be applied becomes a finding in the overlay's own file, and the next action is applied.
 * @throws Failure `contract_invalid` if a target visits too many nodes, or if overlays add too many values
 */
export function applyOverlay(layers: LayeredDocument, overlay: SourceDocument, findings: Findings): OverlayMatches {
  const actions = memberAt(overlay.value, "actions");
  if (!isJsonArray(actions)) {
    reportAt(overlay, findings)("error", "bad-overlay", '"actions" must be a list', ["actions"]);
    return { targets: 0, missing: 0 };
  }
  checkOverlayKeys(overlay, [], DOCUMENT_NAMES, findings);
  let missing = 0;
  for (const [index, action] of actions.entries()) {
    const found = applyAction(layers, { overlay, action, path: ["actions", index], findings });
    if (!found) missing += 1;
  }
  return { targets: actions.length, missing };
}

export interface OverlayMatches {
  /** Number of actions. */
  readonly targets: number;
  /** Number of actions whose target matches nothing. */
  readonly missing: number;
}

const DOCUMENT_NAMES = ["overlay", "info", "extends", "actions"];
const ACTION_NAMES = ["target", "description", "update", "remove"];

const actionSchema = z.object({ target: z.string().min(1), remove: z.boolean().optional() });

interface OverlayAction {
  readonly overlay: SourceDocument;
  readonly action: JsonValue;
  readonly path: AttrPath;
  readonly findings: Findings;
}

/** Applies one action. Returns false if its target matches nothing. */
function applyAction(layers: LayeredDocument, { overlay, action, path, findings }: OverlayAction): boolean {
  const report = reportAt(overlay, findings);
  const read = actionSchema.safeParse(action);
  if (!read.success || !isJsonObject(action)) {
    const message = 'an action needs a "target" (JSONPath), and either "update" or "remove: true"';
    report("error", "bad-overlay", message, path);
    return true;
  }
  checkOverlayKeys(overlay, path, ACTION_NAMES, findings);
  const { target, remove } = read.data;
  const { update } = action;
  if (remove !== true && update === undefined) {
    report("warning", "overlay-without-effect", 'the action has neither "update" nor "remove: true"', path);
    return true;
  }
  const before = layers.value;
  const matches = selectNodes(before, target);
  if (matches === "too-many-nodes") throw tooManyNodes(overlay, target, [...path, "target"]);
  if (typeof matches === "string") {
    report("error", "bad-overlay", UNUSABLE[matches](target), [...path, "target"]);
  } else if (matches.length === 0) {
    report("warning", "overlay-no-match", `the target "${target}" matches nothing`, [...path, "target"]);
  } else if (remove === true) {
    removeAll(layers, matches, () => report("error", "bad-overlay", "the whole document cannot be removed", path));
  } else if (update !== undefined) {
    const targets = matches.map((match) => ({ match, target: valueAt(before, match) }));
    const origin = { document: overlay, path: [...path, "update"] };
    const unfit = targets.filter((one) => !updateOne(layers, one, update, origin));
    reportUnfit(unfit, (message) => report("error", "bad-overlay", message, origin.path));
  }
  return matches.length !== 0;
}

/**
 * Returns the failure for a target that visits too many nodes. The failure ends the command, because each of the
 * remaining targets could take just as long.
 */
function tooManyNodes({ file, lineOf }: SourceDocument, target: string, path: AttrPath): Failure {
  const what = `the target "${target}" visits more than ${formatCount(MAX_VISITS)} nodes of the document`;
  return failureAt("contract_invalid", { file, line: lineOf(path) }, what, { hint: "use a more specific JSONPath" });
}

const UNUSABLE: Readonly<Record<Exclude<Unselectable, "too-many-nodes">, (target: string) => string>> = {
  malformed: (target) => `"${target}" is not a JSONPath (RFC 9535)`,
  "slow-pattern": (target) =>
    `a regular expression in the target "${target}" could take a very long time; avoid nested repetitions`,
  "too-long": () => `the target is longer than ${formatCount(MAX_PATH_CHARACTERS)} characters`,
};

function reportAt(document: SourceDocument, findings: Findings): AddFinding {
  return (severity, code, message, path) =>
    findings.addAt(severity, code, message, {
      place: { file: document.file, line: document.lineOf(path) },
      pointer: formatPointer(path),
    });
}

function checkOverlayKeys(overlay: SourceDocument, path: AttrPath, known: readonly string[], findings: Findings): void {
  const object = valueAt(overlay.value, path);
  if (!isJsonObject(object)) return;
  for (const name of Object.keys(object)) {
    if (known.includes(name) || name.startsWith("x-")) continue;
    const message = `"${name}" is not part of Overlay 1.0${didYouMean(name, known)}`;
    reportAt(overlay, findings)("warning", "unknown-keyword", message, [...path, name]);
  }
}

/** Removes the matches from last to first, so that a removal does not shift list items that are removed later. */
function removeAll(layers: LayeredDocument, matches: readonly AttrPath[], onRoot: () => void): void {
  for (const match of matches.toSorted(byPosition).toReversed()) {
    if (match.length === 0) onRoot();
    else layers.remove(match);
  }
}

function byPosition(one: AttrPath, other: AttrPath): number {
  for (const [depth, part] of one.entries()) {
    const otherPart = other[depth];
    if (otherPart === undefined) return 1;
    if (typeof part === "number" && typeof otherPart === "number" && part !== otherPart) return part - otherPart;
    if (part !== otherPart) return String(part) < String(otherPart) ? -1 : 1;
  }
  return one.length - other.length;
}

interface Match {
  readonly match: AttrPath;
  /** The value at `match` before the action is applied. */
  readonly target: JsonValue | undefined;
}

/** Applies an update to one match. Returns false if the update does not fit the type of the match. */
function updateOne(layers: LayeredDocument, { match, target }: Match, update: JsonValue, origin: Origin): boolean {
  if (isJsonArray(target)) layers.append(match, update, origin);
  else if (isJsonObject(target) && isJsonObject(update)) layers.merge(match, update, origin);
  else return false;
  return true;
}

/** Maximum number of matches to report for one update. One target can match a million values. */
const REPORTED_MATCHES = 10;

function reportUnfit(unfit: readonly Match[], report: (message: string) => void): void {
  for (const match of unfit.slice(0, REPORTED_MATCHES)) report(mismatch(match));
  const more = unfit.length - REPORTED_MATCHES;
  if (more === 1) report("1 more match of the target does not fit the update");
  if (more > 1) report(`${formatCount(more)} more matches of the target do not fit the update`);
}

function mismatch({ match, target }: Match): string {
  return isJsonObject(target)
    ? `the target ${formatPointer(match)} is an object, so "update" must be an object`
    : `the target ${formatPointer(match)} is neither an object nor a list; select the object or list that contains it`;
}

/** Returns the Overlay version that a document declares (`overlay:`); undefined if it is not an overlay. */
export function overlayVersion(value: JsonValue): string | undefined {
  const version = memberAt(value, "overlay");
  return typeof version === "string" || typeof version === "number" ? String(version) : undefined;
}

/** Maximum number of nodes that one JSONPath may visit, including the nodes that its filters visit. */
export const MAX_VISITS = 1_000_000;

export const MAX_PATH_CHARACTERS = 1000;

/** Evaluates JSONPath (RFC 9535) without extensions. The recursion limit allows deeply nested schemas. */
const JSON_PATH = new JSONPathEnvironment({ maxRecursionDepth: 1000 });
refuseSlowPatterns("match", (pattern) => `^(?:${pattern})$`);
refuseSlowPatterns("search", (pattern) => pattern);

function refuseSlowPatterns(name: string, expressionOf: (pattern: string) => string): void {
  const plain = JSON_PATH.functionRegister.get(name);
  if (plain === undefined) throw new Error(`the JSONPath library has no function "${name}"`);
  const call = (text: unknown, pattern: unknown): unknown => {
    if (typeof pattern === "string" && slowPatternReason(expressionOf(pattern)) !== undefined) throw new SlowPattern();
    return plain.call(text, pattern);
  };
  JSON_PATH.functionRegister.set(name, { argTypes: plain.argTypes, returnType: plain.returnType, call });
}

class SlowPattern extends Error {}
class TooManyVisits extends Error {}

/**
 * Returns the distinct paths that a JSONPath selects, in the order of the query, or the reason why the JSONPath cannot
 * be evaluated. `malformed`: not RFC 9535. `slow-pattern`: a regular expression in the JSONPath could take more than
 * linear time. `too-long`, `too-many-nodes`: the JSONPath exceeds `MAX_PATH_CHARACTERS` or `MAX_VISITS`.
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

type Unselectable = "malformed" | "slow-pattern" | "too-long" | "too-many-nodes";

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
 * filters (`evaluate`). The library itself does not limit them.
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
