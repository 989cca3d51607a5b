import type { Outcome } from "../model/outcome.ts";
import type { Place } from "../model/place.ts";
import type { Problem } from "../model/problem.ts";
import { jsonText } from "./json-text.ts";
import { wordsFor } from "./words.ts";

export interface OutcomeLineOptions {
  /** Adds `value` to the errors whose value is known. */
  readonly showValues: boolean;
}

/**
 * The outcome as one JSON object in one line, without the line's end: keys in the fixed order (docs/errors.md), absent
 * when they do not apply. Written by hand, because there is one for every record of the input.
 */
export function outcomeLine(outcome: Outcome, options: OutcomeLineOptions): string {
  const { record, key, source, status, problems } = outcome;
  let line = `{"record":${record}`;
  if (key !== undefined) line += `,"key":${jsonText(key)}`;
  line += `,"source":${placeJson(source)},"status":"${status}"`;
  if (problems.length > 0) {
    line += `,"errors":[${problems.map((problem) => problemJson(problem, options)).join(",")}]`;
  }
  return `${line}${replyJson(outcome)}}`;
}

function replyJson({ http, attempts, account, durationMs }: Outcome): string {
  let members = "";
  if (http !== undefined) members += `,"http":${http}`;
  if (attempts !== undefined) members += `,"attempts":${attempts}`;
  if (account !== undefined) members += `,"account":${jsonText(account)}`;
  if (durationMs !== undefined) members += `,"durationMs":${durationMs}`;
  return members;
}

function problemJson(problem: Problem, options: OutcomeLineOptions): string {
  const { attr, code, severity, by, place, value } = problem;
  let object = `{"attr":${jsonText(attr)},"code":${jsonText(code)},"detail":${jsonText(wordsFor(problem))}`;
  object += `,"severity":"${severity}","by":"${by}"`;
  if (place !== undefined) object += `,"source":${placeJson(place)}`;
  if (options.showValues && value !== undefined) object += `,"value":${jsonText(value)}`;
  return `${object}}`;
}

function placeJson({ file, line, column, columnNumber, pointer }: Place): string {
  let object = `{"file":${jsonText(file)},"line":${line}`;
  if (column !== undefined) object += `,"column":${jsonText(column)}`;
  if (columnNumber !== undefined) object += `,"columnNumber":${columnNumber}`;
  if (pointer !== undefined) object += `,"pointer":${jsonText(pointer)}`;
  return `${object}}`;
}
