import type { FieldType } from "../contract/types/field-type.ts";
import { type AttrSegment, formatAttr, NON_FIELD_ERRORS } from "../json/attr.ts";
import type { JsonValue } from "../json/json-value.ts";
import {
  type LocalFinding,
  type LocalProblem,
  type PayloadFinding,
  type Severity,
  TRIMMED_TEXT,
  type Unplaced,
} from "../model/problem.ts";
import { addProblem } from "../model/problem-limit.ts";
import { compileAssertions } from "./schema-assertions.ts";
import type { LinearPattern } from "../text/linear-pattern.ts";
import { shapeOf } from "../text/shape.ts";
import { createWork, startWork, type Work } from "./work-limit.ts";

export type FoundProblem = Unplaced<LocalProblem>;

/** Checks one value that is not null, and reports its problems. */
export type Check = (value: NonNullJson, collector: ProblemCollector) => void;
export type NonNullJson = Exclude<JsonValue, null>;

/** The problems found so far in a payload, and the path of the current value. */
export interface ProblemCollector {
  problems: FoundProblem[];
  /** The path consists of the segments up to `depth`; a walker writes its child's segment at `depth - 1`. */
  readonly path: AttrSegment[];
  depth: number;
  /** Number of errors, without warnings. */
  errors: number;
  readonly add: (value: JsonValue | undefined, finding: LocalFinding, more?: AddOptions) => void;
  readonly trials: Trials;
  readonly work: Work;
}

/** State of the alternatives (`oneOf`, `anyOf`) of one payload. */
interface Trials {
  /** Nesting depth of the alternatives that are being tried. */
  depth: number;
  /** Results of nested alternatives, by their check and the path of the value. Used only while `depth` is not 0. */
  readonly known: Map<Check, Map<string, TrialResult | "open">>;
}

export interface TrialResult {
  readonly errors: number;
  readonly problems: readonly FoundProblem[];
}

export interface AddOptions {
  readonly severity?: Severity;
  /** Whether the problem concerns the value as a whole: its attr is `<path>.non_field_errors`. */
  readonly whole?: boolean;
}

const NO_OPTIONS: AddOptions = {};

export function createCollector(keepValues: boolean): ProblemCollector {
  const collector: ProblemCollector = {
    problems: [],
    path: [],
    depth: 0,
    errors: 0,
    trials: { depth: 0, known: new Map() },
    work: createWork(),
    add: (value, finding, more = NO_OPTIONS) => {
      const severity = more.severity ?? "error";
      if (severity === "error") collector.errors += 1;
      const path = collector.path.slice(0, collector.depth);
      const attr = formatAttr(more.whole === true ? [...path, NON_FIELD_ERRORS] : path);
      addProblem(collector.problems, problemOf(finding, { attr, path, severity, by: "local" }, value, keepValues));
    },
  };
  return collector;
}

export function resetCollector(collector: ProblemCollector, limit: Work["limit"]): void {
  collector.depth = 0;
  collector.errors = 0;
  if (collector.problems.length > 0) collector.problems = [];
  startWork(collector.work, limit);
}

/** Returns the problems, and removes them and the number of errors from the collector. */
export function takeProblems(collector: ProblemCollector): readonly FoundProblem[] {
  const taken = collector.problems;
  collector.problems = [];
  collector.errors = 0;
  return taken;
}

/**
 * Builds a problem with explicit cases, because spreading optional members is slow and extracts may have many errors.
 */
function problemOf(
  finding: LocalFinding,
  { attr, path, severity, by }: Pick<FoundProblem, "attr" | "path" | "severity" | "by">,
  value: JsonValue | undefined,
  keepValues: boolean,
): FoundProblem {
  if (value === undefined) return { attr, path, severity, by, ...finding };
  const shape = shapeOf(value);
  if (!keepValues) return { attr, path, severity, by, shape, ...finding };
  return { attr, path, severity, by, shape, value: asText(value), ...finding };
}

function asText(value: JsonValue): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** The compiled type of a nested value, and whether it allows null. */
export interface ChildCheck {
  readonly takesNull: boolean;
  readonly check: Check;
}

/** Maximum nesting depth of a payload. A type may contain itself. */
const MAX_DEPTH = 64;

export function childCheck(type: FieldType, compile: (type: FieldType) => Check): ChildCheck {
  return { takesNull: takesNull(type), check: compile(type) };
}

/** Reserves a path segment for a child. Returns false and reports a problem if the nesting is too deep. */
export function enterChild(value: NonNullJson, collector: ProblemCollector): boolean {
  if (collector.depth >= MAX_DEPTH) {
    collector.add(value, { code: "source_too_deep", limit: MAX_DEPTH });
    return false;
  }
  collector.depth += 1;
  return true;
}

export function leaveChild(collector: ProblemCollector): void {
  collector.depth -= 1;
}

/** Checks the value at the current path. */
export function checkChild(
  { takesNull: allowsNull, check }: ChildCheck,
  value: JsonValue,
  collector: ProblemCollector,
): void {
  if (value !== null) check(value, collector);
  else if (!allowsNull) collector.add(value, { code: "null" });
}

/** Visits each alternative only once, because alternatives may contain themselves. */
function takesNull(type: FieldType): boolean {
  const types = new Set([type]);
  for (const each of types) {
    if (isNullAllowed(each)) return true;
    if (each.kind === "union") for (const option of each.options) types.add(option);
  }
  return false;
}

function isNullAllowed(type: FieldType): boolean {
  if (!type.nullable && type.kind !== "any") return false;
  return type.assertions === undefined || compileAssertions(type.assertions)(null) === undefined;
}

/** Warns that the platform trims the value. */
export function reportTrimmed(kept: string, given: string, collector: ProblemCollector): void {
  if (kept.length < given.length) collector.add(given, TRIMMED, { severity: "warning" });
}

const TRIMMED = { code: "coerced", from: "text", to: TRIMMED_TEXT } as const;

/** Includes the pattern, so that an engineer can see which rule the value violates. */
export function patternMismatch(pattern: LinearPattern): PayloadFinding {
  return { code: "invalid", expected: "pattern", written: { as: pattern.source } };
}
