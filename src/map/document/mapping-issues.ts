import { formatAttr, type AttrPath } from "../../json/attr.ts";
import type { Addressable } from "../../contract/document/yaml-document.ts";
import { Failure } from "../../model/failure.ts";
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from "../../json/json-value.ts";
import { listed, suggestionOr } from "../../text/suggestion.ts";

/** Collects the errors of a mapping, so that one run shows all of them. */
export interface Issues {
  /**
   * Adds an issue, unless it is a duplicate. `path` is the path of the entry in the mapping file. Returns undefined, so
   * that callers can `return issues.add(...)` for an invalid entry.
   */
  readonly add: (path: AttrPath, message: string, hint?: string) => undefined;
}

export interface CollectedIssues extends Issues {
  /** Throws a Failure `mapping_invalid` that lists the issues, if there are any. */
  readonly raise: () => void;
}

export function collectIssues(document: Addressable): CollectedIssues {
  const found: Issue[] = [];
  return {
    add: (path, message, hint) => {
      const issue = {
        ...document.pointOf(path),
        text: path.length === 0 ? message : `${formatAttr(path)}: ${message}`,
        hint,
      };
      if (!found.some(({ line, text }) => line === issue.line && text === issue.text)) found.push(issue);
    },
    raise: () => {
      if (found.length > 0) throw failureOf(document.file, found);
    },
  };
}

/** Collects the issues of a tentative interpretation. They are reported only after `keep`. */
export interface TrialIssues extends Issues {
  readonly hasIssues: () => boolean;
  /** Adds the collected issues to the issues of the mapping. */
  readonly keep: () => void;
}

export function tryIssues(issues: Issues): TrialIssues {
  const found: (readonly [path: AttrPath, message: string, hint: string | undefined])[] = [];
  return {
    add: (path, message, hint) => {
      found.push([path, message, hint]);
    },
    hasIssues: () => found.length > 0,
    keep: () => {
      for (const issue of found) issues.add(...issue);
    },
  };
}

/** Adds an issue, with a suggestion, for every object member that is not in `known`. */
export function refuseUnknown(object: JsonObject, known: readonly string[], path: AttrPath, issues: Issues): void {
  for (const name of Object.keys(object)) {
    if (!known.includes(name)) issues.add([...path, name], "is unknown", didYouMean(name, known));
  }
}

/** Returns `did you mean "from"?` or, if no candidate is similar, the list of candidates. */
export function didYouMean(word: string, candidates: readonly string[]): string {
  return suggestionOr(`known names: ${listed(candidates)}`, word, candidates);
}

/** Returns the text of a scalar, or undefined for null, objects and lists. */
export function scalarText(value: JsonValue | undefined): string | undefined {
  if (typeof value === "string") return value;
  return typeof value === "number" || typeof value === "boolean" ? String(value) : undefined;
}

/** Returns a scalar or a list of scalars as a list of strings, or undefined for any other value. */
export function scalarTexts(value: JsonValue | undefined): readonly string[] | undefined {
  const entries = value !== undefined && isJsonArray(value) ? value : [value];
  const texts = entries.flatMap((entry) => scalarText(entry) ?? []);
  return texts.length === entries.length ? texts : undefined;
}

/** Returns the entry as an object; otherwise adds an issue and returns undefined. */
export function asObject(value: JsonValue, path: AttrPath, issues: Issues): JsonObject | undefined {
  if (isJsonObject(value)) return value;
  return issues.add(path, "must be an object, such as { name: value }");
}

interface Issue {
  readonly line: number;
  readonly column: number;
  readonly excerpt: string | undefined;
  readonly text: string;
  readonly hint: string | undefined;
}

const MAX_ISSUES = 20;

function failureOf(file: string, found: readonly Issue[]): Failure {
  const issues = found.toSorted((one, other) => one.line - other.line || one.column - other.column);
  const place = { file, line: issues[0]?.line ?? 1 };
  const [only] = issues;
  if (only !== undefined && issues.length === 1) {
    const { line, column, text, excerpt, hint = REFERENCE } = only;
    const more = { hint: excerpt === undefined ? hint : `${excerpt}\n${hint}`, place };
    return new Failure("mapping_invalid", `${file}:${line}:${column}: ${text}`, more);
  }
  const lines = issues.slice(0, MAX_ISSUES).map((issue) => {
    const hint = issue.hint === undefined ? "" : `; ${issue.hint}`;
    return `  ${file}:${issue.line}:${issue.column}: ${issue.text}${hint}`;
  });
  if (issues.length > MAX_ISSUES) lines.push(`  and ${issues.length - MAX_ISSUES} more`);
  const message = [`${file}: ${issues.length} errors in the mapping`, ...lines].join("\n");
  return new Failure("mapping_invalid", message, { hint: REFERENCE, place });
}

const REFERENCE = "docs/mapping.md describes every entry of a mapping";
