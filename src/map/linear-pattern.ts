import { slowPattern } from "../model/slow-pattern.ts";

/**
 * A user's regular expression, admitted only when it runs in linear time on any text (`slowPattern`) and matches
 * something. Returns a sentence when the expression is wrong or is not admitted.
 */
export function linearPattern(source: string): RegExp | string {
  if (source.length > LONGEST) return `the expression is longer than ${LONGEST} characters`;
  const expression = parsed(source);
  if (expression === undefined) return "the expression cannot be read";
  return slowPattern(source) ?? (expression.test("") ? "the expression also matches nothing at all" : expression);
}

const LONGEST = 200;

function parsed(source: string): RegExp | undefined {
  try {
    return new RegExp(source, "gu");
  } catch {
    return undefined;
  }
}
