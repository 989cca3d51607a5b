import type { RuleFinding } from "../../model/problem.ts";
import { plainLine, plainText } from "../../text/plain-text.ts";

/**
 * Describes a violated rule by its message. Without a message, uses the requirement from the operator's document (if
 * any), the kind of the rule and the fields.
 */
export function describeBrokenRule({ rule, fields, message, asked }: RuleFinding): string {
  if (message !== undefined) return plainLine(message);
  const kind = RULE_TEXT.get(rule) ?? "Breaks a rule of the contract";
  const words = fields.length === 0 ? kind : `${kind}: ${[...new Set(fields.map(fieldName))].join(", ")}`;
  return asked === undefined ? `${words}.` : `${plainLine(asked)} ${words}.`;
}

/** Converts `registers[is_active = true].reads` to `registers.reads`. */
function fieldName(field: string): string {
  return plainText(field.replaceAll(/\[[^\]]*\]/g, ""), 120);
}

const RULE_TEXT: ReadonlyMap<string, string> = new Map([
  ["required-when", "Values are required here"],
  ["forbidden-when", "No value is allowed here"],
  ["requires", "A value is required here because of other values"],
  ["requires-one-of", "Too few or too many of these fields have a value"],
  ["forbids-together", "Only one of these may have a value"],
  ["conditional-value", "The value is not allowed in combination with other values of this record"],
  ["in-set", "Not one of the known values"],
  ["in-set: negate", "This value is not allowed"],
  ["lookup", "Does not match the reference list"],
  ["matches-format", "Has the wrong format"],
  ["date-order", "The dates are in the wrong order"],
  ["not-future", "Must not be in the future"],
  ["not-past", "Must not be in the past"],
  ["within", "Out of range"],
  ["unique-by", "Duplicate of another item"],
  ["count-limit", "Wrong number of items"],
  ["equals-across", "These values must be the same"],
  ["sum-equals", "Does not equal the sum of its parts"],
  ["refers-to", "Refers to an item that is not in this record"],
  ["no-overlap", "Overlaps another period"],
  ["contiguous", "There is a gap or an overlap between periods"],
  ["contiguous: open", "There is a gap or an overlap between periods, or the last period is not open-ended"],
  ["contiguous: overlaps", "There is a gap between periods"],
  ["contiguous: overlaps: open", "There is a gap between periods, or the last period is not open-ended"],
  ["covered-by", "Not covered by a single period"],
]);
