import type { ReportRuleIssue } from "../rules/language/read-rules.ts";
import type { AttrPath } from "../json/attr.ts";
import { getOrAdd } from "../model/groups.ts";
import type { Place } from "../model/place.ts";
import { formatPointer } from "../json/json-pointer.ts";
import { compareText } from "../text/compare-text.ts";

interface FindingLocation {
  readonly place: Place;
  /** RFC 6901 pointer into the document. */
  readonly pointer: string;
}

export interface ContractFinding extends FindingLocation {
  /**
   * `error`: operations that use this part are refused; `warning`: a part is not enforced or looks wrong; `info`:
   * validation is not affected.
   */
  readonly severity: "error" | "warning" | "info";
  /** Stable identifier in kebab-case, such as `unknown-keyword`, `broken-ref` or `bad-pattern`. */
  readonly code: string;
  readonly message: string;
}

type FindingSeverity = ContractFinding["severity"];

/** Adds a finding. Returns undefined, so that callers can `return add(...)` for an invalid part. */
export type AddFinding = (severity: FindingSeverity, code: string, message: string, path: AttrPath) => undefined;

/** Collects findings while a contract is compiled; duplicates in the same place are ignored. */
export interface Findings {
  readonly add: AddFinding;
  /** Adds a finding at a location in an overlay, which has no path, because it is not part of the merged document. */
  readonly addAt: (severity: FindingSeverity, code: string, message: string, location: FindingLocation) => undefined;
  /**
   * Records an unknown `x-` extension. Operators' documents repeat such extensions, so each name is reported once, at
   * its first place, with its number of occurrences.
   */
  readonly countExtension: (name: string, path: AttrPath) => void;
  /** All findings, by severity (errors first), file, line and code. */
  readonly sorted: () => readonly ContractFinding[];
}

/** Creates a collector of findings. `placeOf` returns the place in the source files for a path in the document. */
export function createFindings(placeOf: (path: AttrPath) => Place): Findings {
  const findings = new Map<string, ContractFinding>();
  const counted = new Map<string, Map<string, AttrPath>>();

  const addAt: Findings["addAt"] = (severity, code, message, { place, pointer }) => {
    findings.set([code, place.file, pointer, message].join("\n"), { severity, code, message, place, pointer });
  };
  const add: AddFinding = (severity, code, message, path) =>
    addAt(severity, code, message, { place: placeOf(path), pointer: formatPointer(path) });
  return {
    add,
    addAt,
    countExtension: (name, path) => {
      getOrAdd(counted, name, () => new Map<string, AttrPath>()).set(formatPointer(path), path);
    },
    sorted: () => {
      for (const [name, places] of counted) addCountedExtension(name, [...places.values()], add);
      return [...findings.values()].toSorted(bySeverityAndPlace);
    },
  };
}

export function reportRuleIssues({ add }: Findings): ReportRuleIssue {
  return (message, path) => add("error", "bad-rule", message, path);
}

function addCountedExtension(name: string, places: readonly AttrPath[], add: AddFinding): void {
  const [first] = places;
  if (first === undefined) return;
  const times = places.length === 1 ? "" : ` (${places.length} places; this is the first)`;
  const message = `"${name}" is not an extension that migrate supports; it is ignored${times}`;
  add("info", "unknown-extension", message, first);
}

const SEVERITY_ORDER: Readonly<Record<FindingSeverity, number>> = { error: 0, warning: 1, info: 2 };

function bySeverityAndPlace(one: ContractFinding, other: ContractFinding): number {
  return (
    SEVERITY_ORDER[one.severity] - SEVERITY_ORDER[other.severity] ||
    compareText(one.place.file, other.place.file) ||
    one.place.line - other.place.line ||
    compareText(one.code, other.code)
  );
}
