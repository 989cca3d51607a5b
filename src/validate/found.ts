import type { AttrPath, AttrSegment } from "../model/attr.ts";
import { formatAttr, NON_FIELD_ERRORS } from "../model/attr.ts";
import type { JsonValue } from "../model/json.ts";
import type { LocalFinding, LocalProblem, Severity } from "../model/problem.ts";
import { shapeOf } from "../model/shape.ts";

type Unplaced<P> = P extends unknown ? Omit<P, "place"> : never;

/**
 * A problem of one payload, before anybody knows which cell it came from.
 * `path` leads to the value itself, so it never ends in `non_field_errors`, as `attr` may.
 */
export type FoundProblem = Unplaced<LocalProblem> & { readonly path: AttrPath };

/** Looks at one value that is not null, and reports what is wrong with it. */
export type Check = (value: Present, found: Found) => void;
export type Present = Exclude<JsonValue, null>;

/** What has been found in the payload under check, and the path to the value that is being looked at. */
export interface Found {
  problems: FoundProblem[];
  /** Segments up to `depth` are the path; a walker writes its child's segment at `depth - 1`. */
  readonly path: AttrSegment[];
  depth: number;
  /** Errors, warnings not counted. */
  errors: number;
  readonly add: (value: JsonValue | undefined, finding: LocalFinding, more?: AddOptions) => void;
}

export interface AddOptions {
  readonly severity?: Severity;
  /** Addresses the value as a whole: `<path>.non_field_errors`. */
  readonly whole?: boolean;
}

const NOTHING_MORE: AddOptions = {};

export function createFound(keepValues: boolean): Found {
  const found: Found = {
    problems: [],
    path: [],
    depth: 0,
    errors: 0,
    add: (value, finding, more = NOTHING_MORE) => {
      const severity = more.severity ?? "error";
      if (severity === "error") found.errors += 1;
      const path = found.path.slice(0, found.depth);
      const attr = formatAttr(more.whole === true ? [...path, NON_FIELD_ERRORS] : path);
      found.problems.push(problemOf(finding, { attr, path, severity, by: "local" }, value, keepValues));
    },
  };
  return found;
}

/** Back to the start, for the next payload; gives what was found. */
export function takeProblems(found: Found): readonly FoundProblem[] {
  const taken = found.problems;
  found.problems = [];
  found.errors = 0;
  return taken;
}

interface Address {
  readonly attr: string;
  readonly path: AttrPath;
  readonly severity: Severity;
  readonly by: "local";
}

/** Written out case by case, because extracts are full of errors and spreading what may be absent is slow. */
function problemOf(
  finding: LocalFinding,
  { attr, path, severity, by }: Address,
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
